//! Options that a tree of Autoconf is configured with: a first suspect.toml keeps them, for what the tests need may be made with them alone.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::test::command_text;

/// The script that `configure` leaves behind.
pub(super) const STATUS: &str = "config.status";
/// Its variable with the options: a list quoted for the shell, which is quoted once more.
const VARIABLE: &str = "ac_cs_config=";
/// What is set for each build anew: compilers are those of `suspect build`, and the rest is of `config.status --recheck`.
const LEFT_OUT: [&str; 5] = ["CC=", "CXX=", "CPP=", "--no-create", "--no-recursion"];
/// What calls the script, in the commands of [`super::build_section`].
const CALL: &str = "./configure ";

/// The command with the options of the tree behind `./configure`, if it calls that; and whether it did not have them all.
pub(super) fn with_options(root: &Path, command: &str) -> (String, bool) {
    let script = fs::read(root.join(STATUS)).unwrap_or_default();
    let has = |option: &String| command.split(' ').any(|word| word == option);
    let options: Vec<String> = options(&String::from_utf8_lossy(&script)).into_iter().filter(|one| !has(one)).collect();
    if options.is_empty() || !command.contains(CALL) {
        return (command.to_owned(), false);
    }
    let words: Vec<OsString> = options.into_iter().map(OsString::from).collect();
    (command.replacen(CALL, &format!("{CALL}{} ", command_text(&words)), 1), true)
}

/// The options that a `config.status` says; none where it has them in a way that is not known.
fn options(script: &str) -> Vec<String> {
    let list = script.lines().find_map(|line| line.strip_prefix(VARIABLE)).and_then(shlex::split);
    let list = list.and_then(|words| words.into_iter().next()).and_then(|list| shlex::split(&list));
    let mut options = list.unwrap_or_default();
    options.retain(|option| !LEFT_OUT.iter().any(|begin| option.starts_with(begin)));
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_however_often_they_are_quoted() {
        for (said, expected) in [
            // As Autoconf 2.69 writes it, and as 2.71 does.
            (r#""'--with-tests' 'CFLAGS=-g -O2' 'CC=gcc'""#, &["--with-tests", "CFLAGS=-g -O2"][..]),
            (r"'--with-tests '\''CFLAGS=-g -O2'\'' CC=gcc'", &["--with-tests", "CFLAGS=-g -O2"]),
            (r#""'LIBS=\$x \"y\"'""#, &[r#"LIBS=$x "y""#]),
            (r"''\''A=it'\''\'\'''\''s'\'''", &["A=it's"]),
            ("'--no-create --no-recursion'", &[]),
            (r#""""#, &[]),
            ("", &[]),
            ("'unclosed", &[]),
        ] {
            let script = format!("#! /bin/sh\nac_cs_version=1\n{VARIABLE}{said}\nac_pwd=x\n");
            assert_eq!(options(&script), expected, "{said}");
        }
        assert!(options("echo ac_cs_config='--x'\n").is_empty());
    }
}
