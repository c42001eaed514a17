//! What instrumentation costs on real programs, beside gcov and clang's source coverage, all in one run.
//!
//! `cargo bench --bench overhead [-- --rounds N] [program...]` fetches five C libraries from the package registry, builds each
//! with our driver program in every configuration, runs them interleaved, and prints ratios of the least CPU time to
//! the plain `-O2 -g` build's. `make build` must have run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "programs/mod.rs"]
mod programs;

use programs::{SUBJECTS, Subject, asked, timed, workplace};

/// A way to build, and the ways to run what was built.
struct Configuration {
    name: &'static str,
    /// `None`: the plain compiler. Otherwise suspect-cc with these modes.
    modes: Option<&'static str>,
    flags: &'static [&'static str],
    runs: &'static [(&'static str, Option<&'static str>)],
}

const CONFIGURATIONS: [Configuration; 4] = [
    Configuration { name: "plain", modes: None, flags: &[], runs: &[("plain", None), ("plain again", None)] },
    Configuration { name: "gcov", modes: None, flags: &["--coverage"], runs: &[("gcov", None)] },
    Configuration {
        name: "source",
        modes: None,
        flags: &["-fprofile-instr-generate", "-fcoverage-mapping"],
        runs: &[("source coverage", None)],
    },
    Configuration {
        name: "suspect",
        modes: Some("plain,edges,values,trace,mutants,record"),
        flags: &[],
        runs: &[("inert", None), ("edges", Some("edges")), ("values", Some("values")), ("mutants", Some(MUTANTS))],
    },
];

/// Recorded is nothing: functions run as in trials of code mutants, none of which is active.
const MUTANTS: &str = "mutants";

fn main() {
    let (rounds, wanted) = asked(std::env::args().skip(1));
    let bench = Bench::new();
    let mut table: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for subject in SUBJECTS.iter().filter(|subject| wanted.is_empty() || wanted.contains(&subject.name.to_string())) {
        let (times, compile) = bench.measure(subject, rounds);
        println!("{}: compile CPU s {}", subject.name, list(&compile));
        table.insert(subject.name, times);
    }
    print_ratios(&table);
    if wanted.is_empty() || wanted.contains(&"start".to_string()) {
        bench.measure_start();
    }
}

struct Bench {
    work: PathBuf,
    packages: BTreeMap<String, PathBuf>,
    suspect_cc: PathBuf,
    clang: OsString,
}

impl Bench {
    fn new() -> Bench {
        let (work, packages, suspect_cc) = workplace("overhead");
        Bench { work, packages, suspect_cc, clang: std::env::var_os("SUSPECT_CLANG").unwrap_or("clang-19".into()) }
    }

    fn measure(&self, subject: &Subject, rounds: u32) -> (BTreeMap<&'static str, f64>, BTreeMap<&'static str, f64>) {
        let mut compile = BTreeMap::new();
        let mut programs = Vec::new();
        for configuration in &CONFIGURATIONS {
            let (program, seconds) = self.build(subject, configuration);
            compile.insert(configuration.name, seconds);
            programs.push((program, configuration));
        }
        if subject.name == "sqlite" {
            let lean = Configuration { name: "edges,values", modes: Some("edges,values"), flags: &[], runs: &[] };
            compile.insert(lean.name, self.build(subject, &lean).1);
        }
        let mut times = BTreeMap::new();
        let mut expected = None;
        for _ in 0..rounds {
            for (program, configuration) in &programs {
                for (name, record) in configuration.runs {
                    let (seconds, output) = self.run(program, subject.argument, *record);
                    let expected = expected.get_or_insert_with(|| output.clone());
                    assert_eq!(expected, &output, "{} {name} behaves differently", subject.name);
                    let least: &mut f64 = times.entry(*name).or_insert(f64::INFINITY);
                    *least = least.min(seconds);
                }
            }
        }
        (times, compile)
    }

    fn build(&self, subject: &Subject, configuration: &Configuration) -> (PathBuf, f64) {
        let (sources, files) = subject.sources(&self.packages);
        let program = self.work.join(format!("{}-{}", subject.name, configuration.name.replace(',', "-")));
        let mut command = match configuration.modes {
            None => Command::new(&self.clang),
            Some(modes) => {
                let mut command = Command::new(&self.suspect_cc);
                command.env("SUSPECT_MODES", modes).env("SUSPECT_CLANG", &self.clang);
                command
            }
        };
        command.args(["-O2", "-g", "-w", "-I"]).arg(&sources).args(subject.flags).args(configuration.flags);
        if configuration.runs.iter().any(|(_, record)| *record == Some(MUTANTS)) {
            command.arg(self.chooser());
        }
        command.args(files).arg("-o").arg(&program).args(subject.libraries);
        command.current_dir(&self.work);
        self.forget_counts();
        let (status, seconds) = timed(command);
        assert!(status.success(), "{} does not build as {}", subject.name, configuration.name);
        (program, seconds)
    }

