//! Operations are those of the source, whatever the optimizer; what a mutated one does is what the edited source does.

#[allow(dead_code, reason = "each test needs a part of it")]
mod support;

use std::path::{Path, PathBuf};

use support::decode::{OwnedFunction, OwnedOperation, OwnedUnit, tables};
use suspect_format::site::OperationKind;

fn compile(scratch: &Path, name: &str, level: &str) -> PathBuf {
    let out = scratch.join(format!("{name}{level}.o"));
    let source = support::tests().join("tables").join(name);
    let mut command = support::clang();
    command.args([level, "-g", "-w", "-c"]).args(support::plugin_flags("")).arg(source).arg("-o").arg(&out);
    support::must(&mut command);
    out
}

/// Where the text of an operation begins in the source, and the rest of its line.
fn text_of(function: &OwnedFunction, site: &OwnedOperation, source: &[&str]) -> String {
    let operation = &site.operation;
    let place = operation.place;
    let rest: String = source[place.line as usize - 1].chars().skip(place.column as usize - 1).take(12).collect();
    let kind = match operation.kind {
        OperationKind::Binary { operator, width, signedness, left, right } => {
            format!("{operator:?} {width} {signedness:?} {left:?} {right:?}")
        }
        OperationKind::Read { variable, width, .. } => {
            let name = |number: &u32| function.variables[*number as usize].0.as_str();
            let others: Vec<&str> = site.others.iter().map(name).collect();
            format!("Read {width} {} others {}", name(&variable), others.join(" "))
        }
        kind => format!("{kind:?}"),
    };
    let node = operation.node.map_or("-", |node| function.nodes[node as usize].text.as_str());
    format!("{}:{} `{}` {kind} | {node}", place.line, place.column, rest.trim_end())
}

fn operations_text(unit: &OwnedUnit, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    for function in &unit.functions {
        text += &format!("{}\n", function.name);
        for site in &function.operations {
            text += &format!("  {}\n", text_of(function, site, &lines));
        }
    }
    text
}

/// The same at each level and with each LLVM: the expected text is one file. `SUSPECT_BLESS=1` writes it anew.
#[test]
fn operations_are_those_of_the_source_at_every_level() {
    let scratch = support::scratch("operations-tables");
    let source = std::fs::read_to_string(support::tests().join("tables/operations.c")).unwrap();
    let expected = support::tests().join("tables/operations.expected");
    for level in ["-O0", "-O1", "-O2", "-Os"] {
        let text = operations_text(&tables(&compile(&scratch, "operations.c", level))[0], &source);
        if std::env::var_os("SUSPECT_BLESS").is_some() && level == "-O0" {
            std::fs::write(&expected, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&expected).unwrap(), "{level}");
    }
}
