//! Names of functions that may be cases of a test program.

/// Words in the names of functions that test, wherever they are.
const TESTS: [&str; 2] = ["test", "tests"];
/// Words that say so in files of tests alone; code under test checks, too.
const CHECKS: [&str; 8] = ["check", "checks", "case", "cases", "spec", "suite", "should", "verify"];
/// Names of functions that tests need around them, but for the words above.
const AROUND: [&str; 14] = [
    "setup",
    "set_up",
    "teardown",
    "tear_down",
    "init",
    "fini",
    "cleanup",
    "start",
    "stop",
    "before",
    "after",
    "before_each",
    "after_each",
    "usage",
];

/// First words of functions that bring tests together.
const GATHERING: [&str; 9] = ["run", "make", "create", "new", "build", "register", "add", "get", "print"];

/// Whether a function of a file is named like a test.
pub fn is_named_so(name: &str, file: &str) -> bool {
    let said = words(name);
    let is_of = |word: &str, wanted: &[&str]| wanted.contains(&word);
    let has = |wanted: &[&str]| said.iter().any(|word| is_of(word, wanted));
    let others = said.iter().map(String::as_str).filter(|word| !is_of(word, &TESTS) && !is_of(word, &CHECKS));
    let is_around = is_of(&others.collect::<Vec<_>>().join("_"), &AROUND);
    let gathers = said.first().is_some_and(|word| is_of(word, &GATHERING));
    let in_tests = || {
        let mut parts = file.split(['/', '.']).flat_map(words);
        parts.any(|word| is_of(word.trim_end_matches('s'), &["test", "check", "unit", "spec", "t"]))
    };
    name != "main" && !gathers && !is_around && (has(&TESTS) || has(&CHECKS) && in_tests())
}

/// The words of a name, in small letters: `testParse_2` is `test`, `parse`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let begins = letter.is_uppercase() && was_small;
        was_small = letter.is_lowercase();
        if !letter.is_alphabetic() || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_functions_test() {
        for (name, file) in [
            ("test_parse", "src/main.c"),
            ("mp_add_test", "demo/mtest.c"),
            ("testParse", "a.c"),
            ("TestQueue", "a.c"),
            ("check_utf8", "tests/run-parser.c"),
            ("parse_empty_should_fail", "unit.c"),
            ("test_set", "tests/test.c"),
            ("test_insert_after", "tests/test.c"),
        ] {
            assert!(is_named_so(name, file), "{name}");
        }
        for (name, file) in [
            ("main", "tests/test.c"),
            ("check_utf8", "src/reader.c"),
            ("test_setup", "tests/test.c"),
            ("set_up_tests", "tests/test.c"),
            ("testBeforeEach", "tests/test.c"),
            ("make_suite", "tests/test.c"),
            ("run_tests", "tests/test.c"),
            ("latest", "tests/test.c"),
            ("attest", "tests/test.c"),
            ("parse_empty", "tests/test.c"),
        ] {
            assert!(!is_named_so(name, file), "{name}");
        }
    }
}
