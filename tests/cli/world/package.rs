//! The Debian package: what is in it, and that a program is built and tested with it alone.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nightly::absolute;
use crate::project::{text, tool};

/// Files below a directory with what they hold, links with where they lead, and whether they can be executed.
fn contents(root: &Path) -> BTreeMap<PathBuf, (bool, Vec<u8>)> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let (path, data) = (entry.path(), entry.metadata().unwrap());
            if data.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = match fs::read_link(&path) {
                Ok(to) => to.into_os_string().into_encoded_bytes(),
                Err(_) => fs::read(&path).unwrap(),
            };
            let name = path.strip_prefix(root).unwrap().to_owned();
            found.insert(name, (data.is_symlink() || data.permissions().mode() & 0o111 != 0, bytes));
        }
    }
    found
}

#[test]
fn what_the_package_installs_builds_and_ranks_a_program() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    fs::create_dir(at("bin")).unwrap();
    fs::copy(tool(), at("bin/suspect")).unwrap();
    let made = Command::new("make")
        .arg("deb")
        .arg(format!("BIN={}", at("bin").display()))
        .arg(format!("DEB={}", at("package.deb").display()))
        // What is unpacked at once need not be small.
        .arg("DEBFLAGS=--compress-type gz --compress-system --fast")
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
    // Debian wants man pages so.
    let plain = Command::new("gzip").args(["-dr"]).arg(at("root/usr/share/man")).output().unwrap();
    assert!(plain.status.success(), "{}", text(&plain));
    let installed = contents(&Path::new(env!("CARGO_MANIFEST_DIR")).join("target/package"));
    let mut packed = contents(&at("root"));
    // Debian wants it; cargo-deb makes it of Cargo.toml.
    assert!(packed.remove(Path::new("usr/share/doc/suspect/copyright")).is_some());
    assert!(packed == installed, "{:?} {:?}", packed.keys(), installed.keys());
    let pages = fs::read_dir(at("root/usr/share/man/man1")).unwrap().count();
    assert!(pages > 15, "{pages} man pages");
    let page = fs::read_to_string(at("root/usr/share/man/man1/suspect-run.1")).unwrap();
    assert!(page.contains("\\-\\-budget") && page.contains("suspect run"), "{page}");
    for name in
        ["bash-completion/completions/suspect", "zsh/site-functions/_suspect", "fish/vendor_completions.d/suspect.fish"]
    {
        assert!(fs::read_to_string(at("root/usr/share").join(name)).unwrap().contains("SUSPECT_COMPLETE"), "{name}");
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
    for name in ["contrib/slurm/suspect.sbatch", "docs/guide.md", "README.md"] {
        assert!(Path::new(&at("root/usr/share/doc/suspect")).join(name).exists(), "{name}");
    }
}
