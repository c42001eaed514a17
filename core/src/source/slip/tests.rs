//! What each class of slip makes of a snippet.

use super::*;
use crate::source::apply;

/// The slips of one class in a function with these statements, as texts of the statements.
fn made_with(before: &str, statements: &str, class: SlipClass) -> Vec<String> {
    let start = format!("{before}int f(int a, int b)\n{{\n");
    let source = format!("{start}{statements}\nreturn a;\n}}\n");
    let text = Text::parse(source.as_str());
    let names = Names::of([&text]);
    let found = slips(&text, "f.c", &names);
    let made = found.iter().filter(|slip| slip.class == class && slip.function == "f").map(|slip| {
        assert!(parses(&text, slip), "{slip:?}");
        let new = String::from_utf8(apply(source.as_bytes(), [&slip.edit]).unwrap()).unwrap();
        new[start.len()..].strip_suffix("\nreturn a;\n}\n").unwrap().to_owned()
    });
    made.collect()
}

fn made(statements: &str, class: SlipClass) -> Vec<String> {
    made_with("", statements, class)
}

#[test]
fn parts_of_conditions_are_left_out() {
    assert_eq!(made("if (a && b < 3) a = 1;", SlipClass::Conjunct), ["if (a) a = 1;", "if (b < 3) a = 1;"]);
    assert_eq!(made("a = b || (a && b);", SlipClass::Disjunct), ["a = b;", "a = (a && b);"]);
    assert_eq!(made("a = b || (a && b);", SlipClass::Conjunct), ["a = b || (a);", "a = b || (b);"]);
}

#[test]
fn branches_are_left_out() {
    let source = "if (a) { b = 1; } else if (b) a = 2; else a = 3;";
    assert_eq!(made(source, SlipClass::Else), ["if (a) { b = 1; }", "if (a) { b = 1; } else if (b) a = 2;"]);
    assert_eq!(made(source, SlipClass::Chain), ["if (a) { b = 1; } if (b) a = 2; else a = 3;"]);
    assert_eq!(made(source, SlipClass::If), [""; 0]);
    assert_eq!(made("if (a) b = 1;", SlipClass::If), [""]);
    assert_eq!(made("while (b) if (a) b = 1;", SlipClass::If), ["while (b) ;"]);
    assert_eq!(made("if (a) { b = 1; }", SlipClass::Guard), ["{ b = 1; }"]);
    assert_eq!(made("while (b--) a++;", SlipClass::Once), ["if (b--) a++;"]);
}

#[test]
fn statements_are_left_out_or_moved() {
    assert_eq!(made("a = f(b, 2);", SlipClass::Statement), [""]);
    assert_eq!(made("if (a) b++;", SlipClass::Statement), ["if (a) ;"]);
    assert_eq!(made("a = f(b, 2);", SlipClass::Ignored), ["f(b, 2);"]);
    assert_eq!(made("a += 2; b = a;", SlipClass::Overwrite), ["a = 2; b = a;"]);
    assert_eq!(made("a += 2; b = a;", SlipClass::Accumulate), ["a += 2; b += a;"]);
    assert_eq!(made("a += 2; b = a;", SlipClass::Order), ["b = a; a += 2;"]);
    assert_eq!(made("if (a) { b = 1; a = 2; }", SlipClass::Scope), ["if (a) { b = 1; } a = 2;"]);
    assert_eq!(made("if (a) {\n  b = 1;\n  a = 2;\n}", SlipClass::Scope), ["if (a) {\n  b = 1;\n  }\na = 2;"]);
    assert_eq!(made("int c = a * 2; a = c;", SlipClass::Initial), ["int c = 0; a = c;"]);
    assert_eq!(made("int c = 1; a = c;", SlipClass::Initial), [""; 0]);
}

#[test]
fn jumps_and_labels_are_left_out() {
    assert_eq!(made("if (a) return 2;", SlipClass::Jump), ["if (a) ;"]);
    let source = "switch (a) { case 1: case 2: b = 1; break; case 3: b = 2; }";
    assert_eq!(
        made(source, SlipClass::Case),
        [
            "switch (a) {  case 2: b = 1; break; case 3: b = 2; }",
            "switch (a) { case 1:  b = 1; break; case 3: b = 2; }"
        ]
    );
    assert_eq!(made(source, SlipClass::Jump), ["switch (a) { case 1: case 2: b = 1;  case 3: b = 2; }"]);
}

