//! What is found at the places of clang's debug information, and how texts read after edits.

use proptest::prelude::*;

use super::*;

/// What is to be done at a place.
type Make<'m> = &'m dyn Fn(&Text, u32, u32) -> Rewrite;

/// Puts `statement` into a function; finds what `find` finds at the `^` below it, rewrites that by `make`, and gives the statement as
/// it reads then.
fn rewritten(statement: &str, marks: &[(&str, Make)]) -> String {
    let source = format!("int f(int a)\n{{\n{statement}\n}}\n");
    let text = Text::parse(source.as_str());
    let rewrites: Vec<Rewrite> = marks
        .iter()
        .map(|(mark, make)| {
            let column = mark.find('^').unwrap() as u32 + 1;
            make(&text, 3, column)
        })
        .collect();
    let edits = text.edits("f.c", &rewrites).unwrap();
    let new = String::from_utf8(apply(source.as_bytes(), &edits).unwrap()).unwrap();
    new.lines().nth(2).unwrap().to_owned()
}

fn operator(new: &'static str) -> impl Fn(&Text, u32, u32) -> Rewrite {
    move |text, line, column| text.operator_at(line, column).unwrap().with_operator(new)
}

fn swapped(statement: &str, mark: &str, new: &'static str) -> String {
    rewritten(statement, &[(mark, &operator(new))])
}

#[test]
fn an_operator_is_replaced_within_its_tree() {
    let cases = [
        ("x = a - b * c;", "          ^", "+", "x = a - (b + c);"),
        ("x = a - b * c;", "      ^", "*", "x = a * (b * c);"),
        ("x = (a - b) * c;", "            ^", "+", "x = (a - b) + c;"),
        ("x = a + b + c;", "          ^", "*", "x = (a + b) * c;"),
        ("x = a + b + c;", "      ^", "*", "x = a * b + c;"),
        ("x = a - (b - c);", "           ^", "*", "x = a - (b * c);"),
        ("x = a && b || c;", "           ^^", "&&", "x = a && b && c;"),
        ("x = a && b || c;", "      ^^", "||", "x = a || b || c;"),
        ("x = a && b && c;", "           ^^", "||", "x = (a && b) || c;"),
        ("x = a < b == c;", "      ^", "==", "x = (a == b) == c;"),
        ("x = a << 2 & b;", "           ^", "|", "x = (a << 2) | b;"),
        ("x += b;", "  ^", "-=", "x -= b;"),
        ("x++;", " ^", "--", "x--;"),
        ("--x;", "^", "++", "++x;"),
        ("x = !a--;", "      ^", "++", "x = !a++;"),
        ("x = *p++;", "      ^", "--", "x = *p--;"),
        ("x = a+-b;", "     ^", "-", "x = a- -b;"),
        ("x = a-*p;", "     ^", "/", "x = a/ *p;"),
        ("x = a+++b;", "       ^", "-", "x = a++ -b;"),
        ("x = a /* - */ - b;", "              ^", "+", "x = a /* - */ + b;"),
        ("p = p + n;", "      ^", "-", "p = p - n;"),
        ("if (a < b) ;", "      ^", ">=", "if (a >= b) ;"),
        ("x = a ? b + c : d;", "          ^", "-", "x = a ? b - c : d;"),
        ("x = -(a + b);", "        ^", "*", "x = -(a * b);"),
        ("x = *p + 1;", "       ^", "-", "x = *p - 1;"),
        ("x = v[a + 1].m + 2;", "        ^", "*", "x = v[a * 1].m + 2;"),
    ];
    for (statement, mark, new, expected) in cases {
        let column = mark.find('^').unwrap();
        assert_eq!(swapped(statement, &mark[..=column], new), expected, "{statement} at {column}");
    }
}

