//! From a chain of links to what the user reads.

use std::collections::HashMap;

use suspect_format::body::Action;

use super::Case;
use super::request::{Method, Request};
use super::trail::{NULL, ZERO};
use crate::comparison::{
    Chain, Difference, DualSlice, Effect, Inference, Link, NONE, Origin, Proof, Rules, Side, States, Value, Watch,
};
use crate::obstacle::Obstacle;
use crate::recording::{NOT_NULL, Site};
use crate::report::{self, Cause, EXPLANATION_SCHEMA_VERSION, Explanation, Place, Point, Step};

/// Tells what was found out about a case.
pub struct Teller<'c, 'a> {
    /// The case.
    pub case: &'c Case<'a>,
    /// The request.
    pub request: &'c Request,
    /// By cause point: patched runs that were forked there.
    pub forked: HashMap<[u32; 2], u32>,
}

impl Teller<'_, '_> {
    /// The whole explanation; `words` say what the effect is, if nobody named it.
    pub fn explanation(
        &self,
        effect: &Effect,
        words: Option<String>,
        chain: &Chain,
        problems: Vec<String>,
    ) -> Result<Explanation, Obstacle> {
        let facts = self.facts();
        let origins: Vec<report::Origin> = chain.origins.iter().map(|origin| self.origin(origin)).collect();
        let steps: Vec<Step> = chain.links.iter().map(|link| self.step(link)).collect();
        let happens = words.clone().unwrap_or_else(|| self.values(effect));
        let is_own = self.request.effect.is_none() && facts.is_empty();
        let happens = if is_own { self.case.with_values(happens) } else { happens };
        let (test, made) = (&self.case.names[1], self.case.made.as_ref());
        let summary = summary(test, &happens, &facts, &steps, &origins, made, chain.complete);
        let effect_words = match (words, self.values(effect)) {
            (Some(words), values) if values.is_empty() => words,
            (Some(words), values) => format!("{words}: {values}"),
            (None, values) => {
                let asked = self.request.effect.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("at {asked}, {values}")
            }
        };
        let verified = chain.is_proved() && !chain.links.iter().any(|link| link.inference.causes.is_empty());
        let mut trust = self.trust(chain);
        trust.extend(problems);
        Ok(Explanation {
            schema_version: EXPLANATION_SCHEMA_VERSION,
            test: self.case.names[1].clone(),
            against: self.case.names[0].clone(),
            made: self.case.made.clone(),
            effect: effect_words,
            summary,
            facts,
            steps,
            origins,
            before: Vec::new(),
            complete: chain.complete,
            verified,
            command: self.command(),
            trust,
            found: None,
            changed: Vec::new(),
        })
    }

    /// What the failing run alone shows, unless something else is asked for.
    fn facts(&self) -> Vec<Point> {
        if self.request.effect.is_some() {
            return Vec::new();
        }
        let misuse = self.case.misuse.map(|misuse| {
            let point = self.case.place(Side::Second, misuse.point);
            Point { text: self.case.told_misuse(misuse), ..point }
        });
        misuse.into_iter().chain(self.case.null_trail()).chain(self.case.wrong_byte_facts()).collect()
    }

    fn trust(&self, chain: &Chain) -> Vec<String> {
        let runs = self.case.runs;
        let mut trust = Vec::new();
        if runs.alignment.unexplained() > 0 {
            trust.push(format!(
                "the runs part {} times where no branch of recorded code decides; what follows is compared less exactly",
                runs.alignment.unexplained()
            ));
        }
        for (side, walked) in Side::BOTH.into_iter().zip(&runs.walked) {
            let name = &self.case.names[side.index()];
            if !walked.disagreements.is_empty() {
                let count = walked.disagreements.len();
                trust.push(format!(
                    "{count} branches of {name} went another way than the recorded code says: a fault of suspect's"
                ));
            }
            if let crate::recording::End::Damaged(what) = &walked.end {
                trust.push(format!("the recording of {name} could be followed in part only: {what}"));
            }
            if matches!(walked.end, crate::recording::End::Interrupted(_)) {
                trust.push(format!("more signals' handlers interrupted {name} than a recording tells; what comes after the last one that it tells is not looked at"));
            }
        }
        if self.request.method == Method::Cc && !chain.is_proved() {
            trust.push(
                "not every step is proved: where it says so, the differences matter, but may not suffice".to_owned(),
            );
        }
        if !chain.complete && self.request.cause.is_none() {
            trust.push("the chain does not lead back to where the difference comes in; more --steps may".to_owned());
        }
        trust
    }

