//! Shell lines that need no shell, or none that waits.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::exec::Stdin;

/// The command and its input without the shell, where its line is one program with plain words for arguments and at most an input
/// from a file; without the wait of the shell, where the line is one program. It runs in `cwd`, where there is what is in `like`.
pub(super) fn direct(argv: &[OsString], cwd: &Path, like: &Path) -> (Vec<OsString>, Stdin) {
    let [shell, option, line] = argv else { return (argv.to_vec(), Stdin::Null) };
    if shell != "/bin/sh" || option != "-c" || !is_simple(line.as_bytes()) {
        return (argv.to_vec(), Stdin::Null);
    }
    if let Some(words) = words(line.as_bytes())
        && words.first().is_some_and(|program| is_elf(&like.join(program)))
        && let Some(plain) = with_input(words, cwd, like)
    {
        return plain;
    }
    let mut replaced = OsString::from("exec ");
    replaced.push(line);
    (vec![shell.clone(), option.clone(), replaced], Stdin::Null)
}

/// The arguments, and the input that `<` names among them, which has to be there.
fn with_input(words: Vec<OsString>, cwd: &Path, like: &Path) -> Option<(Vec<OsString>, Stdin)> {
    let (mut argv, mut input) = (Vec::new(), None);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_bytes().strip_prefix(REDIRECTION) {
            None => argv.push(word),
            Some(_) if input.is_some() => return None,
            Some(b"") => input = Some(words.next()?),
            Some(name) => input = Some(OsStr::from_bytes(name).to_owned()),
        }
    }
    match input {
        Some(name) => File::open(like.join(&name)).is_ok().then(|| (argv, Stdin::File(cwd.join(name)))),
        None => Some((argv, Stdin::Null)),
    }
}

/// What a redirection of the input begins with among words, where no argument can.
const REDIRECTION: &[u8] = b"\0<";

/// Scripts are the shell's to run.
pub(super) fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

/// The words of a line in which nothing is expanded; `<` stands at the beginning of its own.
pub(super) fn words(line: &[u8]) -> Option<Vec<OsString>> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+./,:@%=^".contains(&byte);
    let (mut words, mut word, mut quote) = (Vec::new(), None::<Vec<u8>>, None);
    for &byte in line {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(b'"'), b'$' | b'`' | b'\\') => return None,
            (Some(_), _) => word.get_or_insert_default().push(byte),
            (None, b'\'' | b'"') => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            (None, b' ' | b'\t') => words.extend(word.take().map(OsString::from_vec)),
            (None, b'<') if word.is_none() => word = Some(REDIRECTION.to_vec()),
            (None, _) if plain(byte) => {
                // A word of its own follows `<` at once or after spaces, not a second one.
                word.get_or_insert_default().push(byte);
            }
            (None, _) => return None,
        }
    }
    words.extend(word.map(OsString::from_vec));
    quote.is_none().then_some(words)
}

/// Whether a shell's line is one program, called by its path: no other command, assignment, or word of the shell's own.
pub(super) fn is_simple(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let first = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./,:@%".contains(byte);
    if !first.contains(&b'/') || !first.iter().all(plain) {
        return false;
    }
    let (mut quote, mut before) = (None, 0);
    for &byte in line {
        match (quote, byte) {
            _ if before == b'\\' && quote != Some(b'\'') => {
                before = 0;
                continue;
            }
            (Some(open), _) if open == byte => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None | Some(b'"'), b'`') => return false,
            (None | Some(b'"'), b'(') if before == b'$' => return false,
            (None, b'&') if matches!(before, b'<' | b'>') => {}
            (None, b';' | b'&' | b'|' | b'(' | b')' | b'\n') => return false,
            _ => {}
        }
        before = byte;
    }
    quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_programs_need_no_shell_that_waits() {
        for line in ["./prog", " ./prog a 'b;c' \"d|e\" <in >out 2>&1", "/usr/bin/env x \\; y", "bin/t --a=b $HOME"] {
            assert!(is_simple(line.as_bytes()), "{line}");
        }
        let others = [
            "prog",
            "cd x",
            "./a; ./b",
            "./a && ./b",
            "./a | sort",
            "./a &",
            "A=b ./prog",
            "(./a)",
            "./a `b`",
            "./a $(b)",
            "! ./a",
            "./a \"$(b)\"",
            "./a 'b",
            "if ./a",
            "./a\n./b",
            "~/a",
            "\"./a b\"",
        ];
        for line in others {
            assert!(!is_simple(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn plain_words_need_no_shell_at_all() {
        let split = |line: &str| {
            let words = words(line.as_bytes())?;
            Some(words.iter().map(|word| word.to_string_lossy().replace('\0', "")).collect::<Vec<_>>().join("|"))
        };
        assert_eq!(split("./p -x a=b  c").as_deref(), Some("./p|-x|a=b|c"));
        assert_eq!(split("./p 'a b' \"c;d\" x'y'\"z\" ''").as_deref(), Some("./p|a b|c;d|xyz|"));
        assert_eq!(split("./p <in a < b").as_deref(), Some("./p|<in|a|<|b"));
        for line in
            ["./p $x", "./p \"$x\"", "./p *.c", "./p > out", "./p 2<in", "./p a\\ b", "./p ~", "./p 'a", "./p <<x"]
        {
            assert_eq!(split(line), None, "{line}");
        }
    }

    #[test]
    fn lines_of_one_program_do_without_their_shell() {
        let directory = tempfile::tempdir().unwrap();
        let cwd = directory.path();
        let argv = |line: &str| ["/bin/sh", "-c", line].map(OsString::from).to_vec();
        std::fs::write(cwd.join("prog"), b"\x7fELF...").unwrap();
        std::fs::write(cwd.join("script"), "echo").unwrap();
        std::fs::write(cwd.join("in"), "").unwrap();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(direct(&argv("./prog 1 '<' 2"), cwd, cwd), (words(&["./prog", "1", "<", "2"]), Stdin::Null));
        assert_eq!(direct(&argv("./prog < in"), cwd, cwd), (words(&["./prog"]), Stdin::File(cwd.join("in"))));
        for line in ["./script", "./prog < missing", "./prog > out", "./prog <in <in"] {
            assert_eq!(direct(&argv(line), cwd, cwd), (argv(&format!("exec {line}")), Stdin::Null), "{line}");
        }
        assert_eq!(direct(&argv("./prog; ./prog"), cwd, cwd), (argv("./prog; ./prog"), Stdin::Null));
        assert_eq!(direct(&words(&["./prog", "$x"]), cwd, cwd), (words(&["./prog", "$x"]), Stdin::Null));
    }
}
