//! Constants of enumerations become others of theirs by name.

use super::code_tests::Snippet;
use super::operator::Class;
use crate::program::Operator;

#[test]
fn a_constant_of_an_enumeration_becomes_another_by_its_name() {
    let before = "enum mode { OFF, ON, AUTO = 5, }; ";
    let read = |before: &str, body: &str, value: u64| {
        let made = Snippet::behind(before, body).binary("==", 0, Operator::Equal, None, Some(value));
        made.read_as(Class::Crp)
    };
    assert_eq!(read(before, "a = b == ON;", 1), ["a = b == OFF;", "a = b == (-1);", "a = b == 2;"],);
    assert_eq!(read(before, "a = b == AUTO;", 5)[..3], ["a = b == OFF;", "a = b == ON;", "a = b == (-1);"]);
    // The compiler knows another value: the text is not what it saw.
    assert_eq!(read(before, "a = b == ON;", 7)[0], "a = b == 0;");
}
