//! Test programs of unit-test frameworks, replaced by their cases.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::automake;
use super::case_list::{CaseList, PATIENCE, run};
use super::cases::shell_argv;
use super::config::Cases;
use super::framework::{Extra, Framework};
use super::functions;
use super::kept::KeptLists;
use super::line::{self, is_elf, is_simple};
use super::load::{Found, Listed, Listing};
use super::oracle::{Oracle, shown_path};
use super::test::{Plan, Test, command_text, line_text};
use crate::exec::{Command, Status};

impl Listing<'_> {
    /// What was found with the cases of test programs in the place of those that have several. A program whose cases are not told
    /// stays one test, and a note says why.
    pub(super) fn split(&self, found: Found, kept: &KeptLists, keeping: &mut KeptLists) -> Found {
        let Some(cases) = self.section.cases else { return found };
        let Found { tests, mut notes, is_slow } = found;
        // What other tests need around them is not taken apart.
        let around: Vec<usize> = tests
            .iter()
            .flat_map(|test| test.plan.before.iter().map(|(other, _)| *other).chain(test.plan.after.clone()))
            .collect();
        let (mut split, mut places) = (Vec::new(), Vec::new());
        let (mut n_programs, mut n_cases) = (0, 0);
        for (index, test) in tests.into_iter().enumerate() {
            places.push(split.len());
            let program = (!around.contains(&index)).then(|| Program::of(&test, cases)).flatten();
            let list = program.and_then(|program| {
                let list = kept.cases(&test.dir, &program.argv).map_or_else(|| self.ask(&program, &test), Ok);
                let list = list.map_err(|why| notes.push(format!("{} stays one test: {why}", test.name))).ok()?;
                keeping.keep_cases(&test.dir, &program.argv, &list);
                (list.names.len() > 1).then_some((program, list))
            });
            match list {
                Some((program, list)) => {
                    (n_programs, n_cases) = (n_programs + 1, n_cases + list.names.len());
                    split.extend(list.names.iter().map(|case| program.case(&test, &list, case)));
                }
                None => split.push(test),
            }
        }
        for test in &mut split {
            test.plan.before.iter_mut().for_each(|(other, _)| *other = places[*other]);
            test.plan.after.iter_mut().for_each(|other| *other = places[*other]);
        }
        if n_programs > 0 {
            let programs = if n_programs == 1 { "program" } else { "programs" };
            notes.push(format!("{n_cases} cases in {n_programs} test {programs}, each run alone"));
        }
        Found { tests: split, notes, is_slow }
    }

    /// Asks a program for its cases as each of its frameworks is asked, or says why there is no answer.
    fn ask(&self, program: &Program, test: &Listed) -> Result<CaseList, String> {
        (self.asked)(&format!("listing the cases of {}", test.name));
        let mut why = String::new();
        for framework in &program.frameworks {
            let answer = match framework {
                Framework::Functions => functions::list(&self.command(program, test, &Extra::default())),
                framework => self.ask_framework(*framework, program, test),
            };
            match answer {
                Ok(list) => return Ok(list),
                Err(because) if why.is_empty() => why = because,
                Err(because) => why = format!("{why}; {because}"),
            }
        }
        Err(why)
    }

    fn ask_framework(&self, framework: Framework, program: &Program, test: &Listed) -> Result<CaseList, String> {
        for (way, extra) in framework.listing().iter().enumerate() {
            let command = self.command(program, test, extra);
            let outcome = run(&command)?;
            let text = String::from_utf8_lossy(&outcome.stdout.bytes);
            let is_answer = framework.runs_to_list() || outcome.status == Status::Exited(0);
            let Some(names) = framework.listed(&text, way).filter(|_| is_answer) else { continue };
            if !framework.runs_to_list() || names.len() < 2 || runs_alone(&command, framework, way, &names[0])? {
                return Ok(CaseList { framework, way, names });
            }
        }
        let line = line_text(&program.argv);
        let shown = shown_path(Path::new(&line), self.root);
        Err(format!("`{shown}` does not tell its cases apart as programs of {} do", framework.name()))
    }

    /// What runs a program as a test does, with something besides.
    fn command(&self, program: &Program, test: &Listed, extra: &Extra) -> Command {
        let mut command = Command { cwd: test.dir.clone(), ..self.tool(program.with(&extra.arguments)) };
        for (name, value) in &test.plan.env {
            match value {
                Some(value) => command.env.set(name, value),
                None => command.env.unset(name),
            }
        }
        extra.env.iter().for_each(|(name, value)| command.env.set(name, value));
        command.limits.wall = PATIENCE;
        command
    }
}

