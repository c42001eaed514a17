//! From the traces of each test run to what is kept of it, while other tests run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::obstacle::Obstacle;
use crate::program::{Counts, Execution, Program, Recorder};
use crate::store::RunWriter;
use crate::trace::{Process, can_execute_under_another_root, read_directory};

/// Collects what the runs of a suite's tests did.
pub struct Recording<'p> {
    recorder: Recorder<'p>,
    began: SystemTime,
    names: Vec<String>,
    /// Whether modules, by path, [can execute under another root](can_execute_under_another_root).
    under_another_root: Mutex<HashMap<String, bool>>,
    state: Mutex<State>,
}

struct State {
    writer: RunWriter,
    /// Of each test, what the first run did with its nodes; compared with later runs.
    first: HashMap<usize, Vec<(u32, u64, u64)>>,
    /// Of each test, the nodes that differed between runs.
    unstable: HashMap<usize, BTreeSet<u32>>,
    /// Of each test, what is to be known of the run that counts.
    said: BTreeMap<usize, Said>,
    recorded: Recorded,
    failure: Option<Obstacle>,
}

/// What is known once all tests have run.
#[derive(Debug, Default)]
pub struct Recorded {
    /// For each test, how many processes of its first run left a trace.
    pub processes: Vec<u32>,
    /// Nodes whose trajectories differ between runs of one test.
    pub unstable_nodes: Vec<u32>,
    /// Statements for the user.
    pub warnings: Vec<String>,
    /// What was seen of each test.
    pub looks: BTreeMap<usize, Look>,
}

/// What the runs of one test showed, besides what is kept of it in the store.
#[derive(Clone, Debug, Default)]
pub struct Look {
    said: Said,
    /// Nodes that differed between its runs.
    unstable: BTreeSet<u32>,
}

/// What is said of tests that clear the environment.
pub const CLEARED: &str = "the program ran without suspect's environment: the test clears it; what it did was recorded all the same, but no changes \
                           of it can be tried there";

/// What is said of tests that run the program in Valgrind.
const IN_VALGRIND: &str = "the program runs in valgrind, some twenty times slower, and so do trials: where the project has a switch against it, use it \
                           (`./configure --disable-valgrind-tests`, `env = { USE_VALGRIND = \"0\" }`)";

/// Warnings kept; more would not be read.
const MOST_WARNINGS: usize = 20;

impl<'p> Recording<'p> {
    /// Ready for tests of `program` with these names, none of which has been run.
    pub fn new(program: &'p Program, writer: RunWriter, names: Vec<String>) -> Result<Recording<'p>, Obstacle> {
        let recorder = Recorder::new(program).map_err(Obstacle::of(Obstacle::NotInstrumented))?;
        let state = State {
            writer,
            first: HashMap::new(),
            unstable: HashMap::new(),
            said: BTreeMap::new(),
            recorded: Recorded { processes: vec![0; names.len()], ..Recorded::default() },
            failure: None,
        };
        Ok(Recording {
            recorder,
            began: SystemTime::now(),
            names,
            under_another_root: Mutex::default(),
            state: Mutex::new(state),
        })
    }

    /// Takes in the traces of run number `run` of a test, whose program a signal ended if it `died`; called from any thread.
    pub fn look(&self, test: usize, run: usize, traces: &Path, died: bool) {
        let read = self.read(traces, died);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let done = read.and_then(|seen| state.keep(test, run, seen));
        if let Err(failure) = done {
            state.failure.get_or_insert(failure);
        }
    }

    /// Takes a test over as it was recorded before: what it did, with how many processes, and what was seen of it.
    pub fn take_over(&self, test: usize, execution: &Execution, processes: u32, look: Look) -> Result<(), Obstacle> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.writer.append(test as u32, execution)?;
        state.recorded.processes[test] = processes;
        state.said.insert(test, look.said);
        state.unstable.insert(test, look.unstable);
        Ok(())
    }

    fn read(&self, directory: &Path, died: bool) -> Result<Seen, Obstacle> {
        let traces = read_directory(directory)?;
        let mut processes = traces.processes(died);
        let built_meanwhile = self.leave_out_built_by_tests(&mut processes);
        let mut counts = self.recorder.counts(&processes)?;
        let mut said = Said { of_all: std::mem::take(&mut counts.warnings), of_test: built_meanwhile };
        said.of_all.extend(traces.unstarted.iter().cloned());
        said.of_test.extend(traces.files.iter().flat_map(|file| file.warnings().iter().cloned()));
        if traces.files.iter().any(|file| file.is_cleared()) {
            said.of_test.insert(CLEARED.to_string());
        }
        if traces.files.iter().any(|file| file.is_in_valgrind()) {
            said.of_test.insert(IN_VALGRIND.to_string());
        }
        let modules = processes.iter().flat_map(|process| &process.modules);
        said.of_test.extend(modules.filter_map(|module| self.loss_under_another_root(module.path)));
        Ok(Seen { counts, said, processes: processes.len() as u32 })
    }

