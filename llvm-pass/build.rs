//! Compiles the C++ shim against the LLVM that the plugin is for.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=shim");
    let config = llvm_config();
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_160_PREFIX");
    println!("cargo:rerun-if-changed={DECLARATIONS}");
    let headers = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    declare(&headers.join("declarations.h"));
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-exceptions")
        .include(&headers)
        .warnings_into_errors(true)
        .file("shim/all.cpp");
    build.flag("-isystem").flag(ask(&config, "--includedir"));
    for flag in ask(&config, "--cxxflags").split_whitespace().filter(|flag| flag.starts_with("-D")) {
        build.flag(flag);
    }
    if ask(&config, "--has-rtti") == "NO" {
        build.flag("-fno-rtti");
    }
    build.compile("suspect_shim");
}

/// The shim's functions as Rust declares them.
const DECLARATIONS: &str = "src/llvm/shim.rs";

/// Writes the same as a header, which the shim's definitions include: the C++ compiler holds them to it.
fn declare(header: &Path) {
    let mut config =
        cbindgen::Config { usize_is_size_t: true, language: cbindgen::Language::Cxx, ..Default::default() };
    config.no_includes = true;
    config.includes = ["llvm-c/Types.h"].map(str::to_owned).into();
    config.sys_includes = ["cstddef", "cstdint"].map(str::to_owned).into();
    let builder = cbindgen::Builder::new().with_config(config).with_src(DECLARATIONS);
    builder.generate().expect("src/llvm/shim.rs can be read").write_to_file(header);
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
