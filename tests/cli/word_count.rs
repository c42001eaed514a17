//! The word count study of causal program dependence (Lee, Binkley, Feldt, Gold, Yoo): twenty nodes, fifteen tests, a hundred samples.
//! What the paper reports of edges, of their order and of groups of tests is asserted here; where ours differs, the reason stands beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::Project;

const TEXTS: [(&str, &str, &str); 15] = [
    ("letter-1", "a", "1 0 1"),
    ("letter-2", "b", "1 0 1"),
    ("letter-3", "c", "1 0 1"),
    ("word-1", "ab", "2 0 1"),
    ("word-2", "abc", "3 0 1"),
    ("word-3", "abcd", "4 0 1"),
    ("word-4", "xyzzy", "5 0 1"),
    ("line-1", "ab cd", "5 0 2"),
    ("line-2", "a bc def", "8 0 3"),
    ("line-3", "12 x yz", "7 0 2"),
    ("multi-1", "ab\ncd\n", "6 2 2"),
    ("multi-2", "a b\n\nc de\n", "10 3 4"),
    ("multi-3", "abc de\nf", "8 1 3"),
    ("multi-4", "\n12 ab\ncd ef g\n", "15 3 4"),
    ("multi-5", "one two\nthree\nfour five six\n", "28 3 6"),
];

/// Direct dependence by cause and effect, by the numbers of the study; 0 stands for the output. With it the number of tests that
/// cover both.
type Edges = BTreeMap<(u32, u32), (f64, u32)>;

fn study() -> Project {
    let project = Project::new();
    project.copy_program("count_words.c");
    for (name, text, counts) in TEXTS {
        project.write(&format!("in/{name}"), text).write(&format!("expected/{name}"), &format!("{counts}\n"));
    }
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./prog < {input}\"\nexpect = \"expected/{stem}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-O1", "-o", "prog", "count_words.c"]);
    assert!(project.succeed(&["test"]).starts_with("15 passing"));
    let said = project.succeed(&["mutate", "--samples", "100", "--tests", "all"]);
    assert!(said.contains("trials of 20 nodes") && said.contains(" 0 say nothing"), "{said}");
    project
}

/// The study's number of each line of the program.
fn numbers() -> BTreeMap<u64, u32> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/count_words.c")).unwrap();
    let number = |line: &str| line.rsplit_once("/* ")?.1.split_once(" */")?.0.parse().ok();
    (1..).zip(text.lines()).filter_map(|(at, line)| Some((at, number(line)?))).collect()
}

fn graph(project: &Project, options: &[&str]) -> (Value, BTreeMap<u64, u32>) {
    let all = [&["graph", "--format", "json"], options].concat();
    let report: Value = serde_json::from_str(&project.succeed(&all)).unwrap();
    let numbers = numbers();
    let node = |node: &Value| {
        let number = if node["kind"] == "output" { 0 } else { numbers[&node["line"].as_u64().unwrap()] };
        (node["id"].as_u64().unwrap(), number)
    };
    let nodes = report["nodes"].as_array().unwrap().iter().map(node).collect();
    (report, nodes)
}

fn edges(project: &Project, options: &[&str]) -> Edges {
    let (report, nodes) = graph(project, options);
    let edge = |edge: &Value| {
        let end = |end: &str| nodes[&edge[end].as_u64().unwrap()];
        let strength = &edge["strength"];
        let of = (strength["direct"].as_f64().unwrap(), strength["tests"].as_u64().unwrap() as u32);
        ((end("cause"), end("effect")), of)
    };
    report["edges"].as_array().unwrap().iter().map(edge).collect()
}

/// In the mean over the tests that cover both.
fn dd(edges: &Edges, cause: u32, effect: u32) -> f64 {
    edges.get(&(cause, effect)).map_or(0.0, |(direct, _)| *direct)
}

/// In the mean over all fifteen tests, of which those that do not cover both count 0: how the paper compares edges.
fn dd_of_all(edges: &Edges, cause: u32, effect: u32) -> f64 {
    edges.get(&(cause, effect)).map_or(0.0, |(direct, tests)| direct * f64::from(*tests) / TEXTS.len() as f64)
}

#[track_caller]
fn assert_absent(edges: &Edges, pairs: &[(u32, u32)]) {
    for pair in pairs {
        assert!(!edges.contains_key(pair), "{pair:?}: {:?}", edges[pair]);
    }
}

#[track_caller]
fn assert_from(least: f64, edges: &Edges, pairs: &[(u32, u32)]) {
    for (cause, effect) in pairs {
        let found = dd(edges, *cause, *effect);
        assert!(found >= least, "{cause} -> {effect}: {found}");
    }
}

fn outgoing(edges: &Edges, cause: u32) -> Vec<u32> {
    edges.keys().filter(|(from, _)| *from == cause).map(|(_, to)| *to).collect()
}

