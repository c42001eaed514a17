//! What a CMakeLists.txt says of tests: options without which there are none, as most projects leave them off, and targets that run them.

use std::fs;
use std::path::Path;

/// Words in the name of an option that makes tests.
const TESTS: [&str; 5] = ["TEST", "TESTS", "TESTING", "UNITTEST", "UNITTESTS"];
/// Values that CMake takes for false where an option's default is written.
const OFF: [&str; 4] = ["off", "false", "no", "0"];

/// What says that there are tests, wherever they are made.
const ALLOWS: &str = "enable_testing";
/// Commands that give the variable a value that they name first.
const DECLARES: [&str; 3] = ["set", "option", "cmake_dependent_option"];
/// Words that compare a variable with something, so that it is no switch.
const COMPARES: [&str; 4] = ["STREQUAL", "EQUAL", "MATCHES", "IN_LIST"];

/// Names of the options that are off by default and without which `CMakeLists.txt` in `root` makes no tests; none where it makes some anyway, because
/// further tests may need what the machine does not have.
pub(super) fn tests_of_cmake(root: &Path) -> Vec<String> {
    let text = fs::read(root.join("CMakeLists.txt")).unwrap_or_default();
    let calls = calls(&String::from_utf8_lossy(&text));
    let mut off = off_by_default(&calls);
    off.extend(undeclared(&calls));
    let mut conditions: Vec<&[String]> = Vec::new();
    let mut needed: Vec<String> = Vec::new();
    for Call { name, words } in &calls {
        match name.as_str() {
            "if" => conditions.push(words),
            // What stands there is made without the option, or for another reason.
            "else" | "elseif" => conditions.last_mut().into_iter().for_each(|last| *last = &[]),
            "endif" => drop(conditions.pop()),
            _ if makes_tests(name, words) || name == ALLOWS => {
                match conditions.iter().find_map(|words| switch(words, &off)) {
                    // Tests that another option brings, as one for fuzzing does, are not made.
                    Some(option) if is_of_tests(option) && !needed.contains(option) => needed.push(option.clone()),
                    // Without tests it only allows those of others.
                    None if name != ALLOWS => return Vec::new(),
                    Some(_) | None => {}
                }
            }
            _ => {}
        }
    }
    needed
}

/// Targets that run tests by custom, where a project defines them by itself.
const TARGETS: [&str; 6] = ["test", "tests", "check", "run_tests", "run-tests", "runtests"];

/// The target of the project's own that runs its tests.
pub(super) fn target_of_cmake(root: &Path) -> Option<&'static str> {
    let text = fs::read(root.join("CMakeLists.txt")).unwrap_or_default();
    let calls = calls(&String::from_utf8_lossy(&text));
    let mut own = calls.iter().filter(|call| call.name == "add_custom_target").filter_map(|call| call.words.first());
    own.find_map(|name| TARGETS.into_iter().find(|target| target == name))
}

/// The option that a condition asks for; one that is denied, or beside another thing by OR, is not needed.
fn switch<'a>(condition: &[String], off: &'a [String]) -> Option<&'a String> {
    let is_plain = condition.iter().all(|word| !["NOT", "OR"].contains(&word.as_str()));
    off.iter().find(|option| is_plain && condition.contains(option))
}

/// Whether a call makes tests, or goes to a directory that by its name has them.
fn makes_tests(name: &str, words: &[String]) -> bool {
    let first = words.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    match name {
        "add_test" => true,
        "add_subdirectory" => {
            first.rsplit('/').next().is_some_and(|last| ["test", "tests", "unittests"].contains(&last))
        }
        _ => false,
    }
}

/// Names of options whose default is false.
fn off_by_default(calls: &[Call]) -> Vec<String> {
    let is_off = |value: &str| OFF.contains(&value.to_ascii_lowercase().as_str());
    let named = |call: &Call| {
        let default = match (call.name.as_str(), call.words.as_slice()) {
            ("option", [_, _]) => "off",
            ("option", [_, _, default]) => default,
            ("set", [_, value, cache, kind, ..]) if cache == "CACHE" && kind == "BOOL" => value,
            _ => return None,
        };
        call.words.first().filter(|_| is_off(default)).cloned()
    };
    calls.iter().filter_map(named).collect()
}

/// Names for tests that conditions ask for and nothing declares, which is false. `include(CTest)` declares `BUILD_TESTING`, and has it true.
fn undeclared(calls: &[Call]) -> Vec<String> {
    let includes = |module: &str| {
        calls.iter().any(|call| call.name == "include" && call.words.first().is_some_and(|word| word == module))
    };
    let is_declared = |name: &String| {
        (name == "BUILD_TESTING" && includes("CTest"))
            || calls.iter().any(|call| DECLARES.contains(&call.name.as_str()) && call.words.first() == Some(name))
    };
    let asked = calls
        .iter()
        .filter(|call| call.name == "if" && !call.words.iter().any(|word| COMPARES.contains(&word.as_str())));
    let names = asked.flat_map(|call| &call.words).filter(|word| is_of_tests(word));
    names.filter(|name| !is_declared(name)).cloned().collect()
}

