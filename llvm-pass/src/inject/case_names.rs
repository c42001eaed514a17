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

/// Words in the names of types of which runners give each test one.
const RECORDS: [&str; 6] = ["test", "tests", "case", "tc", "suite", "unit"];
/// Whether a function of a file is named like a test.
pub fn is_named_so(name: &str, file: &str) -> bool {
    let said = words(name);
    let is_of = |word: &str, wanted: &[&str]| wanted.contains(&word);
    let has = |wanted: &[&str]| said.iter().any(|word| is_of(word, wanted));
    let others = said.iter().map(String::as_str).filter(|word| !is_of(word, &TESTS) && !is_of(word, &CHECKS));
    let is_around = is_of(&others.collect::<Vec<_>>().join("_"), &AROUND);
    let gathers = said.first().is_some_and(|word| is_of(word, &GATHERING));
    name != "main" && !gathers && !is_around && (has(&TESTS) || has(&CHECKS) && is_in_tests(file))
}

/// Whether the path of a file says that it has tests: `tests/queue.c`, `testbed/testcms2.c`.
pub fn is_in_tests(file: &str) -> bool {
    let mut parts = file.split(['/', '.']).flat_map(words);
    parts.any(|word| word.starts_with("test") || ["check", "unit", "spec", "t"].contains(&word.trim_end_matches('s')))
}

/// Whether a function of this name and type, as C writes it, takes the record of a test that its runner gives each case: `CuTest *`,
/// `abts_case *, void *`. One that takes anything else may be a helper, and one that is called like `CuTestDelete` works for the runner.
pub fn takes_record(name: &str, kind: &str) -> bool {
    let taken = kind.rsplit_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
    let mut taken = taken.split(',').map(str::trim);
    let is_record = |kind: &str| {
        let record = kind.strip_suffix('*').map(str::trim).filter(|record| !record.contains('*'));
        let said = words(record.unwrap_or_default().trim_start_matches("struct "));
        let works_for_it = said.len() > 1 && words(name).starts_with(&said);
        !works_for_it && said.iter().any(|word| RECORDS.contains(&word.as_str()))
    };
    taken.next().is_some_and(is_record) && taken.all(|kind| kind == "void *")
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
    fn a_record_of_a_test_is_known_by_its_type() {
        for kind in ["void (CuTest *)", "void (struct abts_case *, void *)", "int (TestContext *)", "void (cu_test *)"]
        {
            assert!(takes_record("test_add", kind), "{kind}");
        }
        for kind in [
            "void (void)",
            "void ()",
            "int (const char *)",
            "void (struct parser *)",
            "void (CuTest *, int)",
            "void (CuTest **)",
            "void",
            "",
        ] {
            assert!(!takes_record("test_parse", kind), "{kind}");
        }
        assert!(!takes_record("CuTestDelete", "void (CuTest *)") && takes_record("test_delete", "int (struct test *)"));
    }

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
            ("CheckBaseTypes", "testbed/all.c"),
            ("CheckBaseTypes", "testlib2.c"),
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
