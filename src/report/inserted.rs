//! Statements that a change puts beside another one, which a reader knows by what is put there.

use super::mutants::quoted;

/// A statement that an edit puts before or behind what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The statement, on one line.
    pub statement: String,
    /// Whether it stands behind.
    pub is_behind: bool,
}

impl Inserted {
    /// The statement that `replacement` has before or behind all of `original`; nothing where it changes what stands there.
    pub fn of(original: &str, replacement: &str) -> Option<Inserted> {
        let (original, replacement) = (original.trim(), replacement.trim());
        let within = replacement.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).map(str::trim);
        let texts = [Some(replacement), within.filter(|_| !original.starts_with('{'))];
        texts.into_iter().flatten().find_map(|text| Inserted::beside(original, text))
    }

    fn beside(original: &str, text: &str) -> Option<Inserted> {
        let is_statement = |text: &&str| text.len() > 1 && text.ends_with([';', '}']) && !text.starts_with([';', '}']);
        let found = |text: &str, is_behind| {
            Some(text.trim())
                .filter(is_statement)
                .map(|text| Inserted { statement: text.split_whitespace().collect::<Vec<_>>().join(" "), is_behind })
        };
        let before = text.strip_suffix(original).and_then(|text| found(text, false));
        before.or_else(|| text.strip_prefix(original).and_then(|text| found(text, true)))
    }

    /// It with what it stands beside, where that is not told before: `n = 0;` inserted after `m = 0;`.
    pub fn beside_what(&self, original: &str) -> String {
        let side = if self.is_behind { "after" } else { "before" };
        format!("{} inserted {side} {}", quoted(&self.statement), quoted(original.trim()))
    }

    /// Where it stands, after its text.
    pub const fn place(&self) -> &'static str {
        if self.is_behind { "after it" } else { "before it" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(original: &str, replacement: &str) -> Option<String> {
        Inserted::of(original, replacement).map(|one| format!("{} {}", one.statement, one.place()))
    }

    #[test]
    fn what_is_put_beside_a_statement_is_told_without_it() {
        let before = |text: &str| Some(format!("{text} before it"));
        assert_eq!(told("if", "if (length == 0)\n    return 0; if"), before("if (length == 0) return 0;"));
        assert_eq!(told("x = 1;", "{ y(); x = 1; }"), before("y();"));
        assert_eq!(told(";", "; count++;"), Some("count++; after it".into()));
        assert_eq!(told("}", "} return -1;"), Some("return -1; after it".into()));
    }

    #[test]
    fn what_changes_a_statement_is_none() {
        let changes = [("if", "while"), ("f(x);", "if (f(x)) return;"), ("a", "b + a"), (";", ";"), ("a", "a++")];
        for (original, replacement) in changes {
            assert_eq!(told(original, replacement), None, "{replacement}");
        }
    }
}
