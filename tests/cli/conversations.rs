//! Drivers that talk with the program that they start: what they write next depends on what they read.

use crate::project::{Project, text};

/// Answers each line with its number doubled, and a line that says that this was all; forty is too many to it.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int twice(int n)
{
    return n < 40 ? 2 * n : 0;
}
int main(void)
{
    char line[80];
    while (fgets(line, sizeof line, stdin) && strcmp(line, "quit\n")) {
        printf("%d\nDONE\n", twice(atoi(line)));
        fflush(stdout);
    }
    return 0;
}
"#;

/// Asks each question of a script when the one before was answered, and stops at the first script that fails. Where an answer does not come it waits for
/// the program's end, with the input still open.
const DRIVER: &str = r##"use IPC::Open2;
for my $script ("3=6 4=8", "5=10", "7=14 40=80 9=18", "1=2") {
    my $pid = open2(my $out, my $in, "./twice");
    my $fails = 0;
    for my $case (split / /, $script) {
        my ($question, $wanted) = split /=/, $case;
        print $in "$question\n";
        while (1) {
            my $line = <$out>;
            defined $line or wait, die "it ended: $?\n";
            chomp $line;
            last if $line eq "DONE";
            $line eq $wanted and next;
            print "# Expected: $wanted\n#   Actual: $line\n";
            $fails = 1;
        }
    }
    # Or it is told to quit and may keep its input.
    LEAVE
    waitpid $pid, 0;
    exit 1 if $fails;
}
"##;

fn tested(leave: &str) -> Project {
    let project = Project::new();
    project
        .write("twice.c", PROGRAM)
        .write("Makefile", "twice: twice.c\n\t$(CC) -g -O0 -o $@ twice.c\n")
        .write("driver.pl", &DRIVER.replace("LEAVE", leave))
        .write("suspect.toml", "[build]\ncommand = \"make\"\n[[suite]]\nname = \"talk\"\nkind = \"command\"\nrun = \"perl driver.pl\"\nstarts = true\ntimeout = \"60s\"\n");
    project.succeed(&["build"]);
    let said = text(&project.suspect(&["test"]));
    assert!(
        said.contains("3 of its 3 starts of instrumented programs are tests of their own, 1 of them fail"),
        "{said}"
    );
    project
}

#[test]
fn starts_that_a_driver_talks_with_are_tests() {
    let project = tested("close $in;");
    let answer = project.succeed(&["rank"]);
    assert!(answer.starts_with("talk, 3rd start of twice fails: "), "{answer}");
    assert!(answer.contains("with `n <= 40`"), "{answer}");
}

#[test]
fn a_program_that_is_told_to_quit_does_not_wait_for_the_end_of_its_input() {
    tested("print $in \"quit\\n\";");
}