#[test]
fn constants_are_off_by_what_no_mutant_makes_up_for() {
    for text in ["a = 37;", "a = 4;", "a = 100 + b;", "if (a == 'q') b = 2;", "a = 12345;"] {
        let old = Text::parse(text);
        let _ = old;
        for new in made(text, SlipClass::Constant) {
            assert_ne!(new, text);
        }
    }
    assert_eq!(made("a = 0; b = 1; a = 010; a = 0x10;", SlipClass::Constant), [""; 0]);
    assert_eq!(made("a = 37;", SlipClass::Constant).len(), 1);
    assert_eq!(made("puts(\"\\n%d\");", SlipClass::Text), [""; 0]);
    assert_eq!(made("puts(\"a\");", SlipClass::Text), ["puts(\"x\");"]);
}

#[test]
fn operands_and_arguments_change_places() {
    assert_eq!(made("a = f(a, b);", SlipClass::Arguments), ["a = f(b, a);"]);
    assert_eq!(made("printf(\"%d\", a, b);", SlipClass::Arguments), ["printf(\"%d\", b, a);"]);
    assert_eq!(made("a = (a - b) / 2;", SlipClass::Operands), ["a = 2 / (a - b);", "a = (b - a) / 2;"]);
    assert_eq!(made("a = b - a;", SlipClass::Operands), [""; 0], "its negation is a mutant");
    assert_eq!(made("if (a < b) a = 1;", SlipClass::Operands), [""; 0], "the other relation is a mutant");
    assert_eq!(made("if (a - b - 2 > 1) a = 1;", SlipClass::Operands)[0], "if (2 - (a - b) > 1) a = 1;");
}

#[test]
fn terms_steps_and_parentheses_are_left_out() {
    assert_eq!(made("a = b * 3 + 4;", SlipClass::Term), ["a = b * 3;", "a = 4;", "a = b + 4;", "a = 3 + 4;"]);
    assert_eq!(made("a = b + 1;", SlipClass::Term), [""; 0], "one more is a mutant");
    assert_eq!(made("a = x[b + 1];", SlipClass::Index), ["a = x[b];"]);
    assert_eq!(made("a = x[b++];", SlipClass::Step), ["a = x[b];"]);
    assert_eq!(made("a = x[b++];", SlipClass::Timing), ["a = x[++b];"]);
    assert_eq!(made("b++;", SlipClass::Timing), [""; 0]);
    assert_eq!(made("a = (a + 2) * b;", SlipClass::Grouping), ["a = a + 2 * b;"]);
    assert_eq!(made("a = (unsigned char)b;", SlipClass::Cast), ["a = b;"]);
}

#[test]
fn names_that_can_be_mistaken_are() {
    let before = "struct s { int x, y; char *t; };\nint g(int u, int v) { return u; }\nint h(char *u) { return 0; }\n";
    assert_eq!(made_with(before, "a = p->x;", SlipClass::Member), ["a = p->y;"]);
    assert_eq!(made_with(before, "p->t = 0;", SlipClass::Member), [""; 0]);
    assert_eq!(made_with(before, "a = g(a, b);", SlipClass::Callee), ["a = f(a, b);"]);
    assert_eq!(made_with(before, "a = h(0);", SlipClass::Callee), [""; 0]);
    assert_eq!(made("a = toupper(b);", SlipClass::Callee), ["a = tolower(b);"]);
}

#[test]
fn a_type_shows_where_its_variables_are_used() {
    let source = "int f(int a)\n{\n    unsigned char c;\n    c = a;\n    a = 2;\n    return c;\n}\n";
    let text = Text::parse(source);
    let found = slips(&text, "f.c", &Names::default());
    let slip = found.iter().find(|slip| slip.class == SlipClass::Type).unwrap();
    assert_eq!((slip.edit.replacement.as_str(), slip.also.as_slice(), slip.lines), ("char", &[3, 4, 6][..], (1, 7)));
    assert_eq!(slip.change(), "`unsigned char` -> `char`");
}

#[test]
fn directives_and_flaws_are_left_alone() {
    let source = "if (a) {\n#ifdef X\n  b = 1;\n#endif\n}";
    assert_eq!(made(source, SlipClass::If), [""; 0]);
    assert!(made("a = b ++ @ 2;", SlipClass::Statement).is_empty());
}

#[test]
fn classes_have_names_of_their_own() {
    let names: std::collections::BTreeSet<&str> = SlipClass::ALL.iter().map(|class| class.name()).collect();
    assert_eq!(names.len(), SlipClass::ALL.len());
    assert!(SlipClass::ALL.iter().all(|class| SlipClass::named(class.name()) == Some(*class)));
    assert!(SlipClass::ALL.iter().all(|class| !class.meaning().is_empty()));
}
