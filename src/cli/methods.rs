//! `suspect methods`: what can rank, and what each method is.

use std::io::Write;

use serde::Serialize;

use super::args::{MethodsArguments, OutputFormat};
use super::exit::{Exit, Failure};
use super::files::write_json;
use crate::rank::{Algorithm, Method, find_method, methods};

/// Lists the methods, or explains one.
pub fn list_methods(arguments: &MethodsArguments, out: &mut impl Write) -> Result<(), Failure> {
    let method =
        arguments.method.as_ref().map(|name| find_method(name)).transpose().map_err(Failure::of(Exit::Usage))?;
    let written = match (method, arguments.format) {
        (Some(method), OutputFormat::Text) => explain(method, out),
        (None, OutputFormat::Text) => list(out),
        (Some(method), OutputFormat::Json) => write_json(&Told::of(method), out),
        (None, OutputFormat::Json) => write_json(&methods().iter().map(Told::of).collect::<Vec<_>>(), out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// A method for programs.
#[derive(Serialize)]
struct Told<'m> {
    id: &'m str,
    name: &'m str,
    family: &'m str,
    computes: &'m str,
    reads: Vec<&'m str>,
    source: &'m str,
    aliases: Vec<&'m str>,
    /// The class of measures that rank alike; `null` where none is known.
    class: Option<&'m str>,
    note: &'m str,
}

impl Told<'_> {
    fn of(method: &Method) -> Told<'_> {
        let class = match &method.algorithm {
            Algorithm::Measure(measure) => measure.class,
            _ => None,
        };
        Told {
            id: method.id,
            name: method.name,
            family: method.family,
            computes: method.doc,
            reads: method.needs.iter().map(|need| need.name()).collect(),
            source: method.citation,
            aliases: method.aliases.to_vec(),
            class,
            note: method.note,
        }
    }
}

fn list(out: &mut impl Write) -> std::io::Result<()> {
    let mut families: Vec<&str> = Vec::new();
    for method in methods() {
        if !families.contains(&method.family) {
            families.push(method.family);
        }
    }
    for family in families {
        writeln!(out, "{family}:")?;
        for method in methods().iter().filter(|method| method.family == family) {
            writeln!(out, "  {:<24} {}", method.id, method.name)?;
        }
    }
    Ok(())
}

fn explain(method: &Method, out: &mut impl Write) -> std::io::Result<()> {
    let needs: Vec<&str> = method.needs.iter().map(|need| need.name()).collect();
    writeln!(out, "{} ({})", method.name, method.id)?;
    writeln!(out, "  computes  {}", method.doc)?;
    writeln!(out, "  reads     {}", needs.join(", "))?;
    writeln!(out, "  family    {}", method.family)?;
    writeln!(out, "  source    {}", method.citation)?;
    if !method.aliases.is_empty() {
        writeln!(out, "  also      {}", method.aliases.join("; "))?;
    }
    if let Algorithm::Measure(measure) = method.algorithm {
        if let Some(class) = measure.class {
            writeln!(out, "  class     {class}: all of this class rank alike")?;
        }
        let guard = match (measure.singular, measure.needs_raw_counts()) {
            (true, _) => {
                "a quotient or logarithm can vanish even after 0.5 is added to each count; such units come last"
            }
            (false, true) => "branches on the counts as they are",
            (false, false) => "none needed: 0.5 is added to each count",
        };
        writeln!(out, "  guard     {guard}")?;
    }
    if !method.note.is_empty() {
        writeln!(out, "  note      {}", method.note)?;
    }
    Ok(())
}
