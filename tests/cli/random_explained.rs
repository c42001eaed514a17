//! Random C programs: what the theory promises of explanations holds of real runs, and processes say what recordings alone say.

use std::fmt::Write;

use serde_json::Value;

use crate::project::Project;

const PROGRAMS: u64 = 16;

/// Numbers that look random (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn variable(&mut self) -> char {
        (b'a' + self.roll(5) as u8) as char
    }
}

/// Writes statements: assignments, an array, branches and loops that end.
fn statements(dice: &mut Dice, depth: u32, loops: &mut u32, text: &mut String) {
    for _ in 0..2 + dice.roll(4) {
        let (to, one, other) = (dice.variable(), dice.variable(), dice.variable());
        let _ = match dice.roll(if depth < 2 { 9 } else { 5 }) {
            0 => writeln!(text, "{to} = {one} {} {other};", ["+", "-", "*", "^", "&"][dice.roll(5) as usize]),
            1 => writeln!(text, "{to} = {one} + {};", dice.roll(9)),
            2 => writeln!(text, "{to} = {};", dice.roll(9)),
            3 => writeln!(text, "t[{one} & 3] = {other};"),
            4 => writeln!(text, "{to} = t[{one} & 3];"),
            5 | 6 => {
                let _ = writeln!(text, "if ({one} {} {other}) {{", ["<", ">", "!="][dice.roll(3) as usize]);
                statements(dice, depth + 1, loops, text);
                if dice.roll(2) == 0 {
                    let _ = writeln!(text, "}} else {{");
                    statements(dice, depth + 1, loops, text);
                }
                writeln!(text, "}}")
            }
            7 => {
                *loops += 1;
                let counter = format!("i{loops}");
                let _ = writeln!(text, "unsigned {counter} = 0;\nwhile ({counter} < ({one} & 3)) {{");
                statements(dice, depth + 1, loops, text);
                writeln!(text, "{counter} = {counter} + 1;\n}}")
            }
            _ => writeln!(text, "{to} = twice({one}, {other});"),
        };
    }
}

fn program(dice: &mut Dice) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic unsigned twice(unsigned x, unsigned y)\n{\nif (x > y)\nreturn x + x;\nreturn y + 1;\n}\n",
    );
    for number in 0..PROGRAMS {
        let _ = writeln!(
            text,
            "static void f{number}(unsigned a, unsigned b)\n{{\nunsigned c = 1, d = 2, e = 3, t[4] = {{0}};"
        );
        statements(dice, 0, &mut 0, &mut text);
        text += "printf(\"%u\\n\", c * 31 + d);\nprintf(\"%u\\n\", e + t[1]);\n}\n";
    }
    text += "int main(void)\n{\nint k;\nunsigned a, b;\nif (scanf(\"%d %u %u\", &k, &a, &b) != 3)\nreturn 9;\nswitch (k) {\n";
    (0..PROGRAMS).for_each(|number| text += &format!("case {number}: f{number}(a, b); break;\n"));
    text + "}\nreturn 0;\n}\n"
}

/// What was found out at each step, without how its runs were started.
fn found(answer: &Value) -> Vec<(Value, Value, Value, bool)> {
    let steps = answer["steps"].as_array().unwrap().iter();
    steps
        .map(|step| {
            (step["cause_point"].clone(), step["causes"].clone(), step["slice"].clone(), step["model"] == "exact")
        })
        .collect()
}

#[test]
fn every_step_is_proved_and_processes_agree_with_recordings() {
    let mut dice = Dice(0x5eed_0007);
    let project = Project::new();
    project.write("random.c", &program(&mut dice));
    let suite = "[[suite]]\nkind = \"lines\"\nfile = \"tests.txt\"\nrun = \"sh -c 'echo {line} | ./random'\"\nexpect = \"expected/{n}\"\n";
    let mut tests = String::new();
    for number in 0..2 * PROGRAMS {
        let _ = writeln!(tests, "{} {} {}", number / 2, dice.roll(6), dice.roll(6));
        project.write(&format!("expected/{}", number + 1), "");
    }
    project.write("tests.txt", &tests).write("suspect.toml", suite);
    project.succeed(&["build", "--modes", "plain,values,record", "--", "cc", "-g", "-O1", "-o", "random", "random.c"]);
    let (mut explained, mut steps) = (0, [0, 0]);
    for number in 0..PROGRAMS {
        let [passing, failing] = [2 * number + 1, 2 * number + 2].map(|number| number.to_string());
        let ask = |options: &[&str]| {
            let mut arguments = vec!["explain", &failing, "--against", &passing, "--format", "json"];
            arguments.extend(options);
            project.suspect(&arguments)
        };
        let output = ask(&[]);
        if output.status.code() == Some(1) && crate::project::text(&output).contains("write the same") {
            continue;
        }
        let answer = |output: std::process::Output| -> Value {
            assert!(output.status.success(), "f{number}: {}", crate::project::text(&output));
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let by_process = answer(output);
        // The whole cut suffices in the exact model, always.
        let exact = answer(ask(&["--model", "exact"]));
        for one in [&by_process, &exact] {
            assert_eq!((&one["verified"], &one["complete"]), (&true.into(), &true.into()), "f{number}: {one}");
        }
        assert_eq!(found(&answer(ask(&["--engine", "offline"]))), found(&by_process), "f{number}");
        found(&by_process).iter().for_each(|step| steps[usize::from(step.3)] += 1);
        explained += 1;
    }
    assert!(explained > PROGRAMS / 2 && steps[0] > 4 * explained, "{explained} programs, {steps:?} steps");
}
