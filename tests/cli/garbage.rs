//! Failures that come from variables that nothing was assigned to: with locals that begin as zero such a test passes, so it is tried with garbage.

use suspect::report::RankingReport;

use crate::all_evidence::ranked;
use crate::project::{Project, text};

/// Adds to a variable that nothing was assigned to. What the stack holds there is told by what was called before.
const ADDED: &str = r#"
#include <stdio.h>
#include <string.h>

static void use_stack(void)
{
    volatile char room[4096];
    for (int at = 0; at < (int)sizeof room; at++)
        room[at] = 0x33;
}

static int measure(const char *text)
{
    int length = 0;
    while (text[length] != 0)
        length++;
    return length;
}

static int indent(const char *text)
{
    int width;
    if (*text == '>')
        return 2;
    width += measure(text);
    return width;
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "";
    use_stack();
    printf("%s %d\n", text, indent(text));
    return 0;
}
"#;

/// Built as it is and recorded; the arguments of its tests, with what they should print.
fn project(source: &str) -> Project {
    let project = Project::new();
    for (name, argument, width) in
        [("one", "a", 1), ("three", "abc", 3), ("five", "abcde", 5), ("mark", ">", 2), ("marks", ">abc", 2)]
    {
        project.write(&format!("in/{name}"), argument);
        project.write(&format!("expected/{name}"), &format!("{argument} {width}\n"));
    }
    project.write("prog.c", source).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O0 -o prog prog.c\"\n\n[[suite]]\nkind = \"cases\"\ninputs = \"in/*\"\n\
         run = \"./prog \\\"$(cat {input})\\\"\"\nexpect = \"expected/{stem}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

fn said(report: &RankingReport) -> Vec<&str> {
    report.trust.iter().map(String::as_str).filter(|said| said.contains("garbage")).collect()
}

#[test]
fn a_test_that_passes_with_zeros_is_tried_with_garbage_and_that_is_said() {
    let project = project(ADDED);
    let report = ranked(&project, &["--budget", "20"]);
    assert_eq!((report.tests.failing, report.tests.passing), (3, 2));
    let said = said(&report);
    assert_eq!(said.len(), 1, "{:?}", report.trust);
    assert!(
        said[0].starts_with("test `")
            && said[0].contains("` and 2 others fail only if locals begin as garbage: with zeros they pass"),
        "{said:?}"
    );
    assert!(
        said[0].ends_with("is read that nothing was assigned to, a variable of indent() or what it returns"),
        "{said:?}"
    );
    assert!(!report.not_tried.iter().any(|why| why.contains("reproducible")), "{:?}", report.not_tried);
    let line = 1 + ADDED.lines().position(|line| line.contains("width +=")).unwrap() as u32;
    assert_eq!(report.ranking[0].line, line, "{:?}", report.ranking[0]);
    let claims: Vec<_> = report.ranking[0].reasons.iter().filter_map(|reason| reason.claim.as_ref()).collect();
    let repair =
        claims.iter().find(|claim| claim.patch.as_ref().is_some_and(|patch| patch.contains("width = measure(text);")));
    let replayed = project.succeed(&["replay", &repair.expect("the repair").id]);
    assert_eq!(replayed.matches(" passes with it, as claimed").count(), 3, "{replayed}");
    // What is only looked up is said as well.
    let again = project.suspect(&["rank", "-v"]);
    assert!(text(&again).contains("suspect: 0 trials in "), "{}", text(&again));
    assert!(String::from_utf8_lossy(&again.stdout).contains(&format!("  - {}\n", said[0])), "{}", text(&again));
}

#[test]
fn another_fault_is_tried_with_zeros_and_nothing_is_said_of_garbage() {
    let source = ADDED.replace("int width;", "int width = 0;").replace("return length;", "return length + 1;");
    let report = ranked(&project(&source), &["--budget", "20"]);
    assert_eq!((report.tests.failing, said(&report)), (3, Vec::new()), "{:?}", report.trust);
    assert!(report.trials.is_some_and(|trials| trials.repairs > 0));
}
