//! Effects against pgmpy, which knows nothing of strata: it fits a network and cuts the edges into the cause.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use suspect::causal::{EffectOptions, Effects, Observations, Structure, StructureOptions, TestObservations};

use super::programs::Random;

const N_NODES: u32 = 4;
const N_VALUES: u32 = 7;

/// One test's mutants: each node changes by noise or because the one before or the one two before does. With the rows, all
/// values and the weight.
fn campaign(seed: u64) -> (Observations, Vec<(Vec<u8>, f64)>) {
    let mut random = Random::new(seed);
    let mut test = TestObservations::new((0..N_NODES).collect(), true);
    let mut rows = vec![(vec![0; N_NODES as usize + 1], 1.0)];
    for _ in 0..300 {
        // The output's mutants would be left out of what is said about it; there are none.
        for mutated in 0..N_NODES as usize {
            let mut values = vec![0u8; N_NODES as usize + 1];
            for node in 0..values.len() {
                let before = |back: usize| node >= back && values[node - back] == 1;
                let caused = before(1) && random.chance(60) || before(2) && random.chance(50);
                values[node] = u8::from(node == mutated || caused || random.chance(15));
            }
            let bits = (0..N_NODES).fold(0, |bits, node| bits | u64::from(values[node as usize]) << node);
            test.push(mutated as u32, &[bits], values[N_NODES as usize] == 1);
            rows.push((values, 1.0 / f64::from(N_VALUES)));
        }
    }
    (Observations::new(vec![N_VALUES; N_NODES as usize], vec![test]).unwrap(), rows)
}

/// A Python that has pgmpy: made once, below cargo's directory.
fn python() -> PathBuf {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pgmpy");
    let python = venv.join("bin/python");
    if !venv.join("complete").exists() {
        let run = |program: &Path, arguments: &[&str]| {
            assert!(Command::new(program).args(arguments).status().unwrap().success(), "{program:?} {arguments:?}");
        };
        run(Path::new("python3"), &["-m", "venv", venv.to_str().unwrap()]);
        run(&python, &["-m", "pip", "install", "--quiet", "pgmpy==1.1.2"]);
        std::fs::write(venv.join("complete"), "").unwrap();
    }
    python
}

/// Pairs with the output as effect and everything identified, as questions; and what we say.
fn questions(seed: u64) -> Vec<(Value, [f64; 3])> {
    let (observations, rows) = campaign(seed);
    let order: Vec<u32> = (0..N_NODES).collect();
    let structure = Structure::learn(&observations, &order, StructureOptions::default());
    let effects = Effects::new(&observations, &structure, EffectOptions::default());
    let output = observations.output();
    let pairs: Vec<(u32, u32)> = structure.all_parents(output).into_iter().map(|cause| (cause, output)).collect();
    let name = |node: &u32| format!("n{node}");
    let mut questions = Vec::new();
    for pair in effects.pairs(&pairs) {
        let parents = structure.parents(pair.cause).to_vec();
        let others: Vec<u32> = structure.all_parents(output).into_iter().filter(|node| *node != pair.cause).collect();
        if pair.direct.unidentified > 1e-9 || pair.causal.unidentified.iter().any(|mass| *mass > 1e-9) {
            continue;
        }
        let late = others.iter().copied().filter(|node| !parents.contains(node));
        let nodes: Vec<u32> = parents.iter().copied().chain([pair.cause]).chain(late).chain([output]).collect();
        let row = |(values, weight): &(Vec<u8>, f64)| -> Vec<Value> {
            nodes.iter().map(|node| json!(values[*node as usize])).chain([json!(weight)]).collect()
        };
        let question = json!({
            "order": nodes.iter().map(name).collect::<Vec<_>>(),
            "rows": rows.iter().map(row).collect::<Vec<_>>(),
            "cause": name(&pair.cause),
            "effect": name(&output),
            "others": others.iter().map(name).collect::<Vec<_>>(),
        });
        questions.push((question, [pair.causal.changed, pair.causal.unchanged, pair.direct.value]));
    }
    questions
}

#[test]
#[ignore = "installs pgmpy from PyPI, about 250 MB"]
fn effects_agree_with_pgmpy() {
    let questions: Vec<_> = (0..6).flat_map(questions).collect();
    assert!(questions.len() >= 10, "only {} pairs are identified", questions.len());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/causal/other.py");
    let mut child = Command::new(python()).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = questions.iter().map(|(question, _)| format!("{question}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let answers: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), questions.len());
    for ((question, found), answer) in questions.iter().zip(&answers) {
        for (name, found) in ["changed", "unchanged", "direct"].iter().zip(found) {
            let expected = answer[name].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-9, "{} {name}: {found} is not {expected}", question["cause"]);
        }
    }
}

#[test]
fn there_are_pairs_to_compare() {
    assert!((0..6).flat_map(questions).count() >= 10);
}
