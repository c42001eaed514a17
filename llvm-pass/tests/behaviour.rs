//! A program with hooks does what it does without: hostile programs in `tests/programs`, at each level of optimisation,
//! in each mode, all versions in one binary and one alone. A line `FLAGS: ...` in a program adds compiler flags.

#[allow(dead_code, reason = "each test needs a part of it")]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

#[test]
fn hostile_programs_behave_the_same() {
    let scratch = support::scratch("programs");
    let runtime = compile_runtime(&scratch);
    let cases: Vec<(PathBuf, &str)> = support::files("programs", &["c"])
        .into_iter()
        .flat_map(|file| LEVELS.map(|level| (file.clone(), level)))
        .collect();
    support::each(&cases, |(file, level)| same(file, level, &runtime, &scratch));
}

#[test]
fn the_same_source_makes_the_same_object_each_time() {
    let scratch = support::scratch("objects");
    support::each(&support::files("programs", &["c"]), |file| {
        let object = |number: u32| {
            let out = scratch.join(format!("{}.{number}.o", file.file_stem().unwrap().to_string_lossy()));
            let flags = support::plugin_flags("");
            let mut command = support::clang();
            support::must(
                command.args(["-O0", "-g", "-w", "-c"]).args(own_flags(file)).args(flags).arg(file).arg("-o").arg(&out),
            );
            std::fs::read(out).unwrap()
        };
        let first = object(0);
        match (1..4).all(|number| object(number) == first) {
            true => Ok(()),
            false => Err(format!("{}: objects differ", file.display())),
        }
    });
}

/// The flags that a program asks for.
fn own_flags(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let flags = text.lines().filter_map(|line| Some(line.split_once("FLAGS:")?.1)).flat_map(str::split_whitespace);
    flags.map(str::to_owned).collect()
}

fn compile_runtime(scratch: &Path) -> PathBuf {
    let runtime = scratch.join("runtime.o");
    support::must(
        support::clang()
            .args(["-O1", "-fPIC", "-c"])
            .arg(support::tests().join("support/runtime.c"))
            .arg("-o")
            .arg(&runtime),
    );
    runtime
}

fn same(file: &Path, level: &str, runtime: &Path, scratch: &Path) -> Result<(), String> {
    let flags = own_flags(file);
    let stem = format!("{}{level}", file.file_stem().unwrap().to_string_lossy());
    let build = |name: &str, extra: &[String]| -> Result<PathBuf, String> {
        let out = scratch.join(format!("{stem}.{name}"));
        let mut command = support::clang();
        command
            .args([level, "-g", "-w"])
            .args(&flags)
            .args(extra)
            .arg(file)
            .arg("-o")
            .arg(&out)
            .args(["-lm", "-pthread"]);
        let output = command.arg(runtime).output().unwrap();
        match output.status.success() {
            true => Ok(out),
            false => Err(format!("{stem} {name}: {}", String::from_utf8_lossy(&output.stderr))),
        }
    };
    let expected = run(&build("none", &[])?, 0);
    let all = build("all", &support::plugin_flags(""))?;
    for mode in 0..=OPEN_GATES {
        compare(&format!("{stem}, all versions, mode {mode}"), &expected, &run(&all, mode))?;
    }
    for (modes, mode) in
        [("edges", 1), ("edges,values", 2), ("trace", 3), ("plain", 0), ("trace,mutants", 4), ("record", 5)]
    {
        let one = build(modes, &support::plugin_flags(modes))?;
        compare(&format!("{stem}, {modes} alone"), &expected, &run(&one, mode))?;
    }
    Ok(())
}

/// Stands for the mode of mutants with every function sent on to its `trace` version.
const OPEN_GATES: u32 = 6;

fn run(program: &Path, mode: u32) -> Output {
    let mut command = Command::new("timeout");
    let mode = match mode {
        OPEN_GATES => {
            command.env("TEST_GATES", "1");
            4
        }
        mode => mode,
    };
    command.arg("60").arg(program).env("TEST_MODE", mode.to_string()).output().unwrap()
}

fn compare(what: &str, expected: &Output, got: &Output) -> Result<(), String> {
    match expected.status == got.status && expected.stdout == got.stdout && expected.stderr == got.stderr {
        true => Ok(()),
        false => Err(format!("{what}: {expected:?} became {got:?}")),
    }
}
