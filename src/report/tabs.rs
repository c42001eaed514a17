//! Tabs in source that is shown beside line numbers.

/// Columns from one tab stop to the next: what terminals and `diff` have, and what C projects that mix tabs and blanks count on.
const STOP: usize = 8;

/// Text with blanks instead of tabs, so that what is written before a line does not move what a tab leads to. The text of a beginning of a line is a
/// beginning of the line's text.
pub(in crate::report) fn untabbed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = STOP - column % STOP;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            '\n' => {
                out.push(c);
                column = 0;
            }
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_leads_to_the_next_stop_of_its_line() {
        assert_eq!(untabbed("\tx\n      y\ta\tb"), "        x\n      y a       b");
        assert_eq!(untabbed("é\tx"), "é       x");
    }
}
