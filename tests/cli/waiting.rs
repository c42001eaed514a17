//! What is shown on a terminal while a command works.

use std::process::Command;

use crate::project::{Project, tool};

const PROGRAM: &str =
    "#include <stdio.h>\nint main(int argc, char **argv)\n{\n    puts(argc > 1 ? argv[1] : \"\");\n    return 0;\n}\n";

/// Looks at each start's output.
const DRIVER: &str = "for each in a b; do\n    [ \"$(./prog $each)\" = $each ] && echo \"ok $each\" || exit 1\ndone\n";

#[test]
fn what_a_driver_is_asked_is_shown_until_there_is_an_answer() {
    let project = Project::new();
    project.write("prog.c", PROGRAM).write("driver", DRIVER).write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog prog.c\"\n\n[[suite]]\nname = \"spec\"\nkind = \"command\"\nrun = \"sh driver\"\nstarts = true\n",
    );
    project.succeed(&["build"]);
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command"]).arg(format!("'{}' test", tool().display())).arg("/dev/null");
    let output = command.current_dir(project.path()).env("TERM", "xterm").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("\r\x1b[Ksuspect: finding the starts of programs in spec"), "{said:?}");
    // The line is taken off before another one stays.
    assert!(said.contains("\r\x1b[Ksuspect: suite `spec`: spec: 2 of its 2 starts"), "{said:?}");
}
