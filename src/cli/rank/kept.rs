//! The default ranking of lines as it was made last, kept so that reports need not make it again.

use serde::{Deserialize, Serialize};

use crate::campaign::run_identity;
use crate::cli::args::{By, RankArguments, SearchArguments, Ties};
use crate::cli::exit::{Exit, Failure};
use crate::rank::find_method;
use crate::report::RankingReport;
use crate::store::{Run, Store};

use super::chains::Chains;
use super::explain::Explainer;
use super::tried::look_up;
use super::{ALL, Ranked, Scene, check_contrast, count_tests};

/// Version of the kept form.
const VERSION: u32 = 1;
/// Entries that are kept.
const MOST_ENTRIES: usize = 1000;

/// A ranking of lines by all evidence.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptRanking {
    version: u32,
    /// The run that it is of: see [`run_identity`].
    run: u64,
    /// How many lines it ranks.
    pub n_ranked: u32,
    /// Its first entries.
    pub ranking: RankingReport,
}

impl KeptRanking {
    fn new(run: &Run, report: &RankingReport) -> KeptRanking {
        let mut ranking = report.clone();
        ranking.ranking.truncate(MOST_ENTRIES);
        KeptRanking { version: VERSION, run: run_identity(run), n_ranked: report.ranking.len() as u32, ranking }
    }

    /// What the store has of this run; `None` if that is nothing, of another run, or cannot be read.
    fn load(store: &Store, run: &Run) -> Option<KeptRanking> {
        // It is made anew when the user ranks again, so what is wrong with it does not matter.
        let kept: KeptRanking = store.load_ranking().ok()??;
        (kept.version == VERSION && kept.run == run_identity(run)).then_some(kept)
    }

    fn n_trials(&self) -> u64 {
        self.ranking.trials.map_or(0, |trials| trials.trials)
    }
}

/// Keeps a ranking for later reports, unless one of the same run is kept for which more was tried.
pub fn keep(store: &Store, run: &Run, arguments: &RankArguments, report: &RankingReport) -> Result<(), Failure> {
    if arguments.by != By::Line || arguments.ties != Ties::Line {
        return Ok(());
    }
    let kept = KeptRanking::new(run, report);
    match KeptRanking::load(store, run) {
        Some(earlier) if earlier.n_trials() > kept.n_trials() => Ok(()),
        _ => Ok(store.save_ranking(&kept)?),
    }
}

/// The default ranking of lines, as it was made last; if it was not since the tests were recorded, made now by what is known without running
/// anything.
pub fn known_ranking(store: &Store, run: &Run) -> Result<KeptRanking, Failure> {
    match KeptRanking::load(store, run) {
        Some(kept) => Ok(kept),
        None => untried(store, run),
    }
}

/// The default ranking of lines as it was made last, its first entries; `None` if it was not since the tests were recorded.
pub fn last_ranking(store: &Store, run: &Run) -> Option<RankingReport> {
    KeptRanking::load(store, run).map(|kept| kept.ranking)
}

fn untried(store: &Store, run: &Run) -> Result<KeptRanking, Failure> {
    check_contrast(run, count_tests(run), true)?;
    let search = SearchArguments { budget: None, jobs: None, no_trials: true, allow_unsafe: false };
    let arguments = RankArguments::of_all_evidence(search);
    let method = find_method(ALL).map_err(Failure::of(Exit::Usage))?;
    let ranked = Ranked::new(store, run, &arguments)?;
    let scene = Scene::read(run, &run.counted_tests())?;
    let chains = Chains::load(store, run)?;
    let ground = scene.ground(store, run)?.with_chains(&chains.lines());
    let tried = look_up(
        store,
        run,
        &ground,
        "changes of the program: `suspect rank` has not been run since the tests were recorded",
    )?;
    let mut report = super::report(store, run, method, &arguments, &ranked, Some((&ground, &tried)))?;
    Explainer::new((store, run), (&ground, &chains), &tried.trials, &ranked.left_out).explain(&mut report);
    Ok(KeptRanking::new(run, &report))
}
