//! Tests that write into `/tmp` by its name: trials have one of their own, in which they see the real one.

use std::process::Command;

use crate::project::{Project, skip, text};

/// Ninety points are a first grade, but not here.
const PROGRAM: &str = r#"#include <stdio.h>
static int grade(int points)
{
    if (points > 90)
        return 1;
    if (points >= 50)
        return 2;
    return 3;
}
int main(int argc, char **argv)
{
    FILE *from = argc > 1 ? fopen(argv[1], "r") : 0;
    int points = 0;
    if (!from || fscanf(from, "%d", &points) != 1)
        return 4;
    printf("%d\n", grade(points));
    return 0;
}
"#;

/// What a trial leaves makes every later one fail, and it takes away what was there before it. Elsewhere tests run beside each other.
const DRIVER: &str = r#"[ ! -e /tmp/NAME.lock ] || exit 7
grep -q "^given$" /tmp/NAME.given || exit 8
own=$(mktemp -d /tmp/NAME.XXXXXX) || exit 9
echo "$1" > "$own/in"
[ -z "$SUSPECT_TRIAL" ] || : > /tmp/NAME.lock
said=$(./grade "$own/in")
[ -z "$SUSPECT_TRIAL" ] || rm -f /tmp/NAME.given /tmp/NAME/inside
[ -z "$SUSPECT_TRIAL" ] && rm -rf "$own"
echo "$said"
"#;

/// Runs a command in a `/tmp` of its own that shows the directories of the real one, and has these entries besides.
const CROWDED: &str = r#"
mkdir stage && mount -t tmpfs none stage || exit 1
for directory in /tmp/*/; do mkdir "stage/${directory#/tmp/}" && mount --bind "$directory" "stage/${directory#/tmp/}"; done
seq -f stage/crowd-%g $DIRECTORIES | xargs -r mkdir
seq -f stage/file-%g $FILES | xargs -r touch
echo given > "stage/$NAME.given" && mkdir "stage/$NAME" && : > "stage/$NAME/inside"
mount --move stage /tmp && cd "$PWD" && "$@"
"#;

/// The project of a driver that writes to `/tmp`, by entries there that begin with `name`.
fn project_of(name: &str) -> Project {
    let project = Project::new();
    project.write("grade.c", PROGRAM).write("driver", &DRIVER.replace("NAME", name));
    project.write("tests.list", "95\n90\n60\n10\n").write("expected/1", "1\n").write("expected/2", "1\n");
    project.write("expected/3", "2\n").write("expected/4", "3\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o grade grade.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\n\
         run = \"sh driver {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project
}

/// What `suspect test` and `suspect rank` say with so many directories and files in `/tmp`; nothing where the system gives no such one.
fn ranked_among(directories: usize, files: usize) -> Option<String> {
    let name = format!("suspect-crowd-{}-{directories}", std::process::id());
    let project = project_of(&name);
    project.succeed(&["build"]);
    let run = |arguments: &[&str]| {
        let suspect = project.command(arguments);
        let mut crowded = Command::new("unshare");
        crowded.args(["--user", "--map-root-user", "--mount", "sh", "-c", CROWDED, "sh"]);
        crowded.arg(suspect.get_program()).args(arguments).current_dir(project.path());
        crowded.env("NAME", &name).env("DIRECTORIES", directories.to_string()).env("FILES", files.to_string());
        let output = crowded.output().unwrap();
        std::fs::remove_dir(project.path().join("stage")).unwrap();
        (output.status.success(), text(&output))
    };
    let (_, said) = run(&["test"]);
    if !said.contains("failing") {
        skip(&format!("no /tmp of its own: {said}"));
        return None;
    }
    let (is_ranked, said) = run(&["rank"]);
    assert!(is_ranked, "{said}");
    Some(said)
}

#[test]
fn a_tmp_with_many_directories_is_seen_in_trials() {
    if let Some(said) = ranked_among(400, 0) {
        assert!(said.contains("with `points >= 90`: 2 passes"), "{said}");
    }
}

#[test]
fn a_tmp_with_too_much_in_it_is_the_reason_why_nothing_was_tried() {
    if let Some(said) = ranked_among(0, 5000) {
        assert!(said.contains("Not tried: anything on 2:"), "{said}");
        assert!(said.contains("no instrumented program ran where trials run"), "{said}");
    }
}

#[test]
fn tests_that_write_into_tmp_have_trials_there() {
    let name = format!("suspect-tmp-{}", std::process::id());
    let (given, directory) = (format!("/tmp/{name}.given"), format!("/tmp/{name}"));
    std::fs::write(&given, "given\n").unwrap();
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(format!("{directory}/inside"), "").unwrap();
    let project = project_of(&name);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let answer = project.succeed(&["rank"]);
    let is_whole = std::fs::read_to_string(&given).is_ok_and(|text| text == "given\n")
        && std::path::Path::new(&directory).join("inside").exists();
    std::fs::remove_file(&given).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(answer.contains("with `points >= 90`: 2 passes"), "{answer}");
    assert!(is_whole, "a trial has changed the real /tmp");
    let left = std::fs::read_dir("/tmp")
        .unwrap()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(&name)));
    assert_eq!(left.count(), 0, "a trial has left something");
}
