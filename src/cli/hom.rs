//! `suspect hom`: higher-order mutants, chosen by the causal effect of the places that they change.

use std::io::Write;
use std::path::Path;

use super::args::{BucketArgument, HeuristicArgument, HomArguments, StudyArgument};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::cli::streams::say;
use crate::higher_order::{HomAnswer, HomRequest, Made, Study, higher_order};
use crate::hom::Heuristic;
use crate::hom::studies::Buckets;
use crate::mutation::{CatalogueRequest, KillRequest};
use crate::suite_run::Session;

/// Makes and runs higher-order mutants, or a study of them, and says what came out.
pub fn hom(root: &Path, start: &Path, arguments: &HomArguments, out: &mut impl Write) -> Result<(), Failure> {
    let session = Session::latest(root)?;
    let request = HomRequest::try_from(arguments)?;
    let say = |said: String| say!("suspect: {said}");
    let written = match higher_order(&session, &request, &StatusLine::new(), &say)? {
        HomAnswer::Part(number, of) => writeln!(
            out,
            "part {number}/{of} is done; when all are: `suspect merge`, then the same command without --shard"
        ),
        HomAnswer::Report { report, svg } => {
            draw(start, arguments, &svg)?;
            report.write(arguments.is_json(), arguments.top, out)
        }
        HomAnswer::Study { text, json, svg, .. } => {
            draw(start, arguments, &svg)?;
            if arguments.is_json() { writeln!(out, "{json:#}") } else { write!(out, "{text}") }
        }
    };
    written.map_err(Failure::of(Exit::File))
}

/// Writes the plot where one is wanted.
fn draw(start: &Path, arguments: &HomArguments, svg: &str) -> Result<(), Failure> {
    let Some(path) = arguments.plot.as_ref().map(|path| start.join(path)) else { return Ok(()) };
    let failed = |error| Failure::new(Exit::File, format!("cannot write {}: {error}", path.display()));
    std::fs::write(&path, svg).map_err(failed)
}

impl TryFrom<&HomArguments> for HomRequest {
    type Error = Failure;

    fn try_from(arguments: &HomArguments) -> Result<HomRequest, Failure> {
        let made = match (arguments.heuristic, arguments.study) {
            (Some(heuristic), _) => Made::By(heuristic.into()),
            (None, Some(study)) => Made::For(study.into()),
            (None, None) => return Err(Failure::new(Exit::Usage, "give --heuristic or --study")),
        };
        Ok(HomRequest {
            made,
            order: arguments.order as usize,
            n: arguments.n as usize,
            repeats: arguments.repeats.map(|repeats| repeats as usize),
            vectors: !arguments.quick,
            buckets: arguments.buckets.into(),
            seed: arguments.catalogue.seed,
            part: arguments.shard,
            catalogue: CatalogueRequest::from(&arguments.catalogue),
            kill: KillRequest::from(&arguments.kill),
        })
    }
}

impl From<HeuristicArgument> for Heuristic {
    fn from(heuristic: HeuristicArgument) -> Heuristic {
        match heuristic {
            HeuristicArgument::Random => Heuristic::Random,
            HeuristicArgument::Prop => Heuristic::Prop,
            HeuristicArgument::Dsort => Heuristic::Dsort,
            HeuristicArgument::Mwm => Heuristic::Mwm,
        }
    }
}

impl From<BucketArgument> for Buckets {
    fn from(buckets: BucketArgument) -> Buckets {
        match buckets {
            BucketArgument::Widths => Buckets::Widths,
            BucketArgument::Ranks => Buckets::Ranks,
        }
    }
}

impl From<StudyArgument> for Study {
    fn from(study: StudyArgument) -> Study {
        match study {
            StudyArgument::Deciles => Study::Deciles,
            StudyArgument::Heuristics => Study::Heuristics,
            StudyArgument::Survival => Study::Survival,
        }
    }
}
