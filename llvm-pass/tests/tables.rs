//! Site tables say what is in the source, whatever the optimizer; counters and hashes say what happened.

#[allow(dead_code, reason = "each test needs a part of it")]
mod support;

use std::path::{Path, PathBuf};

use support::decode::{OwnedFunction, OwnedUnit, bodies, tables, words};
use suspect_format::abi::{predicate_hash, trajectory_hash};
use suspect_format::site::SequenceCount;

fn build(scratch: &Path, level: &str, modes: &str) -> PathBuf {
    let runtime = scratch.join("runtime.o");
    if !runtime.exists() {
        let source = support::tests().join("support/runtime.c");
        support::must(support::clang().args(["-O1", "-c"]).arg(source).arg("-o").arg(&runtime));
        std::fs::copy(support::tests().join("tables/sample.c"), scratch.join("sample.c")).unwrap();
    }
    let out = scratch.join(format!("sample{level}{}", modes.replace(',', "")));
    let mut command = support::clang();
    command
        .args([level, "-g", "-w"])
        .args(support::plugin_flags(modes))
        .arg("-o")
        .arg(&out)
        .args(["sample.c", "runtime.o"]);
    support::must(command.current_dir(scratch));
    out
}

fn sample_of(units: Vec<OwnedUnit>) -> OwnedUnit {
    units.into_iter().find(|unit| unit.source == "sample.c").unwrap()
}

/// Words of the sample after a run in `mode`.
fn run(program: &Path, unit: &OwnedUnit, mode: u32) -> Vec<u64> {
    let out = program.with_extension(format!("words{mode}"));
    let mut command = std::process::Command::new(program);
    command.env("TEST_MODE", mode.to_string()).env("TEST_OUT", &out);
    assert!(command.output().unwrap().status.code().is_some_and(|code| code < 2));
    words(&out)[&unit.hash].clone()
}

fn nodes_text(unit: &OwnedUnit) -> String {
    let mut text = String::new();
    for function in &unit.functions {
        text += &format!("{}\n", function.name);
        function.nodes.iter().for_each(|node| text += &format!("  {}\n", node.text));
        for (conditions, sequences) in &function.compounds {
            text += &format!("  compound of {} with {} sequences\n", conditions.len(), sequences.len());
        }
    }
    text
}

/// The same at each level and with each LLVM: the expected text is one file. `SUSPECT_BLESS=1` writes it anew.
#[test]
fn nodes_are_those_of_the_source_at_every_level() {
    let scratch = support::scratch("tables-nodes");
    let expected = support::tests().join("tables/sample.nodes");
    for level in ["-O0", "-O1", "-O2", "-Os"] {
        let text = nodes_text(&sample_of(tables(&build(&scratch, level, ""))));
        if std::env::var_os("SUSPECT_BLESS").is_some() {
            std::fs::write(&expected, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&expected).unwrap(), "{level}");
    }
}

#[test]
fn modes_say_which_versions_there_are() {
    let scratch = support::scratch("tables-modes");
    for (modes, bits) in [
        ("", 0b111111),
        ("plain", 1),
        ("edges,values", 0b100),
        ("plain,edges,values", 0b111),
        ("trace,mutants", 0b11000),
        ("record", 0b100001),
    ] {
        assert_eq!(sample_of(tables(&build(&scratch, "-O1", modes))).modes, bits, "{modes}");
    }
}

#[test]
fn bodies_of_hostile_programs_are_in_bounds() {
    let scratch = support::scratch("tables-bodies");
    for file in support::files("programs", &["c"]).iter().filter(|file| !file.to_string_lossy().contains("lto")) {
        for level in ["-O0", "-O2"] {
            let object = scratch.join(format!("{}{level}.o", file.file_stem().unwrap().to_string_lossy()));
            let text = std::fs::read_to_string(file).unwrap();
            let flags = text.lines().filter_map(|line| Some(line.split_once("FLAGS:")?.1));
            let mut command = support::clang();
            command
                .args([level, "-g", "-w", "-c"])
                .args(flags.flat_map(str::split_whitespace))
                .args(support::plugin_flags("record"))
                .arg(file)
                .arg("-o")
                .arg(&object);
            support::must(&mut command);
            let found = bodies(&object, &tables(&object));
            assert!(found.steps > 10 && found.recorded > 0, "{}: {found:?}", file.display());
            let own_calls = found.called.iter().filter(|name| name.starts_with("__suspect")).count();
            assert_eq!(own_calls, 0, "{}", file.display());
        }
    }
}

