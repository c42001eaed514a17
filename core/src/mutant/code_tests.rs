//! Code mutants of every class on snippets: which there are, how they read, which are junk, the same or nothing.

mod snippet;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

pub(super) use self::snippet::Snippet;
use super::*;
use crate::program::{NodeKind, OperationKind, Operator, Signedness, ValueClass};
use crate::source::Text;
use crate::trial::{Change, Site};

/// `module` as the first clang that is installed leaves it.
fn optimised(module: &str) -> String {
    let start = |name: &str| {
        let mut command = Command::new(name);
        command.args(["-w", "-O2", "-S", "-emit-llvm", "-x", "ir", "-o", "-", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()
    };
    let mut clang = ["clang-19", "clang-16", "clang"].into_iter().find_map(start).expect("clang is installed");
    clang.stdin.take().unwrap().write_all(module.as_bytes()).unwrap();
    let output = clang.wait_with_output().unwrap();
    assert!(output.status.success(), "clang takes the module");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn arithmetic_is_replaced() {
    let snippet = Snippet::new("x = a - b * c;").binary("* c", 0, Operator::Mul, None, None);
    let expected = ["x = a - (b + c);", "x = a - (b - c);", "x = a - b / c;", "x = a - b % c;"];
    assert_eq!(snippet.read_as(Class::Aor), expected);
    let snippet = Snippet::new("d += 1.5 * e;").binary("+=", 0, Operator::FloatAdd, None, None);
    assert_eq!(snippet.read_as(Class::Aor), ["d -= 1.5 * e;", "d *= 1.5 * e;", "d /= 1.5 * e;"]);
    let snippet = Snippet::new("n++; --m;").binary("++", 0, Operator::Add, None, Some(1)).binary(
        "--m",
        0,
        Operator::Add,
        None,
        Some(0xffff_ffff),
    );
    assert_eq!(snippet.read_as(Class::Aor), ["n--; --m;", "n++; ++m;"]);
    let changes: Vec<_> = snippet.mutants().into_iter().map(|mutant| mutant.overrides[0].change.clone()).collect();
    assert_eq!(changes, [Change::Right(0xffff_ffff), Change::Right(1)]);
}

#[test]
fn what_is_not_known_to_be_signed_is_only_replaced_by_what_does_not_care() {
    let unknown = |operator| OperationKind::Binary {
        operator,
        width: 32,
        signedness: Signedness::Unknown,
        left: None,
        right: None,
    };
    let snippet = Snippet::new("x = a + b;");
    let place = snippet.place("+ b", 0);
    assert_eq!(snippet.with(place, None, unknown(Operator::Add)).read_as(Class::Aor), ["x = a - b;", "x = a * b;"]);
    let snippet = Snippet::new("x = a == b;");
    let place = snippet.place("== b", 0);
    assert_eq!(snippet.with(place, None, unknown(Operator::Equal)).read_as(Class::Ror), ["x = a != b;"]);
}

#[test]
fn relations_connectors_bits_and_shifts_are_replaced() {
    let snippet = Snippet::new("if (a < b && c) d = a & b << 2;")
        .binary("< b", 0, Operator::SignedLess, None, None)
        .binary("& b <<", 0, Operator::And, None, None)
        .binary("<< 2", 0, Operator::Shl, None, Some(2));
    let place = snippet.place("&&", 0);
    let snippet = snippet.with(place, None, OperationKind::Logical { and: true });
    let relations: Vec<String> = snippet.read_as(Class::Ror);
    assert_eq!(relations.len(), 5);
    assert_eq!(relations[0], "if ((a == b) && c) d = a & b << 2;".replace("(a == b)", "a == b"));
    assert_eq!(snippet.read_as(Class::Lcr), ["if (a < b || c) d = a & b << 2;"]);
    assert_eq!(snippet.read_as(Class::Bor)[0], "if (a < b && c) d = a | (b << 2);");
    assert_eq!(snippet.read_as(Class::Sor), ["if (a < b && c) d = a & (b >> 2);"]);
    // No shift by -1 or -2, which would mean nothing.
    let counts = ["0", "1", "3"].map(|count| format!("if (a < b && c) d = a & b << {count};"));
    assert_eq!(snippet.read_as(Class::Crp), counts);
}

#[test]
fn steps_of_addresses_are_turned_and_changed() {
    let step = |body: &str, mark: &str, backwards, constant| {
        let snippet = Snippet::new(body);
        let place = snippet.place(mark, 0);
        snippet.with(place, None, OperationKind::Step { backwards, constant })
    };
    let snippet = step("p = q - 3;", "- 3", true, Some(3));
    assert_eq!(snippet.read_as(Class::Aor), ["p = q + 3;"]);
    let expected = ["p = q - 0;", "p = q - 1;", "p = q - (-1);", "p = q - 4;", "p = q - 2;", "p = q - (-3);"];
    assert_eq!(snippet.read_as(Class::Crp), expected);
    let four = snippet.mutants().into_iter().find(|mutant| mutant.replacement == "4").unwrap();
    assert_eq!(four.overrides[0].change, Change::Left(4u64.wrapping_neg()));
    // `q + 3` and `q - (-3)` are one thing.
    assert_eq!(snippet.of_status(Class::Crp, |status| matches!(status, Status::Duplicate(_))), ["(-3)"]);
    assert_eq!(step("p--;", "--", true, Some(1)).read_as(Class::Aor), ["p++;"]);
    assert!(step("p--;", "--", true, Some(1)).read_as(Class::Crp).is_empty());
    assert_eq!(step("p += n;", "+=", false, None).read_as(Class::Aor), ["p -= n;"]);
    assert_eq!(step("p = 2 + q;", "+ q", false, Some(2)).read_as(Class::Crp)[3], "p = 3 + q;");
}

#[test]
fn constants_are_replaced_wherever_they_stand() {
    let snippet = Snippet::new("x = a < 10;").binary("< 10", 0, Operator::SignedLess, None, Some(10));
    let expected = ["x = a < 0;", "x = a < 1;", "x = a < (-1);", "x = a < 11;", "x = a < 9;", "x = a < (-10);"];
    assert_eq!(snippet.read_as(Class::Crp), expected);
    let snippet = Snippet::new("x = 'a' + b;").binary("+ b", 0, Operator::Add, Some(97), None);
    assert_eq!(snippet.read_as(Class::Crp)[3], "x = 'b' + b;");
    assert_eq!(snippet.mutants().iter().rfind(|mutant| mutant.class.is_usual()).unwrap().class, Class::Crp);
    let snippet = Snippet::new("x = a * SIZE;").binary("* SIZE", 0, Operator::Mul, None, Some(100));
    assert_eq!(snippet.read_as(Class::Crp)[3], "x = a * 101;");
    // What the text does not say is no constant of it.
    let snippet = Snippet::new("x = a * g(1);").binary("* g", 0, Operator::Mul, None, Some(100));
    assert!(snippet.read_as(Class::Crp).is_empty());
    let snippet = Snippet::new("x = a / 1;").binary("/ 1", 0, Operator::SignedDiv, None, Some(1));
    assert!(!snippet.read_as(Class::Crp).contains(&"x = a / 0;".to_owned()));
}

#[test]
fn arguments_and_whole_values_are_replaced() {
    let snippet = Snippet::new("g(a, 2.5, 'x');");
    let place = snippet.place("g(a", 0);
    let argument = |position, is_float, value| OperationKind::Argument { position, width: 64, is_float, value };
    let snippet = snippet.with(place, None, argument(1, true, 2.5f64.to_bits()));
    assert_eq!(snippet.read_as(Class::Crp)[3], "g(a, 3.5, 'x');");
    let snippet = Snippet::new("x = 5; return 7;").assigned("= 5", 0).node(
        NodeKind::Return,
        "return",
        0,
        ValueClass::Signed,
        "int",
        32,
    );
    let (first, second) = (snippet.place("= 5", 0), snippet.place("return", 0));
    let snippet = snippet.with(first, Some(0), OperationKind::Whole { value: 5 }).with(
        second,
        Some(1),
        OperationKind::Whole { value: 7 },
    );
    let read = snippet.read_as(Class::Crp);
    assert!(
        read.contains(&"x = (-5); return 7;".to_owned()) && read.contains(&"x = 5; return 8;".to_owned()),
        "{read:?}"
    );
    // 5 + 1 as a constant and as an operator inserted are one mutant, and so are all others of a constant.
    let same = snippet.of_status(Class::Uoi, |status| matches!(status, Status::Duplicate(_)));
    assert_eq!(same, ["-5", "!5", "5 + 1", "5 - 1", "-7", "!7", "7 + 1", "7 - 1"]);
    assert_eq!(snippet.of_status(Class::Uoi, |status| status == Status::Normal), ["~5", "~7"]);
}

#[test]
fn operators_are_put_around_values() {
    let snippet = Snippet::new("x = a + b;\nlong y = g(a);\nif (a < b) return b; switch (a) { default: ; }")
        .assigned("= a +", 0)
        .node(NodeKind::Assignment, "y = g", 0, ValueClass::Signed, "long", 64)
        .node(NodeKind::Predicate, "a < b", 0, ValueClass::Bool, "int", 1)
        .node(NodeKind::Return, "return", 0, ValueClass::Signed, "int", 32)
        .node(NodeKind::Switch, "a) { def", 0, ValueClass::Signed, "int", 32)
        .binary("+ b", 0, Operator::Add, None, None)
        .variables(&[("b", "int")])
        .read("b; sw", 0, 0, &[]);
    let mutants = snippet.mutants();
    let of = |line: u32| -> Vec<String> {
        let here = mutants.iter().filter(|mutant| mutant.class == Class::Uoi && mutant.place.line == line);
        here.map(|mutant| mutant.edit.as_ref().unwrap().replacement.clone()).collect()
    };
    assert_eq!(of(3), ["-(a + b)", "!(a + b)", "~(a + b)", "a + b + 1", "a + b - 1"].map(String::from)[..].to_vec());
    assert_eq!(of(4)[..2], ["-(long)g(a)", "!(long)g(a)"]);
    assert_eq!(of(5), ["!(a < b)", "-b", "!b", "~b", "b + 1", "b - 1", "-a", "!a", "~a", "a + 1", "a - 1"]);
}

#[test]
fn variables_of_the_same_type_are_read_instead() {
    let snippet = Snippet::new("x = a + b;")
        .variables(&[("a", "int"), ("b", "int"), ("c", "int"), ("d", "int"), ("d", "int")])
        .read("a +", 0, 0, &[1, 2, 3, 4]);
    assert_eq!(snippet.read_as(Class::Vrr), ["x = b + b;", "x = c + b;"]);
    let junk: Vec<Status> =
        snippet.mutants().iter().map(|mutant| mutant.status).filter(|one| *one != Status::Normal).collect();
    assert_eq!(junk, [Status::Junk(Junk::Several); 2], "of two variables of one name the text means one");
    let snippet = Snippet::new("*p = n;")
        .variables(&[("p", "char *"), ("q", "char *"), ("r", "const char *"), ("n", "int"), ("m", "const int")])
        .read("p =", 0, 0, &[1, 2])
        .read("n;", 0, 3, &[4]);
    assert_eq!(snippet.read_as(Class::Vrr), ["*q = n;", "*p = m;"]);
    // The name at the place is another one: a macro reads the variable.
    let snippet = Snippet::new("x = A;").variables(&[("a", "int"), ("b", "int")]).read("A;", 0, 0, &[1]);
    assert_eq!(snippet.mutants()[0].status, Status::Junk(Junk::Macro));
}

#[test]
fn statements_are_deleted() {
    let statement = |body: &str, mark: &str| {
        let snippet = Snippet::new(body);
        let place = snippet.place(mark, 0);
        snippet.with(place, None, OperationKind::Statement { copy: None })
    };
    assert_eq!(statement("if (a) g(b);", "g(").read_as(Class::Sdl), ["if (a) ;"]);
    assert_eq!(statement("x = a; y = b;", "= a").read_as(Class::Sdl), ["; y = b;"]);
    assert_eq!(statement("(void)g(b);", "g(").read_as(Class::Sdl), [";"]);
    assert_eq!(statement("for (i = 0; i < 3; i++) ;", "++").read_as(Class::Sdl), ["for (i = 0; i < 3; ) ;"]);
    assert_eq!(statement("a++, b--;", "++").mutants()[0].status, Status::Junk(Junk::Part));
    assert_eq!(statement("LOG(a);", "LOG").mutants()[0].status, Status::Junk(Junk::Macro));
    let both = statement("log(a);", "log").binary("log", 0, Operator::Add, None, None);
    let deletion = both.mutants().into_iter().find(|mutant| mutant.class == Class::Sdl).unwrap();
    assert_eq!(deletion.status, Status::Junk(Junk::Macro), "a sum at a name is a macro's");
}

#[test]
fn junk_is_known() {
    let status = |snippet: &Snippet| snippet.mutants()[0].status;
    let macros = Snippet::new("x = ADD(a, b);").binary("ADD", 0, Operator::Add, None, None);
    assert_eq!(status(&macros), Status::Junk(Junk::Macro));
    assert!(macros.mutants()[0].edit.is_none() && !macros.mutants()[0].overrides.is_empty());
    let made = Snippet::new("x = !a;").binary("!a", 0, Operator::Xor, None, None);
    assert_eq!(status(&made), Status::Junk(Junk::Made));
    let mut outside = Snippet::new("x = a + b;").binary("+ b", 0, Operator::Add, None, None);
    outside.program.operations[0].place.file = 1;
    assert_eq!(status(&outside), Status::Junk(Junk::Outside));
    let twice = Snippet::new("x = a + b;").binary("+ b", 0, Operator::FloatAdd, None, None).binary(
        "+ b",
        0,
        Operator::FloatAdd,
        None,
        None,
    );
    assert_eq!(status(&twice), Status::Junk(Junk::Several));
    let lost = code_mutants(&macros.program, &BTreeMap::new());
    assert_eq!(lost[0].status, Status::Junk(Junk::NoText));
    // A macro that falls apart when it is expanded binds otherwise than its name.
    let loose = Snippet::new("#define N b + 1\nx = a * N;").binary("* N", 0, Operator::Mul, None, None);
    assert_eq!(status(&loose), Status::Junk(Junk::Macro));
    let firm = Snippet::new("#define N (b + 1)\nx = a * N;").binary("* N", 0, Operator::Mul, None, None);
    assert_eq!(status(&firm), Status::Normal);
}

#[test]
fn names_last_when_other_code_changes() {
    let one = Snippet::new("x = a + b; y = a + b;").binary("+ b; y", 0, Operator::Add, None, None).binary(
        "+ b;\n",
        0,
        Operator::Add,
        None,
        None,
    );
    let other = Snippet::new("if (c)\n\n  z = 3;\nx = a  +  b; y = a + b;")
        .binary("+  b; y", 0, Operator::Add, None, None)
        .binary("+ b;\n", 0, Operator::Add, None, None);
    let ids = |snippet: &Snippet| -> Vec<u64> { snippet.mutants().iter().map(|mutant| mutant.id).collect() };
    assert_eq!(ids(&one), ids(&other));
    let mut distinct = ids(&one);
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), one.mutants().len());
}

#[test]
fn source_that_is_compiled_twice_is_one_mutant() {
    let mut snippet = Snippet::new("x = a + b;").binary("+ b", 0, Operator::Add, None, None);
    let mut second = snippet.program.functions[0].clone();
    (second.unit, second.operations) = (1, 1..2);
    let mut operation = snippet.program.operations[0].clone();
    operation.function = 1;
    snippet.program.functions.push(second);
    snippet.program.operations.push(operation);
    let mutants = snippet.mutants();
    assert_eq!(mutants.len(), 6);
    let sites: Vec<Site> = mutants[0].overrides.iter().map(|one| one.site).collect();
    assert_eq!(sites, [Site::Operation(0), Site::Operation(1)]);
}

#[test]
fn several_mutants_are_one_edit_each_or_together() {
    let snippet = Snippet::new("x = a - b * c;").binary("- b", 0, Operator::Sub, None, None).binary(
        "* c",
        0,
        Operator::Mul,
        None,
        None,
    );
    let mutants = snippet.mutants();
    let find =
        |to: &str, column| mutants.iter().find(|one| one.replacement == to && one.place.column == column).unwrap();
    let (minus, times) = (snippet.place("- b", 0).column, snippet.place("* c", 0).column);
    let both = edits(&snippet.program, &snippet.texts(), [find("*", minus), find("+", times)]).unwrap();
    assert_eq!(both.len(), 1);
    assert_eq!(snippet.after(&both), "x = a * (b + c);");
    assert!(edits(&snippet.program, &snippet.texts(), [find("*", minus), find("/", minus)]).is_err());
}

#[test]
fn what_computes_the_same_is_found() {
    let equivalent = |status| status == Status::Equivalent;
    let snippet = Snippet::new("x = a * 1;").binary("* 1", 0, Operator::Mul, None, Some(1));
    assert_eq!(snippet.of_status(Class::Aor, equivalent), ["a / 1"]);
    let snippet = Snippet::new("x = a + 1;").binary("+ 1", 0, Operator::Add, None, Some(1)).assigned("= a", 0);
    let duplicate = |status| matches!(status, Status::Duplicate(_));
    assert_eq!(snippet.of_status(Class::Crp, duplicate), ["0", "(-1)"], "a * 1 and a - 1");
    assert_eq!(snippet.of_status(Class::Uoi, equivalent), Vec::<String>::new());
    assert_eq!(snippet.of_status(Class::Uoi, duplicate), ["a + 1 + 1", "a + 1 - 1"], "a + 2 and a + 0");
    // A truth negated is the other relation.
    let snippet = Snippet::new("if (a < b) ;").binary("< b", 0, Operator::SignedLess, None, None).node(
        NodeKind::Predicate,
        "a < b",
        0,
        ValueClass::Bool,
        "int",
        1,
    );
    assert_eq!(snippet.of_status(Class::Uoi, duplicate), ["!(a < b)"]);
    // What is unsigned is never below 0.
    let unsigned = OperationKind::Binary {
        operator: Operator::UnsignedGreater,
        width: 32,
        signedness: Signedness::Unsigned,
        left: None,
        right: Some(0),
    };
    let snippet = Snippet::new("x = a > 0;");
    let place = snippet.place("> 0", 0);
    let snippet = snippet.with(place, None, unsigned);
    assert_eq!(snippet.of_status(Class::Ror, equivalent), ["a != 0"]);
}

#[test]
fn divisions_that_may_trap_are_never_taken_for_numbers() {
    let snippet = Snippet::new("x = 0 * b;").binary("* b", 0, Operator::Mul, Some(0), None);
    // 0 / b and 0 % b are 0 but for b = 0, where they trap.
    let equivalent = snippet.of_status(Class::Aor, |status| status == Status::Equivalent);
    assert!(equivalent.is_empty(), "{equivalent:?}");
    let snippet = Snippet::new("x = a / -1;").binary("/ -1", 0, Operator::SignedDiv, None, Some(0xffff_ffff));
    assert!(snippet.of_status(Class::Aor, |status| status != Status::Normal).is_empty());
}

#[test]
fn nested_expressions_are_compared_as_wholes() {
    // (a + 1) - 1: replacing the inner constant by 0 is replacing the outer one by 2's neighbour.
    let snippet = Snippet::new("x = a + 2 - 3;")
        .binary("+ 2", 0, Operator::Add, None, Some(2))
        .binary("- 3", 0, Operator::Sub, None, Some(3))
        .assigned("= a", 0);
    let mutants = snippet.compared();
    let same: Vec<&str> = mutants
        .iter()
        .filter(|mutant| matches!(mutant.status, Status::Duplicate(_)))
        .map(|mutant| mutant.edit.as_ref().unwrap().replacement.as_str())
        .collect();
    // a - 2: by the constant 4 in place of 3, and by 1 in place of 2; a + 0: by 2 for 3, 3 for 2, and by + 1 around it all.
    assert!(same.contains(&"4") && same.contains(&"a + 2 - 3 + 1") && same.contains(&"a + 2 - 3 - 1"), "{same:?}");
}

#[test]
fn mutants_are_chosen_by_what_they_are() {
    let snippet = Snippet::new("x = a - b;\ny = ADD(a) * b;\nif (a < b) ;")
        .binary("- b", 0, Operator::Sub, None, None)
        .binary("ADD", 0, Operator::Add, None, None)
        .binary("* b", 0, Operator::Mul, None, None)
        .binary("< b", 0, Operator::SignedLess, None, None);
    let mutants = snippet.mutants();
    let choose = |selection: &Selection| selection.choose(&snippet.program, &mutants);
    assert_eq!(choose(&Selection::default()).len(), 4 + 2 + 2 + 5, "what ADD converts is not known");
    assert_eq!(choose(&Selection { junk: true, ..Selection::default() }).len(), mutants.len());
    let relations = Selection { classes: vec![Class::Ror], ..Selection::default() };
    assert!(choose(&relations).iter().all(|index| mutants[*index].class == Class::Ror));
    let lines = BTreeMap::from([("src/f.c".to_owned(), vec![4..=4])]);
    assert_eq!(choose(&Selection { lines: Some(lines), ..Selection::default() }).len(), 2);
    let pattern = |text: &str| vec![glob::Pattern::new(text).unwrap()];
    assert!(choose(&Selection { files: pattern("lib/*"), ..Selection::default() }).is_empty());
    assert_eq!(
        choose(&Selection { functions: pattern("f"), files: pattern("src/*"), ..Selection::default() }).len(),
        13
    );
    let few = choose(&Selection { most: Some(5), seed: 1, ..Selection::default() });
    let more = choose(&Selection { most: Some(8), seed: 1, ..Selection::default() });
    assert_eq!(few.len(), 5);
    assert!(few.iter().all(|index| more.contains(index)), "the first of more are those of few");
    assert_ne!(few, choose(&Selection { most: Some(5), seed: 2, ..Selection::default() }));
}

#[test]
fn conversions_that_leave_no_trace_are_looked_for() {
    let relations = |body: &str, mark: &str| {
        Snippet::new(body).binary(mark, 0, Operator::Equal, None, None).read_as(Class::Ror).len()
    };
    assert_eq!(relations("x = a == b;", "=="), 5);
    assert_eq!(relations("x = (unsigned)a == b;", "=="), 5, "unsigned relations");
    assert_eq!(relations("x = (other_t)a == b;", "=="), 1, "only != means the same for all types");
    assert_eq!(relations("x = a == LIMIT(b);", "=="), 1);
    assert_eq!(relations("#define LIMIT 5\nx = a == LIMIT;", "=="), 5);
    let unsigned = Snippet::new("x = (unsigned)a == b;").binary("==", 0, Operator::Equal, None, None).mutants();
    assert!(unsigned.iter().any(|one| one.overrides[0].change == Change::Operator(Operator::UnsignedLess)));
}

#[test]
fn constants_that_go_on_are_not_their_nodes_alone() {
    let snippet = Snippet::new("x = y = 5;").assigned("= 5", 0);
    let place = snippet.place("= 5", 0);
    let snippet = snippet.with(place, Some(0), OperationKind::Whole { value: 5 });
    assert!(snippet.mutants().iter().all(|mutant| mutant.status == Status::Junk(Junk::Part)));
    // In the machine y takes another value, and x the 5 of the text.
    assert!(!snippet.mutants().is_empty());
}

#[test]
fn copied_structures_and_macros_of_headers_are_known() {
    let statement = |body: &str, mark: &str| {
        let snippet = Snippet::new(body);
        let place = snippet.place(mark, 0);
        snippet.with(place, None, OperationKind::Statement { copy: None })
    };
    assert_eq!(statement("*p = *q;", "*q").read_as(Class::Sdl), [";"]);
    assert_eq!(statement("s = make(a);", "make").read_as(Class::Sdl), [";"]);
    let grow = statement("grow(a);", "grow");
    assert_eq!(grow.read_as(Class::Sdl), [";"]);
    let mut texts = grow.texts();
    texts.insert(7, Text::parse("#define grow(x) ((x) = more(x))\n"));
    assert_eq!(code_mutants(&grow.program, &texts)[0].status, Status::Junk(Junk::Macro));
}

#[test]
fn null_pointers_are_no_numbers() {
    let compared = |body: &str, mark: &str| {
        let snippet = Snippet::new(body);
        let place = snippet.place(mark, 0);
        let kind = OperationKind::Binary {
            operator: Operator::Equal,
            width: 64,
            signedness: Signedness::Unsigned,
            left: None,
            right: Some(0),
        };
        snippet.with(place, None, kind).variables(&[("p", "char *")])
    };
    let all = |snippet: &Snippet| -> Vec<String> {
        let of_others = snippet.mutants().into_iter().filter(|mutant| !matches!(mutant.class, Class::Sti | Class::Dji));
        of_others.map(|mutant| mutant.edit.unwrap().replacement).collect()
    };
    assert_eq!(all(&compared("x = p == NULL;", "==")), ["p != NULL"]);
    assert_eq!(all(&compared("x = p == (char *)0;", "==")), ["p != (char *)0"]);
    assert_eq!(all(&compared("x = p == 0;", "==").read("p ==", 0, 0, &[])), ["p != 0"]);
    assert_eq!(all(&compared("x = n == 0;", "==")).len(), 5 + 2);
}

#[test]
fn variables_are_counted_when_they_are_read() {
    let of = |body: &str, mark: &str, kind: &str| {
        Snippet::new(body).variables(&[("v", kind)]).read(mark, 0, 0, &[]).read_as(Class::Sti)
    };
    assert_eq!(of("x = v;", "v;", "int"), ["x = v++;", "x = ++v;", "x = v--;", "x = --v;"]);
    assert_eq!(of("*v = x;", "v =", "int *"), ["*v++ = x;", "*++v = x;", "*v-- = x;", "*--v = x;"]);
    assert_eq!(of("x = v->m;", "v->", "s *"), ["x = v++->m;", "x = (++v)->m;", "x = v--->m;", "x = (--v)->m;"]);
    assert_eq!(of("x = v[1];", "v[", "int *")[..2], ["x = v++[1];", "x = (++v)[1];"]);
    // What comes before or after does not become another operator.
    assert_eq!(of("x = -v;", "v;", "int"), ["x = -v++;", "x = -(++v);", "x = -v--;", "x = -(--v);"]);
    assert_eq!(of("x = a+v-b;", "v-", "int"), ["x = a+v++-b;", "x = a+(++v)-b;", "x = a+v---b;", "x = a+(--v)-b;"]);
    assert_eq!(of("x = a - v;", "v;", "int")[3], "x = a - --v;");
    assert_eq!(of("x = (char)v;", "v;", "int")[1], "x = (char)++v;");
    // What is no variable that can be counted, or not read there.
    assert_eq!(of("x = v;", "v;", "const int"), [""; 0]);
    for body in ["v = a;", "v += a;", "v++;", "--v;", "x = &v;", "x = sizeof v;", "(v) = a;"] {
        assert_eq!(of(body, "v", "int"), [""; 0], "{body}");
    }
    let snippet = Snippet::new("x = A;").variables(&[("v", "int *")]).read("A;", 0, 0, &[]);
    let of_macro: Vec<Status> = snippet.mutants().iter().map(|mutant| mutant.status).collect();
    assert_eq!(of_macro, [Status::Junk(Junk::Macro); 4]);
    let snippet = Snippet::new("x = v;").variables(&[("v", "int *")]).read("v;", 0, 0, &[]);
    let changes: Vec<Change> = snippet.mutants().into_iter().map(|mutant| mutant.overrides[0].change.clone()).collect();
    let down = u64::from(u32::MAX) - 3;
    assert_eq!(
        changes,
        [Change::StepAfter(4), Change::StepBefore(4), Change::StepAfter(down), Change::StepBefore(down)]
    );
    // Together with what is done to the value.
    let mutants = snippet.assigned("= v", 0).mutants();
    let texts = Snippet::new("x = v;").texts();
    let negation = mutants.iter().find(|one| one.class == Class::Uoi && one.replacement.starts_with('-')).unwrap();
    let step = mutants.iter().find(|one| one.replacement == "--v").unwrap();
    let made = edits(&Snippet::new("x = v;").program, &texts, [negation, step]).unwrap();
    assert_eq!(made[0].replacement, "-(int)--v");
}
