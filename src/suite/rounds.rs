//! Loops of recipes: `for t in a b; do ./$t || exit 1; done` is a command for each of its words.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::line;
use super::started::SAID;

/// Rounds of a loop, at most: as many as there are tests of one recipe.
const MOST: usize = 300;
/// What goes before the loop, its variable, its words, what it does, and what follows it.
static LOOP: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = "(?s)^(|.*?[ \t\n;&({])for[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]+in[ \t]+([^;\n]*?)[ \t]*[;\n][ \t\n]*do[ \t\n]+\
                   (.*?)[ \t\n]*[;\n][ \t\n]*done((?:[ \t\n;&|)}].*)?)$";
    Regex::new(pattern).expect("a pattern")
});
/// What ends a loop where a command of it fails, and nothing more.
static GIVES_UP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[ \t]*\|\|[ \t]*(exit|break|false)([ \t]+([1-9][0-9]*|\$\?))?[ \t]*$").expect("a pattern")
});
/// Words of a shell that make one line more than a loop.
const NESTING: [&str; 9] = ["for", "while", "until", "case", "select", "done", "let", "read", "eval"];
/// What a variable's text may be cut by.
const CUTS: [&str; 4] = ["%%", "%", "##", "#"];

/// A round of a loop.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// The loop's word.
    pub(super) word: String,
    /// What a shell executes.
    pub(super) line: String,
    /// The same with the word for the variable, which shows what it names.
    pub(super) text: String,
}

/// The rounds of the one loop of a line that runs in `dir`; nothing where it has none over plain words, or one round hands a variable on to the next.
pub(super) fn of(line: &str, dir: &Path) -> Option<Vec<Round>> {
    let line = line.replace("\\\n", " ");
    let parts = LOOP.captures(&line)?;
    let [before, variable, words, body, behind] =
        [1, 2, 3, 4, 5].map(|part| parts.get(part).map_or("", |part| part.as_str()));
    let is_more = [before, body, behind].iter().any(|part| identifiers(part).any(|(_, word)| NESTING.contains(&word)));
    if is_more || hands_on(body, variable) {
        return None;
    }
    let moves = identifiers(before).any(|(_, word)| word == "cd");
    // A list of files is the files.
    let listed = [("`ls ", '`'), ("$(ls ", ')')]
        .into_iter()
        .find_map(|(begin, end)| words.strip_prefix(begin)?.strip_suffix(end))
        .filter(|listed| !listed.contains(['`', '|']) && listed.split(' ').all(|word| !word.starts_with('-')));
    let words: Option<Vec<Vec<String>>> =
        listed.unwrap_or(words).split_whitespace().map(|word| expanded(word, dir, moves)).collect();
    let words = words?.concat();
    let round = |word: &String| {
        let said = replaced(body, variable, word);
        let is_alone = ["", "set -e"].contains(&before.trim_matches([' ', '\t', ';']))
            && behind.trim_matches([' ', '\t', ';']).is_empty();
        let line = only_command(&said).filter(|_| is_alone).map(str::to_owned);
        Round {
            word: word.clone(),
            line: line.unwrap_or_else(|| format!("{before}for {variable} in {word}; do {body}; done{behind}")),
            text: said,
        }
    };
    (!words.is_empty() && words.len() <= MOST).then(|| words.iter().map(round).collect())
}

/// The words that one stands for: files that it matches, where the line has not gone to another directory.
fn expanded(word: &str, dir: &Path, moves: bool) -> Option<Vec<String>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+./,:@%=".contains(c);
    if word.chars().all(is_plain) {
        return Some(vec![word.to_owned()]);
    }
    if moves || word.starts_with('/') || !word.chars().all(|c| is_plain(c) || "*?[]!".contains(c)) {
        return None;
    }
    let pattern = format!("{}/{word}", glob::Pattern::escape(dir.to_str()?));
    let files = glob::glob(&pattern).ok()?.filter_map(Result::ok);
    let found: Vec<String> = files.filter_map(|file| Some(file.strip_prefix(dir).ok()?.to_str()?.to_owned())).collect();
    // A name may mean something to a shell, too.
    (!found.is_empty() && found.iter().all(|name| name.chars().all(is_plain))).then_some(found)
}

/// The identifiers of a text, and where they begin.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    text.split(move |c: char| !is_part(c)).filter_map(move |word| {
        let begin = at;
        at += word.len() + text[begin + word.len()..].chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((begin, word))
    })
}

