//! What the compiler warns of as evidence of the default ranking.

use std::fs;

use suspect::report::RankingReport;

use crate::all_evidence::ranked;
use crate::project::Project;

const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int zone = argc > 1 ? atoi(argv[1]) : ZONE;
    int fare = 3;
    if (zone = 2)
        fare += 2;
    printf(\"%d\\n\", fare);
    return 0;
}
";
/// Its faulty line.
const FAULT: u32 = 8;
const WARNING: &str =
    "the compiler warns: using the result of an assignment as a condition without parentheses (-Wparentheses)";

/// The program, built by `command` and recorded.
fn project(command: &str) -> Project {
    let project = written(command);
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    project
}

/// The program, to be built by `command`.
fn written(command: &str) -> Project {
    let project = Project::new();
    project.write("src/prog.c", PROGRAM).write("tests.txt", "1\n2\n3\n").write("options", "-DZONE=1 -O1").write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"{command}\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"./prog {{line}}\"\n\
             expect = \"expected/{{n}}\"\n"
        ),
    );
    for (test, fare) in [(1, 3), (2, 5), (3, 3)] {
        project.write(&format!("expected/{test}"), &format!("{fare}\n"));
    }
    project
}

/// What is said of a line.
fn said_of(report: &RankingReport, line: u32) -> Vec<&str> {
    let entry = report.ranking.iter().find(|entry| entry.line == line).expect("the line is ranked");
    entry.reasons.iter().map(|reason| reason.text.as_str()).collect()
}

#[test]
fn what_the_compiler_warns_of_speaks_for_its_line() {
    // What the project itself asks for makes no difference; without its definitions the source does not compile.
    let project = project("cd src && cc @../options -Werror -Wno-parentheses -MD -c prog.c && cc -o ../prog prog.o");
    let dependences = project.path().join("src/prog.d");
    let made = fs::read(&dependences).unwrap();
    fs::write(&dependences, "").unwrap();
    let report = ranked(&project, &["--no-trials"]);
    assert!(!made.is_empty() && fs::read(&dependences).unwrap().is_empty(), "looking again makes no files");
    assert_eq!(report.ranking[0].line, FAULT, "{:?}", report.ranking);
    assert_eq!(said_of(&report, FAULT)[0], format!("here {WARNING}"));
    assert_eq!(said_of(&report, FAULT + 1)[0], format!("in line {FAULT} {WARNING}"));
    let explained = project.succeed(&["rank", "--no-trials", "--why", &format!("src/prog.c:{FAULT}")]);
    assert!(explained.contains(WARNING), "{explained}");
    // Of other sources nothing is said.
    fs::write(project.path().join("src/prog.c"), format!("\n{PROGRAM}")).unwrap();
    assert!(project.fail(&["rank", "--no-trials"], 8).contains("src/prog.c was changed"));
}

#[test]
fn a_parameter_that_nobody_reads_speaks_for_a_function_unless_that_is_handed_on() {
    let fare = "int fare(int zone, int day)\n{\n    return zone + 1;\n}\n";
    let (called, handed_on) = ("return fare(zone, 1);", "int (*of)(int, int) = fare;\n    return of(zone, 1);");
    for (body, is_said) in [(called, true), (handed_on, false)] {
        let project = written("cc -O1 -DZONE=1 -c src/prog.c && cc -O1 -c src/fare.c && cc -o prog prog.o fare.o");
        let other = format!("int fare(int zone, int day);\nint other(int zone)\n{{\n    {body}\n}}\n");
        let program = format!("{other}{}", PROGRAM.replace("fare += 2", "fare += other(1)"));
        project.write("src/prog.c", &program).write("src/fare.c", fare);
        project.succeed(&["build"]);
        project.succeed(&["test"]);
        let report = ranked(&project, &["--no-trials"]);
        let entry = report.ranking.iter().find(|entry| entry.file == "src/fare.c" && entry.line == 3).unwrap();
        let says = entry.reasons.iter().any(|reason| reason.text.contains("unused parameter 'day'"));
        assert_eq!(says, is_said, "{body}: {:?}", entry.reasons);
    }
}