#[test]
fn several_rewrites_nest() {
    let statement = "x = a - b * c;";
    let (minus, times) = ("      ^", "          ^");
    let negate = |text: &Text, line, column| {
        text.operator_at(line, column).unwrap().right().unwrap().with_insertion(Insertion::Negate, None)
    };
    assert_eq!(rewritten(statement, &[(minus, &operator("*")), (times, &operator("+"))]), "x = a * (b + c);");
    assert_eq!(rewritten(statement, &[(times, &operator("+")), ("  ^", &negate)]), "x = -(a - (b + c));");
    assert_eq!(rewritten(statement, &[(minus, &operator("/")), ("  ^", &negate)]), "x = -(a / (b * c));");
    let both =
        rewritten("x = a * b; y = c * d;", &[("      ^", &operator("+")), ("                 ^", &operator("-"))]);
    assert_eq!(both, "x = a + b; y = c - d;");
    let delete = |text: &Text, line, column| text.statement_at(line, column).unwrap().deleted();
    assert_eq!(rewritten("f(a * b); g();", &[("^", &delete), ("    ^", &operator("+"))]), "; g();");
    let text = Text::parse("int f(int a) { return a + 1; }");
    let sum = text.operator_at(1, 25).unwrap();
    let twice = [sum.with_operator("-"), sum.with_operator("*")];
    assert_eq!(text.edits("f.c", &twice), Err(Clash::Same));
}

#[test]
fn whole_values_get_an_operator() {
    use Insertion::*;
    let put = |statement: &str, mark: &str, insertion, cast: Option<&str>| {
        let make = |text: &Text, line, column| {
            let value = text
                .operator_at(line, column)
                .and_then(|assignment| assignment.right())
                .or_else(|| text.initializer_at(line, column))
                .or_else(|| text.statement_at(line, column)?.expression())
                .or_else(|| text.condition_at(line, column));
            value.unwrap().with_insertion(insertion, cast)
        };
        rewritten(statement, &[(mark, &make)])
    };
    assert_eq!(put("x = a + b;", "  ^", Negate, None), "x = -(a + b);");
    assert_eq!(put("x = a * b;", "  ^", Increment, None), "x = a * b + 1;");
    assert_eq!(put("x = a << b;", "  ^", Decrement, None), "x = (a << b) - 1;");
    assert_eq!(put("x = a, b;", "  ^", Negate, None), "x = -a, b;");
    assert_eq!(put("x = -a;", "  ^", Negate, None), "x = -(-a);");
    assert_eq!(put("x = g(a);", "  ^", Complement, Some("long")), "x = ~(long)g(a);");
    assert_eq!(put("x = a + b;", "  ^", Increment, Some("char")), "x = (char)(a + b) + 1;");
    assert_eq!(put("int x = a + b, y = 3;", "    ^", Not, None), "int x = !(a + b), y = 3;");
    assert_eq!(put("int *x = a, y = a + 3;", "            ^", Not, None), "int *x = a, y = !(a + 3);");
    assert_eq!(put("return e == 1;", "^", Not, None), "return !(e == 1);");
    assert_eq!(put("return(e);", "^", Not, None), "return!(e);");
}

#[test]
fn conditions_are_negated() {
    let negated = |statement: &str, mark: &str| {
        let make =
            |text: &Text, line, column| text.condition_at(line, column).unwrap().with_insertion(Insertion::Not, None);
        rewritten(statement, &[(mark, &make)])
    };
    assert_eq!(negated("if (a < b) ;", "    ^"), "if (!(a < b)) ;");
    assert_eq!(negated("if (p) ;", "    ^"), "if (!p) ;");
    assert_eq!(negated("if (!p) ;", "     ^"), "if (!!p) ;");
    assert_eq!(negated("while (a && b == 2) ;", "            ^"), "while (a && !(b == 2)) ;");
    assert_eq!(negated("while (a && b == 2) ;", "       ^"), "while (!a && b == 2) ;");
    assert_eq!(
        negated("for (;; a + 1 < 2; ) ;".replace(";; a", "; a").as_str(), "       ^"),
        "for (; !(a + 1 < 2); ) ;"
    );
    assert_eq!(negated("x = a == 1 ? b : c;", "    ^"), "x = !(a == 1) ? b : c;");
    assert_eq!(negated("if ((a + 1) * 2 > b) ;", "     ^"), "if (!((a + 1) * 2 > b)) ;");
    assert_eq!(negated("do ; while (f(a));", "            ^"), "do ; while (!f(a));");
}