#[test]
fn the_word_count_study_comes_out() {
    let project = study();
    whole(&project);
    groups(&project);
    differences(&project);
    chosen_edges(&project);
    clusters(&project);
    levels(&project);
}

/// A level of significance decides which causes are kept, and a stricter one keeps no more.
fn levels(project: &Project) {
    let count = |options: &[&str]| edges(project, options).len();
    let (exact, usual, strict) = (count(&[]), count(&["--g-test", "0.01"]), count(&["--g-test", "1e-12"]));
    assert!(usual != exact && strict <= usual, "{exact} {usual} {strict}");
}

fn whole(project: &Project) {
    let (default, paper) = (edges(project, &[]), edges(project, &["--paper"]));
    // Strong edges connect the groups: characters, lines, in a word, and reading.
    for edges in [&default, &paper] {
        assert_from(0.8, edges, &[(1, 7), (2, 9), (8, 9), (10, 13), (10, 14)]);
    }
    // Reading is a cycle, 5 -> 15 -> 16 -> 5. The paper's way of dropping cycles drops all of it from our program, whose loop reads
    // in its condition; the default keeps what goes round the loop.
    assert_from(0.8, &default, &[(5, 15), (15, 16), (16, 5)]);
    assert_absent(&paper, &[(5, 15), (15, 16), (16, 5)]);
    // These are edges of the program dependence graph and no direct dependences.
    for edges in [&default, &paper] {
        assert_absent(edges, &[(15, 8), (15, 10), (15, 17)]);
    }
    // The paper has no other edge from 5 to the loop's nodes, and one from 16 to 8. In our program whatever changes one of 5, 15 and
    // 16 changes all three, so nothing tells which of them the loop's nodes depend on; the last before them, 5, stands for all.
    for edges in [&default, &paper] {
        assert_from(0.99, edges, &[(5, 7), (5, 8), (5, 17)]);
        assert!(outgoing(edges, 15).iter().chain(&outgoing(edges, 16)).all(|effect| [5, 15, 16].contains(effect)));
        // Of middle strength.
        let middle = [dd_of_all(edges, 20, 10), dd_of_all(edges, 14, 11)];
        assert!(middle.iter().all(|found| (0.3..0.7).contains(found)), "{middle:?}");
        assert!(dd_of_all(edges, 19, 10) > dd_of_all(edges, 20, 10));
        let into_11 = [4, 13, 14].map(|cause| dd_of_all(edges, cause, 11));
        assert!(into_11[0] > into_11[1] && into_11[1] > into_11[2], "{into_11:?}");
    }
}

fn groups(project: &Project) {
    for way in [&[][..], &["--paper"]] {
        let of = |tests: &'static str| edges(project, &[&["--tests", tests], way].concat());
        let [letter, word, line, multi] = ["letter-*", "word-*", "line-*", "multi-*"].map(of);
        // One letter: nothing comes after 13, and what is read last ends the loop, which it has anyway.
        assert!(outgoing(&letter, 13).is_empty(), "{way:?}");
        let reading = [outgoing(&letter, 15), outgoing(&letter, 16)].concat();
        // As above, the default keeps the cycle of reading.
        assert_eq!(reading, if way.is_empty() { vec![16, 5] } else { vec![] });
        // Lines add what follows from characters that are no letters.
        let chain = [(18, 20), (20, 10), (10, 14), (14, 11)];
        assert_from(0.5, &line, &chain);
        assert_absent(&letter, &chain);
        assert_absent(&word, &chain);
        for cause in [4, 13] {
            assert!(dd(&line, cause, 11) < dd(&word, cause, 11), "{way:?} {cause}");
        }
        assert!((dd(&line, 19, 10) - dd(&line, 20, 10)).abs() < 0.2, "{way:?}");
        // Several lines add the counting of lines. That they take away 15 -> 8 and add 16 -> 8 cannot be seen here: as above, 5
        // stands for both.
        assert_from(0.99, &multi, &[(8, 9), (2, 9), (5, 8)]);
        for other in [&letter, &word, &line] {
            assert_absent(other, &[(8, 9), (2, 9)]);
        }
    }
}

