//! Slices and dices of real C programs: what must be in them, what need not be, and what coverage takes out.

use crate::project::Project;

const SUITE: &str =
    "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {line}\"\nexpect = \"expected/{n}\"\n";

fn recorded(options: &[&str]) -> Project {
    let project = Project::new();
    project.copy_program("slice.c").write("suspect.toml", SUITE).write("tests.txt", "0\n2\n5\n");
    project.write("expected/1", "0 0 2 small\n").write("expected/2", "3 6 2 small\n").write("expected/3", "wrong\n");
    project.succeed(&[&["build", "--", "cc", "-o", "prog", "slice.c"], options].concat());
    project.succeed(&["test"]);
    project
}

/// Lines with a positive score.
fn lines(project: &Project, method: &str) -> Vec<u64> {
    let ranking = project.ranking(&["--method", method]);
    let entries = ranking["ranking"].as_array().unwrap().iter();
    let mut lines: Vec<u64> = entries
        .filter(|entry| entry["score"].as_f64() > Some(0.0) && entry["file"] == "slice.c")
        .map(|entry| entry["line"].as_u64().unwrap())
        .collect();
    lines.sort_unstable();
    lines
}

/// Lines of the program with this mark.
fn marked(mark: &str) -> Vec<u64> {
    let text = include_str!("../programs/slice.c");
    let mark = format!("/* {mark} */");
    (1..).zip(text.lines()).filter(|(_, line)| line.contains(&mark)).map(|(number, _)| number).collect()
}

#[test]
fn slice_holds_every_flow_to_the_output_that_ran_and_nothing_else() {
    // The last one prints by `__printf_chk`.
    for options in [&["-O0"][..], &["-O2"], &["-O2", "-D_FORTIFY_SOURCE=2"]] {
        let project = recorded(options);
        let slice = lines(&project, "slice");
        // The failing test takes the branch for large numbers.
        let skipped =
            1 + include_str!("../programs/slice.c").lines().position(|line| line.contains("\"small\"")).unwrap() as u64;
        let expected = marked("in").into_iter().filter(|line| *line != skipped);
        let missing: Vec<u64> = expected.filter(|line| !slice.contains(line)).collect();
        assert!(missing.is_empty(), "{options:?}: lines {missing:?} are missing in {slice:?}");
        let extra: Vec<u64> = marked("out").into_iter().filter(|line| slice.contains(line)).collect();
        assert!(extra.is_empty(), "{options:?}: lines {extra:?} do not belong in {slice:?}");
        assert!(!slice.contains(&skipped));
    }
}

#[test]
fn dice_is_what_no_passing_test_depends_on() {
    let project = recorded(&["-O1"]);
    let (slice, dice) = (lines(&project, "slice"), lines(&project, "slice_dice"));
    let large =
        1 + include_str!("../programs/slice.c").lines().position(|line| line.contains("\"large\"")).unwrap() as u64;
    assert_eq!(dice, [large], "slice {slice:?}");
}

#[test]
fn dependences_between_lines_are_those_of_the_source() {
    let project = recorded(&["-O1"]);
    let run = suspect::store::Store::new(project.path()).latest_run().unwrap();
    let sections = run.dependences().unwrap();
    let named: Vec<(String, &[u8])> = sections.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let code = suspect::slice::Code::load(&run.program, &named).unwrap();
    let pairs = suspect::slice::Slicer::new(&run.program, &code).line_dependences();
    let line = |needle: &str| {
        let text = include_str!("../programs/slice.c");
        let number = 1 + text.lines().position(|line| line.contains(needle)).expect(needle) as u32;
        run.program.lines.iter().position(|line| line.line == number).expect(needle) as u32
    };
    let depends = |user: &str, used: &str| pairs.contains(&(line(user), line(used)));
    // Through memory that a call fills, through a parameter, on a condition, through a table of functions.
    assert!(depends("printf(", "*place = value"));
    assert!(depends("*place = value", "fill(heap"));
    assert!(depends("\"large\"", "choice > 3"));
    assert!(depends("sum += table", "x * 2;"));
    assert!(
        !depends("printf(", "counter++")
            && !depends("printf(", "*other = 17")
            && !depends("sum += table", "hidden = 5")
    );
}

