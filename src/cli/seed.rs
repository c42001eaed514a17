//! `suspect seed`: faulty versions of the project, a benchmark for `suspect eval`.

use std::io::Write;
use std::path::Path;

use super::args::{SeedArguments, SeedOrigin};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::eval::{SeedRequest, SeedWatch, seed as make};
use crate::mutation::{CatalogueRequest, KillRequest};

/// Makes a benchmark of faulty versions.
pub fn seed(root: &Path, start: &Path, arguments: &SeedArguments, out: &mut impl Write) -> Result<(), Failure> {
    let directory = start.join(&arguments.output);
    if directory.exists() {
        let message = format!("{} exists already; give --output a new directory", directory.display());
        return Err(Failure::new(Exit::Usage, message));
    }
    let request = SeedRequest {
        directory,
        mutants: arguments.from.contains(&SeedOrigin::Mutants),
        slips: arguments.from.contains(&SeedOrigin::Source),
        count: arguments.count,
        faults: arguments.faults.clone(),
        catalogue: CatalogueRequest::from(&arguments.catalogue),
        kill: KillRequest::from(&arguments.kill),
    };
    let progress = StatusLine::new();
    make(root, &request, SeedWatch { progress: &progress, line: &mut |line| writeln!(out, "{line}") })?;
    let shown = arguments.output.display();
    writeln!(out, "{shown} can be evaluated: suspect eval {shown}").map_err(Failure::of(Exit::File))
}
