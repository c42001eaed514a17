//! Explanations of memory that is misused: what is told first is the first use outside of an object, and where a null pointer comes from.

use serde_json::Value;

use crate::project::{Project, line_of};

/// What the program is called with, and what it is to write; each second test misuses memory, and fails.
const TESTS: [(&str, &str); 22] = [
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
    ("shared some", "4"),
    ("shared none", "4"),
    ("applied a", "6"),
    ("applied b", "6"),
    ("kept four", "1"),
    ("kept fiver", "2"),
    ("measured some", "4"),
    ("measured none", "4"),
    ("lost some", "1"),
    ("lost none", "1"),
    ("usable some", "1"),
    ("usable none", "never"),
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
    let told: [(usize, &str, String); 6] = [
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
        (
            16,
            "L18",
            format!("writes 1 byte at offset 4 of the 4-byte object allocated at {} for {}", at("L16"), at("L17")),
        ),
        (22, "L23", format!("reads 1 byte at offset 24 of the 24-byte object allocated at {}", at("L22"))),
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

#[test]
fn zero_divisors_and_nulls_behind_pointers_to_functions_are_told() {
    let project = project();
    let summary = |test: &str| {
        let output = project.suspect(&["explain", test, "--format", "json"]).stdout;
        let found: Value = serde_json::from_slice(&output).unwrap();
        assert!(!found.to_string().contains("`among` is NULL"), "a number is no pointer: {found:#}");
        format!("{} {}", found["summary"][0].as_str().unwrap(), found["summary"][1].as_str().unwrap())
    };
    let divides = format!("12 crashes at misuses.c:{}, where `among` is 0, by which it divides.", line("L13"));
    let told = summary("12");
    assert!(told.starts_with(&divides), "{told}");
    assert!(told.contains(&format!("That comes from misuses.c:{}: parts() returns 0.", line("L12"))), "{told}");
    let told = summary("14");
    let calls = format!("14 crashes at misuses.c:{}, where `rules[1].apply` is NULL.", line("L15"));
    assert!(told.starts_with(&calls), "{told}");
    // Where code that nobody recorded dies, what it was given says why.
    let told = summary("18");
    let passes = format!("18 crashes at misuses.c:{}, where `of` is NULL.", line("L20"));
    assert!(told.starts_with(&passes), "{told}");
    assert!(told.contains(&format!("That comes from misuses.c:{}: `of` becomes NULL.", line("L19"))), "{told}");
}

#[test]
fn an_index_is_no_null_pointer() {
    let project = project();
    let output = project.suspect(&["explain", "20"]);
    let text = crate::project::text(&output);
    assert!(text.contains(&format!("20 crashes at misuses.c:{}.", line("L21"))), "{text}");
    assert!(!text.contains("NULL"), "`at` is 1, and a number: {text}");
}

/// A negative size of `memcpy`, which copies something and does not crash; no single change mends it.
fn pieces() -> Project {
    let project = Project::new();
    let source = format!("{}/tests/programs/why/pieces.c", env!("CARGO_MANIFEST_DIR"));
    project.write("pieces.c", &std::fs::read_to_string(source).unwrap());
    for (name, pieces) in [
        ("none", ""),
        ("two", "abc defgh"),
        ("exact", "01234567 89abcdef"),
        ("cut", "0123456789 abcdefghij"),
        ("long", "0123456789abcdefghij"),
        ("over", "0123456789 abcdefghij klm"),
    ] {
        let all = pieces.replace(' ', "");
        let room = format!("{:.<16}{}", &all[..all.len().min(16)], ".".repeat(63));
        project.write(&format!("in/{name}"), pieces);
        project.write(&format!("out/{name}"), &format!("{}\n{room}\n", all.len()));
    }
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./pieces $(cat {input})\"\nexpect = \"out/{stem}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O1", "-o", "pieces", "pieces.c"]);
    project.suspect(&["test"]);
    project
}

#[test]
fn a_negative_size_is_told_and_read_in_no_time() {
    let project = pieces();
    let line = line_of("why/pieces.c", "memcpy(room");
    let explanation: Value = serde_json::from_str(&project.succeed(&["explain", "--format", "json"])).unwrap();
    let told =
        format!("over: pieces.c:{line} writes 18446744073709551612 (-4) bytes at offset 20 of the 80 bytes of `room`.");
    assert_eq!(explanation["summary"][0], told, "{explanation:#}");
    assert_eq!(explanation["against"], "cut", "nothing is ranked yet");
}

#[test]
fn a_chain_that_passes_no_suspected_line_gives_way_to_one_that_does() {
    let project = pieces();
    project.succeed(&["rank"]);
    let first = project.ranking(&["--no-trials"])["ranking"][0].clone();
    let line = line_of("why/pieces.c", "memcpy(room");
    assert_eq!(first["line"], line, "the fault is first, though nothing mends it");
    let output = project.suspect(&["explain", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2), "nothing of it is proved");
    let explanation: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(explanation["origins"][0]["point"]["line"], line, "{explanation:#}");
    let trust = explanation["trust"].to_string();
    assert!(
        trust.contains("compared with cut no suspected line is on the way: suspect explain over --against cut"),
        "{trust}"
    );
    // Who asks for the other one gets it.
    let other: Value =
        serde_json::from_str(&project.succeed(&["explain", "over", "--against", "cut", "--format", "json"])).unwrap();
    assert_eq!(other["against"], "cut");
}

#[test]
fn a_text_that_a_library_wrote_unseen_is_as_long_as_it_was_measured() {
    let project = Project::new();
    let source = format!("{}/tests/programs/why/names.c", env!("CARGO_MANIFEST_DIR"));
    project.write("names.c", &std::fs::read_to_string(source).unwrap());
    for (directory, name, letters) in [("few", "abc", "3"), ("many", "abcdefghijkl", "12")] {
        project.write(&format!("of/{directory}/{name}"), "");
        project.write(&format!("in/{directory}"), "");
        project.write(&format!("out/{directory}"), &format!("{letters}\n"));
    }
    project.write(
        "suspect.toml",
        "[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\nrun = \"./names of/{stem}\"\nexpect = \"out/{stem}\"\n",
    );
    project.succeed(&["build", "--", "cc", "-g", "-O0", "-o", "names", "names.c"]);
    project.suspect(&["test"]);
    let output = project.suspect(&["explain", "--format", "json"]).stdout;
    let explanation: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(explanation["test"], "many", "{explanation:#}");
    let told = explanation.to_string();
    assert!(!told.contains(" bytes at offset "), "no object is misused: {explanation:#}");
}
