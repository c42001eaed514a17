//! Views of dependence models: text, DOT, JSON and its schema.

use super::{GraphReport, write_graph, write_graph_dot};
use crate::causal::{Bands, Cpdm, EffectOptions, Observations, Structure, StructureOptions, TestObservations};
use crate::program::{Function, Node, NodeKind, Place, Program, ValueClass};

/// `read` assigns n, tests it and returns it.
fn program() -> Program {
    let node = |line, kind, variable: &str, expression: &str| Node {
        function: 0,
        piece: 0,
        kind,
        class: ValueClass::Signed,
        width: 32,
        place: Place { file: 0, line, column: 3 },
        line: None,
        variable: variable.into(),
        type_name: "int".into(),
        expression: expression.into(),
        ordinal: 0,
        value: 0,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    };
    Program {
        files: vec!["src/read.c".into()],
        functions: vec![Function {
            name: "read".into(),
            unit: 0,
            place: Place::default(),
            last_line: 9,
            external: true,
            content_hash: 0,
            blocks: 0..0,
            pieces: 0..0,
            edges: 0..0,
            nodes: 0..3,
            compounds: 0..0,
            operations: 0..0,
            variables: Vec::new(),
        }],
        nodes: vec![
            node(4, NodeKind::Assignment, "n", "n"),
            node(5, NodeKind::Predicate, "", "n == '\"'"),
            node(7, NodeKind::Return, "", ""),
        ],
        ..Program::default()
    }
}

/// Mutants of n change the result always and the condition half of the time; the condition changes the result as `by_condition` says.
fn model(by_condition: bool) -> Cpdm {
    let mut test = TestObservations::new(vec![0, 1, 2], true);
    test.push(0, &[0b111], true);
    test.push(0, &[0b101], true);
    test.push(1, &[if by_condition { 0b110 } else { 0b010 }], by_condition);
    test.push(2, &[0b100], true);
    let observations = Observations::new(vec![2, 1, 1], vec![test]).unwrap();
    let structure = Structure::learn(&observations, &[0, 1, 2], StructureOptions::default());
    Cpdm::new(&observations, &structure, EffectOptions::default())
}

fn written(write: impl Fn(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn text_has_edges_by_band_and_says_what_was_left_out() {
    let bands = Bands::default();
    let report = |most| GraphReport::new(&program(), &model(true), &bands, most, "1 failing test".into());
    let text = written(|out| write_graph(&report(9), out));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "dependence by 1 failing test");
    assert_eq!(lines[1], "direct dependence from 0.8:");
    assert_eq!(lines[2], "  src/read.c:7 returned -> output  DD 1.000  CD 1.000  own 1.000");
    assert_eq!(lines[3], "direct dependence from 0.5:");
    // Where the condition is unchanged the direct effect is 1, else 0; of the weight of 3 without a change of n it is unchanged in 2.
    let direct =
        "  src/read.c:4 n assigned -> src/read.c:7 returned  DD 0.667  CD 0.500  own 1.000  (CD and own disagree)";
    assert!(lines.contains(&direct), "{text}");
    assert!(written(|out| write_graph(&report(1), out)).contains("... and 3 more"));
    let empty = GraphReport::new(&program(), &Cpdm::default(), &bands, 9, "no test".into());
    assert_eq!(written(|out| write_graph(&empty, out)), "dependence by no test\nno edge\n");
}

#[test]
fn clusters_stand_behind_the_edges() {
    // Mutants of n change the condition, and those of the condition n.
    let mut test = TestObservations::new(vec![0, 1, 2], true);
    test.push(0, &[0b011], false);
    test.push(1, &[0b011], false);
    test.push(2, &[0b100], true);
    let observations = Observations::new(vec![1, 1, 1], vec![test]).unwrap();
    let structure = Structure::learn(&observations, &[0, 1, 2], StructureOptions::default());
    let model = Cpdm::new(&observations, &structure, EffectOptions::default());
    assert_eq!(model.clusters(), [[0, 1]]);
    // Of the nodes whose edges are left out, too.
    let report = GraphReport::new(&program(), &model, &Bands::default(), 1, "1 failing test".into())
        .with_clusters(&program(), &model);
    let text = written(|out| write_graph(&report, out));
    let cluster =
        "cluster of 2 nodes, each of which depends on each other one:\n  src/read.c:4 n assigned\n  src/read.c:5";
    assert!(text.contains(cluster), "{text}");
    let drawn = written(|out| write_graph_dot(&report, out));
    assert!(drawn.contains("  subgraph cluster_0 { n0; n1; }") && drawn.contains("  n0 [label="), "{drawn}");
    assert!(drawn.contains("  n1 [label="), "{drawn}");
}

#[test]
fn dot_quotes_its_labels() {
    let report = GraphReport::new(&program(), &model(true), &Bands::default(), 9, "all tests".into());
    let text = written(|out| write_graph_dot(&report, out));
    assert!(text.starts_with("digraph dependence {\n") && text.ends_with("}\n"), "{text}");
    assert!(text.contains("  n1 [label=\"src/read.c:5 n == '\\\"' predicate\"];"), "{text}");
    assert!(text.contains("  n3 [label=\"output\", shape=ellipse];"), "{text}");
    assert!(text.contains("  n2 -> n3 [label=\"1.00\", color=red3, penwidth=4.00];"), "{text}");
}

#[test]
fn differences_show_what_appears_and_goes() {
    let changes = model(true).changes(&model(false));
    let tests = ["one-line tests".to_string(), "the others".to_string()];
    let report = GraphReport::of_changes(&program(), &changes, &Bands::default(), 1, tests);
    let text = written(|out| write_graph(&report, out));
    let expected = "dependence by one-line tests, then by the others\n  \
                    src/read.c:5 n == '\"' predicate -> src/read.c:7 returned  DD 0.750 -> none\n... and ";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        written(|out| write_graph_dot(&report, out))
            .contains("n1 -> n2 [label=\"0.75 → 0.00\", color=blue3, penwidth=3.25];")
    );
}

#[test]
fn json_is_read_back_and_fits_the_schema_file() {
    let report = GraphReport::new(&program(), &model(true), &Bands::default(), 9, "all tests".into());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(serde_json::from_value::<GraphReport>(json.clone()).unwrap(), report);
    let schema = schemars::schema_for!(GraphReport);
    let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/graph.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "UPDATE_EXPECT=1 writes it anew");
    let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
    assert!(validator.is_valid(&json));
}
