//! `suspect merge`: one whole of what the parts of a sharded campaign found out.

use std::io::Write;
use std::path::Path;

use super::args::{MergeArguments, OutputFormat};
use super::exit::{Exit, Failure};
use super::files::write_json;
use crate::mutation::join_parts;
use crate::store::Store;

/// Joins parts.
pub fn merge(root: &Path, start: &Path, arguments: &MergeArguments, out: &mut impl Write) -> Result<(), Failure> {
    let from = arguments.from.iter().map(|directory| source(&start.join(directory)));
    let from = from.collect::<Result<Vec<_>, _>>()?;
    let joined = join_parts(&Store::new(root), &from, arguments.partial)?;
    match arguments.format {
        OutputFormat::Text => joined.iter().try_for_each(|joined| writeln!(out, "{joined}")),
        OutputFormat::Json => write_json(&joined, out),
    }
    .map_err(Failure::of(Exit::File))
}

/// The store in a directory, which may be the store itself.
fn source(path: &Path) -> Result<Store, Failure> {
    let is_store = path.file_name().is_some_and(|name| name == crate::STORE_DIRECTORY);
    let store = Store::new(if is_store { path.parent().unwrap_or(path) } else { path });
    match store.directory().is_dir() {
        true => Ok(store),
        false => Err(Failure::new(
            Exit::Usage,
            format!("{} is neither a store (.suspect) nor a project with one", path.display()),
        )),
    }
}