#[test]
fn direct_causes_of_a_node_are_in_its_function_or_flow_into_its_line() {
    let project = recorded(&["-O1"]);
    let run = suspect::store::Store::new(project.path()).latest_run().unwrap();
    let sections = run.dependences().unwrap();
    let named: Vec<(String, &[u8])> = sections.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let code = suspect::slice::Code::load(&run.program, &named).unwrap();
    let sources = suspect::slice::Slicer::new(&run.program, &code).node_sources();
    let nodes = |needle: &str, kind| -> Vec<u32> {
        let text = include_str!("../programs/slice.c");
        let number = 1 + text.lines().position(|line| line.contains(needle)).expect(needle) as u32;
        let nodes = (0..).zip(&run.program.nodes).filter(|(_, node)| node.place.line == number && node.kind == kind);
        nodes.map(|(id, _)| id).collect()
    };
    use suspect::program::NodeKind::{Assignment, Parameter, Return};
    let [sum] = nodes("sum += table", Assignment)[..] else { panic!("one assignment to sum") };
    let [hidden] = nodes("hidden = never_shown(hidden)", Assignment)[..] else { panic!("one assignment to hidden") };
    let has = |node: u32, of: &[u32]| !of.is_empty() && of.iter().all(|source| sources[node as usize].contains(source));
    // Its own function, what the table's functions return, but not what another returns or writes.
    assert!(has(sum, &nodes("int hidden = 5", Assignment)));
    assert!(has(sum, &nodes("{ return x + 1;", Return)) && has(sum, &nodes("{ return x * 2;", Return)));
    assert!(!has(sum, &nodes("return x * 31", Return)) && !has(sum, &nodes("counter++", Assignment)));
    assert!(has(hidden, &nodes("return x * 31", Return)) && !has(hidden, &nodes("{ return x + 1;", Return)));
    // A parameter's causes are in its callers; what it leads to is read where it was pointed at.
    assert!(nodes("static void fill", Parameter).iter().all(|node| has(*node, &[sum])));
    assert!(!has(nodes("counter++", Assignment)[0], &[sum]));
    assert!(sources.iter().enumerate().all(|(node, sources)| !sources.contains(&(node as u32))));
}