    fn command(&self) -> String {
        let [passing, failing] = self.case.names.each_ref().map(|name| report::shell_word(name));
        let mut command = match &self.case.made {
            Some(made) => format!("suspect explain {failing} {}", made.option),
            None => format!("suspect explain {failing} --against {passing}"),
        };
        for (option, place) in [("--cause", &self.request.cause), ("--effect", &self.request.effect)] {
            if let Some(place) = place {
                command += &format!(" {option} {}", report::shell_word(&place.to_string()));
            }
        }
        if let Some(clock) = self.case.room.clock() {
            command += &format!(" --clock {clock}");
        }
        command
    }

    /// The differences at an effect, in words.
    fn values(&self, effect: &Effect) -> String {
        let words = self.case.words;
        match &effect.watch {
            Watch::Locations(locations) => {
                let values = effect.values[0].iter().zip(&effect.values[1]).zip(&effect.operands);
                let differing = locations.iter().zip(values).filter(|(_, ((one, other), _))| one != other);
                let texts = differing.map(|(location, ((passing, failing), writes))| {
                    let [passing, failing] = self.told(*location, *writes, [*passing, *failing]);
                    differs(&words.written(*location, *writes), &failing, &passing)
                });
                let mut texts: Vec<String> = texts.collect();
                // Of one number several parts differ.
                texts.dedup();
                listed(&texts)
            }
            Watch::Result => self.results(effect),
        }
    }

    fn results(&self, effect: &Effect) -> String {
        let (words, runs) = (self.case.words, self.case.runs);
        let [passing, failing] = Side::BOTH.map(|side| {
            let run = &runs.runs[side.index()];
            run.written(effect.points[side.index()]).collect::<Vec<_>>()
        });
        let mut texts = Vec::new();
        for (one, other) in passing.iter().zip(&failing) {
            let (of_one, of_other) = (&runs.runs[0], &runs.runs[1]);
            let locations = [of_one.location(*one), of_other.location(*other)];
            if (locations[0], of_one.value(*one)) != (locations[1], of_other.value(*other)) {
                let name = words.written(locations[1], [Some(*one), Some(*other)]);
                texts.push(differs(&name, &words.left(of_other, *other), &words.left(of_one, *one)));
            }
        }
        texts.dedup();
        let outcomes = Side::BOTH.map(|side| runs.runs[side.index()].outcome(effect.points[side.index()]));
        if outcomes[0] != outcomes[1] {
            let at = self.case.at(Side::First, effect.points[0]);
            texts.push(match (self.case.condition(effect.points[1]), outcomes) {
                (Some(condition), [passing, failing]) if passing != NONE && failing != NONE => {
                    format!("`{condition}` at {at} is {} here, {} there", failing == 0, passing == 0)
                }
                _ => format!("the condition at {at} goes another way"),
            });
        }
        listed(&texts)
    }

    /// What a location holds in each run: all of the number of which it is a part, where a known store wrote that.
    fn told(&self, location: u32, writes: [Option<u32>; 2], values: [Value; 2]) -> [String; 2] {
        Side::BOTH.map(|side| {
            let (run, value) = (&self.case.runs.runs[side.index()], values[side.index()]);
            let left =
                writes[side.index()].filter(|write| (run.location(*write), run.value(*write)) == (location, value));
            left.map_or_else(|| self.case.words.value(location, value), |write| self.case.words.left(run, write))
        })
    }

    fn point(&self, points: [u32; 2]) -> Point {
        self.case.place(Side::Second, points[1])
    }

    fn cause(&self, difference: &Difference) -> Cause {
        let words = self.case.words;
        let [passing, failing] = self.told(difference.location, difference.writes, difference.values);
        let [failing, passing] = told_apart(&failing, &passing).map(str::to_owned);
        Cause { what: words.written(difference.location, difference.writes), failing, passing }
    }

    fn step(&self, link: &Link) -> Step {
        let mut effect_point = self.point(link.effect.points);
        effect_point.text = self.values(&link.effect);
        let mut slice: Vec<(String, u32)> = Vec::new();
        for side in Side::BOTH {
            slice.extend(self.case.finder.lines(side, link.points[side.index()].iter().copied()));
        }
        slice.sort();
        slice.dedup();
        let states = States::before(self.case.pair, link.cause[0], &self.case.runs.naming.names);
        let cut = states.map(|states| DualSlice::new(self.case.pair, &link.effect, Rules::Repaired).cut(&states));
        let taken = self.taken(link);
        Step {
            cause_point: self.point(link.cause),
            effect_point,
            causes: link.inference.causes.iter().map(|cause| self.cause(cause)).collect(),
            slice: slice.into_iter().map(|(file, line)| Place { file, line }).collect(),
            model: self.model(&link.inference).to_owned(),
            proof: self.proof(link),
            forked: self.forked.get(&link.cause).copied().unwrap_or(0),
            re_executions: link.inference.executions as u32,
            cut: cut.unwrap_or_default().iter().map(|difference| self.cause(difference)).collect(),
            decides: !taken.is_empty(),
            taken,
        }
    }

