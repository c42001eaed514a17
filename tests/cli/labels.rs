//! Labels of switches: a wrong constant is ranked on its own line, with the repair as a patch, and only where the source says it for certain.

use std::process::Command;

use suspect::report::{Claim, Effect, RankingReport};

use crate::all_evidence::{ALONE, ranked};
use crate::project::Project;

/// `case 'p':` and `case 41:` should be `case 'n':` and `case 40:`.
const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>
enum shape { DOT = 2, BAR = 7, BOX = 9 };
#define ROUND 11
#define ALSO(x) case x:
static int price(char kind)
{
    int base;
    switch (kind) {
    case 'p':
        base = 50;
        break;
    default:
        base = 1;
        break;
    case 'a': case 'b':
        base = 9;
        break;
    case 'c': base = 4; break;
    }
    return base;
}
static int weight(enum shape shape, unsigned long n)
{
    int sum = 0;
    switch (shape) {
    case BAR:
        sum = 3;
        switch (n % 3) {
        case 0:
            do {
                sum++;
        case 1:
                sum++;
            } while (--n > 4);
        }
        break;
    case DOT:
    case ROUND:
        sum = 1;
        break;
    default:
        sum = 2;
    }
    switch (n) {
    case 41:
        sum += 100;
        break;
    case 1 ... 3:
        sum += 2;
        break;
    ALSO(30)
        sum += 30;
    }
    return sum;
}
int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    printf(\"%d\\n\", price(argv[1][0]));
    printf(\"%d\\n\", weight(atoi(argv[2]), atoi(argv[3])));
    return 0;
}
";

/// Arguments and what should be printed.
const TESTS: [(&str, &str); 8] = [
    ("a 2 30", "9\n31\n"),
    ("b 7 3", "9\n7\n"),
    ("c 9 8", "4\n2\n"),
    ("x 11 9", "1\n1\n"),
    ("z 2 50", "1\n1\n"),
    ("n 2 9", "50\n1\n"),
    ("n 7 7", "50\n8\n"),
    ("n 9 2", "50\n4\n"),
];

fn line(needle: &str) -> u32 {
    let lines: Vec<usize> =
        PROGRAM.lines().enumerate().filter(|(_, line)| line.contains(needle)).map(|(at, _)| at + 1).collect();
    assert_eq!(lines.len(), 1, "{needle}");
    lines[0] as u32
}

fn project(compile: &str) -> Project {
    let project = Project::new();
    project.write("prog.c", PROGRAM);
    for (number, (arguments, expected)) in TESTS.iter().enumerate() {
        project.write(&format!("in/{number}"), arguments).write(&format!("expected/{number}"), expected);
    }
    project.write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"{compile}\"\n\n[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\n\
             run = \"{ALONE}\"\nexpect = \"expected/{{stem}}\"\n"
        ),
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

/// The place of a line of the program in the ranking, from 0, and the claim about `case 'n'`.
fn repair(report: &RankingReport) -> (usize, &Claim) {
    let at = report.ranking.iter().position(|entry| entry.line == line("case 'p'")).expect("the label");
    let reasons = &report.ranking[at].reasons;
    let reason =
        reasons.iter().find(|reason| reason.text.contains("with `case 'n'` instead of `case 'p'` all 3 failing"));
    (at, reason.and_then(|reason| reason.claim.as_ref()).unwrap_or_else(|| panic!("{reasons:?}")))
}

#[test]
fn a_wrong_label_is_ranked_with_its_repair_as_a_patch() {
    let project = project("cc -O2 -o prog prog.c");
    let report = ranked(&project, &[]);
    let (at, claim) = repair(&report);
    assert!(at < 2, "{:?}", report.ranking);
    let said = project.succeed(&["replay", &claim.id]);
    assert_eq!(said.matches(", as claimed (").count(), claim.outcomes.len(), "{said}");
    assert_eq!(claim.outcomes.iter().filter(|one| one.effect == Effect::Passes).count(), 3, "{said}");
    // The edit does what was claimed.
    let patch = claim.patch.as_ref().expect("a patch");
    assert_eq!(project.succeed(&["replay", &claim.id, "--patch"]), *patch);
    assert!(patch.contains("-    case 'p':\n+    case 'n':\n"), "{patch}");
    let why = project.succeed(&["rank", "--why", &format!("prog.c:{}", line("case 'p'"))]);
    assert!(why.contains("case 'n'"), "{why}");
    project.write("edit.patch", patch);
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(project.path()).output().unwrap()
    };
    assert!(run("patch", &["-p1", "--fuzz=0", "-i", "edit.patch"]).status.success(), "{patch}");
    assert!(run("clang-19", &["-w", "-o", "plain", "prog.c"]).status.success());
    for (arguments, expected) in TESTS {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(String::from_utf8_lossy(&run("./plain", &arguments).stdout), expected, "{arguments:?}");
    }
}

