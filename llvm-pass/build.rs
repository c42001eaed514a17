//! Compiles the C++ shim against the LLVM that the plugin is for.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    let config = llvm_config();
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_160_PREFIX");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").flag("-fno-exceptions").warnings(false).files([
        "shim/shim.cpp",
        "shim/record.cpp",
        "shim/passes.cpp",
        "shim/apart.cpp",
    ]);
    build.flag("-isystem").flag(ask(&config, "--includedir"));
    for flag in ask(&config, "--cxxflags").split_whitespace().filter(|flag| flag.starts_with("-D")) {
        build.flag(flag);
    }
    if ask(&config, "--has-rtti") == "NO" {
        build.flag("-fno-rtti");
    }
    build.compile("suspect_shim");
}

/// `llvm-config` of the one LLVM that is chosen by feature.
fn llvm_config() -> PathBuf {
    let variable = match (env::var_os("CARGO_FEATURE_LLVM19"), env::var_os("CARGO_FEATURE_LLVM16")) {
        (Some(_), None) => "LLVM_SYS_191_PREFIX",
        (None, Some(_)) => "LLVM_SYS_160_PREFIX",
        _ => panic!("choose exactly one of the features llvm19 and llvm16"),
    };
    let prefix = env::var_os(variable).unwrap_or_else(|| panic!("{variable} must name the directory of LLVM"));
    PathBuf::from(prefix).join("bin/llvm-config")
}

/// What `llvm-config` answers to one question.
fn ask(config: &PathBuf, question: &str) -> String {
    let output = Command::new(config).arg(question).output().unwrap_or_else(|error| {
        panic!("cannot run {}: {error} (install llvm-19-dev or set its prefix)", config.display())
    });
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
