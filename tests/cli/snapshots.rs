//! Screens as a terminal of 80 or 200 columns shows them, with colours and without: no line is longer than the terminal, colours change no word, and
//! the words are those in `tests/golden/screens`.

use std::fs;
use std::path::Path;
use std::process::Command;

use textwrap::core::display_width;

use crate::all_evidence::{AMONG_OTHERS, parcel_run};
use crate::project::{Project, text, tool};

/// Commands whose screens are kept, each with the most lines that it may take on 80 columns; `FIRST` is the first line of the ranking.
const SCREENS: [(&str, &str, usize); 7] = [
    ("test", "test", 12),
    ("rank", "rank", 25),
    ("why", "rank --why FIRST", 40),
    ("explain", "explain", 50),
    ("report", "report", 40),
    ("glossary", "glossary flip", 12),
    ("help", "--help", 40),
];

/// What a terminal of so many columns gets.
fn on_terminal(project: &Project, arguments: &str, columns: usize, colours: bool) -> String {
    let line = format!("stty cols {columns} rows 50; '{}' {arguments}", tool().display());
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(project.path()).env("TERM", "xterm-256color");
    command.env_remove("NO_COLOR").env_remove("CI").env("SHELL", "/bin/sh");
    if !colours {
        command.env("NO_COLOR", "1");
    }
    let output = command.output().expect("script is part of Debian's bsdutils");
    last_screen(&text(&output))
}

/// The text without what status lines wrote over themselves.
fn last_screen(raw: &str) -> String {
    let lines = raw.replace("\r\n", "\n");
    let kept = lines.split('\n').map(|line| line.rsplit('\r').next().unwrap_or_default());
    kept.collect::<Vec<_>>().join("\n")
}

/// Words without escape sequences.
fn plain(screen: &str) -> String {
    String::from_utf8(anstream::adapter::strip_bytes(screen.as_bytes()).into_vec()).unwrap()
}

/// A screen without what differs from day to day: times, and how many trials the time was enough for.
fn timeless(screen: &str) -> String {
    let mut words = screen.to_owned();
    for (pattern, replacement) in [
        ("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC", "DATE"),
        (r"[0-9]+(\.[0-9]+)? m?s(?-u:\b)", "TIME"),
        ("suspect-test-[A-Za-z0-9]+", "PROJECT"),
        ("/tmp/[^ \n]+", "PATH"),
    ] {
        words = regex::Regex::new(pattern).unwrap().replace_all(&words, replacement).into_owned();
    }
    words.lines().map(str::trim_end).filter(|line| !line.starts_with("suspect: ")).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn screens_fit_terminals_and_say_the_same_with_and_without_colours() {
    let project = parcel_run(AMONG_OTHERS);
    project.succeed(&["rank"]);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/screens");
    let first = project.ranking(&["--no-trials"])["ranking"][0]["unit"].as_str().unwrap().to_owned();
    for (name, arguments, most) in SCREENS {
        let arguments = &arguments.replace("FIRST", &first);
        for columns in [80, 200] {
            let coloured = on_terminal(&project, arguments, columns, true);
            let words = plain(&on_terminal(&project, arguments, columns, false));
            let shown = timeless(&words);
            assert_eq!(timeless(&plain(&coloured)), shown, "{arguments}: colours change words");
            let is_status = |line: &&str| !line.starts_with("suspect: ");
            let longest = words.lines().filter(is_status).map(display_width).max().unwrap_or(0);
            assert!(longest <= columns, "{arguments}: a line has {longest} of {columns} columns\n{words}");
            let lines = shown.lines().count();
            assert!(columns > 80 || lines <= most, "{arguments}: {lines} lines\n{shown}");
            let path = golden.join(format!("{name}-{columns}.txt"));
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                fs::create_dir_all(&golden).unwrap();
                fs::write(&path, &shown).unwrap();
            }
            assert_eq!(fs::read_to_string(&path).unwrap_or_default(), shown, "UPDATE_EXPECT=1 writes it anew");
        }
    }
}