#[test]
fn names_calls_and_statements_are_found() {
    let source = "int f(int *p, int n)\n{\n\tint v = n, *w = p;\n\t*p = g(n + 1, 'c')(2);\n\treturn (n);\n}\n";
    let text = Text::parse(source);
    assert_eq!(text.name_at(3, 10).unwrap().source(), "n");
    assert_eq!(text.initializer_at(3, 6).unwrap().source(), "n");
    assert_eq!(text.initializer_at(3, 14).unwrap().source(), "p");
    assert!(text.initializer_at(3, 10).is_none());
    let calls: Vec<&str> = text.calls_at(4, 7).into_iter().map(|call| call.source()).collect();
    assert_eq!(calls, ["g(n + 1, 'c')", "g(n + 1, 'c')(2)"]);
    let call = text.calls_at(4, 7)[0];
    assert_eq!(call.callee().unwrap().source(), "g");
    assert_eq!(call.arguments().len(), 2);
    assert_eq!(call.arguments()[1].literal().unwrap().value, LiteralValue::Integer(99));
    assert_eq!(call.statement().unwrap().source(), "*p = g(n + 1, 'c')(2);");
    assert!(text.statement_at(3, 2).unwrap().is_declaration());
    assert_eq!(text.operator_at(4, 2).unwrap().kind(), Kind::Pointer);
    assert_eq!(text.operator_at(4, 5).unwrap().operator(), "=");
    assert!(text.operator_at(4, 3).is_none(), "a name is no operator");
    assert!(text.operator_at(4, 90).is_none() && text.operator_at(90, 1).is_none() && text.operator_at(0, 0).is_none());
    assert_eq!(text.statement_at(5, 2).unwrap().expression().unwrap().unparenthesized().source(), "n");
}

#[test]
fn subjects_of_statements_are_found() {
    let text = Text::parse("int f(int n) {\nswitch (n + 1) { default:; }\nwhile (n) ;\nfor (;n < 2;) ; }\n");
    let subject = |line| text.subject_at(line, 1).unwrap().source();
    assert_eq!([subject(2), subject(3), subject(4)], ["n + 1", "n", "n < 2"]);
}

#[test]
fn names_are_known_where_they_are_declared() {
    let source = "int g;\nint f(int a, char *b)\n{\n  int c = 1;\n  { int d = 2, *e; c = d; }\n  for (int i = 0; i < c; i++) ;\n  c = 3;\n  int z = 4;\n}\n";
    let text = Text::parse(source);
    let late = text.name_at(7, 3).unwrap();
    for (name, seen) in [("a", true), ("b", true), ("c", true), ("g", true), ("other", true)] {
        assert_eq!(late.sees(name), seen, "{name}");
    }
    for name in ["d", "e", "i", "z"] {
        assert!(!late.sees(name), "{name}");
    }
    let inner = text.name_at(5, 20).unwrap();
    assert!(inner.sees("d") && inner.sees("c") && !inner.sees("i"));
}

#[test]
fn macros_hide_what_they_make() {
    let text =
        Text::parse("#define ADD(x, y) ((x) + (y))\nint f(int a, int b)\n{\n    return ADD(a, b + 1) * SIZE;\n}\n");
    // All of ADD is at its invocation.
    assert!(text.operator_at(4, 12).is_none());
    assert!(!text.name_at(4, 12).unwrap().is_named("a"));
    assert_eq!(text.operator_at(4, 26).unwrap().source(), "ADD(a, b + 1) * SIZE");
}

#[test]
fn literals_have_values_and_types() {
    let literal = |source: &str| {
        let text = Text::parse(format!("int x = {source};"));
        text.initializer_at(1, 5).unwrap().literal()
    };
    let integers = [
        ("42", 42, 32, false),
        ("0x2A", 42, 32, false),
        ("052", 42, 32, false),
        ("0b101010", 42, 32, false),
        ("0", 0, 32, false),
        ("42u", 42, 32, true),
        ("42L", 42, 64, false),
        ("42ull", 42, 64, true),
        ("2147483648", 2147483648, 64, false),
        ("0x80000000", 2147483648, 32, true),
        ("18446744073709551615u", 18446744073709551615, 64, true),
        ("'a'", 97, 32, false),
        ("'\\n'", 10, 32, false),
        ("'\\''", 39, 32, false),
        ("'\\0'", 0, 32, false),
        ("'\\xff'", -1, 32, false),
        ("'\\377'", -1, 32, false),
        ("-7", -7, 32, false),
        ("(-7)", -7, 32, false),
        ("-1u", 4294967295, 32, true),
        ("'\\\\'", 92, 32, false),
    ];
    for (source, value, width, unsigned) in integers {
        let found = literal(source).unwrap_or_else(|| panic!("{source}"));
        assert_eq!(
            (found.value, found.width, found.unsigned),
            (LiteralValue::Integer(value), width, unsigned),
            "{source}"
        );
    }
    let floats = [("2.5", 2.5, 64), ("1e3", 1000.0, 64), ("2.5f", 2.5, 32), ("-.5", -0.5, 64), ("0x1.8p1", 3.0, 64)];
    for (source, value, width) in floats {
        let found = literal(source).unwrap_or_else(|| panic!("{source}"));
        assert_eq!((found.value, found.width), (LiteralValue::Float(value), width), "{source}");
    }
    for source in ["x", "1 + 1", "sizeof 3", "\"a\"", "3.0L"] {
        assert_eq!(literal(source), None, "{source}");
    }
}

