//! Value mutants of a recorded run's program, tried on its tests.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::endless::Endless;
use super::watch::Shown;
use super::work::Work;
use super::{say_uncontained, workbench};
use crate::campaign::{
    Campaign, CampaignManifest, Chosen, Coverage, KnownTest, MOST_PASSING, Settings, Summary, TestGroup, choose_tests,
    recorded_tests, select_nodes,
};
use crate::mutant::{Form, ValueRange};
use crate::obstacle::Obstacle;
use crate::program::{Node, NodeKind};
use crate::progress::Progress;
use crate::store::{Run, Shard, TestRecord};
use crate::suite::{Config, RETURNED, StatedRange};
use crate::suite_run::Session;
use crate::trial::{Executors, Watched};

/// A request for trials of value mutants.
#[derive(Clone, Debug)]
pub struct ValuesRequest {
    /// Values that each node is given.
    pub samples: usize,
    /// First executions of a node that are overridden one by one.
    pub instances: u64,
    /// The tests that mutants run on.
    pub tests: TestGroup,
    /// Tests among which these are chosen, ascending; all that count without it.
    pub among: Option<Vec<u32>>,
    /// Time after which no trial is begun.
    pub budget: Option<Duration>,
    /// Names of the nodes that are mutated; all, if there is none.
    pub nodes: Vec<String>,
    /// Trials at the same time; one for each processor, unless said otherwise.
    pub jobs: Option<usize>,
    /// The part of the work that is done: number and total.
    pub shard: Option<(u32, u32)>,
    /// The executor of trials.
    pub executors: Executors,
    /// Seed of the values.
    pub seed: u64,
    /// Bytes for the values that one process of a test takes.
    pub log_bytes: u64,
    /// True if earlier results are forgotten.
    pub fresh: bool,
    /// True if mutants run even where they cannot be contained.
    pub allow_unsafe: bool,
}

/// Runs value mutants on a recorded run; `say` is told what the user should know of the choice of tests.
pub fn mutate_values(
    session: &Session,
    request: &ValuesRequest,
    progress: &dyn Progress,
    say: &mut dyn FnMut(String),
) -> Result<Summary, Obstacle> {
    let Session { store, run, .. } = session;
    session.check_ready()?;
    let nodes = selected(run, request)?;
    let ranges = stated(run, session.suite()?.config())?;
    let chosen = chosen_tests(run, request)?;
    let mut tests = known_tests(run);
    let n_counted = tests.len();
    let recorded = recorded_tests(&tests.iter().map(|test| test.test).collect::<Vec<_>>(), &chosen.tests);
    tests.retain(|test| recorded.binary_search(&test.test).is_ok());
    let shard = request.shard.map_or(Shard::WHOLE, |(number, of)| Shard { number, of });
    let settings = Settings {
        samples: request.samples,
        instances: request.instances,
        seed: request.seed,
        tests: chosen.tests.clone(),
        nodes,
        ranges: ranges.clone(),
        shard,
        jobs: request.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1),
        budget: request.budget,
    };
    say_chosen(run, &chosen, say);
    if recorded.len() < n_counted {
        say(format!("mutants are fitted to the values in {} of {n_counted} tests", recorded.len()));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut manifest = CampaignManifest::new(run, request.seed, &recorded, ranges, request.log_bytes);
    let campaign_store = store.campaign(manifest.key());
    if request.fresh {
        campaign_store.clear()?;
    }
    let _running = campaign_store.lock_shard(shard)?;
    let work = Work::of_values(&manifest, &settings, &request.nodes);
    campaign_store.shards().begin(shard, work.id)?;
    if let Some(earlier) = campaign_store.load_manifest::<CampaignManifest>()? {
        manifest = earlier;
    }
    manifest.begin_session(settings.samples, &settings.tests, now);
    campaign_store.save_manifest(&manifest)?;
    let mut workbench =
        workbench(session, request.executors, Watched::Nodes, request.allow_unsafe, &Endless::of(run)?)?;
    workbench.setup.log_bytes = request.log_bytes;
    let campaign = Campaign {
        program: &run.program,
        tests: &tests,
        lab: &workbench,
        store: &campaign_store,
        settings: &settings,
        watch: &Shown(progress),
    };
    let (_, summary) = campaign.run()?;
    say_uncontained(&workbench, progress);
    campaign_store.save_progress(shard, &summary)?;
    if request.shard.is_some() {
        campaign_store.shards().end(&work.ended(shard, summary.not_run.values().sum()))?;
    }
    Ok(summary)
}

