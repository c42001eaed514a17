//! Rankings as they are asked for: made, given reasons and claims, and kept.

mod claims;
mod entries;
mod gzoltar;
mod innocents;
mod kept;
mod reasons;
mod repeated;
mod request;
mod tried;
mod trust;
mod watch;
mod why;

use std::collections::BTreeSet;

use crate::evidence::LineFacts;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank::{Algorithm, Granularity, Need, TieBreak, Units};
use crate::rank_inputs::{
    CdflChoice, Chains, Coverage, MethodInput, ParentChoice, Wanted, count_tests, left_out, observe,
};
use crate::report::{RankingReport, SCHEMA_VERSION, WhyReport};
use crate::suite_run::Session;
pub use claims::{Claimant, Claims, KeptClaim, effect, end_words};
pub use entries::{entries, line_owners};
pub use gzoltar::{Written, rank_spectra, write_spectra};
pub use innocents::innocents;
pub use kept::{KeptRanking, known_ranking, last_ranking};
use reasons::{Explainer, lines_left_out};
pub use repeated::{Repeated, repeat};
pub use request::{ALL, Look, RankRequest, TrialOptions, Trying};
use tried::{Tried, try_changes};
use trust::{check_contrast, trust};

/// A ranking that was asked for.
pub struct Answer {
    /// The ranking.
    pub report: RankingReport,
    /// Everything about the line that was looked at.
    pub why: Option<WhyReport>,
    /// True if everything that was planned has been tried.
    pub is_finished: bool,
    /// The claims that it makes.
    claims: Option<Claims>,
    /// True if it is the ranking that reports show.
    is_default: bool,
}

impl Answer {
    /// Keeps the ranking for reports, if it is the one that they show.
    pub fn keep_ranking(&self, session: &Session) -> Result<(), Obstacle> {
        if self.is_default { kept::keep(session, &self.report) } else { Ok(()) }
    }

    /// Keeps the claims, for `suspect replay`.
    pub fn keep_claims(&mut self, session: &Session) -> Result<(), Obstacle> {
        self.claims.take().map_or(Ok(()), |claims| claims.save(session))
    }
}

/// Ranks; tries changes of the program before, as far as the request goes.
pub fn rank(session: &Session, request: &RankRequest, progress: &dyn Progress) -> Result<Answer, Obstacle> {
    let run = &session.run;
    let needs = |need: Need| request.method.needs.contains(&need);
    let failing_suffice =
        needs(Need::Observations) || needs(Need::Trials) || request.method.algorithm.reads_failing_tests_alone();
    check_contrast(run, count_tests(run), failing_suffice)?;
    let line = why::looked_at(&run.program, request)?;
    let ranked = Ranked::new(session, request)?;
    if !needs(Need::Trials) {
        let report = report(session, request, &ranked, None)?;
        return Ok(Answer { report, why: None, is_finished: true, claims: None, is_default: false });
    }
    progress.show(false, &|_| "reading what the tests executed".into());
    let coverage = Coverage::read(run, &run.counted_tests())?;
    let chains = if request.chains { Chains::load(session)? } else { Chains::default() };
    let facts = coverage.line_facts(session)?.with_chains(&chains.lines());
    let tried = try_changes(session, &facts, &request.trying, line.is_some(), progress)?;
    let mut report = report(session, request, &ranked, Some((&facts, &tried)))?;
    let is_finished = tried.is_finished;
    let Algorithm::AllEvidence = request.method.algorithm else {
        return Ok(Answer { report, why: None, is_finished, claims: None, is_default: false });
    };
    let mut explainer = Explainer::new(session, (&facts, &chains), &tried.trials, &ranked.left_out);
    explainer.explain(&mut report);
    let is_not = request.look.as_ref().is_some_and(|look| look.is_not);
    let why = line.map(|line| why::why(run, (line, is_not), (&facts, &tried), &report, &mut explainer)).transpose()?;
    let is_default = line.is_none() && request.by == Granularity::Line && request.ties == TieBreak::LineOrder;
    Ok(Answer { report, why, is_finished, claims: explainer.into_claims(), is_default })
}

/// What is ranked.
struct Ranked {
    units: Units,
    /// The number of others that count as innocent.
    n_innocent: usize,
    /// The program's lines that are not ranked, where lines are.
    left_out: BTreeSet<u32>,
}

impl Ranked {
    fn new(session: &Session, request: &RankRequest) -> Result<Ranked, Obstacle> {
        let Session { store, run, .. } = session;
        let all = Units::new(&run.program, request.by);
        let innocent = innocents(store, &run.program, &all, &request.innocent, request.forget_innocent)?;
        let not_ranked = [innocent.as_slice(), &left_out(run, &all)?].concat();
        let left_out = lines_left_out(&all, &not_ranked);
        Ok(Ranked { units: all.without(&not_ranked), n_innocent: innocent.len(), left_out })
    }
}

/// The ranking by a method, with what was tried if the method needs it.
fn report(
    session: &Session,
    request: &RankRequest,
    Ranked { units, n_innocent, .. }: &Ranked,
    tried: Option<(&LineFacts, &Tried)>,
) -> Result<RankingReport, Obstacle> {
    let run = &session.run;
    let method = request.method;
    let counts = count_tests(run);
    let mut trust = trust(run, counts)?;
    let mut input = MethodInput::read(run, units, method.needs, &run.counted_tests())?;
    if method.needs.contains(&Need::Observations) {
        let is_paper = method.id == "cdfl_paper" || request.parents == Some(ParentChoice::Paper);
        let observed = observe(session, Wanted { sampled_alone: is_paper, ..Wanted::default() })?;
        observed.check_failing()?;
        trust.extend(observed.trust());
        input = input.with_mutants(observed, CdflChoice::new(run, request.parents, request.unidentified)?);
    }
    if let Some((facts, tried)) = tried {
        trust.extend(tried.trust.iter().cloned());
        input = input.with_trials(facts, &tried.trials);
    }
    let ranked = input.rank(method)?;
    let ties = request.ties;
    trust.extend(ranked.notes.iter().map(|note| note.to_string()));
    if *n_innocent > 0 {
        trust.push(format!("{n_innocent} ranked units count as innocent and are left out (--forget-innocent)"));
    }
    Ok(RankingReport {
        schema_version: SCHEMA_VERSION,
        method: method.id.to_string(),
        by: units.granularity().name().to_string(),
        tie_breaker: ties.name().to_string(),
        tests: counts,
        ranking: entries(&run.program, units, &ranked.ranking, ties, &input),
        trust,
        trials: tried.filter(|(_, tried)| !tried.trials.is_empty()).map(|(facts, tried)| tried.counts(facts)),
        confidence: None,
        groups: Vec::new(),
        not_tried: tried.map_or_else(Vec::new, |(_, tried)| tried.not_tried.clone()),
    })
}
