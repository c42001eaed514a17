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