fn is_of_tests(option: &str) -> bool {
    option.split('_').any(|word| TESTS.contains(&word.to_ascii_uppercase().as_str()))
}

/// A call of a command of CMake.
#[derive(Debug)]
struct Call {
    /// In lower case.
    name: String,
    /// Its arguments, without quotes; parentheses within are left out.
    words: Vec<String>,
}

/// The calls of a file, in its order.
fn calls(text: &str) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    let (mut depth, mut word, mut before) = (0_usize, String::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    word.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
                }
                // An empty argument is one, too.
                end_of_word(&mut found, &mut before, depth, std::mem::take(&mut word));
            }
            '(' | ')' | ' ' | '\t' | '\r' | '\n' | ';' => {
                if !word.is_empty() {
                    end_of_word(&mut found, &mut before, depth, std::mem::take(&mut word));
                }
                match c {
                    '(' if depth == 0 => {
                        found.push(Call { name: std::mem::take(&mut before).to_ascii_lowercase(), words: Vec::new() });
                        depth = 1;
                    }
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            c => word.push(c),
        }
    }
    found
}

/// A word within parentheses is an argument; one before them the name of a command.
fn end_of_word(found: &mut [Call], before: &mut String, depth: usize, word: String) {
    match (depth, found.last_mut()) {
        (1.., Some(call)) => call.words.push(word),
        _ => *before = word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("CMakeLists.txt"), text).unwrap();
        tests_of_cmake(dir.path())
    }

    #[test]
    fn an_option_that_guards_all_tests_is_needed() {
        for text in [
            "option(WITH_TESTS \"[TRUE|FALSE] build (unit) tests\" OFF)\nif (WITH_TESTS)\n add_subdirectory(test)\nendif()\n",
            "OPTION(WITH_TESTS \"x\")\nIF(WITH_TESTS)\nENABLE_TESTING()\nADD_TEST(a b)\nENDIF(WITH_TESTS)\n",
            "set(WITH_TESTS FALSE CACHE BOOL \"x\")\nif(NOT WIN32)\nif(X AND (WITH_TESTS))\nadd_test(NAME a COMMAND b)\nendif()\nendif()",
            "enable_testing()\noption(WITH_TESTS \"\" OFF)\ninclude(CTest)\nif(WITH_TESTS)\nenable_testing()\nadd_subdirectory(demo)\nendif()",
            "if(DEFINED WITH_TESTS)\nenable_testing()\nmake_test(a)\nendif()\n",
            "option(WITH_TESTS \"\" OFF)\noption(FUZZ \"\" OFF)\nif(WITH_TESTS)\nadd_test(a b)\nendif()\nif(FUZZ)\nadd_test(c d)\nendif()",
            "# option(A_TEST \"\" ON)\noption(WITH_TESTS \"\" NO)\nif(WITH_TESTS) # if(\nadd_subdirectory(\"src/tests\")\nendif()",
        ] {
            assert_eq!(options(text), ["WITH_TESTS"], "{text}");
        }
    }

    #[test]
    fn a_target_of_the_projects_own_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let target = |text: &str| {
            fs::write(dir.path().join("CMakeLists.txt"), text).unwrap();
            target_of_cmake(dir.path())
        };
        assert_eq!(target("ADD_CUSTOM_TARGET(docs)\nADD_CUSTOM_TARGET(test\n  ./run.sh)\n"), Some("test"));
        assert_eq!(
            target("add_custom_target(test-api x)\n# add_custom_target(test)\nadd_executable(check c.c)\n"),
            None
        );
    }

    #[test]
    fn other_options_are_left_alone() {
        let guarded = |option: &str, condition: &str| format!("{option}\nif({condition})\nadd_test(a b)\nendif()\n");
        for text in [
            guarded("option(WITH_TESTS \"\" ON)", "WITH_TESTS"),
            guarded("option(WITH_TESTS \"\" ${TOP})", "WITH_TESTS"),
            guarded("option(WITH_TESTS \"\" OFF)", "NOT WITH_TESTS"),
            guarded("option(WITH_TESTS \"\" OFF)", "WITH_TESTS OR UNIX"),
            guarded("option(CONTEST \"\" OFF)", "CONTEST"),
            guarded("option(WITH_TESTS \"\" OFF)", "WITH_TESTS") + "add_test(c d)\n",
            "option(WITH_TESTS \"\" OFF)\nif(WITH_TESTS)\nelse()\nadd_test(a b)\nendif()".into(),
            "option(WITH_TESTS \"\" OFF".into(),
            "include(CTest)\nif(BUILD_TESTING)\nadd_test(a b)\nendif()".into(),
            "set(WITH_TESTS ON)\nif(WITH_TESTS)\nadd_test(a b)\nendif()".into(),
            "if(KIND STREQUAL TESTS)\nadd_test(a b)\nendif()".into(),
            "option(WITH_TESTS \"\" OFF)\nenable_testing()\nif(WITH_TESTS)\nendif()".into(),
        ] {
            assert_eq!(options(&text), [""; 0], "{text}");
        }
    }
}
