//! Streams of the C library by how the program got them: `stdout`, or the call that opened one.

use suspect_format::body::{Action, Callee};

use super::body::{Code, Site, Symbol};
use super::image::Modules;
use super::loading::Image;
use super::objects::{Kind, is_address};
use super::runs::Runs;
use crate::comparison::{Place, Value};

/// Variables of the C library that hold a stream.
const STANDARD: [&str; 3] = ["stdin", "stdout", "stderr"];

/// Functions that return a stream that they opened.
const OPENING: [&str; 9] =
    ["fopen", "fopen64", "fdopen", "freopen", "freopen64", "tmpfile", "popen", "fmemopen", "open_memstream"];

/// Addresses of streams, each with its name.
#[derive(Debug, Default)]
pub struct Streams(Vec<(Value, String)>);

impl Streams {
    /// Those that the recorded code of `runs` read or opened; `at` tells a site's file and line.
    pub fn of(code: &Code, runs: &Runs, at: impl Fn(u32) -> String) -> Self {
        let mut found: Vec<(Value, String)> = Vec::new();
        for (run, modules) in runs.runs.iter().zip(&runs.modules).rev() {
            let standard = standard(code, modules);
            for write in 0..run.writes() {
                let value = plain(runs, run.value(write));
                if !is_outside(runs, value) {
                    continue;
                }
                let place = runs.naming.names.place(run.location(write));
                let address = match runs.naming.kinds.get(place.object as usize) {
                    Some(Kind::Symbol(symbol)) => Some(modules.symbol(*symbol)),
                    Some(kind @ Kind::Library(_)) => modules.address(*kind),
                    Some(Kind::Region(base)) => Some(*base),
                    _ => None,
                };
                let address = address.map(|base| base + u64::from(place.offset));
                let named = match standard.iter().find(|(_, at)| Some(*at) == address) {
                    Some((name, _)) => Some((*name).to_owned()),
                    None => {
                        let site = run.site(run.writer(write));
                        is_opening(code, site).then(|| format!("the stream opened at {}", at(site)))
                    }
                };
                if let Some(name) = named
                    && !found.iter().any(|(of, _)| *of == value)
                {
                    found.push((value, name));
                }
            }
        }
        Self(found)
    }

    /// The name of the stream at an address, if one is there.
    pub fn called(&self, address: Value) -> Option<&str> {
        self.0.iter().find(|(of, _)| *of == address).map(|(_, name)| name.as_str())
    }
}

/// Where the variables of the C library that hold a stream are.
fn standard(code: &Code, modules: &Modules) -> Vec<(&'static str, u64)> {
    let of = |(number, symbol): (u32, &Symbol)| {
        let name = STANDARD.into_iter().find(|name| *name == symbol.name)?;
        Some((name, modules.symbol(number)))
    };
    (0..).zip(&code.symbols).filter_map(of).collect()
}

/// A value, as a number where it lies in no known object.
fn plain(runs: &Runs, value: Value) -> Value {
    let Value::Address(Place { object, offset }) = value else { return value };
    match runs.naming.kinds.get(object as usize) {
        Some(Kind::Region(base)) => Value::Number(base + u64::from(offset)),
        _ => value,
    }
}

/// Whether a value may be the address of what the C library made: a number, or what lies in no object of the program.
fn is_outside(runs: &Runs, value: Value) -> bool {
    match value {
        Value::Number(bits) => is_address(bits),
        Value::Address(Place { object, .. }) => {
            matches!(
                runs.naming.kinds.get(object as usize),
                Some(Kind::Library(_) | Kind::Symbol(_) | Kind::Heap { .. })
            )
        }
        Value::Undefined => false,
    }
}

/// Whether a site is where a call returned that opens a stream.
fn is_opening(code: &Code, site: u32) -> bool {
    let Site::Returned(step) = code.what(site) else { return false };
    let Action::Call { callee: Callee::Symbol(symbol), .. } = code.steps[step as usize].action else { return false };
    OPENING.contains(&code.symbols[symbol as usize].name.as_str())
}
