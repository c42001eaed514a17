//! The command line: one function for each verb, and what they share.

mod answer;
mod args;
mod ask;
mod attempt;
mod bisect;
mod build;
mod completions;
mod current;
mod diff;
mod dump;
mod eval;
mod everyday;
mod exit;
mod explain;
mod files;
mod glossary;
mod graph;
mod hom;
mod log;
mod man;
mod merge;
mod methods;
mod mine;
mod mutants;
mod mutate;
mod place;
mod progress;
mod rank;
mod replay;
mod report;
mod run;
mod seed;
mod slice;
mod streams;
mod study;
mod test;

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Verb};
pub use exit::{Exit, Failure};
use place::{project_root, start_directory};
use streams::{Unread, say};

/// Runs `suspect`, or the compiler driver when called by a compiler's name.
pub fn main() -> ExitCode {
    crate::exec::interrupt::await_children();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.first().is_some_and(|name| crate::build::is_driver_name(name)) {
        return crate::build::driver_main(arguments);
    }
    if crate::trial::is_worker(&arguments) {
        return crate::trial::serve();
    }
    if crate::exec::stand_in::is_stand_in(&arguments) {
        return crate::exec::stand_in::stand_in(&arguments);
    }
    completions::answer();
    let parsed = match Arguments::try_parse_from(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            // A stream that is closed cannot be told anything.
            let _ = error.print();
            // What is wrong with the command line is wrong for every commit.
            let is_bisection = arguments.iter().any(|word| word == args::BISECT_STEP);
            return match error.use_stderr() {
                true if is_bisection => Exit::Abort.into(),
                true => Exit::Usage.into(),
                false => Exit::Success.into(),
            };
        }
    };
    let mut out = BufWriter::new(Unread::new(anstream::stdout()));
    let done =
        log::start().and_then(|()| run(parsed, &mut out)).and_then(|()| out.flush().map_err(Failure::of(Exit::File)));
    match done {
        Ok(()) => Exit::Success.into(),
        Err(failure) => {
            // What was found out comes before what is wrong with it.
            let _ = out.flush();
            if !failure.message.is_empty() {
                say!("suspect: {}", failure.message);
            }
            // A build whose output nobody reads ends as `make | head` does.
            if failure.exit == Exit::Baseline && streams::is_unread() {
                streams::die_unread();
            }
            failure.exit.into()
        }
    }
}

fn run(arguments: Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let start = start_directory(arguments.directory.as_deref())?;
    let Some(verb) = &arguments.verb else { return everyday::everyday(&start, arguments.watch, out) };
    if arguments.watch {
        return Err(Failure::new(Exit::Usage, "--watch is for `suspect` without a verb: type `suspect --watch`"));
    }
    match verb {
        Verb::Run(night) => run::run(&start, night, out),
        Verb::Merge(merge) => merge::merge(&project_root(&start), &start, merge, out),
        Verb::BisectStep(step) => bisect::step(&start, step, out),
        Verb::Diff(diff) => diff::diff(&project_root(&start), &start, diff, out),
        Verb::Build(build) => build::build(&start, build, out),
        Verb::Try(attempt) => attempt::attempt(&start, attempt, out),
        Verb::Doctor(doctor) => build::doctor(&project_root(&start), doctor, out),
        Verb::Init(init) => test::init(&start, init, out),
        Verb::Test(test) => {
            if !test.no_build {
                current::build_if_outdated(&start)?;
            }
            test::test(&project_root(&start), test, out)
        }
        Verb::Mutate(mutate) => {
            current::test_if_outdated(&start).and_then(|()| mutate::mutate(&project_root(&start), mutate, out))
        }
        Verb::Mutants(mutants) => current::test_if_outdated(&start)
            .and_then(|()| mutants::mutants(&project_root(&start), &start, mutants, out)),
        Verb::Hom(hom) => {
            current::refuse_outdated(&start, "mutate").and_then(|()| hom::hom(&project_root(&start), &start, hom, out))
        }
        Verb::Seed(seed) => seed::seed(&project_root(&start), &start, seed, out),
        Verb::Mine(mine) => mine::mine(&start, mine, out),
        Verb::Graph(graph) => {
            current::refuse_outdated(&start, "mutate").and_then(|()| graph::graph(&project_root(&start), graph, out))
        }
        Verb::Rank(rank) if rank.spectra.is_none() => {
            // Who wants nothing to be run gets nothing untrue either.
            match rank.no_build || rank.search.no_trials {
                true => current::refuse_outdated(&start, "rank")?,
                false => current::test_if_outdated(&start)?,
            }
            rank::rank(&project_root(&start), rank, out)
        }
        Verb::Rank(rank) => rank::rank(&project_root(&start), rank, out),
        Verb::Replay(replay) => replay::replay(&project_root(&start), replay, out),
        Verb::Slice(arguments) => {
            current::test_if_outdated(&start).and_then(|()| slice::slice(&project_root(&start), arguments, out))
        }
        Verb::Explain(arguments) => {
            match arguments.no_build {
                true => current::refuse_outdated(&start, "rank")?,
                false => current::test_if_outdated(&start)?,
            }
            explain::explain(&project_root(&start), arguments, out)
        }
        Verb::Ask(ask) => {
            current::refuse_outdated(&start, "mutate").and_then(|()| ask::ask(&project_root(&start), ask, out))
        }
        Verb::Report(report) if report.from.is_none() => {
            current::refuse_outdated(&start, "rank")?;
            report::report(&project_root(&start), &start, report, out)
        }
        Verb::Report(report) => report::report(&project_root(&start), &start, report, out),
        Verb::Eval(eval) => eval::eval(&start, eval, out),
        Verb::Study(arguments) => study::study(&start, arguments, out),
        Verb::Methods(methods) => methods::list_methods(methods, out),
        Verb::Glossary(arguments) => glossary::glossary(arguments, out),
        Verb::Dump(dump) => dump::dump(&start, dump, out),
        Verb::Man(man) => man::man(&start, man),
        Verb::Completions(arguments) => completions::script(arguments.shell, out),
    }
}
