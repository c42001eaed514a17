//! Code mutants of a real program: that what they read as is C, and which of them there are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use suspect::build::optimise::optimised;
use suspect::mutant::{Class, CodeMutant, Comparison, Forms, Status, code_mutants, edits};
use suspect::program::{ModuleImage, Operator, Program};
use suspect::source::{Text, apply};
use suspect::trial::Change;

use crate::project::tool;
use crate::world::projects::fetch;

/// Files and lines of them.
type Lines = BTreeSet<(u32, u32)>;

/// A program compiled for suspect, with its sources.
struct Compiled {
    directory: tempfile::TempDir,
    program: Program,
    texts: BTreeMap<u32, Text>,
    mutants: Vec<CodeMutant>,
}

impl Compiled {
    /// Some sources of a directory, compiled without being linked.
    fn new(sources: &Path, files: &[&str]) -> Compiled {
        let directory = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(sources).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "c" || extension == "h") {
                fs::copy(&path, directory.path().join(path.file_name().unwrap())).unwrap();
            }
        }
        let root = directory.path().canonicalize().unwrap();
        let build = |arguments: &[&str]| {
            let mut command = Command::new(tool());
            command.args(["build", "--modes", "trace", "--", "cc", "-c"]).args(arguments).current_dir(&root);
            // There is no program yet, which is an error of the build as a whole.
            command.output().unwrap()
        };
        let said = build(files);
        let objects: Vec<Vec<u8>> = files
            .iter()
            .map(|file| {
                let path = root.join(file).with_extension("o");
                fs::read(&path).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&said.stderr)))
            })
            .collect();
        let images: Vec<ModuleImage> =
            files.iter().zip(&objects).map(|(name, bytes)| ModuleImage { name, bytes }).collect();
        let program = Program::load(&images, root.to_str().unwrap()).unwrap();
        let read = |(index, name): (u32, &String)| Some((index, Text::parse(fs::read(root.join(name)).ok()?)));
        let mut texts: BTreeMap<u32, Text> = (0..).zip(&program.files).filter_map(read).collect();
        let headers = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
        let headers = headers.filter(|path| path.extension().is_some_and(|extension| extension == "h"));
        texts.extend((program.files.len() as u32..).zip(headers.map(|path| Text::parse(fs::read(path).unwrap()))));
        let mutants = code_mutants(&program, &texts);
        Compiled { directory, program, texts, mutants }
    }

    fn compare(&mut self) {
        let comparison = Comparison::new(&self.program, &self.texts, &self.mutants);
        let made = |known: &Forms| {
            let modules = comparison.modules(known);
            let all = modules
                .iter()
                .fold(known.clone(), |forms, module| comparison.forms(&forms, &optimised(module, None).unwrap()));
            (modules.concat().len(), all)
        };
        let (whole, forms) = made(&Forms::new());
        // Half of what is known leaves the other half to compile, and comes to the same.
        let half: Forms = forms.iter().filter(|(text, _)| *text % 2 == 0).map(|(text, form)| (*text, *form)).collect();
        let (rest, again) = made(&half);
        assert!(rest < whole);
        assert_eq!(again, forms);
        comparison.judge(&forms, &mut self.mutants);
    }

    /// Whether the program's text with all of these mutants at once is C, and how the compiler complains if not.
    fn compiles(&self, mutants: &[&CodeMutant]) -> Result<(), String> {
        let edits = edits(&self.program, &self.texts, mutants.iter().copied()).map_err(|clash| clash.to_string())?;
        let place = tempfile::tempdir_in(self.directory.path()).unwrap();
        let names: BTreeSet<&str> = edits.iter().map(|edit| edit.file.as_str()).collect();
        for name in names {
            let source = fs::read(self.directory.path().join(name)).unwrap();
            let new = apply(&source, edits.iter().filter(|edit| edit.file == name)).expect("edits that fit");
            let path = place.path().join(name);
            fs::write(&path, new).unwrap();
            let mut command = Command::new("clang-19");
            command.args(["-fsyntax-only", "-w", "-I"]).arg(self.directory.path()).arg(&path);
            let output = command.output().unwrap();
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
        }
        Ok(())
    }

    /// Splits mutants of one file into rounds in which none clashes with another.
    fn rounds<'m>(&self, mutants: &[&'m CodeMutant]) -> Vec<Vec<&'m CodeMutant>> {
        let mut rounds: Vec<(Vec<&CodeMutant>, Lines)> = Vec::new();
        for mutant in mutants {
            // Not two in one line: it must be one mutant's doing if a round does not compile.
            let edit = mutant.edit.as_ref().unwrap();
            let lines: Vec<(u32, u32)> = (edit.line..=edit.end_line).map(|line| (mutant.place.file, line)).collect();
            let free = rounds.iter_mut().find(|(_, taken)| lines.iter().all(|line| !taken.contains(line)));
            match free {
                Some((round, taken)) => {
                    round.push(mutant);
                    taken.extend(lines);
                }
                None => rounds.push((vec![mutant], lines.into_iter().collect())),
            }
        }
        rounds.into_iter().map(|(round, _)| round).collect()
    }
}