#[test]
fn strings_are_what_their_literals_say() {
    let source = r#"
#include "not.h"
char *a = "one" /* and */, *b = "two " "parts", *c = "";
char *d = "\t\x41\1012\"\
end", *e = u8"not", *f = "not" PRIu64, *g = L"not";
void f(void) { puts("%d ä"); }
"#;
    let text = Text::parse(source);
    let strings: Vec<(u32, String)> =
        text.strings().map(|(line, bytes)| (line, String::from_utf8(bytes).unwrap())).collect();
    let expected = [(3, "one"), (3, "two parts"), (3, ""), (4, "\tAA2\"end"), (6, "%d ä")];
    assert_eq!(strings, expected.map(|(line, text)| (line, text.to_string())));
}

#[test]
fn constants_are_written_in_their_type() {
    let literal = |source: &str| {
        let text = Text::parse(format!("int x = {source};"));
        text.initializer_at(1, 5).unwrap().literal()
    };
    let int = |bits: i64| Number::Integer { bits: bits as u64, width: 32, signed: true };
    let unsigned = |bits: i64| Number::Integer { bits: bits as u64, width: 32, signed: false };
    let long = |bits: i64| Number::Integer { bits: bits as u64, width: 64, signed: true };
    let ulong = |bits: i64| Number::Integer { bits: bits as u64, width: 64, signed: false };
    let double = |value| Number::Float { value, width: 64 };
    let float = |value| Number::Float { value, width: 32 };
    let cases = [
        (int(11), "10", "11"),
        (int(-1), "10", "(-1)"),
        (int(i64::from(i32::MIN)), "2147483647", "(-2147483647 - 1)"),
        (int(17), "0x10", "0x11"),
        (int(9), "010", "011"),
        (int(98), "'a'", "'b'"),
        (int(39), "'&'", "'\\''"),
        (int(-97), "'a'", "(-97)"),
        (unsigned(-1), "10", "(-1)"),
        (unsigned(11), "10u", "11u"),
        (unsigned(-1), "10u", "(-1u)"),
        (unsigned(0x8000_0001), "0x80000000", "0x80000001u"),
        (long(-10), "10", "(-10)"),
        (long(1 << 31), "2147483647", "2147483648"),
        (ulong(-10), "10", "(-10)"),
        (ulong(-1), "10u", "(-1)"),
        (ulong(-1), "10ul", "(-1ul)"),
        (unsigned(-1), "0xffu", "0xffffffffu"),
        (long(-0x8000_0000), "0x80000000", "(-2147483648)"),
        (double(3.5), "2.5", "3.5"),
        (double(-2.5), "2.5", "(-2.5)"),
        (double(3.0), "2", "3"),
        (double(1.0), "2.0", "1.0"),
        (float(3.5), "2.5f", "3.5f"),
    ];
    for (number, original, expected) in cases {
        let text = constant_text(number, literal(original));
        assert_eq!(text.as_deref(), Some(expected), "{number:?} for {original}");
    }
    assert_eq!(constant_text(ulong(5), None).unwrap(), "5ul", "the type of what is no literal is the operation's");
    assert_eq!(constant_text(unsigned(5), None).unwrap(), "5u");
    assert_eq!(constant_text(double(f64::NAN), None), None);
}

