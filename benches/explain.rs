//! What recording whole runs costs, and how fast recordings are read, aligned and sliced, with the peak of memory.
//!
//! `cargo bench --bench explain [-- --rounds N] [program...]` fetches C libraries from the package registry and builds each with its driver without
//! optimisation, plainly and recorded. Two runs of each are recorded and compared in a process of its own. `make build` must have run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use suspect::comparison::{DualSlice, Effect, Pair, Rules, Run, Side, Watch, align, dynamic_slice};
use suspect::recording::{Code, Recording, Runs, Site, code_of, course};

#[path = "programs/mod.rs"]
#[expect(dead_code, reason = "other benchmarks use more of it")]
mod programs;

#[path = "usage/mod.rs"]
mod usage;

use programs::{SUBJECTS, Subject, asked, timed, workplace};
use usage::{cpu, peak_mib};

/// The programs, with what their two runs are given: the first is measured.
const RUNS: [(&str, [&str; 2]); 3] = [("bzip2", ["160k", "150k"]), ("lua", ["1", "2"]), ("zlib", ["700k", "650k"])];
/// Says that this process is to read the two recordings that follow.
const READER: &str = "EXPLAIN_BENCH_READER";

fn main() {
    if std::env::var_os(READER).is_some() {
        return read(&std::env::args().skip(1).filter(|argument| argument != "--bench").collect::<Vec<String>>());
    }
    let (rounds, wanted) = asked(std::env::args().skip(1));
    let bench = Bench::new();
    println!(
        "| program | CPU over plain -O0 | M instructions | bytes each | read M/s | align M points/s | slice M/s | dual slice M/s | peak MiB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, runs) in RUNS.iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(&(*name).to_string())) {
        let subject = SUBJECTS.iter().find(|subject| subject.name == *name).expect("a program of that name");
        bench.measure(subject, runs, rounds);
    }
}

struct Bench {
    work: PathBuf,
    packages: BTreeMap<String, PathBuf>,
    suspect_cc: PathBuf,
}

impl Bench {
    fn new() -> Bench {
        let (work, packages, suspect_cc) = workplace("explain");
        Bench { work, packages, suspect_cc }
    }

    fn measure(&self, subject: &Subject, runs: &[&str; 2], rounds: u32) {
        let (plain, recorded) = (self.build(subject, false), self.build(subject, true));
        let mut least = [f64::INFINITY; 2];
        let outs = [0, 1].map(|run| self.work.join(format!("{}.{run}", subject.name)));
        for _ in 0..rounds {
            for (place, program) in [&plain, &recorded].into_iter().enumerate() {
                least[place] = least[place].min(self.run(program, runs[0], (place == 1).then_some(&*outs[0])));
            }
        }
        self.run(&recorded, runs[1], Some(&outs[1]));
        let files = outs.each_ref().map(|out| fs::read_dir(out).unwrap().next().unwrap().unwrap().path());
        let this = std::env::current_exe().expect("a running program has a path");
        let row = Command::new(this).args(&files).env(READER, "1").output().unwrap();
        assert!(row.status.success(), "{}: {}", subject.name, String::from_utf8_lossy(&row.stderr));
        let row = String::from_utf8(row.stdout).unwrap();
        println!("| {} | {:.2} | {} |", subject.name, least[1] / least[0], row.trim());
        outs.iter().for_each(|out| fs::remove_dir_all(out).unwrap());
    }

    fn build(&self, subject: &Subject, recorded: bool) -> PathBuf {
        let (sources, files) = subject.sources(&self.packages);
        let clang = std::env::var_os("SUSPECT_CLANG").unwrap_or("clang-19".into());
        let program = self.work.join(format!("{}-{}", subject.name, if recorded { "recorded" } else { "plain" }));
        let mut command = Command::new(if recorded { self.suspect_cc.as_os_str() } else { &clang });
        command.env("SUSPECT_MODES", "plain,record").env("SUSPECT_CLANG", &clang).current_dir(&self.work);
        command.args(["-O0", "-g", "-w", "-I"]).arg(&sources).args(subject.flags).args(files);
        command.arg("-o").arg(&program).args(subject.libraries);
        assert!(timed(command).0.success(), "{} does not build", subject.name);
        program
    }

    /// CPU seconds of a run, recorded into the directory `out`.
    fn run(&self, program: &Path, argument: &str, out: Option<&Path>) -> f64 {
        let mut command = Command::new(program);
        command.arg(argument).current_dir(&self.work).stdout(std::process::Stdio::null());
        if let Some(out) = out {
            let _ = fs::remove_dir_all(out);
            fs::create_dir_all(out).unwrap();
            command.env("SUSPECT_OUT", out).env("SUSPECT_RECORD", "record");
        }
        let (status, seconds) = timed(command);
        assert!(status.success(), "{}: {status}", program.display());
        seconds
    }
}

/// Reads two recordings of one program and prints what that took.
fn read(files: &[String]) {
    let recordings: Vec<Recording> = files.iter().map(|file| Recording::open(Path::new(file)).unwrap()).collect();
    let [first, second] = &recordings[..] else { panic!("two recordings") };
    let (_, code) = code_of(&[first, second], "").unwrap();
    let courses = [first, second].map(|one| course(&code, one));
    let joins = code.joins();
    let (alignment, aligning) = clocked(|| align(courses[0].steps(), courses[1].steps(), &joins));
    drop((courses, alignment));
    let (runs, reading) = clocked(|| Runs::read(&code, &[first, second]).unwrap());
    let peak = peak_mib();
    let instructions = runs.runs.iter().map(|run| executed(&code, run)).collect::<Vec<_>>();
    let points: u32 = runs.runs.iter().map(|run| run.points()).sum();
    let run = &runs.runs[0];
    let last = last_output(&code, run);
    let (_, slicing) = clocked(|| dynamic_slice(run, last, None));
    let pair = Pair::new(&runs.runs[0], &runs.runs[1], &runs.alignment);
    let common = (1..=last).rev().find(|point| runs.alignment.partner(Side::First, *point).is_some()).unwrap_or(0);
    let effect = Effect::new(&pair, common, Watch::Result, &runs.naming.names).unwrap();
    let (_, dual) = clocked(|| DualSlice::new(&pair, &effect, Rules::Repaired));
    let both = (instructions[0] + instructions[1]) as f64;
    println!(
        "{:.0} | {:.3} | {:.1} | {:.0} | {:.0} | {:.0} | {}",
        instructions[0] as f64 / 1e6,
        first.stream().end() as f64 / instructions[0] as f64,
        both / reading / 1e6,
        f64::from(points) / aligning / 1e6,
        instructions[0] as f64 / slicing / 1e6,
        both / dual / 1e6,
        peak.max(peak_mib()),
    );
}

/// Instructions of the front end's that a run executed.
fn executed(code: &Code, run: &Run) -> u64 {
    let each: Vec<u32> = (0..code.steps.len() as u32).map(|step| code.instructions(step)).collect();
    let of = |point| match code.what(run.site(point)) {
        Site::Step(step) => u64::from(each[step as usize]),
        _ => 0,
    };
    (1..run.points()).map(of).sum()
}

/// The last point that writes something out, or the last one.
fn last_output(code: &Code, run: &Run) -> u32 {
    let writes = |point: &u32| matches!(code.role(run.site(*point)), Some(suspect_format::external::Role::Output));
    (1..run.points()).rev().find(writes).unwrap_or(run.points() - 1)
}

/// What some work gives, with the CPU seconds of its one thread: other jobs make the clock useless.
fn clocked<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu();
    let result = work();
    (result, cpu() - before)
}