/// How many of each class and status.
fn census(mutants: &[CodeMutant]) -> BTreeMap<(Class, String), usize> {
    let mut counts = BTreeMap::new();
    for mutant in mutants {
        let status = match mutant.status {
            Status::Duplicate(_) => "Duplicate".to_owned(),
            status => format!("{status:?}"),
        };
        *counts.entry((mutant.class, status)).or_insert(0) += 1;
    }
    counts
}

/// Two programs of different style, with macros, conditional code and definitions of the old kind.
fn lua() -> Compiled {
    Compiled::new(&fetch::registry("lua-src").join("lua-5.4.6"), &["lcode.c", "lstrlib.c", "lutf8lib.c"])
}

fn zlib() -> Compiled {
    Compiled::new(&fetch::registry("libz-sys").join("src/zlib"), &["deflate.c", "inflate.c", "trees.c", "crc32.c"])
}

#[test]
fn mutants_of_real_code_are_c() {
    [lua(), zlib()].into_iter().for_each(all_are_c);
}

fn all_are_c(mut compiled: Compiled) {
    compiled.compare();
    let counts = census(&compiled.mutants);
    println!("{counts:?}");
    for class in
        [Class::Aor, Class::Ror, Class::Crp, Class::Uoi, Class::Vrr, Class::Sdl, Class::Asr, Class::Bod, Class::Sti]
    {
        let normal = counts.get(&(class, "Normal".to_owned())).copied().unwrap_or(0);
        assert!(normal >= 200, "only {normal} mutants of class {}", class.name());
    }
    let made_up = |(_, status): &(Class, String)| ["Junk(Made)", "Junk(NoText)", "Junk(Several)"].contains(&&**status);
    let unexplained: usize = counts.iter().filter(|(key, _)| made_up(key)).map(|(_, count)| count).sum();
    assert!(unexplained * 20 < compiled.mutants.len(), "{counts:?}");
    let normal: Vec<&CodeMutant> = compiled.mutants.iter().filter(|mutant| mutant.is_normal()).collect();
    let mut wrong = Vec::new();
    for round in compiled.rounds(&normal) {
        if let Err(complaint) = compiled.compiles(&round) {
            wrong.push(complaint);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

/// The functions of a source as clang's front end sees them, each as its instructions.
fn functions(compiled: &Compiled, source: &Path) -> BTreeMap<String, Vec<String>> {
    let mut command = Command::new("clang-19");
    // Variables keep their names; what is computed has other names when something else is computed.
    command.args(["-S", "-emit-llvm", "-O0", "-w", "-fno-discard-value-names", "-o", "-", "-I"]);
    let output = command.arg(compiled.directory.path()).arg(source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut found = BTreeMap::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in text.lines() {
        match &mut open {
            None if line.starts_with("define ") => {
                let name = line.split_once('@').unwrap().1.split_once('(').unwrap().0;
                open = Some((name.to_owned(), Vec::new()));
            }
            Some(_) if line == "}" => {
                let (name, lines) = open.take().unwrap();
                found.insert(name, numbered(&lines));
            }
            Some((_, lines)) => lines.push(line.split(';').next().unwrap().to_owned()),
            None => {}
        }
    }
    found
}

/// The instruction of an operator.
fn instruction(operator: Operator) -> &'static [&'static str] {
    use Operator::*;
    match operator {
        Add => &["add"],
        Sub => &["sub"],
        Mul => &["mul"],
        SignedDiv => &["sdiv"],
        UnsignedDiv => &["udiv"],
        SignedRem => &["srem"],
        UnsignedRem => &["urem"],
        And => &["and"],
        Or => &["or"],
        Xor => &["xor"],
        Shl => &["shl"],
        SignedShr => &["ashr"],
        UnsignedShr => &["lshr"],
        Equal => &["icmp", "eq"],
        NotEqual => &["icmp", "ne"],
        SignedLess => &["icmp", "slt"],
        SignedLessEqual => &["icmp", "sle"],
        SignedGreater => &["icmp", "sgt"],
        SignedGreaterEqual => &["icmp", "sge"],
        UnsignedLess => &["icmp", "ult"],
        UnsignedLessEqual => &["icmp", "ule"],
        UnsignedGreater => &["icmp", "ugt"],
        UnsignedGreaterEqual => &["icmp", "uge"],
        FloatAdd => &["fadd"],
        FloatSub => &["fsub"],
        FloatMul => &["fmul"],
        FloatDiv => &["fdiv"],
        FloatEqual => &["fcmp", "oeq"],
        FloatNotEqual => &["fcmp", "une"],
        FloatLess => &["fcmp", "olt"],
        FloatLessEqual => &["fcmp", "ole"],
        FloatGreater => &["fcmp", "ogt"],
        FloatGreaterEqual => &["fcmp", "oge"],
        First | Second => &[],
    }
}

/// A function's instructions in which computed values have no names but the order in which they appear, and variables and labels no
/// numbers, which depend on those names.
fn numbered(lines: &[String]) -> Vec<String> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        if let Some((name, rest)) = line.trim_start().split_once(" = ")
            && !rest.starts_with("alloca")
        {
            let number = numbers.len();
            numbers.entry(name).or_insert(number);
        }
    }
    let word = |word: &str| match numbers.get(word) {
        Some(number) => format!("%v{number}"),
        None if word.starts_with('%') || word.ends_with(':') => without_number(word.trim_end_matches(':')).to_owned(),
        None => word.to_owned(),
    };
    lines.iter().map(|line| words(line).into_iter().map(word).collect::<Vec<_>>().join(" ")).collect()
}

fn without_number(name: &str) -> &str {
    name.trim_end_matches(|one: char| one.is_ascii_digit())
}

/// An instruction's words, without what it only promises.
fn words(line: &str) -> Vec<&str> {
    let promises = ["nsw", "nuw", "exact", "disjoint", "samesign", "inbounds"];
    let words = line.split([' ', ',', '(', ')']).filter(|word| !word.is_empty() && !promises.contains(word));
    words.collect()
}

/// Whether the one instruction that an edit changed is what the mutant makes of it.
fn is_what_the_mutant_does(mutant: &CodeMutant, before: &[&str], after: &[&str]) -> bool {
    let differing = before.iter().zip(after).filter(|(before, after)| before != after);
    let differing: Vec<(&str, &str)> = differing.map(|(before, after)| (*before, *after)).collect();
    match &mutant.overrides[0].change {
        Change::Operator(new) => instruction(*new).iter().all(|word| after.contains(word)),
        // The variable that is loaded.
        Change::Choose(_) => {
            let is_new = |word: &str| {
                let name = word.trim_start_matches(['%', '@']).trim_end_matches(".addr");
                without_number(name) == without_number(&mutant.replacement)
            };
            before.contains(&"load") && differing.len() == 1 && is_new(differing[0].1)
        }
        Change::Left(bits) | Change::Right(bits) | Change::Set(bits) => {
            let signed = [
                *bits as i64,
                i64::from(*bits as u32 as i32),
                i64::from(*bits as u16 as i16),
                i64::from(*bits as u8 as i8),
            ];
            let is_float = |word: &str| word.contains('.') || word.starts_with("0x");
            let is_new = |word: &str| {
                signed.iter().any(|value| word == value.to_string())
                    || is_float(word)
                    || ["true", "false"].contains(&word)
            };
            differing.len() == 1 && is_new(differing[0].1)
        }
        _ => true,
    }
}

/// The edit says what the override does: compiled plainly, it changes one instruction, to the one that runs with the mutant.
#[test]
fn an_edit_changes_the_instruction_that_the_mutant_changes() {
    [lua(), zlib()].into_iter().for_each(all_change_their_instruction);
}

fn all_change_their_instruction(compiled: Compiled) {
    let place = tempfile::tempdir_in(compiled.directory.path()).unwrap();
    let mut rounds: BTreeMap<(u32, usize), Vec<&CodeMutant>> = BTreeMap::new();
    let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
    let changes_one = |mutant: &&CodeMutant| {
        let change = &mutant.overrides[0].change;
        mutant.is_normal()
            && mutant.class.is_usual()
            && matches!(change, Change::Operator(_) | Change::Left(_) | Change::Right(_) | Change::Set(_))
    };
    // One for each function in each round, far from the one before.
    for mutant in
        compiled.mutants.iter().filter(changes_one).enumerate().filter(|(n, _)| n % 3 == 0).map(|(_, one)| one)
    {
        let round = taken.entry(mutant.function).or_insert(0);
        rounds.entry((mutant.place.file, *round)).or_default().push(mutant);
        *round += 1;
    }
    let mut originals = BTreeMap::new();
    let (mut checked, mut wrong) = (0, Vec::new());
    for ((file, round), mutants) in rounds.into_iter().filter(|((_, round), _)| *round < 14) {
        let name = &compiled.program.files[file as usize];
        if !name.ends_with(".c") {
            continue;
        }
        let source = fs::read(compiled.directory.path().join(name)).unwrap();
        let original =
            originals.entry(file).or_insert_with(|| functions(&compiled, &compiled.directory.path().join(name)));
        let edits = edits(&compiled.program, &compiled.texts, mutants.iter().copied()).unwrap();
        let path = place.path().join(format!("{round}{name}"));
        fs::write(&path, apply(&source, &edits).unwrap()).unwrap();
        let edited = functions(&compiled, &path);
        for mutant in mutants {
            let function = &compiled.program.functions[mutant.function as usize].name;
            let (before, after) = (&original[function], &edited[function]);
            let (before, after): (Vec<_>, Vec<_>) =
                (before.iter().map(|line| words(line)).collect(), after.iter().map(|line| words(line)).collect());
            let differing: Vec<_> = before.iter().zip(&after).filter(|(before, after)| before != after).collect();
            checked += 1;
            let right = before.len() == after.len()
                && matches!(differing[..], [(before, after)] if is_what_the_mutant_does(mutant, before, after));
            if !right {
                let differing: Vec<_> = differing.into_iter().take(3).collect();
                wrong.push(format!("{name}: {:?} {:?}: {differing:?}\n", mutant.edit, mutant.overrides));
            }
        }
    }
    println!("{checked} edits compared");
    assert!(checked >= 500, "only {checked}");
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.concat());
}