    /// The object that chooses the mode [`MUTANTS`], compiled plainly.
    fn chooser(&self) -> PathBuf {
        let object = self.work.join("mutants.o");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs/mutants.c");
        let status = Command::new(&self.clang).args(["-O2", "-c", "-o"]).arg(&object).arg(source).status();
        assert!(status.expect("clang runs").success(), "the chooser of modes does not compile");
        object
    }

    /// Removes what gcov left of another build: it cannot be merged with this one's.
    fn forget_counts(&self) {
        for entry in fs::read_dir(&self.work).unwrap().map(Result::unwrap) {
            if entry.path().extension().is_some_and(|extension| extension == "gcda") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    fn run(&self, program: &Path, argument: &str, record: Option<&str>) -> (f64, Vec<u8>) {
        let traces = self.work.join("traces");
        let _ = fs::remove_dir_all(&traces);
        fs::create_dir_all(&traces).unwrap();
        let captured = self.work.join("output");
        let mut command = Command::new(program);
        command.arg(argument).current_dir(&self.work).env("LLVM_PROFILE_FILE", self.work.join("source.profraw"));
        command.stdout(fs::File::create(&captured).unwrap());
        if record == Some(MUTANTS) {
            command.env("MUTANTS", "1");
        } else if let Some(record) = record {
            command.env("SUSPECT_OUT", &traces).env("SUSPECT_RECORD", record);
        }
        let (status, seconds) = timed(command);
        assert!(status.success(), "{}: {status}", program.display());
        if record.is_some_and(|record| record != MUTANTS) {
            assert!(fs::read_dir(&traces).unwrap().next().is_some(), "{} left no trace", program.display());
        }
        (seconds, fs::read(captured).unwrap())
    }

    /// What starting the smallest program costs, microseconds of CPU over the plain one.
    fn measure_start(&self) {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs/start.c");
        let build = |compiler: &Path, name: &str| {
            let program = self.work.join(name);
            let mut command = Command::new(compiler);
            command.args(["-O2", "-g"]).arg(&source).arg("-o").arg(&program).current_dir(&self.work);
            assert!(timed(command).0.success());
            program
        };
        let plain = build(Path::new(&self.clang), "start-plain");
        let suspect = build(&self.suspect_cc, "start-suspect");
        let traces = self.work.join("traces");
        let runs: [(&str, &Path, Option<&str>); 5] = [
            ("plain", &plain, None),
            ("plain again", &plain, None),
            ("inert", &suspect, None),
            ("edges", &suspect, Some("edges")),
            ("values", &suspect, Some("values")),
        ];
        let mut best = [f64::INFINITY; 5];
        for _ in 0..15 {
            for (slot, (_, program, record)) in best.iter_mut().zip(&runs) {
                let _ = fs::remove_dir_all(&traces);
                fs::create_dir_all(&traces).unwrap();
                let mut total = 0.0;
                for _ in 0..100 {
                    let mut command = Command::new(program);
                    if let Some(record) = record {
                        command.env("SUSPECT_OUT", &traces).env("SUSPECT_RECORD", record);
                    }
                    total += timed(command).1;
                }
                *slot = slot.min(total / 100.0 * 1e6);
            }
        }
        println!("start-up, µs of CPU (least mean of 100):");
        for (slot, (name, _, _)) in best.iter().zip(&runs) {
            println!("  {name:<12} {slot:7.1}  {:+.1}", slot - best[0]);
        }
    }
}

fn list(numbers: &BTreeMap<&str, f64>) -> String {
    let plain = numbers.get("plain").copied().unwrap_or(f64::NAN);
    let text = |(name, number): (&&str, &f64)| format!("{name} {number:.2} ({:.2}x)", number / plain);
    numbers.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn print_ratios(table: &BTreeMap<&str, BTreeMap<&str, f64>>) {
    let names: Vec<&str> =
        SUBJECTS.iter().map(|subject| subject.name).filter(|name| table.contains_key(name)).collect();
    println!("\n| CPU time over plain -O2 -g | {} | geometric mean |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len() + 1));
    for run in CONFIGURATIONS.iter().flat_map(|configuration| configuration.runs).map(|(name, _)| *name) {
        let ratios: Vec<f64> = names.iter().map(|name| table[name][run] / table[name]["plain"]).collect();
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let cells: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
        println!("| {run} | {} | {mean:.3} |", cells.join(" | "));
    }
    let seconds: Vec<String> = names.iter().map(|name| format!("{:.3} s", table[name]["plain"])).collect();
    println!("| plain, seconds | {} | |", seconds.join(" | "));
}
