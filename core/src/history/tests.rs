//! Edits of a small program, and what is the same afterwards.

use std::collections::BTreeMap;

use super::*;

const OLD: &str = "int f(int x)\n{\n    int y = x;\n    if (x < 1)\n        y++;\n    return y;\n}\n\nint g(int x)\n{\n    return x;\n}\n";

/// A version of one file; functions begin at lines that begin with `int`, and their code is that of their text.
fn version(text: &str, with_codes: bool) -> Version {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("int ")) {
        let end = lines[at..].iter().position(|line| *line == "}").unwrap() + at;
        let body: String = lines[at..=end].concat().split_whitespace().collect();
        let code = body.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        functions.push(FunctionKnown {
            name: line[4..].split('(').next().unwrap().to_string(),
            file: "a.c".into(),
            lines: (at as u32 + 1, end as u32 + 1),
            code: with_codes.then_some(code),
        });
    }
    Version { texts: BTreeMap::from([("a.c".to_string(), text.to_string())]), functions, nodes: Vec::new() }
}

fn node(function: &str, expression: &str, line: u32) -> NodeKnown {
    NodeKnown { key: (function.into(), 0, String::new(), expression.into()), file: "a.c".into(), line }
}

#[test]
fn lines_are_followed_through_insertions_and_deletions() {
    let map = LineMap::new("a\nb\nc\nd\n", "x\na\nc\nd\n");
    assert_eq!([1, 2, 3, 4].map(|line| map.to_new(line)), [Some(2), None, Some(3), Some(4)]);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|line| map.to_old(line)), [None, None, Some(1), Some(3), Some(4), None]);
    assert_eq!([1, 2, 3, 4].map(|line| map.is_beside_removed(line)), [false, true, true, false]);
    let same = LineMap::new("a\n", "a\n");
    assert_eq!((same.to_old(1), same.is_beside_removed(1)), (Some(1), false));
}

#[test]
fn only_functions_whose_code_differs_are_changed() {
    for with_codes in [true, false] {
        let text = OLD.replace("x < 1", "x < 2").replace("int f", "/* new */\nint f");
        let (old, new) = (version(OLD, with_codes), version(&text, with_codes));
        let matched = Matched::new(&old, &new);
        assert_eq!(matched.change("a.c", 5), Some(Change::Line), "the condition");
        assert_eq!(matched.change("a.c", 4), Some(Change::Function));
        assert_eq!(matched.change("a.c", 12), None, "another function");
        assert_eq!(matched.before("a.c", 12), Some(("a.c".into(), 11)));
        assert_eq!(matched.after("a.c", 4), None);
        assert_eq!(matched.functions(), (vec!["f".to_string()], Vec::new()));
    }
}

#[test]
fn reformatted_code_is_the_same_by_its_hash() {
    let (old, new) = (version(OLD, true), version(&OLD.replace("    return x;", "  return\n   x;"), true));
    let matched = Matched::new(&old, &new);
    assert_eq!((matched.change("a.c", 11), matched.functions().0.len()), (None, 0));
}

#[test]
fn removed_lines_mark_their_neighbours() {
    let (old, new) = (version(OLD, true), version(&OLD.replace("        y++;\n", ""), true));
    let matched = Matched::new(&old, &new);
    let changes = [3, 4, 5, 6].map(|line| matched.change("a.c", line));
    let beside = Some(Change::BesideRemoved);
    assert_eq!(changes, [Some(Change::Function), beside, beside, Some(Change::Function)]);
}

#[test]
fn a_function_that_moves_takes_its_lines_along() {
    let (f, g) = OLD.split_once("\n\n").unwrap();
    let (old, new) = (version(OLD, true), version(&format!("{g}\n{f}\n"), true));
    let matched = Matched::new(&old, &new);
    assert_eq!(matched.before("a.c", 3), Some(("a.c".into(), 11)), "return x");
    let at = new.texts["a.c"].lines().position(|line| line.contains("x < 1")).unwrap() as u32 + 1;
    assert_eq!(matched.before("a.c", at), Some(("a.c".into(), 4)));
    assert_eq!(matched.after("a.c", 4), Some(("a.c".into(), at)));
    assert_eq!(matched.functions(), (Vec::new(), Vec::new()));
}

