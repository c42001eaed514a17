//! `suspect mutate`: value mutants of a recorded run's program, tried on its tests.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::args::{MutateArguments, MutateExecutor, MutateTests};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use super::work::Work;
use crate::campaign::{
    Campaign, CampaignManifest, Chosen, Coverage, KnownTest, MOST_PASSING, Settings, Summary, TestGroup, Watch,
    Workbench, choose_tests, recorded_tests, select_nodes,
};
use crate::cli::streams::say;
use crate::rank_inputs::Endless;
use crate::store::{Run, Shard, Store, TestRecord};
use crate::suite::{Suite, Verdict};
use crate::suite_run::ready;
use crate::trial::{Executors, Known, Setup, Watched};

/// Runs the trials that the arguments ask for and that have not been run.
pub fn mutate(root: &Path, arguments: &MutateArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let run = store.latest_run()?;
    let suite = ready::suite(root, &run)?;
    let _reading = store.lock_shared()?;
    let progress = StatusLine::new();
    let began = Instant::now();
    let done = run_campaign((&store, &run, &suite), arguments, &progress, &mut |said| say!("suspect: {said}"));
    progress.clear();
    summarise(&run, &done?, began.elapsed().as_secs_f64(), out).map_err(Failure::of(Exit::File))
}

/// Runs value mutants on a recorded run; `say` is told what the user should know of the choice of tests.
pub fn run_campaign(
    (store, run, suite): (&Store, &Run, &Suite),
    arguments: &MutateArguments,
    watch: &dyn Watch,
    say: &mut dyn FnMut(String),
) -> Result<Summary, Failure> {
    ready::check(store, run, suite)?;
    let nodes = selected(run, arguments)?;
    let chosen = chosen_tests(run, arguments.tests)?;
    let mut tests = known_tests(run);
    let n_counted = tests.len();
    let recorded = recorded_tests(&tests.iter().map(|test| test.test).collect::<Vec<_>>(), &chosen.tests);
    tests.retain(|test| recorded.binary_search(&test.test).is_ok());
    let shard = arguments.shard.map_or(Shard::WHOLE, |(number, of)| Shard { number, of });
    let settings = Settings {
        samples: arguments.samples,
        instances: arguments.instances,
        seed: arguments.seed,
        tests: chosen.tests.clone(),
        nodes,
        shard,
        jobs: arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1),
        budget: arguments.budget,
    };
    say_chosen(run, &chosen, say);
    if recorded.len() < n_counted {
        say(format!("mutants are fitted to the values in {} of {n_counted} tests", recorded.len()));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut manifest = CampaignManifest::new(run, arguments.seed, &recorded, arguments.log_bytes);
    let campaign_store = store.campaign(manifest.key());
    if arguments.fresh {
        campaign_store.clear()?;
    }
    let _running = campaign_store.lock_shard(shard)?;
    let work = Work::of_values(&manifest, &settings, arguments);
    campaign_store.shards().begin(shard, work.id)?;
    if let Some(earlier) = campaign_store.load_manifest::<CampaignManifest>()? {
        manifest = earlier;
    }
    manifest.begin_session(settings.samples, &settings.tests, now);
    campaign_store.save_manifest(&manifest)?;
    let executors = match arguments.executor {
        MutateExecutor::Auto => Executors::Auto,
        MutateExecutor::Exec => Executors::Exec,
        MutateExecutor::Fork => Executors::Fork,
    };
    let mut workbench = workbench(run, suite, executors, Watched::Nodes, arguments.allow_unsafe, &Endless::of(run)?)?;
    workbench.setup.log_bytes = arguments.log_bytes;
    let campaign = Campaign {
        program: &run.program,
        tests: &tests,
        lab: &workbench,
        store: &campaign_store,
        settings: &settings,
        watch,
    };
    let (_, summary) = campaign.run()?;
    say_uncontained(&workbench);
    campaign_store.save_progress(shard, &summary)?;
    if arguments.shard.is_some() {
        campaign_store.shards().end(&work.ended(shard, summary.not_run.values().sum()))?;
    }
    Ok(summary)
}

/// What runs the tests of a recorded run.
pub fn workbench<'a>(
    run: &'a Run,
    suite: &'a Suite,
    executors: Executors,
    watched: Watched,
    allow_unsafe: bool,
    endless: &Endless,
) -> Result<Workbench<'a>, Failure> {
    let setup =
        Setup::new().map_err(|error| Failure::new(Exit::File, format!("cannot find suspect itself: {error}")))?;
    let known = |(index, test): (u32, &TestRecord)| {
        let failed = if endless.tests.contains(&index) { Verdict::Timeout } else { Verdict::Fail };
        let verdict = if test.passed? { Verdict::Pass } else { failed };
        Some((index, Known { verdict, processes: Some(test.processes) }))
    };
    let budget = (watched == Watched::Output && !endless.tests.is_empty()).then_some(endless.budget);
    Ok(Workbench {
        suite,
        program: &run.program,
        setup: Setup { allow_unsafe, endless: budget, enough: endless.enough, ..setup },
        executors,
        watched,
        known: (0..).zip(&run.manifest.tests).filter_map(known).collect(),
        uncontained: Mutex::default(),
    })
}