/// The nodes that `--nodes` names.
fn selected(run: &Run, request: &ValuesRequest) -> Result<Option<Vec<u32>>, Obstacle> {
    if request.nodes.is_empty() {
        return Ok(None);
    }
    let unknown = |text: String| {
        let message = format!(
            "--nodes {text}: no node there; give FILE, FILE:LINE, FILE:LINE:COLUMN or FUNCTION() as \
             `suspect rank --by node` shows them"
        );
        Obstacle::new(Obstacle::Request, message)
    };
    select_nodes(&run.program, &request.nodes).map(Some).map_err(unknown)
}

/// The ranges of suspect.toml, by node.
fn stated(run: &Run, config: &Config) -> Result<BTreeMap<u32, ValueRange>, Obstacle> {
    let program = &run.program;
    let mut found = BTreeMap::new();
    for StatedRange { function, variable, range } in &config.ranges {
        let fits = |node: &Node| {
            program.functions[node.function as usize].name == *function
                && match variable.as_str() {
                    RETURNED => node.kind == NodeKind::Return,
                    name => node.kind != NodeKind::Predicate && node.variable == name,
                }
        };
        let refused = |what: &str| {
            let path = config.path.display();
            Obstacle::Request(format!(
                "{path}: [ranges] \"{function}:{variable}\": {what}; give FUNCTION:VARIABLE, or FUNCTION:{RETURNED}, of what \
                 `suspect rank --method direct --by node` lists"
            ))
        };
        let nodes: Vec<u32> =
            (0..).zip(&program.nodes).filter(|(_, node)| fits(node)).map(|(number, _)| number).collect();
        if nodes.is_empty() {
            return Err(refused("no node of that name"));
        }
        for node in nodes {
            if !matches!(Form::of(&program.nodes[node as usize]), Form::Integer { .. } | Form::Float { .. }) {
                return Err(refused(&format!("a `{}` is no number", program.nodes[node as usize].type_name)));
            }
            found.insert(node, *range);
        }
    }
    Ok(found)
}

/// All tests that count.
fn known_tests(run: &Run) -> Vec<KnownTest> {
    let known = |(index, test): (u32, &TestRecord)| {
        Some(KnownTest { test: index, name: test.name.clone(), failed: !test.passed? })
    };
    (0..).zip(&run.manifest.tests).filter_map(known).collect()
}

fn chosen_tests(run: &Run, request: &ValuesRequest) -> Result<Chosen, Obstacle> {
    let recorded = run.recorded()?;
    let mut coverage = Vec::new();
    let is_among = |test: u32| request.among.as_ref().is_none_or(|among| among.binary_search(&test).is_ok());
    for test in known_tests(run).into_iter().filter(|test| is_among(test.test)) {
        let pieces = recorded.pieces(test.test)?;
        let mut lines: Vec<u32> = pieces
            .iter()
            .filter_map(|piece| run.program.pieces.get(*piece as usize))
            .flat_map(|piece| piece.lines.iter().copied())
            .collect();
        lines.sort_unstable();
        lines.dedup();
        coverage.push(Coverage { test: test.test, failed: test.failed, lines });
    }
    let chosen = choose_tests(&coverage, request.tests);
    match chosen.tests.is_empty() {
        false => Ok(chosen),
        true => Err(Obstacle::new(
            Obstacle::Tests,
            format!(
                "none of the {} tests that count fails: there is no failure to explain; --tests all mutates passing tests",
                coverage.len()
            ),
        )),
    }
}

/// Tells which tests there are and which were left out.
fn say_chosen(run: &Run, chosen: &Chosen, say: &mut dyn FnMut(String)) {
    let failing = chosen.tests.iter().filter(|test| run.manifest.tests[**test as usize].passed == Some(false)).count();
    let passing = chosen.tests.len() - failing;
    let mut notes = Vec::new();
    if chosen.n_left_out > 0 {
        notes.push(format!("the {MOST_PASSING} most like a failing one; {} more cover its lines", chosen.n_left_out));
    }
    if chosen.n_unrelated > 0 {
        notes.push(format!("{} share no line with a failing one", chosen.n_unrelated));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    say(format!("mutants run on {failing} failing and {passing} passing tests{notes}"));
    for test in run.manifest.tests.iter().filter(|test| test.passed.is_none()) {
        say(format!("not used: {}: {}", test.name, test.verdict));
    }
}
