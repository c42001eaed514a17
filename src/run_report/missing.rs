//! What was not looked at.

use std::collections::BTreeSet;

use crate::build::BuildReport;
use crate::program::Program;
use crate::report::{FunctionLeft, NotLookedAt, RankingReport, SourceFile, UnitLeft};
use crate::store::Run;

/// Functions without a test that are named.
const NAMED: usize = 100;

/// What the build left out, what no test executed, which tests do not count, what was not tried.
pub fn not_looked_at(
    run: &Run,
    build: Option<&BuildReport>,
    files: &[SourceFile],
    ranking: Option<&RankingReport>,
) -> NotLookedAt {
    let is_unexecuted = |counts: &(u32, u32, u32)| counts.1 + counts.2 == 0;
    let uncovered: Vec<String> = files.iter().flat_map(unexecuted_functions).collect();
    let mut statements: Vec<String> = ranking.iter().flat_map(|ranking| ranking.not_tried.iter().cloned()).collect();
    if build.is_none() {
        statements
            .push("what the build left out: the latest `suspect build` is not the one that these tests ran".into());
    }
    if ranking.is_some_and(|ranking| ranking.trials.is_none()) {
        statements.push("whether a change of a line turns a test: `suspect rank` tries".into());
    }
    let excluded = run.manifest.tests.iter().filter(|test| test.passed.is_none());
    NotLookedAt {
        functions: functions_left(&run.program, build),
        units: units_left(build),
        n_uncovered: uncovered.len() as u32,
        uncovered: uncovered.into_iter().take(NAMED).collect(),
        uncovered_lines: files.iter().map(|file| file.executed().filter(is_unexecuted).count() as u32).sum(),
        tests: excluded.map(|test| format!("{}: {}", test.name, test.verdict)).collect(),
        statements,
    }
}

fn unexecuted_functions(file: &SourceFile) -> impl Iterator<Item = String> {
    let unexecuted = file.functions.iter().filter(|function| function.tests == 0);
    unexecuted.map(|function| format!("{}:{} {}()", file.path, function.line, function.name))
}

fn functions_left(program: &Program, build: Option<&BuildReport>) -> Vec<FunctionLeft> {
    let of_program = program.escapes.iter().map(|escape| FunctionLeft {
        name: escape.name.clone(),
        file: program.files.get(escape.place.file as usize).cloned().unwrap_or_default(),
        line: escape.place.line,
        reason: escape.reason.clone(),
    });
    let of_build = build.iter().flat_map(|build| &build.left_alone).map(|left| FunctionLeft {
        name: left.name.clone(),
        file: left.file.clone(),
        line: left.line,
        reason: left.reason.clone(),
    });
    of_program.chain(of_build).collect::<BTreeSet<FunctionLeft>>().into_iter().collect()
}

fn units_left(build: Option<&BuildReport>) -> Vec<UnitLeft> {
    let escapes = build.iter().flat_map(|build| &build.escapes);
    let left = escapes.map(|escape| UnitLeft { path: escape.path.clone(), reason: escape.reason.to_string() });
    left.collect::<BTreeSet<UnitLeft>>().into_iter().collect()
}