/// Whether a program runs the one case that it is asked for, and no other one; `listing` asks it for all.
fn runs_alone(listing: &Command, framework: Framework, way: usize, case: &str) -> Result<bool, String> {
    let mut command = listing.clone();
    framework.alone(case, way).env.iter().for_each(|(name, value)| command.env.set(name, value));
    let names = framework.listed(&String::from_utf8_lossy(&run(&command)?.stdout.bytes), way);
    Ok(names.is_some_and(|names| names == [case]))
}

impl Test {
    /// The framework of the program that is the whole test, if one shows.
    pub(super) fn framework(&self) -> Option<Framework> {
        let listed = Listed { name: self.name.clone(), dir: self.dir.clone(), plan: self.plan.clone() };
        Program::of(&listed, Cases::Auto)?.frameworks.first().copied()
    }
}

/// Whether a shell's line in `dir` starts a program that has cases.
pub(super) fn has_cases(dir: &Path, line: &str) -> bool {
    let plan = Plan { argv: shell_argv(line.into()), ..Plan::default() };
    Program::of(&Listed { name: String::new(), dir: dir.to_owned(), plan }, Cases::Auto).is_some()
}

/// A test that is a program of a framework.
struct Program {
    /// Those that it shows, at least one; a program may bring functions called as a framework's are.
    frameworks: Vec<Framework>,
    /// Without a driver around it.
    argv: Vec<OsString>,
    /// What judges the whole program.
    oracle: Oracle,
}

impl Program {
    /// The program that a test runs, if it is one that suspect.toml wants the cases of.
    fn of(test: &Listed, cases: Cases) -> Option<Program> {
        let (argv, oracle) = match &test.plan.oracle {
            Oracle::Automake { .. } => automake::driven(&test.plan.argv)?,
            oracle => (test.plan.argv.clone(), oracle.clone()),
        };
        if !oracle.wants_success() {
            return None;
        }
        let of = |file: PathBuf| {
            let path = elf(&test.dir.join(file))?;
            let shown = match cases {
                Cases::Of(framework) => vec![framework],
                Cases::Auto => Framework::of(&fs::read(path).ok()?),
            };
            Some(shown).filter(|shown| !shown.is_empty())
        };
        // A driver hands variables on, but not arguments.
        let by_variables = |shown: &Vec<Framework>| shown.iter().all(|framework| framework.runs_to_list());
        let driven = || words(&argv).into_iter().skip(1).filter_map(of).find(by_variables);
        let frameworks = program(&argv).and_then(of).or_else(driven)?;
        Some(Program { frameworks, argv, oracle })
    }

    /// Its command with more arguments.
    fn with(&self, arguments: &[OsString]) -> Vec<OsString> {
        match self.argv.as_slice() {
            [shell, option, line] if is_shell(shell, option) && !arguments.is_empty() => {
                let mut line = line.clone();
                line.push(" ");
                line.push(command_text(arguments));
                vec![shell.clone(), option.clone(), line]
            }
            argv => [argv, arguments].concat(),
        }
    }

    /// The test of one case.
    fn case(&self, test: &Listed, list: &CaseList, case: &str) -> Listed {
        let Extra { arguments, env } = list.framework.alone(case, list.way);
        let oracle = match list.framework {
            Framework::Functions => self.oracle.clone(),
            framework => Oracle::Case(framework),
        };
        let mut plan = Plan { argv: self.with(&arguments), oracle, ..test.plan.clone() };
        plan.env.extend(env.into_iter().map(|(name, value)| (name, Some(value))));
        let shown = match list.framework {
            Framework::Functions => functions::shown(case, &list.names),
            _ => case.trim_start_matches('/').to_owned(),
        };
        Listed { name: format!("{}/{shown}", test.name), dir: test.dir.clone(), plan }
    }
}

fn is_shell(shell: &OsString, option: &OsString) -> bool {
    shell == "/bin/sh" && option == "-c"
}

/// The file that a command runs, of a shell's line where that is one program.
fn program(argv: &[OsString]) -> Option<PathBuf> {
    match argv {
        [shell, option, line] if is_shell(shell, option) => {
            let line = line.as_bytes();
            let first = line.trim_ascii().split(u8::is_ascii_whitespace).next().filter(|_| is_simple(line))?;
            Some(OsStr::from_bytes(first).into())
        }
        argv => argv.first().map(PathBuf::from),
    }
}

/// The files that the words of a command may be, of a shell's line where the shell replaces nothing in it.
fn words(argv: &[OsString]) -> Vec<PathBuf> {
    let words = match argv {
        [shell, option, line] if is_shell(shell, option) => line::words(line.as_bytes()).unwrap_or_default(),
        argv => argv.to_vec(),
    };
    words.into_iter().map(PathBuf::from).collect()
}

/// The program itself, which for libtool's wrapper is beside it.
fn elf(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let real = path.with_file_name(".libs").join(name);
    [path.to_owned(), real].into_iter().find(|path| is_elf(path))
}