/// Each round of the loop adds to `sum` and overwrites `last`.
const ROUNDS: &str = "int printf(const char *, ...);
int atoi(const char *);
int main(int argc, char **argv) {
    int sum = 0, last = 0;
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        sum += n;
        last = n;
    }
    printf(\"%d\\n\", sum);
    printf(\"%d\\n\", last);
    return 0;
}
";

/// Test 1 passes with 1 2 3, test 2 fails with 1 5 3.
fn rounds() -> Project {
    let project = Project::new();
    project.write("p.c", ROUNDS).write("tests.txt", "1 2 3\n1 5 3\n");
    project.write("expected/1", "6\n3\n").write("expected/2", "8\n3\n");
    project.write("suspect.toml", &SUITE.replace("./prog", "./p"));
    project.succeed(&["build", "--", "cc", "-O0", "-o", "p", "p.c"]);
    project.succeed(&["test"]);
    project
}

/// Lines of a slice, with how often they are in it.
fn sliced(project: &Project, arguments: &[&str]) -> Vec<(u64, u64)> {
    let all = [&["slice"], arguments, &["--format", "json"]].concat();
    let report: serde_json::Value = serde_json::from_str(&project.succeed(&all)).unwrap();
    let of = |line: &serde_json::Value, field: &str| line[field].as_u64().unwrap();
    let lines = report["lines"].as_array().unwrap().iter();
    lines.map(|line| (of(line, "line"), of(line, "executions"))).collect()
}

/// How often a line is in a slice.
fn times(slice: &[(u64, u64)], line: u64) -> u64 {
    slice.iter().find(|(at, _)| *at == line).map_or(0, |(_, times)| *times)
}

#[test]
fn slices_begin_at_the_execution_that_is_named_and_go_either_way() {
    let project = rounds();
    // What the first round adds depends on no later one.
    let (first, last) = (sliced(&project, &["1", "p.c:7#1"]), sliced(&project, &["1", "p.c:7"]));
    assert_eq!(sliced(&project, &["1", "p.c:7#3"]), last);
    assert!(times(&first, 6) > 0 && times(&last, 6) == 3 * times(&first, 6), "{first:?} {last:?}");
    assert_eq!(times(&last, 8), 0);
    // The last value is printed, earlier ones are overwritten; a sum goes on.
    let keeps = sliced(&project, &["1", "p.c:8#3", "--forward"]);
    assert!(
        times(&keeps, 8) > 0 && times(&keeps, 11) > 0 && times(&keeps, 7) == 0 && times(&keeps, 10) == 0,
        "{keeps:?}"
    );
    let lost = sliced(&project, &["1", "p.c:8#1", "--forward"]);
    assert!(times(&lost, 8) > 0 && times(&lost, 11) == 0, "{lost:?}");
    let sum = sliced(&project, &["1", "p.c:6:n#1", "--forward"]);
    assert!(times(&sum, 7) >= 3, "by way of the sum in each round: {sum:?}");
    assert!(times(&sum, 10) > 0 && times(&sum, 11) == 0, "{sum:?}");
    assert!(project.succeed(&["slice", "1", "p.c:7", "--forward"]).contains("p.c:7 in 1 influences "));
    // The code alone: in some run one round is the last.
    let code = sliced(&project, &["--static", "p.c:11"]);
    let lines = |slice: &[(u64, u64)]| -> Vec<u64> { slice.iter().map(|(line, _)| *line).collect() };
    assert!([4, 5, 6, 8, 11].iter().all(|line| lines(&code).contains(line)), "{code:?}");
    assert!(!lines(&code).contains(&7) && !lines(&code).contains(&10), "{code:?}");
    assert_eq!(lines(&sliced(&project, &["--static", "p.c:7", "--forward"])), [7, 10]);
    let forward = lines(&sliced(&project, &["--static", "p.c:6", "--forward"]));
    assert!([6, 7, 8, 10, 11].iter().all(|line| forward.contains(line)) && !forward.contains(&4), "{forward:?}");
    let said = project.succeed(&["slice", "--static", "output"]);
    assert!(said.starts_with("output may depend on ") && said.contains("     7 | "), "{said}");
    for (arguments, words) in [
        (&["1", "p.c:7#4"][..], "p.c:7#4: 1 executes the line 3 times; give a number up to that"),
        (&["1", "p.c:7#0"], "expected a place such as src/a.c:41, src/a.c:41:count or src/a.c:41#3"),
        (&["1", "p.c:7:last", "--forward"], "does not write a variable of this name"),
        (&["1", "output", "--forward"], "nothing depends on what is written"),
        (&["1"], "give a test and a place, or --static and a place"),
        (&["--static", "1", "p.c:7"], "give a place alone"),
        (&["--static", "p.c:7:sum"], "code has neither values nor executions"),
        (&["--static", "p.c:1"], "no recorded code stands there"),
        (&["--static", "wrong"], "expected FILE:LINE of the code"),
    ] {
        let said = project.fail(&[&["slice"], arguments].concat(), 1);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn causes_and_effects_are_those_of_the_execution_that_is_named() {
    let project = rounds();
    fn explain<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["explain", "2", "--against", "1"], more].concat()
    }
    // Before the second round adds, both sums are 1; before the third they are 6 and 3.
    let said = project.fail(&explain(&["--effect", "p.c:7:sum#2"]), 1);
    assert!(said.contains("p.c:7:sum#2: the runs do not differ there"), "{said}");
    let said = project.succeed(&explain(&["--effect", "p.c:7:sum#3"]));
    assert!(said.contains("`sum` is 6 here, 3 there"), "{said}");
    let said = project.succeed(&explain(&["--effect", "p.c:10:sum", "--cause", "p.c:7#2"]));
    assert!(said.contains("`n` is 5 here, 2 there"), "{said}");
    let said = project.succeed(&explain(&["--effect", "p.c:10:sum", "--cause", "p.c:7#3"]));
    assert!(said.contains("`sum` is 6 here, 3 there"), "{said}");
    let said = project.fail(&explain(&["--effect", "p.c:7:sum#9"]), 1);
    assert!(
        said.contains("p.c:7:sum#9: the failing run executes the line 3 times; give a number up to that"),
        "{said}"
    );
    let said = project.fail(&explain(&["--effect", "p.c:10:sum", "--cause", "p.c:2#1"]), 1);
    assert!(said.contains("p.c:2#1 was not executed in the failing run"), "{said}");
}
