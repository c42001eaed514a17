//! Explanations under changes that are no whole repair: they break other tests, or act once where the fault acts several times.

use serde_json::Value;

use crate::project::Project;

/// A program, built, tested with these inputs and the output that each is to give, and ranked.
fn ranked(source: &str, tests: &[(&str, &str)]) -> Project {
    let project = Project::new();
    project.write_lines("prog", source, "sh -c 'echo {line} | ./prog'", tests);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    project.succeed(&["rank", "--budget", "20s"]);
    project
}

fn line(source: &str, text: &str) -> u64 {
    source.lines().position(|line| line.contains(text)).map(|at| at as u64 + 1).unwrap()
}

/// Lists of kind 2 are never loose, which is forgotten: they take 3 lines, not 8. No change of one operation says that without harm.
const LOOSE: &str = r#"#include <stdio.h>
struct list { int kind; int gap; int loose; };
static int may_be_loose(const struct list *list) {
    if (list->kind == 1) /* F */
        return 0;
    return 1;
}
static void close_list(struct list *list) {
    if (list->gap && may_be_loose(list))
        list->loose = 1;
}
int main(void) {
    struct list list = {0, 0, 0};
    if (scanf("%d %d", &list.kind, &list.gap) != 2)
        return 2;
    close_list(&list);
    printf("%d\n", list.loose ? 8 : 3);
    return 0;
}
"#;

#[test]
fn a_change_that_breaks_other_tests_comes_before_another_input() {
    let (loose, tight) = ("8", "3");
    let others = [("3 1", loose), ("0 1", loose), ("1 1", tight), ("1 2", tight)];
    let project = ranked(LOOSE, &[&[("2 1", tight)], &others[..]].concat());
    let found: Value = serde_json::from_str(&project.succeed(&["explain", "--format", "json"])).unwrap();
    assert!(found["against"].as_str().unwrap().starts_with("itself with "), "{found}");
    assert_eq!((&found["complete"], &found["verified"]), (&true.into(), &true.into()), "{found}");
    assert!(
        found["trust"][0].as_str().unwrap().contains("no change that breaks nothing, on the first lines"),
        "{found}"
    );
    // The condition that forgets the kind is on the chain, or told as what came before it.
    let named = [found["steps"].to_string(), found["origins"].to_string(), found["before"].to_string()].concat();
    assert!(named.contains(&format!("\"line\":{}", line(LOOSE, "/* F */"))), "{found}");
}

/// Parcels of 10 kilos cost 9, not 5. The fault acts for each of them.
const FEES: &str = r#"#include <stdio.h>
#include <stdlib.h>
struct parcel { int kilos; double fee; };
static void charge(struct parcel *parcel) {
    if (parcel->kilos > 10) /* F */
        parcel->fee = 9;
    else
        parcel->fee = 5;
}
int main(void) {
    struct parcel *parcel = malloc(sizeof *parcel);
    if (!parcel)
        return 2;
    while (scanf("%d", &parcel->kilos) == 1) {
        charge(parcel);
        printf("%g\n", parcel->fee);
    }
    free(parcel);
    return 0;
}
"#;

#[test]
fn of_a_fault_that_acts_several_times_the_first_wrong_line_is_explained() {
    let project =
        ranked(FEES, &[("10 3 10", "9\n5\n9"), ("3", "5"), ("11", "9"), ("4 12", "5\n9"), ("2 20 9", "5\n9\n5")]);
    let text = project.succeed(&["explain"]);
    let at = line(FEES, "/* F */");
    assert!(
        text.contains(&format!("That comes from prog.c:{at}: `parcel->kilos > 10` is false here, true there")),
        "{text}"
    );
    assert!(text.contains("with that alone the first wrong line is as expected, and a later one is not"), "{text}");
    // A member of an object on the heap is told as what it is.
    assert!(text.contains("`parcel->fee` is 5 here, 9 there"), "{text}");
}

/// The test that comes first expects what no change gives without harm to others.
#[test]
fn the_failing_test_that_the_best_change_mends_is_explained() {
    let project = ranked(FEES, &[("7", "6"), ("10", "9"), ("12", "9"), ("3", "5"), ("8", "5"), ("9", "5")]);
    let answer = project.succeed(&["rank", "--budget", "0"]);
    assert!(answer.contains("with `parcel->kilos >= 10`"), "{answer}");
    let found: Value = serde_json::from_str(&project.succeed(&["explain", "--format", "json"])).unwrap();
    assert_eq!(found["test"], "2", "{found}");
    assert!(found["against"].as_str().unwrap().starts_with("itself with "), "{found}");
}
