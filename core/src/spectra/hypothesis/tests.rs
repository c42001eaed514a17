//! Queries against the published example, against enumeration, and against their own errors.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;
use crate::spectra::doric;

/// Units and tests called by their number from 1, tests also as `t1`.
struct Numbered {
    n_units: u32,
    n_tests: u32,
}

impl Names for Numbered {
    fn unit(&self, name: &str) -> Result<u32, String> {
        let name = name.strip_prefix("src/a.c:").unwrap_or(name);
        let number = name.parse().ok().filter(|n| (1..=self.n_units).contains(n));
        number.map(|n: u32| n - 1).ok_or_else(|| format!("no unit `{name}`"))
    }

    fn test(&self, name: &str) -> Result<u32, String> {
        let number = name.trim_start_matches('t').parse().ok().filter(|n| (1..=self.n_tests).contains(n));
        number.map(|n: u32| n - 1).ok_or_else(|| format!("no test `{name}`"))
    }
}

fn minmax() -> CoverageMatrix {
    let rows = [([0, 1, 1, 0], 1), ([0, 0, 1, 1], 1), ([0, 0, 1, 0], 1), ([1, 0, 0, 1], 0), ([1, 1, 0, 0], 0)];
    CoverageMatrix::from_rows(4, &rows.map(|(row, failed)| (row.map(|c| c == 1), failed == 1)))
}

fn ask(text: &str) -> Result<Probability, Unanswerable> {
    let query =
        Query::parse(text, &Numbered { n_units: 4, n_tests: 5 }).unwrap_or_else(|error| panic!("{text}: {error}"));
    query.answer(&minmax())
}

fn ratio(numerator: i32, denominator: i32) -> Result<Probability, Unanswerable> {
    Ok(Probability::Exact(BigRational::new(BigInt::from(numerator), BigInt::from(denominator))))
}

#[test]
fn minmax_has_the_published_probabilities() {
    for (text, numerator, denominator) in [
        ("P(f[1])", 0, 1),
        ("P(f[src/a.c:2])", 2, 3),
        ("P(f[3])", 1, 1),
        ("P(f[4])", 2, 3),
        ("P(H[2] | u[2])", 1, 6),
        ("P(H[3] | u[3])", 5, 9),
        ("P_1(h[2])", 2, 3),
        ("P[t1](H[2])", 1, 3),
        ("P(h[2] | t[1])", 2, 3),
        ("P_4(h[1])", 0, 1),
        ("P(e)", 3, 5),
        ("P(e | u[3])", 1, 1),
        ("P(u[2] && !e)", 1, 5),
        ("P(f[2] ∧ f[4])", 4, 9),
        ("P(f[2] || f[4])", 8, 9),
        // Given is test 2 with 4 among its causes; 2 is then decided by test 1 alone.
        ("P( ¬f[2] | ¬(h[2] ∨ H[3]) && e )", 1, 3),
    ] {
        assert_eq!(ask(text), ratio(numerator, denominator), "{text}");
    }
    assert_eq!(ask("P(e | h[1])"), Err(Unanswerable::ImpossibleCondition));
}

#[test]
fn errors_point_at_the_column() {
    let error = |text: &str| Query::parse(text, &Numbered { n_units: 4, n_tests: 5 }).unwrap_err();
    for (text, column, message) in [
        ("", 1, "expected `P(`, as in `P(f[src/a.c:41] | !h[src/b.c:7])`"),
        ("P f[1]", 3, "expected `(` before the statement"),
        ("P(f[1]", 7, "expected `&&`, `||`, `|` or `)`"),
        ("P(f[1] & e)", 8, "expected `&&`, `||`, `|` or `)`"),
        ("P(g[1])", 3, "`g` is no statement: use e, u[..], h[..], H[..], f[..] or t[..]"),
        ("P(¬f[src/b.c:1])", 6, "no unit `src/b.c:1`"),
        ("P(h[1)", 4, "this `[` is not closed"),
        ("P(h)", 4, "expected `[` and a name"),
        ("P(e || )", 8, "expected a statement: e, u[..], h[..], H[..], f[..], t[..], `!` or `(`"),
        ("P_9(e)", 3, "no test `9`"),
        ("P_(e)", 3, "expected a test after `P_`"),
        ("P[x](e)", 3, "no test `x`"),
        ("P(e) > 1", 6, "expected the end of the query"),
        ("P((e)", 6, "expected `&&`, `||`, `|` or `)`"),
        ("P((e && e | e))", 11, "expected `)` to close the parenthesis"),
    ] {
        let error = error(text);
        assert_eq!((error.column, error.message.as_str()), (column, message), "{text}");
    }
    assert_eq!(error("P(h[1)").pointing_at("P(h[1)"), "P(h[1)\n   ^");
}