#[test]
fn old_and_strange_code_is_read() {
    let source = "static int f(a, b)\nint a; char *b;\n{\n#ifdef X\n\ta = a + 1;\n#else\n\ta = a - 1;\n#endif\n\treturn a * *b;\n}\n\
                  __attribute__((noinline)) void g(void) __attribute__((cold));\n\
                  API_FUNC void g(void)\n{\n\tLOCK(m) { x = a * 2; }\n\tfor_each(p, list)\n\t\tx = a / 2;\n\ty = x | 1;\n}\n";
    let text = Text::parse(source);
    let at = |line, column| text.operator_at(line, column).map(|found| found.source());
    assert_eq!(at(5, 8), Some("a + 1"));
    assert_eq!(at(7, 8), Some("a - 1"));
    assert_eq!(at(9, 11), Some("a * *b"));
    assert_eq!(at(14, 18), Some("a * 2"));
    assert_eq!(at(17, 8), Some("x | 1"));
    // An expression with directives in it is not understood, and so is nothing of it.
    let split = "int f(int a)\n{\n  a = a * 2\n#ifdef X\n    - a * 3\n#endif\n    + 1;\n  return a - 1;\n}\n";
    let text = Text::parse(split);
    assert!(text.operator_at(3, 9).is_none() && text.operator_at(7, 5).is_none());
    assert_eq!(text.operator_at(8, 12).unwrap().source(), "a - 1");
}

#[test]
fn an_if_becomes_a_while_where_that_asks_its_whole_condition_again() {
    let made = |body: &str, mark: &str| {
        let text = Text::parse(format!("int f(int a)\n{{\n{body}\n}}\n"));
        let column = body.find(mark).unwrap() as u32 + 1;
        let edits = text.edits("x.c", &[text.while_for_if(3, column)?]).unwrap();
        Some(String::from_utf8(apply(text.source(), &edits).unwrap()).unwrap().lines().nth(2).unwrap().to_owned())
    };
    let same = |body: &str, mark: &str, wanted: &str| assert_eq!(made(body, mark).as_deref(), Some(wanted));
    same("if (a > 3) a--;", "a > 3", "while (a > 3) a--;");
    same("if(!(a & 1) && g(a)) { a++; }", "!", "while(!(a & 1) && g(a)) { a++; }");
    same("if (a) b(); else if (a > 1) a--;", "a > 1", "if (a) b(); else while (a > 1) a--;");
    same(
        "if (a) { for (;;) break; switch (a) { case 1: break; } goto end; }",
        "a)",
        "while (a) { for (;;) break; switch (a) { case 1: break; } goto end; }",
    );
    for (body, mark) in [
        ("if (a) b(); else c();", "a)"),
        ("while (a) a--;", "a)"),
        ("if (a) a--;", "a--"),
        ("if (g(), a) a--;", "g"),
        ("if (({ g(); a; })) a--;", "({"),
        ("for (;;) if (a) break;", "a)"),
        ("for (;;) if (a) { b(); continue; }", "a)"),
        ("for (;;) if (a) switch (a) { case 1: continue; }", "a)"),
        ("x = a ? b : c;", "a ?"),
    ] {
        assert_eq!(made(body, mark), None, "{body}");
    }
}

/// Everything that can be asked at every place.
fn ask_all(text: &Text) {
    text.strings().for_each(drop);
    let lines = text.source().iter().filter(|byte| **byte == b'\n').count() as u32 + 2;
    for line in 0..=lines {
        for column in 0..40 {
            let mut rewrites = Vec::new();
            rewrites.extend(text.operator_at(line, column).map(|found| found.with_operator("*")));
            rewrites.extend(text.beginning_at(line, column).into_iter().map(|found| {
                let _ = (found.literal(), found.arguments(), found.choice(), found.computes(), found.is_condition());
                found.with_insertion(Insertion::Negate, Some("int"))
            }));
            rewrites.extend(text.name_at(line, column).map(|found| found.with_text("zz")));
            rewrites.extend(text.initializer_at(line, column).map(|found| found.with_text("1")));
            rewrites.extend(text.condition_at(line, column).map(|found| found.with_insertion(Insertion::Not, None)));
            rewrites.extend(text.subject_at(line, column).map(|found| found.with_insertion(Insertion::Not, None)));
            rewrites.extend(text.statement_at(line, column).map(|found| found.deleted()));
            rewrites.extend(text.while_for_if(line, column));
            for rewrite in &rewrites {
                if let Ok(edits) = text.edits("x.c", std::slice::from_ref(rewrite)) {
                    assert!(apply(text.source(), &edits).is_some());
                }
            }
            if let Ok(edits) = text.edits("x.c", &rewrites) {
                assert!(apply(text.source(), &edits).is_some());
            }
        }
    }
}