    /// Leaves out the modules that tests built and the program lacks, such as a plug-in that is compiled to be loaded; what is said of them.
    fn leave_out_built_by_tests(&self, processes: &mut Vec<Process>) -> BTreeSet<String> {
        let mut said = BTreeSet::new();
        for process in processes.iter_mut() {
            process.modules.retain(|module| {
                let path = Path::new(module.path);
                let is_own = module.units.is_empty() || self.recorder.knows(module) || !self.is_newer(path);
                if !is_own {
                    let name = path.file_name().unwrap_or_default().display();
                    said.insert(format!("{name} is built by the test itself: what it does is not recorded"));
                }
                is_own
            });
        }
        processes.retain(|process| !process.modules.is_empty());
        said
    }

    /// Whether a file was written since the first test began; one that is gone was a test's own.
    fn is_newer(&self, path: &Path) -> bool {
        path.metadata().and_then(|data| data.modified()).map_or(true, |modified| modified >= self.began)
    }

    /// What is said of a module that may start programs which cannot leave a record.
    fn loss_under_another_root(&self, path: &str) -> Option<String> {
        let mut known = self.under_another_root.lock().unwrap_or_else(PoisonError::into_inner);
        let can = known.entry(path.to_owned()).or_insert_with(|| can_execute_under_another_root(Path::new(path)));
        let name = Path::new(path).file_name().unwrap_or_default().display();
        can.then(|| format!("{name} can execute a program after chroot: such a program leaves no record"))
    }

    /// The run to be completed, and what is known of it. What differs between the runs of tests that are not to be
    /// `compared` (flaky, or stopped at some moment) says nothing about nodes.
    pub fn finish(self, compared: impl Fn(usize) -> bool) -> Result<(RunWriter, Recorded), Obstacle> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = state.failure {
            return Err(failure);
        }
        let mut recorded = state.recorded;
        let unstable = state.unstable.iter().filter(|(test, _)| compared(**test)).flat_map(|(_, nodes)| nodes.clone());
        recorded.unstable_nodes = BTreeSet::from_iter(unstable).into_iter().collect();
        recorded.warnings = warnings(&state.said, &self.names);
        let more = recorded.warnings.len().saturating_sub(MOST_WARNINGS);
        recorded.warnings.truncate(MOST_WARNINGS);
        if more > 0 {
            recorded.warnings.push(format!("... and {more} more warnings"));
        }
        let mut unstable = state.unstable;
        let look = |(test, said)| (test, Look { said, unstable: unstable.remove(&test).unwrap_or_default() });
        recorded.looks = state.said.into_iter().map(look).collect();
        Ok((state.writer, recorded))
    }
}

impl State {
    fn keep(&mut self, test: usize, run: usize, Seen { counts, mut said, processes }: Seen) -> Result<(), Obstacle> {
        if run == 0 {
            self.recorded.processes[test] = processes;
            if !counts.exact {
                said.of_all.push(
                    "some tests left functions by exit, longjmp or a signal: their edge counts are estimates; \
                     `suspect test --record values` makes them exact"
                        .into(),
                );
            }
            self.said.insert(test, said);
            self.writer.append(test as u32, &counts.execution)?;
            // A test that is recorded anew begins again.
            self.first.insert(test, behaviour(&counts.execution));
            self.unstable.remove(&test);
        } else if let Some(first) = self.first.get(&test) {
            let now = behaviour(&counts.execution);
            let alone = [(first, &now), (&now, first)];
            let differ = alone.into_iter().flat_map(|(one, other)| {
                one.iter().filter(|deed| other.binary_search(deed).is_err()).map(|(node, ..)| *node)
            });
            self.unstable.entry(test).or_default().extend(differ);
        }
        Ok(())
    }
}

/// What a run of a test left.
struct Seen {
    counts: Counts,
    said: Said,
    processes: u32,
}

/// What is to be known of a run: whichever test it is of, and with the test's name.
#[derive(Clone, Debug, Default)]
struct Said {
    of_all: Vec<String>,
    of_test: BTreeSet<String>,
}

/// What was said of the tests with these names, each thing once: tests end in any order, and what is said must not depend on it.
fn warnings(said: &BTreeMap<usize, Said>, names: &[String]) -> Vec<String> {
    let mut tests_of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (test, said) in said {
        for text in &said.of_test {
            tests_of.entry(text).or_default().push(&names[*test]);
        }
    }
    let of_tests = tests_of.into_iter().map(|(text, tests)| match &tests[..] {
        [one] => format!("test {one}: {text}"),
        _ => {
            let more = tests.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(", ... and {more} more") } else { String::new() };
            format!("{} tests ({}{more}): {text}", tests.len(), tests[..tests.len().min(NAMED)].join(", "))
        }
    });
    let of_all: BTreeSet<String> = said.values().flat_map(|said| said.of_all.iter().cloned()).collect();
    of_all.into_iter().chain(of_tests).collect()
}

/// Tests named of which one thing is said.
const NAMED: usize = 5;

/// How often each node took a value, and which; of those that took none nothing, since this is kept of each test while others run.
fn behaviour(execution: &Execution) -> Vec<(u32, u64, u64)> {
    let deeds = execution.nodes.iter().zip(&execution.trajectories);
    (0..)
        .zip(deeds)
        .filter(|(_, deed)| *deed != (&0, &0))
        .map(|(node, (count, values))| (node, *count, *values))
        .collect()
}