/// Whether a round may read what the one before it has put into a variable: it counts, say, and files are called by the number. What is only collected, such as
/// the names of those that fail, is none.
fn hands_on(body: &str, variable: &str) -> bool {
    let computes = body.replace("$((", "").contains("((") || body.contains("+=");
    let is_set = |(at, name): &(usize, &str)| body[at + name.len()..].starts_with('=') && !body[..*at].ends_with('$');
    let set: BTreeSet<&str> = identifiers(body).filter(is_set).map(|(_, name)| name).collect();
    let reads_older = |name: &&str| {
        let value_of = |at: usize| &body[at..at + body[at..].find([';', '\n', '&', '|']).unwrap_or(body.len() - at)];
        let mut values = identifiers(body).filter(|one| one.1 == *name).filter(is_set);
        let own = |at: usize| identifiers(value_of(at)).filter(|(_, word)| word == name).count();
        let Some((first, _)) = values.next() else { return false };
        let begins = identifiers(body).find(|(_, word)| word == name).is_some_and(|(at, _)| at == first);
        let set_anew = begins && own(first) == 1;
        let in_values: usize = own(first) + values.map(|(at, _)| own(at)).sum::<usize>();
        let all = identifiers(body).filter(|(_, word)| word == name).count();
        !set_anew && all > in_values
    };
    computes || set.contains(variable) || set.iter().any(reads_older)
}

/// A text with a word for a variable.
fn replaced(text: &str, variable: &str, word: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, behind) = rest.split_at(at);
        result.push_str(before);
        let (value, length) = value_at(behind, variable, word).unwrap_or_else(|| ("$".to_owned(), 1));
        result.push_str(&value);
        rest = &behind[length..];
    }
    result + rest
}

/// The value of the variable that a text begins with, and how long that is in the text.
fn value_at(text: &str, variable: &str, word: &str) -> Option<(String, usize)> {
    if let Some(rest) = text.strip_prefix("${").and_then(|rest| rest.strip_prefix(variable)) {
        let (cut, _) = rest.split_once('}')?;
        return Some((cut_by(word, cut)?.to_owned(), "${}".len() + variable.len() + cut.len()));
    }
    let rest = text.strip_prefix('$')?.strip_prefix(variable)?;
    let is_longer = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (!is_longer).then(|| (word.to_owned(), 1 + variable.len()))
}

/// What `${name%.c}` and the like leave of a word.
fn cut_by<'w>(word: &'w str, cut: &str) -> Option<&'w str> {
    let Some((sign, text)) = CUTS.into_iter().find_map(|sign| Some((sign, cut.strip_prefix(sign)?))) else {
        return cut.is_empty().then_some(word);
    };
    match (sign, text) {
        ("##", "*/") => Some(word.rsplit('/').next().unwrap_or(word)),
        (_, text) if text.contains(['*', '?', '[', '$']) => None,
        ("%" | "%%", end) => Some(word.strip_suffix(end).unwrap_or(word)),
        (_, begin) => Some(word.strip_prefix(begin).unwrap_or(word)),
    }
}

/// The only command of a round that does more than to say something, where the round fails as that does.
fn only_command(body: &str) -> Option<&str> {
    let says = |command: &&str| {
        let first = command.split_whitespace().next();
        first.is_none_or(|first| SAID.contains(&first)) && !command.contains(['>', '|', '&', '`'])
    };
    let mut commands = body.split([';', '\n']).map(str::trim).filter(|command| !says(command));
    let (command, None) = (commands.next()?, commands.next()) else { return None };
    // What is said last decides on the status.
    let alone = GIVES_UP.find(command).map(|end| &command[..end.start()]);
    let is_last = body.trim_end_matches([' ', '\t', '\n', ';']).ends_with(command);
    let command = alone.or_else(|| is_last.then_some(command))?;
    is_start(command).then_some(command)
}

