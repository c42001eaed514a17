//! How a test is called, without the data that it is given: tests of one shape differ by what is tested, those of different shapes also by the way
//! it gets to the program.

use std::collections::BTreeSet;

use super::Test;

/// How a test is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Number of its suite.
    suite: usize,
    /// The names of the programs that its command starts, each with what it reads.
    programs: BTreeSet<(String, Input)>,
    /// Options, without their values.
    options: BTreeSet<String>,
    /// Words of the command.
    n_words: usize,
}

/// What a program's standard input is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Input {
    /// Nothing that the command says.
    #[default]
    Unsaid,
    /// A file.
    File,
    /// Text in the command.
    Text,
    /// What another program writes.
    Pipe,
}

impl Test {
    /// How the test is called.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape { suite: self.suite, ..Shape::default() };
        shape.add(&self.command);
        shape
    }
}

impl Shape {
    /// How much of the shape another one has, above 0 and up to 1: the mean over the suite, the programs with their inputs, the options and the number
    /// of words.
    pub fn likeness(&self, other: &Shape) -> f64 {
        let suite = if self.suite == other.suite { 1.0 } else { 0.0 };
        let (less, more) = (self.n_words.min(other.n_words), self.n_words.max(other.n_words));
        let words = (less + 1) as f64 / (more + 1) as f64;
        (suite + shared(&self.programs, &other.programs) + shared(&self.options, &other.options) + words) / 4.0
    }

    /// Adds what a line of shell says. Quotes, operators and redirections are understood; what a shell would compute is a word like others.
    fn add(&mut self, line: &str) {
        let (mut program, mut input) = (None::<String>, Input::Unsaid);
        let mut takes = Takes::Word;
        for token in tokens(line) {
            match token {
                Token::Between(operator) => {
                    self.programs.extend(program.take().map(|program| (program, input)));
                    input = if operator == "|" { Input::Pipe } else { Input::Unsaid };
                    takes = Takes::Word;
                }
                Token::Redirection(operator) => {
                    takes = Takes::File;
                    match operator {
                        "<" => input = Input::File,
                        "<<" | "<<<" => input = Input::Text,
                        _ => {}
                    }
                }
                Token::Word(word) => match takes {
                    Takes::File => takes = Takes::Word,
                    Takes::Line => {
                        self.add(&word);
                        takes = Takes::Word;
                    }
                    Takes::Word => {
                        self.n_words += 1;
                        if program.is_none() && !is_assignment(&word) && !["{", "!"].contains(&word.as_str()) {
                            program = word.rsplit('/').next().map(str::to_owned);
                        } else if word.len() > 1 && word.starts_with('-') && word.parse::<f64>().is_err() {
                            let option = word.split('=').next().unwrap_or_default();
                            let is_shell = program.as_deref().is_some_and(|name| name.ends_with("sh"));
                            takes = if is_shell && option == "-c" { Takes::Line } else { Takes::Word };
                            self.options.insert(option.to_owned());
                        }
                    }
                },
            }
        }
        self.programs.extend(program.map(|program| (program, input)));
    }
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Word,
    /// A file that is redirected from or to.
    File,
    /// A line of shell.
    Line,
}

/// The share of all that both have.
fn shared<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    match one.union(other).count() {
        0 => 1.0,
        all => one.intersection(other).count() as f64 / all as f64,
    }
}

fn is_assignment(word: &str) -> bool {
    let named = word.split_once('=').map(|(name, _)| name);
    named.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// A piece of a line of shell.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// Without its quotes.
    Word(String),
    /// Ends one command and begins another.
    Between(&'static str),
    Redirection(&'static str),
}

/// Operators, longer ones before those that they begin with.
const OPERATORS: [(&str, bool); 15] = [
    ("<<<", true),
    ("<<", true),
    ("<&", true),
    ("<", true),
    (">>", true),
    (">&", true),
    ("&>", true),
    (">", true),
    ("||", false),
    ("|", false),
    ("&&", false),
    ("&", false),
    (";", false),
    ("(", false),
    (")", false),
];

fn tokens(line: &str) -> Vec<Token> {
    let (mut tokens, mut word, mut rest) = (Vec::new(), None::<String>, line);
    while let Some(c) = rest.chars().next() {
        if let Some((operator, redirects)) = OPERATORS.into_iter().find(|(operator, _)| rest.starts_with(operator)) {
            // A number before it is a file descriptor.
            word = word.filter(|word| !redirects || word.parse::<u32>().is_err());
            tokens.extend(word.take().map(Token::Word));
            tokens.push(if redirects { Token::Redirection(operator) } else { Token::Between(operator) });
            rest = &rest[operator.len()..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\n' => {
                tokens.extend(word.take().map(Token::Word));
                tokens.push(Token::Between(";"));
            }
            c if c.is_whitespace() => tokens.extend(word.take().map(Token::Word)),
            '\'' | '"' => {
                let (quoted, after) = unquoted(rest, c);
                word.get_or_insert_default().push_str(&quoted);
                rest = after;
            }
            '\\' => {
                let mut escaped = rest.chars();
                word.get_or_insert_default().extend(escaped.next());
                rest = escaped.as_str();
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

/// What is quoted up to the closing quote, and what comes after that.
fn unquoted(text: &str, quote: char) -> (String, &str) {
    let (mut out, mut rest) = (String::new(), text.chars());
    while let Some(c) = rest.next() {
        match c {
            c if c == quote => break,
            '\\' if quote == '"' => out.extend(rest.next()),
            c => out.push(c),
        }
    }
    (out, rest.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(line: &str) -> Shape {
        let mut shape = Shape::default();
        shape.add(line);
        shape
    }

    fn alike(one: &str, other: &str) -> f64 {
        shape(one).likeness(&shape(other))
    }

    #[test]
    fn data_is_no_part_of_a_shape() {
        assert_eq!(alike("./p < t/a.in", "./p < t/b.in"), 1.0);
        assert_eq!(alike("echo '3 | 4' | ./p -k=2", "echo 5 | bin/p -k=3"), 1.0);
        assert_eq!(alike("sh -c 'echo 1 | ./p'", "sh -c 'echo 2 | ./p'"), 1.0);
        assert_eq!(alike("LC_ALL=C ./p a 2>&1 > out", "LC_ALL=C ./p b 2>&1 > other"), 1.0);
        assert_eq!(alike("./p -5", "./p -6"), 1.0);
    }

    #[test]
    fn what_standard_input_is_tells_shapes_apart() {
        let kinds = ["./p", "./p < a", "cat a | ./p", "./p <<< a"];
        for one in kinds {
            for other in kinds {
                assert_eq!(alike(one, other) < 1.0, one != other, "{one} and {other}");
            }
        }
        assert!(alike("sh -c './p < a'", "sh -c 'echo 1 | ./p'") < 1.0);
    }

    #[test]
    fn programs_options_and_words_tell_shapes_apart() {
        for (one, other) in [("./p a", "./q a"), ("./p -x a", "./p -y a"), ("./p a", "./p a b"), ("a; b", "a")] {
            let likeness = alike(one, other);
            assert!(likeness > 0.0 && likeness < 1.0, "{one} and {other}: {likeness}");
        }
        let of_suite = |suite| Shape { suite, ..shape("./p") };
        assert_eq!(of_suite(0).likeness(&of_suite(1)), 0.75);
    }

    #[test]
    fn any_line_has_a_shape() {
        for line in ["", "'", "\"a\\", "\\", "< <", "| |", "sh -c", "a 'b'\"c\"d\u{e9}", "((", "&>x <&3"] {
            assert_eq!(alike(line, line), 1.0, "{line}");
        }
    }
}
