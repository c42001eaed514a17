//! Source that is compiled several times: into a library, and into each test program that includes it.

use crate::all_evidence::ranked;
use crate::project::Project;

const DIGITS: &str = "\
/* The value of a hexadecimal digit; 16 for anything else. */
static int digit(int letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 9; /* the fault */
    return 16;
}

int number(const char *text)
{
    int sum = 0;
    for (; *text; text++)
        sum = sum * 16 + digit(*text);
    return sum;
}
";

/// A test program that includes the source and compares what `call` gives for its argument with what its second argument is.
fn program(call: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include \"digits.c\"\n\nint main(int argc, char **argv)\n{{\n\
         \x20   if (argc < 3 || {call} != atoi(argv[2])) {{\n        puts(\"wrong\");\n        return 1;\n    }}\n\
         \x20   return 0;\n}}\n"
    )
}

#[test]
fn changes_are_made_in_all_programs_that_include_the_source() {
    let project = Project::new();
    project.write("digits.c", DIGITS);
    // Of the three programs that have the source, the first executes none of it.
    project.write("aaa.c", &program("0 * number(argv[1]) + atoi(argv[1])").replace("0 * number(argv[1]) + ", ""));
    project.write("one.c", &program("digit(argv[1][0])")).write("whole.c", &program("number(argv[1])"));
    project.write(
        "tests.txt",
        "aaa 7 7\none 0 0\none 9 9\none b 11\none x 16\nwhole 10 16\nwhole 99 153\nwhole 1f 31\nwhole x 16\n",
    );
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"for name in aaa one whole; do cc -O1 -g -o $name $name.c || exit; done\"\n\
         [[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./{line}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let report = ranked(&project, &[]);
    let first = &report.ranking[0];
    let shown = project.succeed(&["rank"]);
    assert_eq!(
        (first.file.as_str(), u64::from(first.line)),
        ("digits.c", line_of_text(DIGITS, "the fault")),
        "{shown}"
    );
    // One change of the source mends the tests of both programs.
    let mend = first.reasons.iter().filter_map(|reason| reason.claim.as_ref()).next().expect(&shown);
    assert_eq!(mend.kind, "CRP", "{mend:?}");
    let mended: Vec<&str> =
        mend.outcomes.iter().filter(|outcome| !outcome.passed_before).map(|one| one.test.as_str()).collect();
    assert_eq!(mended.len(), 2, "{mended:?}");
    assert!(shown.contains("all 2 failing tests pass"), "{shown}");
}

fn line_of_text(text: &str, needle: &str) -> u64 {
    1 + text.lines().position(|line| line.contains(needle)).expect("the line is there") as u64
}