const SEED: &str = "int f(int a, char *b)\n{\n\tint x = a + 3 * b[1];\n\tif (!(a && x < 2) || f(x, b)) x++;\n#if A\n\tx <<= 'c';\n#endif\n#ifdef B\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\tx--; }\n\treturn -(x ? a : 2.5);\n}\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_on_broken_text(
        changes in prop::collection::vec((0usize..400, any::<u8>(), 0usize..3), 0..12),
    ) {
        let mut source = SEED.as_bytes().to_vec();
        for (place, byte, what) in changes {
            let place = place % source.len().max(1);
            match what {
                0 if !source.is_empty() => { source.remove(place); }
                1 if !source.is_empty() => source[place] = byte,
                _ => source.insert(place.min(source.len()), byte),
            }
        }
        ask_all(&Text::parse(source));
    }

    #[test]
    fn nothing_panics_on_bytes(source in prop::collection::vec(any::<u8>(), 0..120)) {
        ask_all(&Text::parse(source));
    }
}

#[test]
fn deep_texts_do_not_overflow_the_stack() {
    let deep = format!("int x = {}1{};", "(".repeat(50_000), ")".repeat(50_000));
    let text = Text::parse(deep);
    let _ = text.initializer_at(1, 5).map(|found| (found.literal(), found.unparenthesized().span()));
    let minus = format!("int x = {}1;", "- ".repeat(50_000));
    let text = Text::parse(minus);
    let _ = text.initializer_at(1, 5).map(|found| found.literal());
    let long = format!("int f(int a) {{ return a{}; }}", " + a".repeat(50_000));
    let text = Text::parse(long);
    let rewrites: Vec<Rewrite> =
        (0..50_000).filter_map(|n| text.operator_at(1, 25 + 4 * n)).map(|found| found.with_operator("-")).collect();
    let _ = text.edits("f.c", &rewrites[rewrites.len().saturating_sub(200)..]);
}

/// The labels of the switch whose value is at the place, which is in the function's first line.
fn labels(body: &str, at: &str) -> Option<Vec<String>> {
    let source = format!("int f(int a)\n{{\n{body}\n}}\n");
    let text = Text::parse(source.as_str());
    let (line, column) = text.place(source.find(at).unwrap() as u32);
    let found = text.labels_at(line, column)?;
    Some(found.into_iter().map(|label| label.source().to_owned()).collect())
}

#[test]
fn labels_are_those_of_the_innermost_switch() {
    let nested = "switch (a + 1) { case 'a': switch (a - 1) { case 5: break; } case (-1): break; default: a = 1;\n\
                  case RED | 1: ; }";
    assert_eq!(labels(nested, "a + 1").unwrap(), ["'a'", "(-1)", "RED | 1"]);
    assert_eq!(labels(nested, "switch (a + 1").unwrap(), ["'a'", "(-1)", "RED | 1"]);
    assert_eq!(labels(nested, "a - 1").unwrap(), ["5"]);
    let device = "switch (a % 4) { case 0: do { a++; case 3: a++; case 2: a++; } while (a < 9); }";
    assert_eq!(labels(device, "a % 4").unwrap(), ["0", "3", "2"]);
    let conditional = "switch (a) {\n#if X\ncase 1: a++;\n#else\ncase 2:\n#endif\na--; }";
    assert_eq!(labels(conditional, "a) {\n#").unwrap(), ["1", "2"]);
}

#[test]
fn what_is_no_switch_or_holds_ranges_has_no_labels() {
    assert_eq!(labels("switch (a) { case 1 ... 5: a = 2; case 7: ; }", "a) {"), None);
    assert_eq!(labels("switch (a) { case 1: MANY(a); }", "MANY"), None);
    assert_eq!(labels("switch (a) { case 1: return a * 2; }", "a * 2"), None);
    assert_eq!(labels("if (a) a++;", "a) a"), None);
}

