//! Tests by the names that people type.

use thiserror::Error;

use super::template::nearest;

/// A name that is not one test's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoTest {
    /// No test's name contains it; the name that was probably meant.
    #[error("no test is called `{wanted}`{}", hint(near.as_deref()))]
    Unknown {
        /// As it was typed.
        wanted: String,
        /// The likeliest name, if one is like it.
        near: Option<String>,
    },
    /// Several tests' names contain it.
    #[error("`{wanted}` is a part of {} tests' names, of {}", names.len(), listed(names))]
    Several {
        /// As it was typed.
        wanted: String,
        /// Those that contain it.
        names: Vec<String>,
    },
}

/// Names of tests that one message tells.
const MOST_TOLD: usize = 5;

fn hint(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn listed(names: &[String]) -> String {
    let told = names.iter().take(MOST_TOLD).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MOST_TOLD) {
        Some(more @ 1..) => format!("{told} and {more} more"),
        _ => told,
    }
}

/// Position of the test that `wanted` names: the whole name, else all that follows a slash of one name alone, else a part of one name alone.
///
/// # Errors
/// When no name or several names have it.
pub fn find_test<'n>(names: impl IntoIterator<Item = &'n str>, wanted: &str) -> Result<usize, NoTest> {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(whole) = names.iter().position(|name| *name == wanted) {
        return Ok(whole);
    }
    let ends = |name: &str| name.strip_suffix(wanted).is_some_and(|before| before.ends_with('/'));
    let having = |has: &dyn Fn(&str) -> bool| (0..names.len()).filter(|at| has(names[*at])).collect::<Vec<usize>>();
    let parts = having(&|name| is_part(name, wanted));
    match (&having(&ends)[..], &parts[..]) {
        ([only], _) | (_, [only]) => Ok(*only),
        (_, []) => {
            let last = |name: &'n str| name.rsplit('/').next().unwrap_or(name);
            let meant =
                nearest(wanted, names.iter().copied()).or_else(|| nearest(wanted, names.iter().map(|name| last(name))));
            Err(NoTest::Unknown { wanted: wanted.into(), near: meant.map(str::to_owned) })
        }
        _ => Err(NoTest::Several {
            wanted: wanted.into(),
            names: parts.iter().map(|at| names[*at].to_owned()).collect(),
        }),
    }
}

/// Whether `wanted` stands in a name; a number's digits do not stand in another number.
fn is_part(name: &str, wanted: &str) -> bool {
    let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let parts_number = |a: Option<char>, b: Option<char>| digit(a) && digit(b);
    !wanted.is_empty()
        && name.match_indices(wanted).any(|(at, _)| {
            let (before, after) = (&name[..at], &name[at + wanted.len()..]);
            !parts_number(before.chars().next_back(), wanted.chars().next())
                && !parts_number(wanted.chars().next_back(), after.chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["cases/ensure-ascii", "cases/ensure-ascii-2", "cases/array", "object", "objects"];

    fn found(wanted: &str) -> Result<&'static str, String> {
        find_test(NAMES, wanted).map(|at| NAMES[at]).map_err(|no| no.to_string())
    }

    #[test]
    fn a_part_that_one_name_has_is_enough() {
        assert_eq!(found("rray"), Ok("cases/array"));
        assert_eq!(found("ascii-2"), Ok("cases/ensure-ascii-2"));
    }

    #[test]
    fn digits_are_no_part_of_a_longer_number() {
        let found = |wanted| find_test(["13", "case-134", "t5x"], wanted);
        assert!(found("3").is_err() && found("34").is_err(), "{:?}", found("3"));
        assert_eq!((found("134"), found("t5")), (Ok(1), Ok(2)));
    }

    #[test]
    fn a_whole_name_is_meant_before_a_part() {
        assert_eq!(found("object"), Ok("object"), "it is a part of another name too");
        assert_eq!(found("ensure-ascii"), Ok("cases/ensure-ascii"), "nothing is left out behind the slash");
    }

    #[test]
    fn what_is_no_name_is_told_with_the_likeliest() {
        assert_eq!(found("aray"), Err("no test is called `aray`; did you mean `array`?".into()));
        assert_eq!(found("nothing-like-it"), Err("no test is called `nothing-like-it`".into()));
        assert_eq!(found(""), Err("no test is called ``".into()));
    }

    #[test]
    fn a_part_of_several_names_lists_them() {
        let both = "`ascii` is a part of 2 tests' names, of `cases/ensure-ascii`, `cases/ensure-ascii-2`";
        assert_eq!(found("ascii"), Err(both.into()));
        let many: Vec<String> = (0..8).map(|n| format!("case-{n}")).collect();
        let told = find_test(many.iter().map(String::as_str), "case").unwrap_err().to_string();
        assert!(told.ends_with("`case-4` and 3 more"), "{told}");
    }
}
