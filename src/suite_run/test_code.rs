//! Source files of the tests themselves, which are trusted.

use std::collections::{BTreeSet, HashSet};

use crate::program::Program;
use crate::suite::Suite;

/// Those that suspect.toml names; without it those that are tests by custom or by [`of_cases`].
pub fn files(suite: &Suite, program: &Program) -> Vec<String> {
    let said = &suite.config().test_code;
    let named = program.files.iter().filter(|file| said.has(file)).cloned();
    let mut files: BTreeSet<String> = named.collect();
    if !said.is_said() {
        let cases: HashSet<&str> = suite.tests().iter().filter_map(|test| test.case_function()).collect();
        let found = of_cases(program, &cases);
        let is_whole = program.functions.iter().all(|function| {
            let file = &program.files[function.place.file as usize];
            found.contains(file.as_str()) || files.contains(file)
        });
        // Where nothing else is left, the tests are in the file that they test.
        if !is_whole {
            files.extend(found.into_iter().map(str::to_owned));
        }
    }
    files.into_iter().collect()
}

/// Files in which half of the functions, or more, are cases of a test program.
fn of_cases<'p>(program: &'p Program, cases: &HashSet<&str>) -> BTreeSet<&'p str> {
    let mut counts = vec![(0, 0); program.files.len()];
    for function in &program.functions {
        let (n_cases, n_all) = &mut counts[function.place.file as usize];
        *n_cases += usize::from(cases.contains(function.name.as_str()));
        *n_all += 1;
    }
    let is_of_cases = |(n_cases, n_all): &(usize, usize)| *n_cases > 0 && n_cases * 2 >= *n_all;
    program.files.iter().zip(&counts).filter(|(_, count)| is_of_cases(count)).map(|(file, _)| file.as_str()).collect()
}
