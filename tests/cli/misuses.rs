//! Explanations of memory that is misused: what is told first is the first use outside of an object, and where a null pointer comes from.

use serde_json::Value;

use crate::project::{Project, line_of};

/// What the program is called with, and what it is to write; each second test misuses memory, and fails.
const TESTS: [(&str, &str); 10] = [
    ("copied elevenwords", "11"),
    ("copied twelvewords!", "13"),
    ("given fine", "7"),
    ("given xgone", "7"),
    ("twice once", "1"),
    ("twice double", "1"),
    ("fits well", "1"),
    ("fits notatallwell", "2"),
    ("none found", "5"),
    ("nothing none", "5"),
];

fn line(tag: &str) -> u64 {
    line_of("why/misuses.c", &format!("/* {tag} "))
}

fn project() -> Project {
    let project = Project::new();
    let source = format!("{}/tests/programs/why/misuses.c", env!("CARGO_MANIFEST_DIR"));
    project.write("misuses.c", &std::fs::read_to_string(source).unwrap());
    let lines: String = TESTS.iter().map(|(words, _)| format!("{words}\n")).collect();
    project.write("tests.txt", &lines);
    for (number, (_, expected)) in (1..).zip(TESTS) {
        project.write(&format!("expected/{number}"), &format!("{expected}\n"));
    }
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./misuses {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O0", "-o", "misuses", "misuses.c"]);
    project.suspect(&["test"]);
    project
}

#[test]
fn the_first_use_outside_of_an_object_is_told_first() {
    let project = project();
    let at = |tag: &str| format!("misuses.c:{}", line(tag));
    let told: [(usize, &str, String); 4] = [
        (2, "L2", format!("writes 1 byte at offset 12 of the 12-byte object allocated at {}", at("L1"))),
        (
            4,
            "L5",
            format!(
                "reads 4 bytes at offset 0 of the 4-byte object allocated at {}, which was freed at {}",
                at("L3"),
                at("L4")
            ),
        ),
        (6, "L8", format!("frees the 7-byte object allocated at {}, which was freed at {}", at("L6"), at("L7"))),
        (8, "L9", "writes 13 bytes at offset 0 of the 8 bytes of `small`".to_owned()),
    ];
    for (test, tag, told) in told {
        let output = project.suspect(&["explain", &test.to_string(), "--format", "json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{test}: {output:?}"));
        let fact = &found["facts"][0];
        assert_eq!(fact["line"], line(tag), "{found}");
        assert!(fact["text"].as_str().unwrap().starts_with(&told), "{told} is not in {fact}");
        // It is what is explained, too.
        assert!(found["effect"].as_str().unwrap().contains(&told), "{found}");
    }
    // What passes misuses nothing, as what is recorded of it says.
    for words in TESTS.iter().step_by(2).map(|(words, _)| words) {
        let kept = project.path().join("kept");
        std::fs::create_dir_all(&kept).unwrap();
        let mut command = std::process::Command::new(project.path().join("misuses"));
        command.args(words.split(' ')).env("SUSPECT_RECORD", "record").env("SUSPECT_OUT", &kept);
        assert!(command.output().unwrap().status.success());
        for entry in std::fs::read_dir(&kept).unwrap() {
            let said = project.succeed(&["dump", entry.unwrap().path().to_str().unwrap()]);
            assert!(!said.contains("misuse "), "{words}: {said}");
        }
        std::fs::remove_dir_all(&kept).unwrap();
    }
}

#[test]
fn a_null_pointer_is_followed_to_where_it_comes_from() {
    let project = project();
    let output = project.suspect(&["explain", "10"]);
    let text = crate::project::text(&output);
    let crash = format!("misuses.c:{}: `", line("L10"));
    let origin = format!("misuses.c:{}: ", line("L11"));
    assert!(text.contains(&crash) && text.contains(" is NULL"), "{text}");
    assert!(text.contains(&origin) && text.contains("`one.text` becomes NULL"), "{text}");
    let summary = format!("That comes from misuses.c:{}: `one.text` becomes NULL.", line("L11"));
    assert!(text.contains(&summary), "{text}");
    let brief = project.suspect(&["explain", "10", "--brief"]).stdout;
    let brief: Value = serde_json::from_slice(&brief).unwrap();
    assert!(brief["summary"][1].as_str().unwrap().starts_with(&summary), "{brief}");
}