#[test]
fn label_lines_are_ranked_as_their_switch_and_are_none_of_compiled_coverage() {
    let project = project("cc -o prog prog.c");
    let entries = project.ranking(&["--method", "ochiai", "--top", "1000"]);
    let score = |line: u32| {
        let entry = entries["ranking"].as_array().unwrap().iter().find(|entry| entry["line"] == line);
        entry.map(|entry| entry["score"].as_f64().unwrap())
    };
    let of_switch = |value: &str| score(line(&format!("switch ({value})")));
    assert!(of_switch("kind").is_some_and(|score| score > 0.0), "{entries}");
    // Labels with code beside them, ranges and labels that macros make bring no line of their own; `default` has no constant.
    for (label, switch) in
        [("case 'p'", "kind"), ("case 'a': case 'b'", "kind"), ("case BAR", "shape"), ("case DOT", "shape")]
    {
        assert_eq!(score(line(label)), of_switch(switch), "{label} {entries}");
    }
    assert_eq!(score(line("case ROUND")), of_switch("shape"));
    assert_eq!(score(line("        case 0:")), of_switch("n % 3"), "{entries}");
    assert_eq!(score(line("        case 1:")), of_switch("n % 3"));
    for label in ["case 41", "case 1 ...", "ALSO(30)"] {
        assert_eq!(score(line(label)), None, "{label}");
    }
    assert_ne!(score(line("case 'c'")), of_switch("kind"), "its own code's");
    let lcov = project.succeed(&["report", "--format", "lcov"]);
    let has = |line: u32| lcov.contains(&format!("DA:{line},"));
    assert!(has(line("switch (kind)")) && has(line("case 'c'")), "{lcov}");
    assert!(!has(line("case 'p'")) && !has(line("case BAR")), "{lcov}");
    let page = project.succeed(&["report", "--format", "html"]);
    assert!(page.contains("prog.c"), "{page}");
}

/// `'x'` should be handled as `'*'` is.
const OPERATORS: &str = "\
#include <stdio.h>
#include <stdlib.h>
static int applied(char operator, int a, int b)
{
    switch (operator) {
    case '+':
        return a + b;
    case '*':
        return a * b;
    case '/':
        return b ? a / b : 0;
    default:
        break;
    }
    return -1;
}
int main(int argc, char **argv)
{
    printf(\"%d\\n\", argc == 4 ? applied(argv[2][0], atoi(argv[1]), atoi(argv[3])) : -2);
    return 0;
}
";

#[test]
fn a_missing_label_is_put_before_the_one_that_does_what_it_should() {
    let project = Project::new();
    let all = [("3 + 4", 7), ("3 '*' 4", 12), ("9 / 4", 2), ("3 '?' 4", -1), ("3 x 4", 12), ("5 x 6", 30)];
    project.write_lines("prog", OPERATORS, "./prog {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let label = 1 + OPERATORS.lines().position(|line| line.contains("case '*'")).unwrap();
    assert_eq!(report.ranking[0].line as usize, label, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("putting `case 'x':` before `case '*'`"), "{shown}");
    assert!(shown.contains("\n      +    case 'x': case '*':\n"), "{shown}");
}
