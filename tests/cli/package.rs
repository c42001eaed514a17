//! The Debian package: what is in it, and that a program is built and tested with it alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::nightly::absolute;
use crate::project::text;

#[test]
fn what_the_package_installs_builds_and_ranks_a_program() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    fs::create_dir(at("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_suspect"), at("bin/suspect")).unwrap();
    let made = Command::new("make")
        .arg("deb")
        .arg(format!("BIN={}", at("bin").display()))
        .arg(format!("DEB={}", at("package").display()))
        // What is unpacked at once need not be small.
        .arg("DEBFLAGS=-Znone")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", text(&made));
    let package = at("package.deb");
    let control = Command::new("dpkg-deb").args(["--field"]).arg(&package).output().unwrap();
    let control = text(&control);
    assert!(control.contains("Package: suspect") && control.contains("clang-19"), "{control}");

    let unpacked = Command::new("dpkg-deb").arg("-x").arg(&package).arg(at("root")).output().unwrap();
    assert!(unpacked.status.success(), "{}", text(&unpacked));
    let pages = fs::read_dir(at("root/usr/share/man/man1")).unwrap().count();
    assert!(pages > 15, "{pages} man pages");
    let page = fs::read_to_string(at("root/usr/share/man/man1/suspect-run.1")).unwrap();
    assert!(page.contains("\\-\\-budget") && page.contains("suspect run"), "{page}");
    for name in
        ["bash-completion/completions/suspect", "zsh/site-functions/_suspect", "fish/vendor_completions.d/suspect.fish"]
    {
        assert!(fs::read_to_string(at("root/usr/share").join(name)).unwrap().contains("bisect-step"), "{name}");
    }

    let project = absolute(true, &[("3", "3"), ("-1", "1"), ("0", "0")]);
    let mut night = Command::new(at("root/usr/bin/suspect"));
    night.args(["run", "--budget", "1min"]).current_dir(project.path()).env_remove("SUSPECT_LIB");
    let output = night.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("prog.c:6"), "{}", text(&output));
    let build = fs::read_to_string(project.path().join(".suspect/build.json")).unwrap();
    let plugin = at("root/usr/lib/suspect/19").canonicalize().unwrap();
    assert!(build.contains(plugin.to_str().unwrap()), "another plugin was used: {build}");
    assert!(Path::new(&at("root/usr/share/doc/suspect/contrib/slurm/suspect.sbatch")).exists());
}
