//! `suspect graph`: what depends on what, as the value mutants of a campaign show it.

use std::io::Write;
use std::path::Path;

use super::args::{GraphArguments, GraphFormat, ParentsArgument};
use super::exit::{Exit, Failure};
use crate::causal::{Bands, Independence};
use crate::causal_graph::{GraphRequest, causal_graph};
use crate::report::{write_graph, write_graph_dot};
use crate::suite_run::Session;

/// Edges shown as text unless asked otherwise.
const DEFAULT_TOP: usize = 40;

/// Finds the graph, or the difference of two, and writes it.
pub fn graph(root: &Path, arguments: &GraphArguments, out: &mut impl Write) -> Result<(), Failure> {
    let request = GraphRequest::try_from(arguments)?;
    let report = causal_graph(&Session::latest(root)?, &request)?;
    let written = match arguments.format {
        GraphFormat::Text => write_graph(&report, out),
        GraphFormat::Dot => write_graph_dot(&report, out),
        GraphFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report).map_err(Into::into).and_then(|()| writeln!(out))
        }
    };
    written.map_err(Failure::of(Exit::File))
}

impl TryFrom<&GraphArguments> for GraphRequest {
    type Error = Failure;

    fn try_from(arguments: &GraphArguments) -> Result<GraphRequest, Failure> {
        let parents = if arguments.paper { Some(ParentsArgument::Paper) } else { arguments.parents };
        let usual = if arguments.format == GraphFormat::Text { DEFAULT_TOP } else { usize::MAX };
        Ok(GraphRequest {
            bands: match arguments.bands.is_empty() {
                true => Bands::default(),
                false => Bands::new(arguments.bands.clone()).map_err(Failure::of(Exit::Usage))?,
            },
            parents: parents.map(Into::into),
            unidentified: arguments.unidentified.map(Into::into),
            causes: arguments.causes.clone(),
            effects: arguments.effects.clone(),
            depth: arguments.depth,
            tests: arguments.tests.clone(),
            minus: arguments.minus.clone(),
            threshold: arguments.threshold,
            below: arguments.below,
            independence: match arguments.g_test {
                Some(_) if parents == Some(ParentsArgument::Acyclic) => {
                    let message =
                        "--g-test chooses among causes, and --parents acyclic takes all of them; give one of the two";
                    return Err(Failure::new(Exit::Usage, message));
                }
                Some(alpha) => Independence::GTest { alpha },
                None => Independence::Exact,
            },
            clusters: arguments.clusters,
            most: arguments.top.unwrap_or(usual),
        })
    }
}