#[test]
fn counters_give_the_same_counts_in_every_mode_and_at_every_level() {
    let scratch = support::scratch("tables-counts");
    for level in ["-O0", "-O2", "-O3"] {
        let program = build(&scratch, level, "");
        let unit = sample_of(tables(&program));
        assert!(run(&program, &unit, 0).iter().all(|word| *word == 0), "plain writes nothing");
        let (edges, values, trace) = (run(&program, &unit, 1), run(&program, &unit, 2), run(&program, &unit, 3));
        let n_counters = unit.n_counters as usize;
        assert_eq!(values[..n_counters], trace[..n_counters], "{level}: optimised or not, the same is recorded");
        // Addresses differ from run to run.
        let is_address = |text: &str| ["Pointer/", "String/"].iter().any(|class| text.contains(class));
        // `values` hashes what a branch decides on by its edges' counts, `trace` by its values.
        let mut n_constants = 0;
        for function in &unit.functions {
            let counts = function.counts(&values, false);
            for node in function.nodes.iter().filter(|node| !is_address(&node.text) && node.branches.is_none()) {
                let word = n_counters + node.value as usize;
                // Nor does it hash constants, of which the count says all.
                let taken = function.entered(&counts, node.piece);
                let is_constant =
                    |value: u64| (0..taken).fold(0, |hash, _| trajectory_hash(hash, value)) == trace[word];
                if values[word] != trace[word] {
                    assert_eq!(values[word], 0, "{level} {}", node.text);
                    assert!((0..100).any(is_constant), "{level} {} is no constant", node.text);
                    n_constants += 1;
                }
            }
        }
        assert_ne!(n_constants, 0);
        for function in &unit.functions {
            let (by_edges, by_values) = (function.counts(&edges, true), function.counts(&values, false));
            assert_eq!(by_edges, by_values, "{level} {}", function.name);
            check_predicates(function, &by_values, &values);
        }
        let sample = unit.functions.iter().find(|function| function.name == "sample").unwrap();
        let counts = sample.counts(&values, false);
        assert_eq!(sample.entered(&counts, 0), 10);
        let increment = sample.nodes.iter().find(|node| node.text.contains("`i` #1")).unwrap();
        assert_eq!(sample.entered(&counts, increment.piece), 45);
    }
}

/// A predicate is true and false as often as its piece is entered, a compound's sequences add up to that of its first.
fn check_predicates(function: &OwnedFunction, counts: &[i64], words: &[u64]) {
    for node in &function.nodes {
        let entered = function.entered(counts, node.piece);
        match (node.branches, node.true_counter) {
            (Some((yes, no)), _) => assert_eq!(counts[yes as usize] + counts[no as usize], entered, "{}", node.text),
            (_, Some(counter)) => assert!(words[counter as usize] as i64 <= entered, "{}", node.text),
            _ => {}
        }
    }
    for (conditions, sequences) in &function.compounds {
        let count = |count: &SequenceCount| match count {
            SequenceCount::Edge(edge) => counts[*edge as usize],
            SequenceCount::Counter(counter) => words[*counter as usize] as i64,
        };
        let first = &function.nodes[conditions[0] as usize];
        let sum: i64 = sequences.iter().map(|(_, one)| count(one)).sum();
        assert_eq!(sum, function.entered(counts, first.piece), "{}", first.text);
        for (position, node) in conditions.iter().enumerate() {
            let node = &function.nodes[*node as usize];
            let is_true = |steps: &Vec<u32>| steps.contains(&(2 * position as u32 + 1));
            let trues: i64 = sequences.iter().filter(|(steps, _)| is_true(steps)).map(|(_, one)| count(one)).sum();
            let expected = match (node.branches, node.true_counter) {
                (Some((yes, _)), _) => counts[yes as usize],
                (_, counter) => words[counter.unwrap() as usize] as i64,
            };
            assert_eq!(trues, expected, "{}", node.text);
        }
    }
}

#[test]
fn a_trajectory_is_hashed_as_the_format_says() {
    let scratch = support::scratch("tables-hash");
    for level in ["-O0", "-O2"] {
        let program = build(&scratch, level, "");
        let unit = sample_of(tables(&program));
        let words = run(&program, &unit, 2);
        let hash = |function: &str, node: &str| {
            let function = unit.functions.iter().find(|one| one.name == function).unwrap();
            let node = function.nodes.iter().find(|one| one.text.contains(node)).unwrap_or_else(|| panic!("{node}"));
            words[(unit.n_counters + node.value) as usize]
        };
        let of = |values: &mut dyn Iterator<Item = u64>| values.fold(0, trajectory_hash);
        assert_eq!(hash("sample", "Parameter Signed/32"), of(&mut (0..10)));
        assert_eq!(hash("main", "`k` #1"), of(&mut (1..11)));
        // The loop's condition is counted where it holds; where it does not, that was ten times before.
        assert_eq!(hash("main", "`k < 10`"), predicate_hash(0, 10));
        assert_eq!(hash("sample", "`d` #0"), of(&mut (0..10).map(|k| (f64::from(k) * 0.1).to_bits())));
        let flags = "`p->flags` #0";
        assert_eq!(hash("sample", flags), of(&mut (0..10u64).map(|a| a & 7)));
        assert_eq!(hash("sample", "Parameter Enum"), of(&mut (0..10u64).map(|k| k & 1)));
    }
}

#[test]
fn fuel_is_burnt_alike_whichever_version_runs() {
    let scratch = support::scratch("tables-fuel");
    for level in ["-O0", "-O2", "-O3"] {
        let program = build(&scratch, level, "");
        let ticks = support::ticks(&program, 3, false);
        assert!(ticks > 50, "{ticks}");
        assert_eq!([support::ticks(&program, 4, false), support::ticks(&program, 4, true)], [ticks; 2], "{level}");
    }
}