#[test]
fn a_name_in_parentheses_is_a_value_or_a_type() {
    let source = "typedef unsigned T;\n#define NUMBER 4\n#define WORD unsigned\nenum { ONE = 1 };\nextern T given(T);\n\
                  int f(int a, int c) {\n  return (a)+(2)*(c);\n  return (T)+(2)*(c);\n  return (T)-a*c;\n  return (a)-1;\n\
                  \x20 return (NUMBER)+(2)*c;\n  return (WORD)-a*c;\n  return (ONE)+(2)*c;\n  return (unknown)-a*c;\n  return (u32_t)-a*c;\n\
                  \x20 return a + (T)&c;\n  return (T)(a)*c;\n  return (a)/* - */+(2)*(c) + (T)-a*(T)+c;\n  return (given)(a)*c;\n  return (S)-a*c;\n}\nS g;\n";
    let text = Text::parse(source);
    let at = |line: u32, operator: &str| {
        let start = text.offset(line, 1).unwrap() as usize;
        let column = source[start..].find(operator).unwrap() as u32 + 1;
        text.operator_at(line, column).map(|found| found.source())
    };
    assert_eq!((at(7, "*"), at(7, "+")), (Some("(2)*(c)"), Some("(a)+(2)*(c)")));
    assert_eq!((at(8, "*"), at(8, "+")), (Some("(T)+(2)*(c)"), Some("+(2)")));
    assert_eq!((at(9, "*"), at(9, "-")), (Some("(T)-a*c"), Some("-a")));
    assert_eq!(at(10, "-"), Some("(a)-1"));
    assert_eq!((at(11, "*"), at(11, "+")), (Some("(2)*c"), Some("(NUMBER)+(2)*c")));
    assert_eq!((at(12, "*"), at(12, "-")), (Some("(WORD)-a*c"), Some("-a")));
    assert_eq!(at(13, "+"), Some("(ONE)+(2)*c"));
    assert_eq!((at(14, "*"), at(14, "-")), (None, None), "what is not known is not read");
    assert_eq!(at(15, "*"), Some("(u32_t)-a*c"));
    assert_eq!((at(16, "+"), at(16, "&")), (Some("a + (T)&c"), Some("&c")));
    assert_eq!(at(17, "*"), Some("(T)(a)*c"));
    assert_eq!((at(18, "+"), at(18, "*(c")), (Some("(a)/* - */+(2)*(c)"), Some("(2)*(c)")));
    assert_eq!(at(18, "*(T"), Some("(T)-a*(T)+c"));
    assert_eq!(at(19, "*"), Some("(given)(a)*c"));
    assert_eq!(at(20, "*"), Some("(S)-a*c"));
    let name = text.name_at(7, 11).unwrap();
    assert!(name.is_named("a") && name.span().end - name.span().start == 1);
}

#[test]
fn new_text_runs_into_nothing() {
    let number = |text: &Text, line, column| text.beginning_at(line, column)[0].with_text("7");
    assert_eq!(rewritten("return-1;", &[("      ^", &number)]), "return 7;");
    assert_eq!(rewritten("x = a ? -1:2;", &[("        ^", &number)]), "x = a ? 7:2;");
    assert_eq!(rewritten("case-1:;", &[("    ^", &number)]), "case 7:;");
    assert_eq!(rewritten("return'a';", &[("      ^", &number)]), "return 7;");
    let exponent = |text: &Text, line, column| text.name_at(line, column).unwrap().with_text("0xE");
    assert_eq!(rewritten("x = a+1;", &[("    ^", &exponent)]), "x = 0xE +1;");
    assert_eq!(rewritten("x = a-b;", &[("      ^", &exponent)]), "x = a-0xE;");
    let pointed = |text: &Text, line, column| text.name_at(line, column).unwrap().with_text("*p");
    assert_eq!(rewritten("x = a/b;", &[("      ^", &pointed)]), "x = a/ *p;");
    let text = Text::parse("int f(int a)\n{\nreturn-1;\n}\n");
    let edit = text.edits("f.c", &[text.beginning_at(3, 7)[0].with_text("7")]).unwrap().remove(0);
    assert_eq!((edit.clone().with("x").replacement, edit.with("-2").replacement), (" x".into(), "-2".into()));
}

#[test]
fn what_is_a_value_too_is_no_condition() {
    let text = Text::parse("int f(int a, int b)\n{\nif (a ?: b) ;\nreturn a > 1 ? : b;\nreturn a ? a : b;\n}\n");
    assert!(text.condition_at(3, 5).is_none() && text.condition_at(4, 8).is_none());
    assert_eq!(text.condition_at(5, 8).unwrap().source(), "a");
    assert!(!text.operator_at(4, 10).unwrap().is_condition());
    let text = Text::parse("int f(int a, int b)\n{\nreturn a && !(b || a);\n}\n");
    assert!(text.condition_at(3, 13).is_none(), "an operator decides by its operands");
}

