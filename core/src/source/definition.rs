//! Definitions of macros with parameters: what becomes of an argument.

use super::text::Text;
use super::token;

/// What a macro with parameters expands to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    parameters: Vec<String>,
    body: Vec<String>,
}

impl Text {
    /// The macros that it defines or takes back, each time that it does, with what they expand to; `None` of those without parameters or with any
    /// number of them, and of those with `#`, `##` or comments.
    pub fn definitions(&self) -> Vec<(String, Option<Definition>)> {
        let source = String::from_utf8_lossy(self.source()).replace("\\\r\n", "").replace("\\\n", "");
        source.lines().filter_map(directive).collect()
    }
}

/// The macro that a line defines or takes back.
fn directive(line: &str) -> Option<(String, Option<Definition>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let is_definition = rest.starts_with("define");
    let rest = rest.strip_prefix("define").or_else(|| rest.strip_prefix("undef"))?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end = rest.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    Some((name.to_owned(), Definition::of(rest).filter(|_| is_definition)))
}

impl Definition {
    /// Of what follows a macro's name.
    fn of(text: &str) -> Option<Definition> {
        let (parameters, body) = text.strip_prefix('(')?.split_once(')')?;
        let parameters: Vec<String> = parameters.split(',').map(|one| one.trim().to_owned()).collect();
        let is_name = |name: &String| {
            name.chars().all(|one| one.is_alphanumeric() || one == '_')
                && name.starts_with(|one: char| !one.is_numeric())
        };
        let body: Vec<String> = token::tokens(body)?.into_iter().map(str::to_owned).collect();
        let has_hash = body.iter().any(|token| matches!(token.as_str(), "#" | "##" | "%:"));
        (parameters.iter().all(is_name) && !has_hash).then_some(Definition { parameters, body })
    }

    /// The tokens that it puts around its arguments.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.body.iter().map(String::as_str).filter(|token| !self.parameters.iter().any(|name| name == token))
    }

    /// Number of its parameters.
    pub fn n_parameters(&self) -> usize {
        self.parameters.len()
    }

    /// Whether the argument at `position` becomes an expression of its own, once, and its value is all that is asked of it: whatever expression
    /// stands there is evaluated as it is written.
    pub fn takes(&self, position: usize) -> bool {
        let Some(name) = self.parameters.get(position) else { return false };
        let mut uses = (0..self.body.len()).filter(|at| self.body[*at] == *name);
        let (Some(at), None) = (uses.next(), uses.next()) else { return false };
        let token = |at: usize| self.body.get(at).map_or("", String::as_str);
        let before = |n: usize| at.checked_sub(n).map_or("", |at| token(at));
        let (first, last) = (before(1), token(at + 1));
        let is_alone = matches!(
            (first, last),
            ("(" | ",", ")" | ",") | ("[", "]") | ("=", ";" | ",") | ("(" | ";", ";") | (";", ")")
        );
        let depth = (1..).take_while(|n| before(*n) == "(" && token(at + n) == ")").count();
        let (outside, behind) = (before(depth + 1), token(at + depth + 1));
        let is_operand = depth > 0
            && (matches!(outside, "&" | "++" | "--" | "sizeof" | "typeof" | "__typeof__")
                || matches!(behind, "++" | "--" | "." | "=")
                || behind.ends_with('=') && !matches!(behind, "==" | "!=" | "<=" | ">="));
        is_alone && !is_operand
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(definition: &str) -> Vec<bool> {
        let all = Text::parse(format!("#define {definition}\n")).definitions();
        let [(_, of)] = &all[..] else { panic!("{all:?}") };
        of.as_ref().map_or(Vec::new(), |of| (0..of.n_parameters()).map(|position| of.takes(position)).collect())
    }

    #[test]
    fn arguments_are_taken_where_they_are_one_expression_whose_value_is_used_once() {
        assert_eq!(taken("SET(to, x) do { (to)->i = (x); } while (0)"), [true, true]);
        assert_eq!(taken("SET(to, x) to = x;"), [false, true]);
        assert_eq!(taken("PUT(x) call(1, x, 2)"), [true]);
        assert_eq!(taken("AT(x) table[x]"), [true]);
        assert_eq!(taken("TWICE(x) ((x) * (x))"), [false]);
        assert_eq!(taken("BARE(x) 1 + x"), [false]);
        assert_eq!(taken("GROW(x) ((x) += 1)"), [false]);
        assert_eq!(taken("GROW(x) (((x))++)"), [false]);
        assert_eq!(taken("ADDRESS(x) f(&(x))"), [false]);
        assert_eq!(taken("SIZE(x) sizeof(x)"), [false]);
        assert_eq!(taken("WORDS(x) f(#x)"), [false; 0]);
        assert_eq!(taken("MANY(x, ...) f(x)"), [false; 0]);
        assert_eq!(taken("CONSTANT (x)"), [false; 0]);
        assert_eq!(taken("LONG(x) \\\n  f(x)"), [true]);
        assert_eq!(taken("SAID(x) f(x) // x"), [false; 0]);
    }

    #[test]
    fn what_is_taken_back_or_defined_again_is_told_each_time() {
        let all = Text::parse("#define A(x) (x)\n#undef A\n# define A(x) f(x)\n#ifdef A\n#endif\n").definitions();
        let known: Vec<(&str, bool)> = all.iter().map(|(name, of)| (name.as_str(), of.is_some())).collect();
        assert_eq!(known, [("A", true), ("A", false), ("A", true)]);
    }
}
