//! The default ranking of lines as it was made last, kept so that reports need not make it again.

use serde::{Deserialize, Serialize};

use super::{RankRequest, Trying, rank};
use crate::campaign::run_identity;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::report::RankingReport;
use crate::store::Run;
use crate::suite_run::Session;

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
    /// The number of lines that it ranks.
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

    /// The ranking that the store has of this run; `None` if there is none, or it cannot be read.
    fn load(session: &Session) -> Option<KeptRanking> {
        let Session { store, run, .. } = session;
        // It is made anew when the user ranks again, so what is wrong with it does not matter.
        let kept: KeptRanking = store.load_ranking().ok()??;
        (kept.version == VERSION && kept.run == run_identity(run)).then_some(kept)
    }

    fn n_trials(&self) -> u64 {
        self.ranking.trials.map_or(0, |trials| trials.trials)
    }
}

/// Keeps a default ranking of lines for later reports, unless one of the same run is kept for which more was tried.
pub fn keep(session: &Session, report: &RankingReport) -> Result<(), Obstacle> {
    let Session { store, run, .. } = session;
    let kept = KeptRanking::new(run, report);
    match KeptRanking::load(session) {
        Some(earlier) if earlier.n_trials() > kept.n_trials() => Ok(()),
        _ => Ok(store.save_ranking(&kept)?),
    }
}

/// The default ranking of lines, as it was made last; if it was not since the tests were recorded, made now by what is known without running
/// anything.
pub fn known_ranking(session: &Session, progress: &dyn Progress) -> Result<KeptRanking, Obstacle> {
    if let Some(kept) = KeptRanking::load(session) {
        return Ok(kept);
    }
    let trying = Trying::Known("changes of the program: `suspect rank` has not been run since the tests were recorded");
    let request = RankRequest { chains: true, ..RankRequest::all_evidence(trying)? };
    Ok(KeptRanking::new(&session.run, &rank(session, &request, progress)?.report))
}

/// The default ranking of lines as it was made last, its first entries; `None` if it was not since the tests were recorded.
pub fn last_ranking(session: &Session) -> Option<RankingReport> {
    KeptRanking::load(session).map(|kept| kept.ranking)
}
