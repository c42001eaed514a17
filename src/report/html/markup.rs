//! Writing HTML: everything that comes from a program goes through [`Markup::text`] or an attribute, which escape it.

/// A text of HTML that is being written.
#[derive(Debug, Default)]
pub struct Markup {
    text: String,
}

impl Markup {
    /// Nothing yet.
    pub fn new() -> Markup {
        Markup::default()
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.text
    }

    /// Markup of our own, as it is.
    pub fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Text, escaped.
    pub fn text(&mut self, text: &str) {
        escape(text, &mut self.text);
    }

    /// An element with its content.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &str)], content: impl FnOnce(&mut Markup)) {
        self.open(name, attributes);
        content(self);
        self.raw("</");
        self.raw(name);
        self.raw(if matches!(name, "a" | "b" | "code" | "em" | "mark" | "span" | "title") { ">" } else { ">\n" });
    }

    /// An element without content or end tag.
    pub fn void(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.open(name, attributes);
        self.raw("\n");
    }

    /// A command line that is to be typed.
    pub fn command(&mut self, command: &str) {
        self.element("code", &[("class", "command")], |page| page.text(command));
    }

    /// Prose in which code stands between backticks.
    pub fn prose(&mut self, text: &str) {
        for (at, part) in text.split('`').enumerate() {
            match at % 2 {
                0 => self.text(part),
                _ => self.element("code", &[], |page| page.text(part)),
            }
        }
    }

    /// A table with a header row; `row` writes the cells of the n-th.
    pub fn table(&mut self, caption: &str, columns: &[&str], n_rows: usize, row: impl Fn(usize, &mut Markup)) {
        let attributes = [("class", "scrolls"), ("tabindex", "0"), ("role", "group"), ("aria-label", caption)];
        self.element("div", &attributes, |page| {
            page.element("table", &[], |page| {
                page.element("caption", &[], |page| page.text(caption));
                page.element("thead", &[], |page| {
                    page.element("tr", &[], |page| {
                        for column in columns {
                            page.element("th", &[("scope", "col")], |page| page.text(column));
                        }
                    });
                });
                page.element("tbody", &[], |page| {
                    (0..n_rows).for_each(|at| page.element("tr", &[], |page| row(at, page)));
                });
            });
        });
    }

    /// A table cell.
    pub fn cell(&mut self, text: &str) {
        self.element("td", &[], |page| page.text(text));
    }

    /// A table cell of a number.
    pub fn number(&mut self, text: &str) {
        self.element("td", &[("class", "number")], |page| page.text(text));
    }

    /// A link to a line, which the script shows in its source.
    pub fn place(&mut self, file: &str, line: u32) {
        self.element("a", &[("class", "place"), ("href", &format!("#{}", anchor(file, line)))], |page| {
            page.text(&format!("{file}:{line}"));
        });
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.raw("<");
        self.raw(name);
        for (name, value) in attributes {
            self.raw(" ");
            self.raw(name);
            self.raw("=\"");
            self.text(value);
            self.raw("\"");
        }
        self.raw(">");
    }
}

/// What a line is called within the page, as part of an address: `s=src/a.c:41`.
pub fn anchor(file: &str, line: u32) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/+,".contains(&byte);
    let character = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    format!("s={}:{line}", file.bytes().map(character).collect::<String>())
}

/// Escapes for text and for attributes in quotes. Characters that control a terminal or turn the direction of writing are shown as
/// replaced.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if is_misleading(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// Whether a character would show a line as something that it is not.
pub fn is_misleading(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