#[test]
fn nodes_of_one_text_are_told_apart_by_lines_and_then_by_order() {
    let (mut old, mut new) =
        (version(OLD, true), version(&OLD.replace("int y = x;", "x = 0; x = 0; int y = x;"), true));
    old.nodes = vec![node("f", "x", 4), node("f", "x", 6), node("g", "x", 11)];
    new.nodes = vec![node("f", "x", 3), node("f", "x", 6), node("g", "x", 11), node("f", "y", 6)];
    let map = LineMap::new(&old.texts["a.c"], &new.texts["a.c"]);
    let maps = BTreeMap::from([("a.c", map)]);
    assert_eq!(match_nodes(&old, &new, &maps), [Some(0), Some(1), Some(2), None]);
}

#[test]
fn a_line_that_reads_otherwise_is_known_by_its_nodes() {
    let (mut old, mut new) = (version(OLD, true), version(&OLD.replace("if (x < 1)", "if (1 && x < 1)"), true));
    (old.nodes, new.nodes) = (vec![node("f", "x < 1", 4)], vec![node("f", "x < 1", 4)]);
    let matched = Matched::new(&old, &new);
    assert_eq!(matched.before("a.c", 4), Some(("a.c".into(), 4)));
    assert_eq!(matched.change("a.c", 4), Some(Change::Line));
}

#[test]
fn what_was_not_looked_at_is_not_resolved() {
    let failed = |verdict: &str| Known::Failed(Failed { verdict: verdict.into(), stopped_at: String::new() });
    let cases = [
        (Known::Passed, failed("a"), false, Some(Fate::New)),
        (Known::Absent, failed("a"), true, Some(Fate::New)),
        (Known::Uncounted, failed("a"), true, Some(Fate::New)),
        (failed("a"), failed("a"), false, Some(Fate::Still)),
        (failed("a"), failed("b"), false, Some(Fate::Moved)),
        (failed("a"), Known::Passed, false, Some(Fate::Fixed)),
        (failed("a"), Known::Passed, true, Some(Fate::Flaky)),
        (Known::Passed, failed("a"), true, Some(Fate::Flaky)),
        (failed("a"), Known::Uncounted, false, Some(Fate::NotLookedAt)),
        (failed("a"), Known::Absent, false, Some(Fate::NotLookedAt)),
        (Known::Passed, Known::Flaky, false, Some(Fate::Flaky)),
        (Known::Passed, Known::Uncounted, false, None),
        (Known::Passed, Known::Passed, false, None),
    ];
    for (before, now, is_same, expected) in cases {
        assert_eq!(fate(&before, &now, is_same), expected, "{before:?} {now:?} {is_same}");
    }
}

#[test]
fn a_function_that_lacks_a_line_does_not_read_alike() {
    let (old, new) = (version(OLD, false), version(&OLD.replace("        y++;\n", ""), false));
    let matched = Matched::new(&old, &new);
    assert_eq!(matched.functions(), (vec!["f".to_string()], Vec::new()), "each line that is left stood there before");
    assert_eq!(matched.change("a.c", 3), Some(Change::Function));
    assert_eq!(matched.change("a.c", 10), None, "another function");
}

#[test]
fn of_two_new_lines_only_one_is_an_old_line() {
    let before = OLD.replace("if (x < 1)", "if (x < 1 && x > -5)");
    let after = OLD.replace("if (x < 1)", "if (x < 1\n        && x > -5)");
    let (mut old, mut new) = (version(&before, true), version(&after, true));
    old.nodes = vec![node("f", "x < 1", 4), node("f", "x > -5", 4)];
    new.nodes = vec![node("f", "x < 1", 4), node("f", "x > -5", 5)];
    let matched = Matched::new(&old, &new);
    let spot = |line| Some(("a.c".to_string(), line));
    assert_eq!([4, 5].map(|line| matched.before("a.c", line)), [spot(4), None]);
    assert_eq!(matched.after("a.c", 4), spot(4));
}

#[test]
fn of_two_old_lines_only_one_is_a_new_line() {
    let before = OLD.replace("        y++;\n", "        y++;\n    y += 0;\n");
    let after = OLD.replace("        y++;\n", "").replace("{\n    int y", "{\n        y++;\n    int y");
    let (mut old, mut new) = (version(&before, true), version(&after, true));
    (old.nodes, new.nodes) = (vec![node("f", "y", 6)], vec![node("f", "y", 3)]);
    let matched = Matched::new(&old, &new);
    let spot = |line| Some(("a.c".to_string(), line));
    assert_eq!((matched.before("a.c", 3), matched.after("a.c", 5)), (spot(5), spot(3)), "by its text");
    assert_eq!(matched.after("a.c", 6), None, "not by its node as well");
}