#[test]
fn other_spellings_are_read() {
    let source = "int f(int a)\n<%\n  int t<:4:> = <% 1, a %>; // <: not\n  a = a + t<:a & 3:> * 2;\n  t<:0:> = \"<:\"<:a:>;\n  int val\\\nue =\n    a;\n\
                  \x20 val\\\nue = val\\\nue +\\\n= a;\n  return a - /* :> */ t[1];\n%>\n";
    let text = Text::parse(source);
    let at = |line, column| text.operator_at(line, column).map(|found| found.source());
    assert_eq!((at(4, 9), at(4, 22)), (Some("a + t<:a & 3:> * 2"), Some("t<:a & 3:> * 2")));
    assert_eq!(at(4, 16), Some("a & 3"));
    assert_eq!(at(5, 10), Some("t<:0:> = \"<:\"<:a:>"));
    assert_eq!(at(13, 12), Some("a - /* :> */ t[1]"));
    let own = text.name_at(8, 5).unwrap();
    assert!(own.is_named("a") && !own.sees("value") && text.name_at(13, 10).unwrap().sees("value"));
    let edit = text.edits("f.c", &[text.operator_at(4, 22).unwrap().with_operator("+")]).unwrap().remove(0);
    assert_eq!(edit.replacement, "(t<:a & 3:> + 2)");
}

#[test]
fn a_name_is_not_known_in_its_own_declaration() {
    let source = "int f(int a)\n{\n  int b =\n    a, c = a,\n    *d = &\n    a;\n  return a;\n}\n";
    let text = Text::parse(source);
    let sees = |line, column, names: [&str; 3]| names.map(|name| text.name_at(line, column).unwrap().sees(name));
    assert_eq!(sees(4, 5, ["b", "c", "d"]), [false, false, false]);
    assert_eq!(sees(4, 12, ["b", "c", "d"]), [true, false, false]);
    assert_eq!(sees(6, 5, ["b", "c", "d"]), [true, true, false]);
    assert_eq!(sees(7, 10, ["b", "c", "d"]), [true, true, true]);
    let text = Text::parse(
        "int f(int a, int b) { return a; }\nint g(int a)\n{\nfor (int a = 0; a < 3; a++) f(a, a);\nreturn a;\n}\n",
    );
    assert!(text.name_at(1, 30).unwrap().sees("b") && !text.name_at(4, 31).unwrap().sees("a"));
    assert!(text.name_at(5, 8).unwrap().sees("a"));
    let source = "int f(int a)\n{\n  int b, *p, c = a, v[2];\n  static int s;\n  c = a;\n  b = a;\n  return a;\n}\n";
    let text = Text::parse(source);
    let unset = |line, column| {
        ["a", "b", "c", "p", "s", "v"].map(|name| text.name_at(line, column).unwrap().is_before_value_of(name))
    };
    assert_eq!(unset(5, 7), [false, true, false, true, false, false]);
    assert_eq!(unset(7, 10), [false, false, false, true, false, false]);
}

#[test]
fn edits_of_tokens_are_shown_in_their_expressions() {
    let text = Text::parse("int f(int a)\n{\n    while (a <= 9 && g(a)) h('.', a);\n    return a;\n}\n");
    let edit = |line, column, original: &str, replacement: &str| Edit {
        file: "f.c".into(),
        line,
        column,
        end_line: line,
        end_column: column + original.len() as u32,
        original: original.into(),
        replacement: replacement.into(),
    };
    let shown = |edit: Edit, longest| edit.in_context(&text, longest).1;
    assert_eq!(shown(edit(3, 14, "<=", "<"), 60), "a < 9");
    assert_eq!(shown(edit(3, 17, "9", "8"), 60), "a <= 8");
    assert_eq!(shown(edit(3, 17, "9", "8"), 3), "8", "no room for more");
    assert_eq!(shown(edit(3, 22, "g(a)", "0"), 60), "0", "more than a token");
    assert_eq!(shown(edit(9, 1, "x", "y"), 60), "y", "not there");
}
