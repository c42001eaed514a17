//! `suspect man`: man pages out of the command line's own definitions.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use super::args::{Arguments, ManArguments};
use super::exit::{Exit, Failure};
use super::files::write_whole;

/// Writes a page for suspect and one for each verb.
pub fn man(start: &Path, arguments: &ManArguments) -> Result<(), Failure> {
    let directory = start.join(&arguments.output);
    let refused = |error| Failure::new(Exit::File, format!("cannot make {}: {error}", directory.display()));
    fs::create_dir_all(&directory).map_err(refused)?;
    let mut whole = Arguments::command();
    whole.build();
    let verbs = whole.get_subcommands().filter(|verb| verb.get_name() != "help");
    for (name, page) in std::iter::once(("suspect".to_string(), whole.clone()))
        .chain(verbs.map(|verb| (format!("suspect-{}", verb.get_name()), verb.clone())))
    {
        let mut text = Vec::new();
        Man::new(page).title(name.to_uppercase()).render(&mut text).map_err(Failure::of(Exit::Internal))?;
        write_whole(&directory.join(format!("{name}.1")), &text)?;
    }
    Ok(())
}
