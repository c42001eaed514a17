//! The grammar of queries.

use super::{Names, Query, Statement};

/// Why a text is not a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct QueryError {
    /// Where, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl QueryError {
    /// The text with a caret below the place, two lines.
    pub fn pointing_at(&self, text: &str) -> String {
        format!("{text}\n{}^", " ".repeat(self.column - 1))
    }
}

/// Parses a query.
pub(super) fn parse(text: &str, names: &impl Names) -> Result<Query, QueryError> {
    let mut parser = Parser { text, at: 0, names };
    let query = parser.query()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.wrong("expected the end of the query"));
    }
    Ok(query)
}

/// Recursive descent; `at` is a byte offset.
struct Parser<'a, N> {
    text: &'a str,
    at: usize,
    names: &'a N,
}

impl<'a, N: Names> Parser<'a, N> {
    fn wrong_at(&self, at: usize, message: impl Into<String>) -> QueryError {
        QueryError { column: self.text[..at].chars().count() + 1, message: message.into() }
    }

    fn wrong(&self, message: impl Into<String>) -> QueryError {
        self.wrong_at(self.at, message)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes one of `tokens` if it comes next.
    fn accept(&mut self, tokens: &[&str]) -> bool {
        self.space();
        let found = tokens.iter().find(|token| self.rest().starts_with(**token));
        self.at += found.map_or(0, |token| token.len());
        found.is_some()
    }

    fn expect(&mut self, token: &str, place: &str) -> Result<(), QueryError> {
        if self.accept(&[token]) { Ok(()) } else { Err(self.wrong(format!("expected `{token}` {place}"))) }
    }

    fn query(&mut self) -> Result<Query, QueryError> {
        if !self.accept(&["P"]) {
            return Err(self.wrong("expected `P(`, as in `P(f[src/a.c:41] | !h[src/b.c:7])`"));
        }
        let test = self.test()?;
        self.expect("(", "before the statement")?;
        let statement = self.or()?;
        let mut given = if self.accept(&["|"]) { Some(self.or()?) } else { None };
        self.space();
        if !self.accept(&[")"]) {
            return Err(self.wrong("expected `&&`, `||`, `|` or `)`"));
        }
        if let Some(test) = test {
            let test = Statement::Test(test);
            given = Some(match given {
                Some(given) => Statement::And(test.into(), given.into()),
                None => test,
            });
        }
        Ok(Query { statement, given })
    }

    /// `_3` or `[name]` after `P`.
    fn test(&mut self) -> Result<Option<u32>, QueryError> {
        if self.rest().starts_with('[') {
            return self.named(|names, name| names.test(name)).map(Some);
        }
        if !self.accept(&["_"]) {
            return Ok(None);
        }
        let start = self.at;
        let end = self.rest().find('(').unwrap_or(self.rest().len());
        let name = self.rest()[..end].trim();
        self.at += end;
        match name {
            "" => Err(self.wrong_at(start, "expected a test after `P_`")),
            name => self.names.test(name).map(Some).map_err(|message| self.wrong_at(start, message)),
        }
    }

    fn or(&mut self) -> Result<Statement, QueryError> {
        let mut left = self.and()?;
        while self.accept(&["||", "∨"]) {
            left = Statement::Or(left.into(), self.and()?.into());
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Statement, QueryError> {
        let mut left = self.not()?;
        while self.accept(&["&&", "∧"]) {
            left = Statement::And(left.into(), self.not()?.into());
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Statement, QueryError> {
        if self.accept(&["!", "¬"]) {
            return Ok(Statement::Not(self.not()?.into()));
        }
        if let Some(test) = self.place()? {
            return Ok(Statement::In(test, self.not()?.into()));
        }
        if self.accept(&["("]) {
            let inner = self.or()?;
            self.expect(")", "to close the parenthesis")?;
            return Ok(inner);
        }
        self.atom()
    }

    /// `in[name]`, `◇[name]` or `◇_3`: the test that the next statement is about.
    fn place(&mut self) -> Result<Option<u32>, QueryError> {
        if self.accept(&["◇_"]) {
            let start = self.at;
            let end = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
            let number = &self.rest()[..end];
            if number.is_empty() {
                return Err(self.wrong("expected a number after `◇_`; names go in brackets, as in `◇[name]`"));
            }
            self.at += end;
            return self.names.test(number).map(Some).map_err(|message| self.wrong_at(start, message));
        }
        let word = if self.accept(&["◇"]) { true } else { self.rest().starts_with("in[") && self.accept(&["in"]) };
        if word { self.named(|names, name| names.test(name)).map(Some) } else { Ok(None) }
    }

    fn atom(&mut self) -> Result<Statement, QueryError> {
        self.space();
        let start = self.at;
        let word = self.rest().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        self.at += word.len();
        let unit = |parser: &mut Self| parser.named(|names, name| names.unit(name));
        match word {
            "e" => Ok(Statement::Failed),
            "u" => unit(self).map(Statement::Executed),
            "h" => unit(self).map(Statement::Cause),
            "H" => unit(self).map(Statement::OnlyCause),
            "f" => unit(self).map(Statement::Fault),
            "t" => self.named(|names, name| names.test(name)).map(Statement::Test),
            "" => {
                Err(self
                    .wrong_at(start, "expected a statement: e, u[..], h[..], H[..], f[..], t[..], in[..], `!` or `(`"))
            }
            word => Err(self.wrong_at(
                start,
                format!("`{word}` is no statement: use e, u[..], h[..], H[..], f[..], t[..] or in[..]"),
            )),
        }
    }

    /// A name in brackets, which may hold bracketed parts of its own.
    fn named(&mut self, look_up: impl Fn(&N, &str) -> Result<u32, String>) -> Result<u32, QueryError> {
        let open = self.at;
        if !self.rest().starts_with('[') {
            return Err(self.wrong("expected `[` and a name"));
        }
        let mut depth = 0;
        let close = self.rest().char_indices().find(|(_, c)| {
            depth += i32::from(*c == '[') - i32::from(*c == ']');
            depth == 0
        });
        let Some((length, _)) = close else { return Err(self.wrong_at(open, "this `[` is not closed")) };
        let name = self.rest()[1..length].trim();
        self.at += length + 1;
        look_up(self.names, name).map_err(|message| self.wrong_at(open + 1, message))
    }
}
