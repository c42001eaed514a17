//! The text of the catalogue: one measure a line, cells between tabs, in the order of the columns.

use super::{Family, Measure};
use crate::spectra::formula::{Formula, FormulaError, ZeroDivision};

/// The columns, as the first line names them.
const COLUMNS: [&str; 10] =
    ["id", "family", "class", "division", "flags", "name", "formula", "citation", "aliases", "note"];

/// Why a text is not a catalogue of measures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {wrong}")]
pub(super) struct TableError {
    line: usize,
    wrong: Wrong,
}

/// A rule of the text that a line breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Wrong {
    #[error("the columns are not {}", COLUMNS.join(", "))]
    Columns,
    #[error("{0} cells, expected {count}", count = COLUMNS.len())]
    Cells(usize),
    #[error("no {0}")]
    Empty(&'static str),
    #[error("blanks around {0:?}")]
    Blanks(String),
    #[error("{0:?} is no {1}")]
    Word(String, &'static str),
    #[error("a second measure {0}")]
    Twice(String),
    #[error("the formula has no meaning: {0}")]
    Formula(#[from] FormulaError),
}

/// Reads a catalogue.
///
/// # Errors
/// At the first line that breaks a rule.
pub(super) fn read(text: &'static str) -> Result<Vec<Measure>, TableError> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    if lines.next().is_none_or(|(_, first)| !first.split('\t').eq(COLUMNS)) {
        return Err(TableError { line: 1, wrong: Wrong::Columns });
    }
    let mut measures: Vec<Measure> = Vec::new();
    for (line, text) in lines {
        let measure = measure(text).map_err(|wrong| TableError { line, wrong })?;
        if measures.iter().any(|other| other.id == measure.id) {
            return Err(TableError { line, wrong: Wrong::Twice(measure.id.to_string()) });
        }
        measures.push(measure);
    }
    Ok(measures)
}

fn measure(line: &'static str) -> Result<Measure, Wrong> {
    let cells: Vec<&'static str> = line.split('\t').collect();
    let [id, family, class, division, flags, name, formula, citation, aliases, note] = cells[..] else {
        return Err(Wrong::Cells(cells.len()));
    };
    if let Some(cell) = cells.iter().find(|cell| cell.trim() != **cell) {
        return Err(Wrong::Blanks((*cell).to_string()));
    }
    for (cell, column) in [(id, "id"), (name, "name"), (formula, "formula"), (citation, "citation")] {
        if cell.is_empty() {
            return Err(Wrong::Empty(column));
        }
    }
    let [checked, singular, classic] = read_flags(flags)?;
    let division = read_division(division)?;
    Formula::new(formula, division)?;
    Ok(Measure {
        id: read_id(id)?,
        name,
        family: read_family(family)?,
        formula,
        citation,
        aliases: read_aliases(aliases)?,
        checked,
        class: (!class.is_empty()).then_some(class),
        division,
        singular,
        classic,
        note,
    })
}

fn read_id(word: &'static str) -> Result<&'static str, Wrong> {
    let fits = word.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if fits { Ok(word) } else { Err(Wrong::Word(word.to_string(), "id")) }
}

fn read_family(word: &str) -> Result<Family, Wrong> {
    let found = Family::ALL.into_iter().find(|family| family.word() == word);
    found.ok_or_else(|| Wrong::Word(word.to_string(), "family"))
}

fn read_division(word: &str) -> Result<ZeroDivision, Wrong> {
    match word {
        "limit" => Ok(ZeroDivision::Limit),
        "one" => Ok(ZeroDivision::One),
        _ => Err(Wrong::Word(word.to_string(), "division by zero")),
    }
}

/// `checked`, `singular` and `classic`, each there or not, in this order.
fn read_flags(words: &str) -> Result<[bool; 3], Wrong> {
    let mut rest = words.split_whitespace().peekable();
    let flags = ["checked", "singular", "classic"].map(|flag| rest.next_if_eq(&flag).is_some());
    rest.next().map_or(Ok(flags), |word| Err(Wrong::Word(word.to_string(), "flag, or stands out of order")))
}

/// Names between semicolons.
fn read_aliases(cell: &'static str) -> Result<Vec<&'static str>, Wrong> {
    if cell.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&'static str> = cell.split("; ").collect();
    let odd = names.iter().find(|name| name.is_empty() || name.contains(';'));
    odd.map_or(Ok(names.clone()), |name| Err(Wrong::Word((*name).to_string(), "alias")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "id\tfamily\tclass\tdivision\tflags\tname\tformula\tcitation\taliases\tnote\n";

    fn measures(lines: &str) -> Result<Vec<Measure>, String> {
        read(Box::leak(format!("{HEAD}{lines}").into_boxed_str())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_is_a_measure() {
        let found =
            measures("a_1\twong\tS02\tone\tchecked classic\tA\tef/ep\tX 2007\tB; C'\tOf X.\n").expect("is right");
        let [measure] = &found[..] else { panic!("{found:?}") };
        assert_eq!((measure.id, measure.name, measure.family), ("a_1", "A", Family::Wong));
        assert_eq!((measure.formula, measure.citation, measure.note), ("ef/ep", "X 2007", "Of X."));
        assert_eq!((measure.class, measure.division), (Some("S02"), ZeroDivision::One));
        assert_eq!((measure.checked, measure.singular, measure.classic), (true, false, true));
        assert_eq!(measure.aliases, ["B", "C'"]);
    }

    #[test]
    fn cells_may_be_empty() {
        let found = measures("a\tother\t\tlimit\tsingular\tA\tef\tX\t\t\n").expect("is right");
        assert_eq!((found[0].class, found[0].aliases.len(), found[0].note), (None, 0, ""));
        assert_eq!((found[0].checked, found[0].singular, found[0].classic), (false, true, false));
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = "a\tother\t\tlimit\t\tA\tef\tX\t\t\n";
        let error = |lines: &str| measures(lines).expect_err(lines);
        assert_eq!(error(&format!("{good}{good}")), "line 3: a second measure a");
        assert_eq!(error("a\tother\n"), "line 2: 2 cells, expected 10");
        assert_eq!(error(&good.replace("other", "othr")), "line 2: \"othr\" is no family");
        assert_eq!(error(&good.replace("limit", "zero")), "line 2: \"zero\" is no division by zero");
        assert_eq!(
            error(&good.replace("limit\t", "limit\tclassic checked")),
            "line 2: \"checked\" is no flag, or stands out of order"
        );
        assert_eq!(
            error(&good.replace("ef", "ef +")),
            "line 2: the formula has no meaning: column 5: expected a number, a name or `(`"
        );
        assert_eq!(error(&good.replace("\tX\t", "\t\t")), "line 2: no citation");
        assert_eq!(error(&good.replace("\tA\t", "\tA \t")), "line 2: blanks around \"A \"");
        assert_eq!(error(&good.replacen('a', "A-b", 1)), "line 2: \"A-b\" is no id");
        assert_eq!(error(&good.replace("X\t\t", "X\tB;C\t")), "line 2: \"B;C\" is no alias");
        assert!(read("id\tname\n").is_err() && read("").is_err());
    }
}