/// Whether a command is the start of one program, with variables of its own at most.
pub(super) fn is_start(command: &str) -> bool {
    let is_set = |word: &&str| word.split_once('=').is_some_and(|(name, _)| identifiers(name).eq([(0, name)]));
    let set: usize = command.split(' ').take_while(is_set).map(|word| word.len() + 1).sum();
    let is_plain = !command.contains(['$', '`']);
    is_plain && command.get(set..).is_some_and(|start| line::is_simple(start.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn rounds(line: &str) -> Option<Vec<[String; 2]>> {
        let rounds = of(line, Path::new("/nowhere"))?;
        Some(rounds.into_iter().map(|round| [round.line, round.text]).collect())
    }

    #[test]
    fn a_round_that_is_one_command_is_that_command() {
        for line in [
            "for t in x y; do ./$t || exit 1; done",
            "for t in x y;do \\\n\techo $t:; \\\n\t./$t || exit; \\\ndone",
            "set -e; for t in x y; do ./${t}; done;",
        ] {
            let lines: Vec<String> = rounds(line).unwrap().into_iter().map(|[line, _]| line).collect();
            assert_eq!(lines, ["./x", "./y"], "{line}");
        }
        let with = rounds("for i in a/s a/t; do L=a $i  \"\" || exit; done").unwrap();
        assert_eq!(with[1], ["L=a a/t  \"\"", "L=a a/t  \"\" || exit"]);
    }

    #[test]
    fn a_round_that_is_more_stays_a_loop_with_one_word() {
        let line = "f=0; for t in x y; do ./$t > $t.out || f=1; done; exit $f";
        let text = |word: &str| format!("./{word} > {word}.out || f=1");
        let line = |word: &str| line.replace("x y", word);
        assert_eq!(rounds(&line("x y")).unwrap(), [[line("x"), text("x")], [line("y"), text("y")]]);
        for more in ["./$t || true", "./$t; ./a", "./$t || exit 0", "./$t; echo $t", "./p ${t%/*}", "./$t &"] {
            let all = rounds(&format!("for t in x y; do {more}; done")).unwrap();
            assert_eq!(all[0][0], format!("for t in x; do {more}; done"), "{more}");
        }
    }

    #[test]
    fn a_loop_whose_rounds_hang_together_is_none() {
        for body in [
            "n=$((n+1)); ./$t > $n",
            "n=`expr $n + 1`; ./$t $n",
            "./$t $last; last=$t",
            "t=a$t; ./$t",
            "let n=n+1; ./$t",
            "((n+=1)); ./$t",
            "for u in 1 2; do ./$t $u; done",
            "case $t in x) ./x;; esac",
        ] {
            assert_eq!(rounds(&format!("for t in x y; do {body}; done")), None, "{body}");
        }
        for line in [
            "./x",
            "for t in $l; do ./$t; done",
            "for t in `ls`; do ./$t; done",
            "for t in x y; do ./$t; done; for u in z; do ./$u; done",
        ] {
            assert_eq!(rounds(line), None, "{line}");
        }
        for body in ["./$t || failed=\"$failed $t\"", "b=`basename $t`; ./$t > $b", "./$t && n=$((n+1))"] {
            assert!(rounds(&format!("for t in x y; do {body}; done")).is_some(), "{body}");
        }
    }

    #[test]
    fn what_a_variable_is_cut_by_is_cut() {
        let cut = |text: &str| replaced(text, "t", "a/b.in");
        assert_eq!(
            cut("$t ${t} $ts ${t%.in} ${t%%.in}.o ${t##*/} ${t#a/} ${t%/*} $$"),
            "a/b.in a/b.in $ts a/b a/b.o b.in b.in ${t%/*} $$"
        );
    }

    #[test]
    fn patterns_are_the_files_that_match_in_the_order_of_a_shell() {
        let dir = tempfile::tempdir().unwrap();
        ["b.sh", "a.sh", "c.in"].iter().for_each(|name| fs::write(dir.path().join(name), "").unwrap());
        let lines =
            |line: &str| of(line, dir.path()).map(|all| all.into_iter().map(|one| one.text).collect::<Vec<_>>());
        assert_eq!(lines("for t in *.sh; do sh $t; done").unwrap(), ["sh a.sh", "sh b.sh"]);
        assert_eq!(lines("for t in `ls [ab]*.sh`; do sh $t; done").unwrap(), ["sh a.sh", "sh b.sh"]);
        assert_eq!(lines("for t in $(ls -r *.sh); do sh $t; done"), None);
        assert_eq!(lines("cd x; for t in *.sh; do sh $t; done"), None);
        assert_eq!(lines("for t in *.pl; do sh $t; done"), None);
        fs::write(dir.path().join("d;.sh"), "").unwrap();
        assert_eq!(lines("for t in *.sh; do sh $t; done"), None);
    }

    proptest! {
        #[test]
        fn no_line_is_too_odd(line in "(for t in |do |done|[;\\n$t{}%=é(]| ){0,30}", word in "[a/]{1,3}") {
            let _ = rounds(&line);
            let _ = replaced(&line, "t", &word);
        }
    }
}