#[test]
fn a_damaged_file_of_warnings_is_made_anew() {
    let project = project("cc @options -o prog src/prog.c");
    let report = ranked(&project, &["--no-trials"]);
    assert_eq!(said_of(&report, FAULT)[0], format!("here {WARNING}"));
    let kept = project.path().join(".suspect/warnings.json");
    let whole = fs::read(&kept).unwrap();
    for damage in [&b""[..], b"{", b"{\"version\": 9, \"run\": 1, \"units\": []}", &whole[..whole.len() / 2]] {
        fs::write(&kept, damage).unwrap();
        assert_eq!(ranked(&project, &["--no-trials"]).ranking, report.ranking);
        assert_eq!(fs::read(&kept).unwrap(), whole);
    }
}

#[test]
fn a_unit_that_is_as_it_was_is_not_looked_at_again() {
    let project = written("cc @options -c src/prog.c && cc -O1 -c src/more.c && cc -o prog prog.o more.o");
    let program =
        PROGRAM.replace("\n\nint main", "\nint more(int a);\nint main").replace("fare += 2", "fare += more(2)");
    let more = "int more(int a)\n{\n    int b = a;\n    if (b = 2)\n        return b;\n    return 2;\n}\n";
    project.write("src/prog.c", &program).write("src/more.c", more);
    let look = || {
        // Runs are told apart by the second in which they began.
        std::thread::sleep(std::time::Duration::from_secs(1));
        project.succeed(&["build"]);
        project.succeed(&["test"]);
        let report = ranked(&project, &["--no-trials"]);
        let entry =
            |file: &str, line: u32| report.ranking.iter().find(|entry| entry.file == file && entry.line == line);
        [("src/prog.c", FAULT), ("src/more.c", 4)]
            .map(|(file, line)| entry(file, line).unwrap().reasons[0].text.clone())
    };
    let fresh = format!("here {WARNING}");
    assert_eq!(look(), [fresh.clone(), fresh.clone()]);
    // What is kept is told apart from what the compiler says now.
    let kept = project.path().join(".suspect/warnings.json");
    let old = WARNING.replace("using the", "once using the");
    fs::write(&kept, fs::read_to_string(&kept).unwrap().replace("using the", "once using the")).unwrap();
    project.write("src/more.c", &more.replace("return 2", "return 1 + 1"));
    assert_eq!(look(), [format!("here {old}"), fresh.clone()]);
    project.write("src/prog.c", &(program + "int limits[] = {1};\n"));
    assert_eq!(look(), [fresh.clone(), fresh]);
}

#[test]
fn style_speaks_for_nothing() {
    let project = written("cc @options -std=gnu89 -o prog src/prog.c");
    let old = "static fares(zone)\nint zone;\n{\n    int spare;\n    return zone;\n}\n\nint main";
    let program = PROGRAM.replace("int main", old).replace("fare = 3;", "fare = 2 + fares(1);");
    project.write("src/prog.c", &program);
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let report = ranked(&project, &["--no-trials"]);
    let reasons = report.ranking.iter().flat_map(|entry| &entry.reasons);
    let warned: Vec<&str> = reasons.map(|one| one.text.as_str()).filter(|text| text.contains("warns")).collect();
    assert!(!warned.is_empty() && warned.iter().all(|text| text.contains("-Wparentheses")), "{warned:?}");
}

#[test]
fn comparisons_that_are_always_true_are_warned_of() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    unsigned left = atoi(argv[1]);\n    \
                  if (left >= 0)\n        puts(\"some\");\n    else\n        puts(\"none\");\n    return 0;\n}\n";
    let project = Project::new();
    project.write_lines("left", source, "./left {line}", &[("0", "none"), ("1", "some"), ("7", "some")]);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let said = said_of(&ranked(&project, &[]), 6).join("\n");
    assert!(said.contains("comparison of unsigned expression >= 0 is always true"), "{said}");
}