/// Tells on standard error what the kernel could not contain.
pub fn say_uncontained(workbench: &Workbench) {
    for what in workbench.uncontained.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        say!("suspect: trials were not wholly contained: {what}");
    }
}

/// The nodes that `--nodes` names.
fn selected(run: &Run, arguments: &MutateArguments) -> Result<Option<Vec<u32>>, Failure> {
    if arguments.nodes.is_empty() {
        return Ok(None);
    }
    let unknown = |text: String| {
        let message = format!(
            "--nodes {text}: no node there; give FILE, FILE:LINE, FILE:LINE:COLUMN or FUNCTION() as \
             `suspect rank --by node` shows them"
        );
        Failure::new(Exit::Usage, message)
    };
    select_nodes(&run.program, &arguments.nodes).map(Some).map_err(unknown)
}

/// All tests that count.
fn known_tests(run: &Run) -> Vec<KnownTest> {
    let known = |(index, test): (u32, &TestRecord)| {
        Some(KnownTest { test: index, name: test.name.clone(), failed: !test.passed? })
    };
    (0..).zip(&run.manifest.tests).filter_map(known).collect()
}

fn chosen_tests(run: &Run, asked: MutateTests) -> Result<Chosen, Failure> {
    let group = match asked {
        MutateTests::FailingAndCovering => TestGroup::FailingAndCovering,
        MutateTests::Failing => TestGroup::Failing,
        MutateTests::All => TestGroup::All,
    };
    let recorded = run.recorded()?;
    let mut coverage = Vec::new();
    for test in known_tests(run) {
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
    let chosen = choose_tests(&coverage, group);
    match chosen.tests.is_empty() {
        false => Ok(chosen),
        true => Err(Failure::new(
            Exit::Baseline,
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

fn summarise(run: &Run, summary: &Summary, seconds: f64, out: &mut impl Write) -> std::io::Result<()> {
    let counts = &summary.counts;
    let name = |test: &u32| run.manifest.tests.get(*test as usize).map_or("?", |test| test.name.as_str());
    let before = match summary.done_before {
        0 => String::new(),
        n => format!(" ({n} had been run before)"),
    };
    writeln!(
        out,
        "{} trials of {} nodes in {seconds:.1} s, {:.0} a second{before}: {} forked, {} by a process each",
        counts.trials,
        summary.n_nodes,
        counts.trials as f64 / seconds.max(1e-9),
        counts.forked,
        counts.trials - counts.forked
    )?;
    writeln!(
        out,
        "{} changed what the test looks at; {} crashed, {} were cut for running too long, {} say nothing, {} changed no value",
        counts.output_changed, counts.crashed, counts.cut, counts.unknown, counts.unapplied
    )?;
    if summary.n_unstable > 0 {
        writeln!(
            out,
            "{} nodes are not observed in some test: their values differ between its runs",
            summary.n_unstable
        )?;
    }
    for (test, why) in &summary.refused {
        writeln!(out, "not used: {}: {why}", name(test))?;
    }
    if !summary.refused.is_empty() {
        writeln!(out, "--fresh begins again, with those tests too if they can be used by then")?;
    }
    for (why, tests) in by_reason(&summary.unforkable) {
        let tests: Vec<&str> = tests.iter().map(&name).collect();
        writeln!(out, "a process for each trial of {}: {why}", listed(&tests))?;
    }
    if summary.unforkable.is_empty() && counts.forked > 0 && counts.forked < counts.trials {
        writeln!(out, "a process for each trial that did what a fork cannot keep apart from the test's own run")?;
    }
    let missing: usize = summary.not_run.values().sum();
    if missing > 0 {
        writeln!(
            out,
            "{missing} of {} trials were not run: each node has its first {} of up to {} mutants on every test; \
             the same command goes on from here",
            summary.planned, summary.whole_rounds, summary.n_rounds
        )?;
    }
    Ok(())
}

/// Tests by why they are so.
fn by_reason(tests: &BTreeMap<u32, String>) -> BTreeMap<&str, Vec<u32>> {
    let mut reasons: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    tests.iter().for_each(|(test, why)| reasons.entry(why).or_default().push(*test));
    reasons
}

/// Some names, and how many more there are.
fn listed(names: &[&str]) -> String {
    const NAMED: usize = 3;
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}
