//! `suspect bisect-step`: whether the commit that is checked out is good, for `git bisect run`.

use std::io::Write;
use std::path::Path;

use super::args::BisectArguments;
use super::build::build_again;
use super::exit::{Exit, Failure};
use super::place::project_root;
use crate::bisection::{BisectRequest, Judged, Workshop, judge_step};
use crate::store::Store;

/// Builds and runs the tests. Exit codes are those that git takes.
pub fn step(start: &Path, arguments: &BisectArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(&project_root(start));
    let request = BisectRequest { tests: arguments.tests.clone(), repeat: arguments.repeat };
    let mut commits = Commits { start, arguments, out };
    match judge_step(&store, &request, &mut commits).map_err(Failure::of(Exit::Abort))? {
        Judged::Good => Ok(()),
        Judged::Bad(why) => Err(Failure::new(Exit::BAD, why)),
        Judged::Undecided(why) => Err(Failure::new(Exit::Untestable, why)),
    }
}

/// Commits are built where the user stands, as the user said.
struct Commits<'a, W> {
    start: &'a Path,
    arguments: &'a BisectArguments,
    out: &'a mut W,
}

impl<W: Write> Workshop for Commits<'_, W> {
    fn build(&mut self) -> Result<Result<(), String>, String> {
        match build_again(self.start, &self.arguments.command, self.out) {
            Ok(()) => Ok(Ok(())),
            // Without hooks a test runs as well.
            Err(failure) if failure.exit == Exit::NotInstrumented => Ok(Ok(())),
            Err(failure) if failure.exit == Exit::Baseline => Ok(Err(failure.message)),
            Err(failure) => Err(failure.message),
        }
    }

    fn say(&mut self, line: String) -> Result<(), String> {
        writeln!(self.out, "{line}").map_err(|error| error.to_string())
    }
}
