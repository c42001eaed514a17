//! `suspect report --format html` in a real browser: `tests/page/check.mjs` opens, clicks, filters and types, looks at it on a phone, in the
//! dark and without scripts, and has axe check it. And the bundle in the page is what its sources make.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::all_evidence::parcel;
use crate::project::{Project, text};
use crate::reporting::keep_chain;
use suspect::report::{Explanation, NightPoint, Report};

/// Runs a script of ours with node.
fn node(arguments: &[&str]) -> std::process::Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(root.join("target/tools/node_modules/esbuild").exists(), "esbuild is missing; type: ./setup test");
    Command::new("node").args(arguments).current_dir(root).output().expect("node is there; type: ./setup test")
}

/// A project whose files, functions and tests are called what would be markup, and whose source is full of it.
fn hostile() -> Project {
    let project = Project::new();
    let file = "x'\"<img src=x onerror=alert(1)><<\u{fc}/script><script>alert(2)</script>.c";
    let source = "/* </script><script>alert(3)</script> \u{202e} */\n#include <stdio.h>\n\
        int main(int argc, char **argv)\n{\n    const char *text = \"<img src=x onerror=alert(4)>\";\n\
        \x20   if (argc > 1 && argv[1][0] == 'f')\n        return puts(text) > 0;\n    return 0;\n}\n";
    project.write(file, source).write("tests.txt", "f<img src=x onerror=alert(5)>\np&amp;\nq\n");
    let build = "cc -O1 -o prog \\\"$(find . -name '*.c')\\\"";
    project.write(
        "suspect.toml",
        &format!("[build]\ncommand = \"{build}\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog '{{line}}'\"\n"),
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

/// Adds a chain of thirty steps at one line, the first one's first.
fn add_long_chain(project: &Project, report: &Report) {
    let path = format!(".suspect/explanations/{}.json", report.recorded.identity);
    let kept = fs::read(project.path().join(&path)).unwrap();
    let mut chains: Vec<Explanation> = serde_json::from_slice(&kept).unwrap();
    let mut long = chains[0].clone();
    let step = |instance| {
        let mut step = long.steps[0].clone();
        step.cause_point.instance = instance;
        step
    };
    long.steps = (1..=30).map(step).collect();
    chains.push(long);
    project.write(&path, &serde_json::to_string(&chains).unwrap());
}

/// A night in which two tests fail, as in all of these.
fn night(id: u64) -> NightPoint {
    NightPoint {
        id,
        began: 1_772_000_000 + id * 86_400,
        failing: 2,
        passing: 10,
        excluded: 0,
        first: Some(id as f64 / 10.0),
        rank: Some(10 - id as u32),
    }
}

#[test]
fn a_browser_shows_what_the_report_says() {
    let project = parcel();
    project.succeed(&["rank", "--budget", "20s"]);
    project.succeed(&["mutate", "--samples", "5"]);
    let report = project.succeed(&["report", "--format", "json"]);
    let report = Report::parse(report.as_bytes()).unwrap();
    keep_chain(&project, &report);
    add_long_chain(&project, &report);
    let report = project.succeed(&["report", "--format", "json"]);
    let mut report = Report::parse(report.as_bytes()).unwrap();
    report.nights = (1..=9).map(night).collect();
    project.write("report.json", &report.to_json());
    project.succeed(&["report", "--from", "report.json", "--format", "html", "--output", "page.html"]);
    let hostile = hostile();
    let page = project.path().join("hostile.html");
    hostile.succeed(&["report", "--format", "html", "--output", page.to_str().unwrap()]);
    let output = node(&["tests/page/check.mjs", project.path().to_str().unwrap()]);
    let said = text(&output);
    assert!(output.status.success() && said.lines().filter(|line| line.starts_with("ok: ")).count() == 15, "{said}");
    // For people: SUSPECT_SCREENSHOTS=DIR keeps what the browser showed.
    if let Some(directory) = std::env::var_os("SUSPECT_SCREENSHOTS") {
        fs::create_dir_all(&directory).unwrap();
        for entry in fs::read_dir(project.path()).unwrap().map(Result::unwrap) {
            if entry.path().extension().is_some_and(|extension| extension == "png" || extension == "html") {
                fs::copy(entry.path(), Path::new(&directory).join(entry.file_name())).unwrap();
            }
        }
    }
}

#[test]
fn the_bundle_is_what_its_sources_make() {
    let output = node(&["src/report/html/app/build.mjs", "--check"]);
    assert!(output.status.success(), "{}", text(&output));
}
