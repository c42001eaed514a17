//! Build trees that were configured for a compiler that we cannot stand in for.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::names::LAUNCHER;
use super::toolchain::is_self;

/// A configured tree whose compiler escapes us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleTree {
    /// The file that names the compiler.
    pub file: PathBuf,
    /// The compiler.
    pub compiler: String,
    /// What to type to configure it again.
    pub advice: String,
}

/// What kind of command a build command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildCommand {
    /// CMake configuring this build tree.
    Configure(PathBuf),
    /// Something that builds in this directory.
    Build(PathBuf),
}

impl BuildCommand {
    /// Understands a command line that runs in `directory`.
    pub fn of(command: &[OsString], directory: &Path) -> BuildCommand {
        let name = command.first().map(|word| Path::new(word).file_name().unwrap_or(word)).unwrap_or_default();
        let arguments = command.get(1..).unwrap_or_default();
        match name.to_str() {
            Some("cmake") => cmake_command(arguments, directory),
            Some("make" | "gmake" | "ninja" | "meson" | "samu") => {
                BuildCommand::Build(directory.join(value_of(arguments, &["-C", "--directory"]).unwrap_or_default()))
            }
            _ => BuildCommand::Build(directory.to_owned()),
        }
    }
}

fn cmake_command(arguments: &[OsString], directory: &Path) -> BuildCommand {
    let other = ["--install", "-E", "-P", "--open", "--find-package", "--version", "--help", "--workflow"];
    if let Some(tree) = value_of(arguments, &["--build"]) {
        return BuildCommand::Build(directory.join(tree));
    }
    if arguments.is_empty() || arguments.iter().any(|word| other.iter().any(|name| word == name)) {
        return BuildCommand::Build(directory.to_owned());
    }
    let named = value_of(arguments, &["-B"]).map(|tree| directory.join(tree));
    // `cmake DIR`: a configured tree itself, or the source of the tree in the current directory.
    let existing = arguments.iter().map(|word| directory.join(word)).find(|path| path.join("CMakeCache.txt").is_file());
    BuildCommand::Configure(named.or(existing).unwrap_or_else(|| directory.to_owned()))
}

/// The value of the first of `options` in `arguments`, written apart or together.
fn value_of(arguments: &[OsString], options: &[&str]) -> Option<OsString> {
    arguments.iter().enumerate().find_map(|(at, word)| {
        options.iter().find_map(|option| match word.as_bytes().strip_prefix(option.as_bytes())? {
            [] => arguments.get(at + 1).cloned(),
            rest => Some(OsStr::from_bytes(rest.strip_prefix(b"=").unwrap_or(rest)).to_owned()),
        })
    })
}

/// The stale tree that `command` would work on.
pub fn check(command: &[OsString], directory: &Path) -> Option<StaleTree> {
    match BuildCommand::of(command, directory) {
        BuildCommand::Configure(tree) => cmake_cache(&tree, false),
        BuildCommand::Build(tree) => cmake_cache(&tree, true).or_else(|| meson_tree(&tree)),
    }
}

fn cmake_cache(tree: &Path, building: bool) -> Option<StaleTree> {
    let file = tree.join("CMakeCache.txt");
    let text = String::from_utf8_lossy(&fs::read(&file).ok()?).into_owned();
    let entry = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.split_once('=').map(|(_, value)| value))
    };
    let compiler = entry("CMAKE_C_COMPILER")?;
    let launched = entry("CMAKE_C_COMPILER_LAUNCHER").is_some_and(|words| words.contains(LAUNCHER));
    // Configuring again sets the launchers, but make then builds nothing anew.
    if launched || is_self(Path::new(compiler)) {
        return None;
    }
    let source = entry("CMAKE_HOME_DIRECTORY").unwrap_or("SOURCE");
    let again = if building { " && suspect build -- cmake --build " } else { "" };
    let tree_word = shell_word(&tree.to_string_lossy());
    let advice = format!(
        "rm -r {tree_word} && suspect build -- cmake -S {} -B {tree_word}{again}{}",
        shell_word(source),
        if building { &tree_word } else { "" }
    );
    Some(StaleTree { file, compiler: compiler.to_owned(), advice })
}

fn meson_tree(tree: &Path) -> Option<StaleTree> {
    if !tree.join("meson-private").is_dir() {
        return None;
    }
    let file = tree.join("build.ninja");
    let text = String::from_utf8_lossy(&fs::read(&file).ok()?).into_owned();
    let rule = text.lines().skip_while(|line| line.trim_end() != "rule c_COMPILER").nth(1)?;
    let compiler = super::tree::absolute_compiler_of(rule.split_once('=')?.1)?;
    if is_self(Path::new(compiler)) {
        return None;
    }
    let tree_word = shell_word(&tree.to_string_lossy());
    let advice = format!("rm -r {tree_word} && suspect build -- meson setup {tree_word}");
    Some(StaleTree { file, compiler: compiler.to_owned(), advice })
}

/// `text` as one word of a shell's command line.
pub fn shell_word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=+:,@%".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> BuildCommand {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        BuildCommand::of(&words, Path::new("/w"))
    }

    #[test]
    fn commands_are_told_apart() {
        let (configure, build) = (BuildCommand::Configure, BuildCommand::Build);
        assert_eq!(of("cmake -S . -B build"), configure("/w/build".into()));
        assert_eq!(of("cmake -Bout -DX=1 ."), configure("/w/out".into()));
        assert_eq!(of("/usr/bin/cmake .."), configure("/w".into()));
        assert_eq!(of("cmake --build build -j4"), build("/w/build".into()));
        assert_eq!(of("cmake --install build"), build("/w".into()));
        assert_eq!(of("make -C sub all"), build("/w/sub".into()));
        assert_eq!(of("make --directory=sub"), build("/w/sub".into()));
        assert_eq!(of("ninja -Csub"), build("/w/sub".into()));
        assert_eq!(of("./build.sh"), build("/w".into()));
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_word("a/b.c"), "a/b.c");
        assert_eq!(shell_word("a b"), "'a b'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}
