//! What the plugin makes of small pieces of C and IR, one behaviour a file: `tests/ir`. The lines after `RUN:` are run
//! by the shell with `%clang` (with the plugin), `%plain` (without), `%FileCheck`, `%readelf`, `%s` (the file) and `%t` (a name for
//! temporary files) replaced.

#[allow(dead_code, reason = "each test needs a part of it")]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn ir_is_as_the_files_say() {
    let scratch = support::scratch("ir");
    support::each(&support::files("ir", &["c", "ll"]), |file| check(file, &scratch));
}

fn check(file: &PathBuf, scratch: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).unwrap();
    let runs: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("RUN:")?.1.trim())).collect();
    if runs.is_empty() {
        return Err(format!("{}: no RUN line", file.display()));
    }
    let clang = format!("clang-{}", support::LLVM);
    let temporary = scratch.join(file.file_name().unwrap());
    for run in runs {
        let line = run
            .replace("%clang", &format!("{clang} {}", support::plugin_flags("").join(" ")))
            .replace("%plain", &clang)
            .replace("%FileCheck", &format!("FileCheck-{} --allow-unused-prefixes", support::LLVM))
            .replace("%readelf", &format!("llvm-readelf-{}", support::LLVM))
            .replace("%s", &file.display().to_string())
            .replace("%t", &temporary.display().to_string());
        let output =
            Command::new("sh").args(["-c", &format!("set -e; {line}")]).env("SUSPECT_VERIFY", "1").output().unwrap();
        if !output.status.success() {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            return Err(format!("{}: {line}\n{out}{err}", file.display()));
        }
    }
    Ok(())
}
