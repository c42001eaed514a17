//! Rules of a Makefile that make a program and start it: each such program is a test.

use super::check_target::{Runs, TARGETS};
use super::makefile::Makefile;

/// Targets that one names one in the other, and variables likewise, at most, so that no circle of them is followed for ever.
const NESTED: u32 = 5;
/// Commands of a recipe that only say something.
pub(super) const SAID: [&str; 3] = ["echo", "printf", ":"];
/// Programs that run a script.
const INTERPRETERS: [&str; 7] = ["sh", "bash", "dash", "ksh", "perl", "python", "python3"];
/// What means something to a shell.
pub(super) const SHELL: [char; 19] =
    ['$', '|', '&', ';', '<', '>', '(', ')', '{', '}', '*', '?', '[', '~', '`', '#', '"', '\'', '\\'];

/// Programs that rules make and start.
pub(super) struct Started {
    /// The rules' targets.
    targets: Vec<String>,
    /// Paths from where the Makefile is.
    programs: Vec<String>,
    /// Scripts that the rules run once the program is made, with their interpreters and arguments.
    scripts: Vec<String>,
    /// What else is made by whoever asks for them.
    pub(super) others: Vec<String>,
}

/// Those that a target of tests consists of; nothing where it does anything else.
pub(super) fn all_of(makefile: &Makefile, target: &str) -> Option<Started> {
    let itself = || TARGETS.into_iter().find(|target| started_by(makefile, target).is_some());
    let named = || makefile.recipe(target).is_empty().then(|| makefile.sources(target)).flatten();
    let targets = itself().map(|target| vec![target.to_owned()]).or_else(named);
    let found = Started::among(makefile, targets.unwrap_or_default());
    let found = if found.programs.is_empty() { Started::by_name(makefile, target)? } else { found };
    found.others.is_empty().then_some(found)
}

/// Programs that a target of tests does nothing but start, one after the other, as its recipes name them. With arguments it is one.
pub(super) fn alone(makefile: &Makefile, target: &str) -> Option<Vec<String>> {
    let mut commands = Vec::new();
    collect_commands(makefile, target, NESTED, &mut commands)?;
    // What the target is made of has a rule, though the rule may not show: a template makes it.
    let named = makefile.sources(target)?;
    let is_made = |command: &String| {
        let program = command.split(' ').next().unwrap_or_default();
        let name = program.strip_prefix("./").unwrap_or(program);
        program.contains('/') && (makefile.makes(name) || named.iter().any(|made| made == name))
    };
    let is_plain = |command: &String| !command.contains(' ') || commands.len() == 1;
    let of_make = makefile.exports() || commands.is_empty();
    (!of_make && commands.iter().all(|command| is_made(command) && is_plain(command))).then_some(commands)
}