    /// Conditions of the link's slice before its effect that went another way.
    fn taken(&self, link: &Link) -> Vec<String> {
        let alignment = &self.case.runs.alignment;
        let decided = link.points[1].iter().filter(|point| {
            let partner = alignment.partner(Side::Second, **point);
            let between = (link.cause[1]..link.effect.points[1]).contains(*point);
            between && partner.is_some() && self.case.pair.parted(Side::Second, **point)
        });
        let mut texts: Vec<String> = decided
            .map(|point| {
                let outcome = self.case.runs.runs[1].outcome(*point);
                let site = self.case.runs.runs[1].site(*point);
                let at = self.case.at(Side::Second, *point);
                match self.case.code.what(site) {
                    Site::Step(step) if self.case.code.is_branch(step) => {
                        let way = outcome == 0;
                        match self.case.condition(*point) {
                            Some(condition) => format!("`{condition}` at {at} is {way} here, not there"),
                            None => format!("the condition at {at} is {way} here, not there"),
                        }
                    }
                    _ => format!("the way that {at} goes here is not taken there"),
                }
            })
            .collect();
        texts.dedup();
        texts
    }

    fn model(&self, inference: &Inference) -> &'static str {
        match (self.request.method, inference.proof) {
            (Method::Dual, _) | (_, Proof::Unverified) => "none",
            (Method::Csm, _) => "unguided",
            (_, Proof::Approximate) => "approximate",
            (_, Proof::Exact) => "exact",
        }
    }

    fn proof(&self, link: &Link) -> String {
        let inference = &link.inference;
        let runs = inference.executions;
        let forked = match self.forked.get(&link.cause) {
            Some(forked) => format!(", {forked} of them forked at the cause,"),
            None => String::new(),
        };
        match (self.request.method, inference.proof) {
            (Method::Dual, _) => "not tried: all differences that the effect depends on".to_owned(),
            (Method::Csm, Proof::Unverified) => format!("found nothing in {runs} patched runs of one direction"),
            (Method::Csm, _) => format!("sufficient in one direction, {runs} patched runs"),
            (_, Proof::Approximate) => {
                format!("proved in both directions by {runs} patched runs{forked} (approximate model)")
            }
            (_, Proof::Exact) => format!("proved in both directions by {runs} patched runs (exact model)"),
            (_, Proof::Unverified) => format!("relevant, unverified: {runs} patched runs proved nothing"),
        }
    }

    fn origin(&self, origin: &Origin) -> report::Origin {
        let (words, runs) = (self.case.words, self.case.runs);
        let what = origin.locations.iter().filter_map(|location| {
            let of = |side: Side| {
                let run = &runs.runs[side.index()];
                let point = origin.points[side.index()];
                let here = |write: &u32| run.location(*write) == *location;
                match point {
                    0 => run.initial().iter().copied().rfind(here),
                    point => run.written(point).filter(here).last(),
                }
            };
            let writes = Side::BOTH.map(of);
            let [passing, failing] = Side::BOTH.map(|side| {
                let write = writes[side.index()];
                let value = write.map(|write| words.left(&runs.runs[side.index()], write));
                value.unwrap_or_else(|| "as it was".to_owned())
            });
            let is_known = writes != [None, None];
            is_known.then(|| differs(&words.written(*location, writes), &failing, &passing))
        });
        let outcomes = Side::BOTH.map(|side| runs.runs[side.index()].outcome(origin.points[side.index()]));
        let turned = (outcomes[0] != outcomes[1]).then(|| self.case.told_turn(origin.points));
        let mut what: Vec<String> = what.chain(turned).collect();
        if what.is_empty() {
            let jumps = Side::BOTH.into_iter().any(|side| self.case.is_jumped_after(side, origin.points[side.index()]));
            let text = if jumps { "a jump leads back here" } else { "something is done from here on" };
            what.push(format!("{text} in one run alone"));
        }
        report::Origin { point: self.point(origin.points), what }
    }
}

