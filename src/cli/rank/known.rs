//! The default ranking of lines, which is made by what is known where none is kept.

use crate::cli::args::{RankArguments, SearchArguments};
use crate::cli::exit::{Exit, Failure};
use crate::rank::find_method;
use crate::ranking::KeptRanking;
use crate::store::{Run, Store};

use super::explain::Explainer;
use super::tried::look_up;
use super::{ALL, Coverage, Ranked, check_contrast, count_tests};
use crate::rank_inputs::Chains;

/// The default ranking of lines, as it was made last; if it was not since the tests were recorded, made now by what is known without running
/// anything.
pub fn known_ranking(store: &Store, run: &Run) -> Result<KeptRanking, Failure> {
    match KeptRanking::load(store, run) {
        Some(kept) => Ok(kept),
        None => untried(store, run),
    }
}

fn untried(store: &Store, run: &Run) -> Result<KeptRanking, Failure> {
    check_contrast(run, count_tests(run), true)?;
    let search = SearchArguments { budget: None, jobs: None, no_trials: true, allow_unsafe: false };
    let arguments = RankArguments::of_all_evidence(search);
    let method = find_method(ALL).map_err(Failure::of(Exit::Usage))?;
    let ranked = Ranked::new(store, run, &arguments)?;
    let coverage = Coverage::read(run, &run.counted_tests())?;
    let chains = Chains::load(store, run)?;
    let facts = coverage.line_facts(store, run)?.with_chains(&chains.lines());
    let tried = look_up(
        store,
        run,
        &facts,
        "changes of the program: `suspect rank` has not been run since the tests were recorded",
    )?;
    let mut report = super::report(store, run, method, &arguments, &ranked, Some((&facts, &tried)))?;
    Explainer::new((store, run), (&facts, &chains), &tried.trials, &ranked.left_out).explain(&mut report);
    Ok(KeptRanking::new(run, &report))
}