#[test]
fn large_matrices_are_answered_in_closed_form() {
    let wide: Vec<u32> = (0..5000).collect();
    let matrix =
        CoverageMatrix::from_units(5000, &[(wide.clone(), true), (wide[1000..].to_vec(), true), (wide, false)]);
    let names = Numbered { n_units: 5000, n_tests: 3 };
    let answer = |text: &str| Query::parse(text, &names).unwrap().answer(&matrix).unwrap();
    let cl = doric::causal_likelihood(&matrix);
    assert!((answer("P(H[1] | u[1])").log2() - cl[0]).abs() < 1e-9);
    assert!((answer("P(H[2000] | u[2000])").log2() - cl[1999]).abs() < 1e-9);
    assert!((answer("P(f[2000])").value() - 0.75).abs() < 1e-12);
    assert!((answer("P(f[2000] | H[2000])").value() - 1.0).abs() < 1e-12);
    assert!((answer("P(f[1] | !f[2000])").value() - 0.5).abs() < 1e-12);
}

#[test]
fn what_cannot_be_answered_is_said() {
    let query = |text| Query::parse(text, &Numbered { n_units: 60, n_tests: 1 }).unwrap();
    assert_eq!(query("P(e)").answer(&CoverageMatrix::new(3)), Err(Unanswerable::NoTest));
    let unexplained = CoverageMatrix::from_units(3, &[(vec![0], false), (vec![], true)]);
    assert_eq!(query("P(e)").answer(&unexplained), Err(Unanswerable::NoCause(1)));
    let all: Vec<u32> = (0..60).collect();
    let wide = CoverageMatrix::from_units(60, &[(all.clone(), true), (all, true)]);
    let many = (1..=50).map(|unit| format!("f[{unit}]")).collect::<Vec<_>>().join(" && ");
    assert_eq!(query(&format!("P({many})")).answer(&wide), Err(Unanswerable::TooLarge(50)));
}

#[test]
fn many_units_of_few_models_are_enumerated() {
    let all: Vec<u32> = (0..12).collect();
    let matrix = CoverageMatrix::from_units(60, &[(all, true)]);
    let many = (1..=60).map(|unit| format!("!f[{unit}]")).collect::<Vec<_>>().join(" || ");
    let query = Query::parse(&format!("P({many})"), &Numbered { n_units: 60, n_tests: 1 }).unwrap();
    assert_eq!(query.answer(&matrix), ratio(1, 1));
    let few = (1..=11).map(|unit| format!("!f[{unit}]")).collect::<Vec<_>>().join(" && ");
    let query = Query::parse(&format!("P({few})"), &Numbered { n_units: 60, n_tests: 1 }).unwrap();
    assert_eq!(query.answer(&matrix), ratio(1, (1 << 12) - 1));
}

fn statement() -> impl Strategy<Value = Statement> {
    let unit = 0u32..4;
    let leaf = prop_oneof![
        unit.clone().prop_map(Statement::Executed),
        unit.clone().prop_map(Statement::Cause),
        unit.clone().prop_map(Statement::OnlyCause),
        unit.prop_map(Statement::Fault),
        Just(Statement::Failed),
        (0u32..3).prop_map(Statement::Test),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Statement::Not(a.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Statement::And(a.into(), b.into())),
            (inner.clone(), inner).prop_map(|(a, b)| Statement::Or(a.into(), b.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn closed_forms_agree_with_enumeration(
        rows in prop::collection::vec((prop::collection::vec(any::<bool>(), 5), any::<bool>()), 1..6),
        statement in statement(),
        given in prop::option::of(statement()),
    ) {
        let rows: Vec<_> = rows.into_iter().map(|(row, failed)| { let any = row.contains(&true); (row, failed && any) }).collect();
        let failing_bits: usize = rows.iter().filter(|(_, f)| *f).map(|(row, _)| row.iter().filter(|c| **c).count()).sum();
        prop_assume!(failing_bits <= 14);
        let matrix = CoverageMatrix::from_rows(5, &rows);
        let query = Query { statement, given };
        let closed = closed::Closed::new(&query, &matrix, &matrix.sizes());
        let exact: Option<BigRational> = closed.answer();
        prop_assert_eq!(&exact, &enumerate::count(&query, &matrix));
        let rounded: Option<Wide> = closed.answer();
        match (exact, rounded) {
            (Some(exact), Some(rounded)) => prop_assert!((Wide::of_ratio(&exact).value() - rounded.value()).abs() < 1e-9),
            (exact, rounded) => prop_assert!(exact.is_none() && rounded.is_none()),
        }
    }

    #[test]
    fn parsing_never_panics(text in "[P(|)&!ehHuft\\[\\]_1-9 ∧¬]{0,30}") {
        let _ = Query::parse(&text, &Numbered { n_units: 4, n_tests: 5 });
    }
}