impl Case<'_> {
    /// True if what one run alone does next after `point` is, or leads to, a jump out of calls.
    fn is_jumped_after(&self, side: Side, point: u32) -> bool {
        let run = &self.runs.runs[side.index()];
        let alone = |point: &u32| self.runs.alignment.partner(side, *point).is_none();
        let mut next = (point + 1..run.points()).skip_while(|point| !alone(point)).take_while(alone);
        let is_jump = |point: u32| match self.code.what(run.site(point)) {
            Site::Returned(step) => self.code.is_jumped_to(step),
            _ => false,
        };
        next.any(is_jump)
    }

    /// The site that says where a point stands in the source: of the end of a function that returns a value, the statement that gave it.
    pub(super) fn stated(&self, side: Side, point: u32) -> u32 {
        let run = &self.runs.runs[side.index()];
        let site = run.site(point);
        let is_return = |step: u32| matches!(self.code.steps[step as usize].action, Action::Return(Some(_)));
        let ([read], Site::Step(step)) = (run.reads(point), self.code.what(site)) else { return site };
        if !is_return(step) || self.words.is_named(run.location(*read)) || run.writer(*read) == 0 {
            return site;
        }
        let giver = run.site(run.writer(*read));
        let line = |site: u32| self.words.place(site).map_or(0, |place| place.line);
        let is_statement = matches!(self.code.what(giver), Site::Step(_)) && line(giver) != 0;
        if is_statement && self.words.function(giver) == self.words.function(site) { giver } else { site }
    }

    /// A point of a run for readers.
    pub(super) fn place(&self, side: Side, point: u32) -> Point {
        let (place, function) = self.own_place(side, point).unwrap_or_default();
        Point {
            file: self.words.file(place).to_owned(),
            line: place.line,
            function: function.to_owned(),
            instance: self.finder.instance(side, point),
            text: String::new(),
        }
    }
}

/// The answer in two sentences, if something is known that it comes from.
fn summary(
    test: &str,
    happens: &str,
    facts: &[Point],
    steps: &[Step],
    origins: &[report::Origin],
    made: Option<&report::Made>,
    complete: bool,
) -> Vec<String> {
    let at = |point: &Point| format!("{}:{}", point.file, point.line);
    let mut happens = happens.to_owned();
    if !happens.starts_with(test) {
        happens = format!("{test}: {happens}");
    }
    let of_null = facts.iter().position(|fact| [NULL, ZERO].iter().any(|is| fact.text.ends_with(is)));
    if let (Some(first), Some(null), true) = (of_null, facts.last(), facts.len() > of_null.unwrap_or(0) + 1) {
        let used = &facts[first];
        return vec![
            format!("{test} crashes at {}, where {}.", at(used), used.text),
            format!("That comes from {}: {}.", at(null), null.text),
        ];
    }
    if let Some(used) = of_null.map(|first| &facts[first]) {
        happens = format!("{test} crashes at {}, where {}", at(used), used.text);
    }
    let last = |step: &Step| {
        let cause = step.causes.first()?;
        Some((step.cause_point.clone(), differs(&cause.what, &cause.failing, &cause.passing)))
    };
    let origin = origins.iter().filter(|origin| origin.point.line > 0);
    let root = origin.filter_map(|origin| Some((origin.point.clone(), origin.what.first()?.clone()))).next_back();
    let root = root.or_else(|| steps.iter().rev().find_map(last));
    let comes = match (made, root) {
        (Some(made), _) if !complete => {
            Some(format!("One change at {} mends it: `{}` makes that run again.", at(&made.point), made.option))
        }
        (_, Some((point, what))) if complete => Some(format!("That comes from {}: {what}.", at(&point))),
        (_, root) => {
            root.map(|(point, what)| format!("As far as it was followed, that comes from {}: {what}.", at(&point)))
        }
    };
    std::iter::once(format!("{}.", happens.trim_end_matches('.'))).chain(comes).collect()
}

/// Two values that differ, as they are told: of two addresses without names only that they differ.
fn told_apart<'t>(failing: &'t str, passing: &'t str) -> [&'t str; 2] {
    if failing == NOT_NULL && passing == NOT_NULL { ["an address", "another one"] } else { [failing, passing] }
}

/// A difference as a sentence.
fn differs(what: &str, failing: &str, passing: &str) -> String {
    let [failing, passing] = told_apart(failing, passing);
    format!("{} is {failing} here, {passing} there", report::quoted(what))
}

/// Values of an effect that are named.
const MOST_VALUES: usize = 4;

/// The differences, as far as one sentence can tell them.
fn listed(texts: &[String]) -> String {
    let named = texts[..texts.len().min(MOST_VALUES)].join(", ");
    match texts.len().saturating_sub(MOST_VALUES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_differ_are_told_apart() {
        assert_eq!(differs("p", NOT_NULL, NOT_NULL), "`p` is an address here, another one there");
        assert_eq!(differs("p", "NULL", NOT_NULL), "`p` is NULL here, not NULL there");
    }

    #[test]
    fn an_effect_of_many_values_is_a_sentence_still() {
        let texts: Vec<String> = (0..9).map(|n| format!("`s[{n}]` is {n} here, 7 there")).collect();
        assert_eq!(listed(&texts[..1]), "`s[0]` is 0 here, 7 there");
        assert!(listed(&texts).ends_with("`s[3]` is 3 here, 7 there and 5 more"), "{}", listed(&texts));
        assert_eq!(listed(&[]), "");
    }
}
