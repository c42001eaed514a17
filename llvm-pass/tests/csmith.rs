//! Random programs (csmith's) print the same checksums with hooks as without, in every mode, at -O0 and -O2.

#[allow(dead_code, reason = "each test needs a part of it")]
mod support;

use std::path::Path;
use std::process::Command;

/// Programs tried; `SUSPECT_CSMITH` asks for another number, `SUSPECT_CSMITH_SEED` for other ones.
const PROGRAMS: u64 = 200;
/// Programs that run longer than this without hooks are passed over: csmith's may never end.
const SECONDS: u64 = 2;

#[test]
fn random_programs_behave_the_same() {
    let number = |name: &str, default| std::env::var(name).ok().map_or(default, |text| text.parse().unwrap());
    let first: u64 = number("SUSPECT_CSMITH_SEED", 1);
    let seeds: Vec<u64> = (first..first + number("SUSPECT_CSMITH", PROGRAMS)).collect();
    let scratch = support::scratch("csmith");
    let runtime = scratch.join("runtime.o");
    support::must(
        support::clang().args(["-O1", "-c"]).arg(support::tests().join("support/runtime.c")).arg("-o").arg(&runtime),
    );
    let passed_over = std::sync::atomic::AtomicUsize::new(0);
    support::each(&seeds, |seed| {
        let tried = try_seed(*seed, &runtime, &scratch)?;
        passed_over.fetch_add(usize::from(!tried), std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    assert!(passed_over.into_inner() * 2 < seeds.len(), "too few of the programs end");
}

/// Whether the program of `seed` ends in time and could be compared.
fn try_seed(seed: u64, runtime: &Path, scratch: &Path) -> Result<bool, String> {
    // A directory for each: csmith writes a file about the platform where it runs, and reads what another one has half written.
    let scratch = &scratch.join(seed.to_string());
    std::fs::create_dir(scratch).unwrap();
    let source = scratch.join(format!("{seed}.c"));
    let small =
        "--max-funcs 4 --max-block-depth 3 --max-block-size 3 --max-expr-complexity 6 --max-array-len-per-dim 5";
    let mut csmith = Command::new("csmith");
    support::must(
        csmith.args(["--seed", &seed.to_string(), "-o"]).arg(&source).args(small.split(' ')).current_dir(scratch),
    );
    let mut tried = false;
    for level in ["-O0", "-O2"] {
        let build = |name: &str, flags: &[String]| {
            let out = scratch.join(format!("{seed}{level}.{name}"));
            let mut command = support::clang();
            command.args([level, "-g", "-w", "-I/usr/include/csmith"]).args(flags).arg(&source).arg("-o").arg(&out);
            let output = command.arg(runtime).output().unwrap();
            match output.status.success() {
                true => Ok(out),
                false => Err(format!("seed {seed} {level}: {}", String::from_utf8_lossy(&output.stderr))),
            }
        };
        let run = |program: &Path, mode: u32, seconds: u64| {
            let mut command = Command::new("timeout");
            let output =
                command.arg(seconds.to_string()).arg(program).env("TEST_MODE", mode.to_string()).output().unwrap();
            (output.status.code(), output.stdout)
        };
        let plain = build("none", &[])?;
        let expected = run(&plain, 0, SECONDS);
        if expected.0 == Some(124) {
            continue;
        }
        tried = true;
        let hooked = build("all", &support::plugin_flags(""))?;
        for mode in 0..6 {
            if run(&hooked, mode, 60 * SECONDS) != expected {
                return Err(format!("seed {seed} {level} mode {mode}: other output (csmith --seed {seed} {small})"));
            }
        }
        // As much fuel is burnt whichever functions run slowly.
        let ticks = [(3, false), (4, false), (4, true)].map(|(mode, open)| support::ticks(&hooked, mode, open));
        if ticks.iter().any(|one| *one != ticks[0]) {
            return Err(format!("seed {seed} {level}: {ticks:?} ticks (csmith --seed {seed} {small})"));
        }
        let _ = std::fs::remove_file(plain);
        let _ = std::fs::remove_file(hooked);
    }
    let _ = std::fs::remove_file(source);
    Ok(tried)
}