/// Adds the commands of a target's recipe, and of those of what it is made of where that is no file; nothing where one is more than words.
fn collect_commands(makefile: &Makefile, target: &str, depth: u32, commands: &mut Vec<String>) -> Option<()> {
    let sources = makefile.sources(target)?;
    for name in sources.iter().filter(|name| makefile.makes(name) && !makefile.makes_file(name)) {
        collect_commands(makefile, name, depth.checked_sub(1)?, commands)?;
    }
    for line in makefile.recipe(target) {
        let line = line.trim().trim_start_matches(['@', '-', '+']).trim();
        if line.split_whitespace().next().is_some_and(|word| SAID.contains(&word)) && !line.contains(SHELL) {
            continue;
        }
        let first = sources.first().map_or("", String::as_str);
        let line = line.replace("$^", &sources.join(" ")).replace("$<", first).replace("$@", target);
        let words = makefile.expanded(&line, NESTED)?;
        if words.iter().any(|word| word.contains(SHELL)) || words.first()?.contains('=') {
            return None;
        }
        let command = words.join(" ");
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    Some(())
}

/// Those among what `make` alone makes.
pub(super) fn any_of(makefile: &Makefile) -> Option<Started> {
    let goals: Vec<String> = makefile.goals().map(str::to_owned).collect();
    let named = |goal: String| match makefile.recipe(&goal).is_empty() {
        true => makefile.sources(&goal),
        false => Some(vec![goal]),
    };
    let made: Option<Vec<Vec<String>>> = goals.into_iter().map(named).collect();
    let found = Started::among(makefile, made?.concat());
    (!found.programs.is_empty()).then_some(found)
}

impl Started {
    fn among(makefile: &Makefile, targets: Vec<String>) -> Started {
        let mut found = Started { targets: Vec::new(), programs: Vec::new(), scripts: Vec::new(), others: Vec::new() };
        for target in targets {
            match started_by(makefile, &target) {
                Some(program) => {
                    found.scripts.extend(scripts_after(&lines(makefile, &target), &program));
                    found.targets.push(target);
                    found.programs.push(program);
                }
                None => found.others.push(target),
            }
        }
        found
    }

    /// The program of a target's name, where the target only makes it: whoever tests types its name.
    fn by_name(makefile: &Makefile, target: &str) -> Option<Started> {
        let recipe = lines(makefile, target);
        let is_made = made_by(&recipe).any(|program| program == target) && recipe.len() == 1;
        let one = || vec![target.to_owned()];
        is_made.then(|| Started { targets: one(), programs: one(), scripts: Vec::new(), others: Vec::new() })
    }

    /// What builds them. They are made anew, so that one of before does not hide that it cannot be compiled; that it then fails is no failure to build.
    /// What make has made it keeps: else it would remove a program that crashes.
    pub(super) fn build(&self) -> String {
        let there: Vec<String> = self.programs.iter().map(|program| format!("test -x {program}")).collect();
        let (programs, targets) = (self.programs.join(" "), self.targets.join(" "));
        format!("rm -f {programs} && make -k --eval='.PRECIOUS: {targets}' {targets}; {}", there.join(" && "))
    }

    pub(super) fn runs(&self) -> Runs {
        let programs = self.programs.iter().map(|program| format!("./{program}"));
        Runs::Programs(programs.chain(self.scripts.iter().cloned()).collect())
    }
}

/// The program that a target's recipe makes and starts.
fn started_by(makefile: &Makefile, target: &str) -> Option<String> {
    let recipe = lines(makefile, target);
    // With arguments, a variable or a pipe it is more than to start the program.
    let is_started =
        |program: &&String| !program.contains('$') && recipe.iter().any(|line| line[..] == [(*program).clone()]);
    made_by(&recipe).find(is_started).cloned()
}

/// The scripts that a recipe runs behind where it makes the program: they test it or others, too.
fn scripts_after(recipe: &[Vec<String>], program: &str) -> Vec<String> {
    let makes = |line: &[String]| line.windows(2).any(|pair| pair[0] == "-o" && pair[1] == program);
    let is_plain = |line: &&Vec<String>| !line.iter().any(|word| word.contains(SHELL));
    let is_script = |line: &&Vec<String>| {
        line.first().is_some_and(|first| INTERPRETERS.contains(&first.as_str()))
            && line.get(1).is_some_and(|script| !script.starts_with('-'))
    };
    let behind = recipe.iter().skip_while(|line| !makes(line));
    behind.filter(is_script).filter(is_plain).map(|line| line.join(" ")).collect()
}

/// The words of the lines of a target's recipe, paths without a `./` in front.
fn lines(makefile: &Makefile, target: &str) -> Vec<Vec<String>> {
    let words = |line: &str| -> Vec<String> {
        let line = line.trim_start().trim_start_matches(['@', '-', '+']).replace("$@", target).replace("$(@)", target);
        line.split_whitespace().map(|word| word.strip_prefix("./").unwrap_or(word).to_owned()).collect()
    };
    makefile.recipe(target).into_iter().map(words).collect()
}

/// What the lines of a recipe write by `-o`.
fn made_by(recipe: &[Vec<String>]) -> impl Iterator<Item = &String> {
    recipe.iter().flat_map(|line| line.windows(2)).filter(|pair| pair[0] == "-o").map(|pair| &pair[1])
}