/// The same by the tool's own difference of two models, and its views of a part.
fn differences(project: &Project) {
    let (report, nodes) = graph(project, &["--tests", "multi-*", "--minus", "line-*"]);
    let edges = report["edges"].as_array().unwrap();
    for pair in [(8, 9), (2, 9)] {
        let is_it =
            |edge: &&Value| (nodes[&edge["cause"].as_u64().unwrap()], nodes[&edge["effect"].as_u64().unwrap()]) == pair;
        let edge = edges.iter().find(is_it).expect("the edge is new");
        assert!(edge["strength"].is_null() && edge["second"]["direct"] == 1.0, "{edge}");
    }
    let source = fs::read_to_string(project.path().join("count_words.c")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("/* 9 */")).unwrap();
    let place = format!("count_words.c:{line}");
    let causes = edges_of(project, &["--causes", &place, "--depth", "1"]);
    assert!(!causes.is_empty() && causes.iter().all(|(_, effect)| *effect == 9), "{causes:?}");
    let effects = edges_of(project, &["--effects", &place]);
    assert_eq!(effects, [(9, 0)], "the count is printed");
    let strong = project.succeed(&["graph", "--format", "dot", "--threshold", "0.8"]);
    assert!(strong.starts_with("digraph") && strong.matches(" -> ").count() >= 8, "{strong}");
    let text = project.succeed(&["graph", "--bands", "0.5,0.9"]);
    assert!(text.contains("direct dependence from 0.9:") && text.contains("15 passing tests"), "{text}");
    for (options, words) in [
        (&["--tests", "nothing-*"][..], "nothing-*"),
        (&["--causes", "nothing.c:1"], "nothing.c:1"),
        (&["--bands", "0.5,0.2"], "bands are numbers"),
        (&["--g-test", "1"], "between 0 and 1, such as 0.01"),
        (&["--g-test", "0.01", "--parents", "acyclic"], "give one of the two"),
        (&["--below", "x"], "invalid value 'x' for '--below <DD>'"),
        (&["--clusters", "--minus", "failing"], "'--clusters' cannot be used with '--minus <TESTS>'"),
    ] {
        let said = project.fail(&[&["graph"], options].concat(), 1);
        assert!(said.contains(words), "{said}");
    }
}

/// Clusters of a loop's nodes; each pair of their nodes is connected both ways by edges of the whole graph.
fn clusters(project: &Project) {
    let text = project.succeed(&["graph", "--clusters", "--top", "1", "--format", "json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let clusters: Vec<Vec<u32>> = serde_json::from_value(found["clusters"].clone()).unwrap();
    let all: Value = serde_json::from_str(&project.succeed(&["graph", "--format", "json"])).unwrap();
    let pairs: Vec<(u32, u32)> = all["edges"].as_array().unwrap().iter().map(pair_of).collect();
    let reach = |from: u32| {
        let (mut seen, mut pending) = (std::collections::BTreeSet::new(), vec![from]);
        while let Some(at) = pending.pop() {
            pending.extend(pairs.iter().filter(|(cause, to)| *cause == at && seen.insert(*to)).map(|(_, to)| *to));
        }
        seen
    };
    // By brute force: nodes that reach each other.
    let nodes: std::collections::BTreeSet<u32> = pairs.iter().flat_map(|(cause, effect)| [*cause, *effect]).collect();
    let mut expected = std::collections::BTreeSet::new();
    for node in &nodes {
        let with: Vec<u32> = reach(*node).into_iter().filter(|other| reach(*other).contains(node)).collect();
        if with.len() > 1 {
            expected.insert(with);
        }
    }
    assert!(!clusters.is_empty() && clusters.iter().all(|cluster| cluster.len() > 1), "{text}");
    assert!(clusters.windows(2).all(|pair| pair[0].len() >= pair[1].len()), "{clusters:?}");
    assert_eq!(clusters.into_iter().collect::<std::collections::BTreeSet<_>>(), expected);
    assert!(project.succeed(&["graph", "--clusters"]).contains("nodes, each of which depends on each other one:"));
}

fn pair_of(edge: &Value) -> (u32, u32) {
    let of = |end: &str| edge[end].as_u64().unwrap() as u32;
    (of("cause"), of("effect"))
}

/// Drawing (d) of the paper's Fig. 3 shows edges between two thresholds; and a statistical test keeps fewer causes.
fn chosen_edges(project: &Project) {
    let (weak, strong) = (edges_of(project, &["--threshold", "0.2"]), edges_of(project, &["--threshold", "0.8"]));
    let between = edges(project, &["--threshold", "0.2", "--below", "0.8"]);
    assert!(
        !between.is_empty() && between.values().all(|(direct, _)| (0.2..0.8).contains(&direct.abs())),
        "{between:?}"
    );
    let mut both: Vec<_> = between.into_keys().chain(strong.iter().copied()).collect();
    both.sort_unstable();
    assert_eq!(both, weak);
    let all = edges_of(project, &["--threshold", "0"]);
    let tested = edges_of(project, &["--threshold", "0", "--g-test", "0.01"]);
    assert!(!tested.is_empty() && tested.len() < all.len(), "{} of {}", tested.len(), all.len());
}

fn edges_of(project: &Project, options: &[&str]) -> Vec<(u32, u32)> {
    edges(project, options).into_keys().collect()
}
