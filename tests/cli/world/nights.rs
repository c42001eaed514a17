//! Two nights of a released library, between which its published fix is taken away.

use std::fs;
use std::process::Command;

use suspect::history::{Change, Fate};

use crate::differences::{difference, fates};
use crate::nightly::night;
use crate::project::{Project, text};
use crate::world::projects::fetch;

/// zlib 1.2.11 with the published fix of CVE-2022-37434, and as it was released.
#[test]
fn two_nights_of_zlib_with_a_real_fix_between_them() {
    let project = Project::new();
    let root = project.path().to_str().unwrap().to_string();
    let shell = |line: &str| assert!(Command::new("sh").arg("-ec").arg(line).status().unwrap().success(), "{line}");
    let sources = fetch::registry("libz-sys").join("src/zlib");
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/demo");
    shell(&format!("cp -r {}/. {root} && cd {demo} && cp -r header.c tests suspect.toml {root}", sources.display()));
    project.write(
        "build.sh",
        "test -f zconf.h.done || CFLAGS='-O1 -w' sh ./configure --static >/dev/null\ntouch zconf.h.done\nmake -s libz.a\n\
         SUSPECT_OFF=1 cc -O1 -c header.c\ncc -o header header.o libz.a\n",
    );
    let released = fs::read_to_string(project.path().join("inflate.c")).unwrap();
    let fault =
        "state->head->extra != Z_NULL) {\n                        len = state->head->extra_len - state->length;\n";
    assert!(released.contains(fault));
    let fix = "state->head->extra != Z_NULL &&\n                        (len = state->head->extra_len - state->length) <\n                            \
               state->head->extra_max) {\n";
    project.write("inflate.c", &released.replace(fault, fix));
    let build = ["--", "sh", "-e", "build.sh"];
    night(&project, &build, 0);
    project.write("inflate.c", &released);
    // A minute is more than enough for the first places.
    let broken = project.suspect(&[&["run", "--budget", "60s"][..], &build].concat());
    assert!([2, 3].contains(&broken.status.code().unwrap()), "{}", text(&broken));

    let report = difference(&project, &["1"]);
    assert_eq!(fates(&report), ["19", "21", "22", "23"].map(|name| (name, Fate::New)));
    assert_eq!(report.changed_functions, ["inflate"]);
    let first = &report.suspicious[0];
    assert!(first.change == Change::Line && (760..=767).contains(&first.line), "{first:?}");
    // The way of the fix: what failed is fixed, and nothing is left of the lines that were first.
    let fixed = difference(&project, &["2", "1"]);
    assert_eq!(fates(&fixed), ["19", "21", "22", "23"].map(|name| (name, Fate::Fixed)));
}
