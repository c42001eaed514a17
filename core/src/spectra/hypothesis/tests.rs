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
    query.answer(&minmax(), &Weights::default())
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
        // What holds in a named test does not depend on the test spoken of.
        ("P(in[1] h[2])", 2, 3),
        ("P_4(◇_1 h[2])", 2, 3),
        ("P(◇_1 h[2] | in[t2] !h[4])", 2, 3),
        ("P(in[1] (h[2] && !h[3]) ∧ ◇[2] H[3])", 1, 9),
        ("P(in[1] H[2] && h[4])", 2, 45),
        ("P(f[2] | ◇_1 H[3])", 0, 1),
        ("P(in[4] e || in[4] in[5] u[3])", 0, 1),
        ("P(in[2] t[2] && in[2] !t[1])", 1, 1),
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
        ("P(g[1])", 3, "`g` is no statement: use e, u[..], h[..], H[..], f[..], t[..] or in[..]"),
        ("P(¬f[src/b.c:1])", 6, "no unit `src/b.c:1`"),
        ("P(h[1)", 4, "this `[` is not closed"),
        ("P(h)", 4, "expected `[` and a name"),
        ("P(e || )", 8, "expected a statement: e, u[..], h[..], H[..], f[..], t[..], in[..], `!` or `(`"),
        ("P_9(e)", 3, "no test `9`"),
        ("P_(e)", 3, "expected a test after `P_`"),
        ("P(in[9] e)", 6, "no test `9`"),
        ("P(◇_x e)", 5, "expected a number after `◇_`; names go in brackets, as in `◇[name]`"),
        ("P(◇_9 e)", 5, "no test `9`"),
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
    let answer = |text: &str| Query::parse(text, &names).unwrap().answer(&matrix, &Weights::default()).unwrap();
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
    assert_eq!(query("P(e)").answer(&CoverageMatrix::new(3), &Weights::default()), Err(Unanswerable::NoTest));
    let unexplained = CoverageMatrix::from_units(3, &[(vec![0], false), (vec![], true)]);
    assert_eq!(query("P(e)").answer(&unexplained, &Weights::default()), Err(Unanswerable::NoCause(1)));
    let all: Vec<u32> = (0..60).collect();
    let wide = CoverageMatrix::from_units(60, &[(all.clone(), true), (all, true)]);
    let many = (1..=50).map(|unit| format!("f[{unit}]")).collect::<Vec<_>>().join(" && ");
    assert_eq!(query(&format!("P({many})")).answer(&wide, &Weights::default()), Err(Unanswerable::TooLarge(50)));
}

#[test]
fn many_units_of_few_models_are_enumerated() {
    let all: Vec<u32> = (0..12).collect();
    let matrix = CoverageMatrix::from_units(60, &[(all, true)]);
    let many = (1..=60).map(|unit| format!("!f[{unit}]")).collect::<Vec<_>>().join(" || ");
    let query = Query::parse(&format!("P({many})"), &Numbered { n_units: 60, n_tests: 1 }).unwrap();
    assert_eq!(query.answer(&matrix, &Weights::default()), ratio(1, 1));
    let few = (1..=11).map(|unit| format!("!f[{unit}]")).collect::<Vec<_>>().join(" && ");
    let query = Query::parse(&format!("P({few})"), &Numbered { n_units: 60, n_tests: 1 }).unwrap();
    assert_eq!(query.answer(&matrix, &Weights::default()), ratio(1, (1 << 12) - 1));
}

#[test]
fn weights_are_read_line_by_line() {
    let names = Numbered { n_units: 4, n_tests: 5 };
    let parse = |text: &str| Weights::parse(text, &names, 5);
    // Test 1 has units 2 and 3: with 9/10 and 1/2 some is a cause with 19/20, and 2 is one with 9/10.
    let weights = parse("# likely\n\nh[src/a.c:2] 0.9\n  t[t1]   3/2\nt[4] 0\n").unwrap();
    let answer = |text: &str| Query::parse(text, &names).unwrap().answer(&minmax(), &weights);
    assert_eq!(answer("P_1(h[2])"), ratio(18, 19));
    assert_eq!(answer("P_1(H[3])"), ratio(1, 19));
    assert_eq!(answer("P(t[1])"), ratio(1, 3));
    assert_eq!(answer("P(e)"), ratio(7, 9));
    assert_eq!(answer("P_4(e)"), Err(Unanswerable::ImpossibleCondition));
    let probability = "expected a probability from 0 to 1, such as 0.25 or 1/3, of at most six digits";
    for (text, line, message) in [
        (
            "h[2] 0.5\nnothing",
            2,
            "expected `h[UNIT] PROBABILITY` or `t[TEST] WEIGHT`, as in `h[src/a.c:41] 0.9`".into(),
        ),
        ("h[7] 0.5", 1, "no unit `7`".into()),
        ("\nt[7] 0.5", 2, "no test `7`".into()),
        ("h[2] 1.5", 1, format!("`1.5`: {probability}")),
        ("h[2] -1", 1, format!("`-1`: {probability}")),
        ("h[2] 1/0", 1, format!("`1/0`: {probability}")),
        ("h[2]", 1, format!("``: {probability}")),
        ("h[2] 0.1234567", 1, format!("`0.1234567`: {probability}")),
        ("t[2] 9999999", 1, "`9999999`: expected a weight such as 0, 2.5 or 1/3, of at most six digits".into()),
        (
            "h[2] 0\nt[2] 1\nh[src/a.c:2] 1",
            3,
            "`src/a.c:2` has its weight from line 1; leave one of the two out".into(),
        ),
        ("t[1] 0\nt[2] 0\nt[3] 0\nt[4] 0\nt[5] 0", 5, "all tests have weight 0; give one more".into()),
    ] {
        assert_eq!(parse(text), Err(WeightError { line, message }), "{text}");
    }
}

#[test]
fn weights_follow_the_rates_of_failure() {
    let weights = Weights::of_spectra(&minmax().spectra());
    let names = Numbered { n_units: 4, n_tests: 5 };
    let answer = |text: &str| Query::parse(text, &names).unwrap().answer(&minmax(), &weights);
    // Of the tests with unit 2 one of two fails, with unit 3 all three: 1/2 and 4/5.
    assert_eq!(answer("P_1(h[2])"), ratio(5, 9));
    assert_eq!(answer("P_1(h[3])"), ratio(8, 9));
}

#[test]
fn weights_follow_sizes_against_the_mean() {
    // The mean is 2: 1 has 1/3, rounded, 2 has 1/2.
    let weights = Weights::of_sizes(&[1, 1, 2, 4]);
    let names = Numbered { n_units: 4, n_tests: 5 };
    let answer = |text: &str| Query::parse(text, &names).unwrap().answer(&minmax(), &weights);
    assert_eq!(answer("P_1(h[2])"), ratio(666, 1333));
    assert_eq!(answer("P_1(h[3])"), ratio(1000, 1333));
    assert_eq!(Weights::of_sizes(&[7, 7, 7]), Weights::default(), "equals are equally likely");
    assert_eq!(Weights::of_sizes(&[0, 0]), Weights::default());
    // None is impossible or certain, whatever the others are.
    let text = "P(f[1])";
    let extreme = Weights::of_sizes(&[0, u64::MAX, 1, 1]);
    let value = Query::parse(text, &names).unwrap().answer(&minmax(), &extreme).map(|found| found.value());
    assert!(value.is_ok_and(|value| (0.0..1.0).contains(&value)));
}

#[test]
fn units_without_weight_leave_no_cause() {
    let mut weights = Weights::default();
    weights.clear(2);
    let query = |text| Query::parse(text, &Numbered { n_units: 4, n_tests: 5 }).unwrap();
    assert_eq!(query("P(e)").answer(&minmax(), &weights), Err(Unanswerable::NoneLeft(2)));
}

#[test]
fn weighted_answers_that_name_several_tests_and_units_are_exact() {
    let rows = [([0, 3].as_slice(), true), (&[], false), (&[0, 1, 2], true), (&[], false), (&[3], false)];
    let matrix = CoverageMatrix::from_units(5, &rows.map(|(units, failed)| (units.to_vec(), failed)));
    let names = Numbered { n_units: 5, n_tests: 5 };
    let weights = Weights::parse("t[1] 0.5", &names, 5).unwrap();
    let text = "P(in[1] in[3] u[1] || u[1] || f[4] | h[1] && (H[3] || f[2]) || in[2] u[1])";
    let query = Query::parse(text, &names).unwrap();
    let answer = query.answer(&matrix, &weights).unwrap();
    assert_eq!(Some(answer), weigh(&query, &matrix, &weights).map(Probability::Exact));
}

#[test]
fn weighted_answers_over_thousands_of_units_do_not_underflow() {
    let wide: Vec<u32> = (0..5000).collect();
    let matrix =
        CoverageMatrix::from_units(5000, &[(wide.clone(), true), (wide[1000..].to_vec(), true), (wide, false)]);
    let names = Numbered { n_units: 5000, n_tests: 3 };
    let weights = Weights::parse("h[2000] 0.1\nh[1] 1e", &names, 3).unwrap_err();
    assert_eq!(weights.line, 2);
    let weights = Weights::parse("h[2000] 0.1\nh[1] 0", &names, 3).unwrap();
    let answer = |text: &str| Query::parse(text, &names).unwrap().answer(&matrix, &weights).unwrap();
    assert!((answer("P(f[2000])").value() - 0.19).abs() < 1e-12);
    assert!((answer("P_2(H[2000])").log2() - (0.1f64.log2() - 3999.0)).abs() < 1e-9);
    assert!((answer("P(in[1] h[2000] && in[2] h[3000])").value() - 0.05).abs() < 1e-12);
    assert_eq!(answer("P(f[1])").value(), 0.0);
}

/// The answer by going through all models, each with its weight.
fn weigh(query: &Query, matrix: &CoverageMatrix, weights: &Weights) -> Option<BigRational> {
    let (mut both, mut given) = (ratio_of(0, 1), ratio_of(0, 1));
    enumerate::walk(query, matrix, |test, model, holds| {
        let mut weight = weights.test(test as u32);
        for row in (0..matrix.n_tests()).filter(|row| matrix.failed()[*row]) {
            for (at, unit) in matrix.units_of(row).enumerate() {
                let is_cause = model[row] >> at & 1 == 1;
                weight *= if is_cause { weights.unit(unit) } else { ratio_of(1, 1) - weights.unit(unit) };
            }
        }
        given += &weight;
        if holds {
            both += &weight;
        }
    });
    (given != ratio_of(0, 1)).then(|| both / given)
}

fn ratio_of(numerator: i32, denominator: i32) -> BigRational {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

/// Five units and five tests, no failing one without a unit, and few models.
fn matrices() -> impl Strategy<Value = CoverageMatrix> {
    let rows = prop::collection::vec((prop::collection::vec(any::<bool>(), 5), any::<bool>()), 3..6);
    let few = rows.prop_map(|rows| {
        let mut bits = 0;
        let row = |(row, failed): (Vec<bool>, bool)| {
            let size = row.iter().filter(|covered| **covered).count();
            let failed = failed && size > 0 && bits + size <= 8;
            bits += if failed { size } else { 0 };
            (row, failed)
        };
        rows.into_iter().map(row).collect::<Vec<_>>()
    });
    few.prop_map(|rows| CoverageMatrix::from_rows(5, &rows))
}

/// Weights of some of the first four units and of tests, zeros and ones among them.
fn weight_lines() -> impl Strategy<Value = Weights> {
    let some = prop::collection::vec((any::<bool>(), 1u32..4, 0u32..5), 0..6);
    some.prop_map(|lines| {
        let lines: std::collections::BTreeMap<_, _> =
            lines.into_iter().map(|(unit, n, weight)| ((unit, n), weight)).collect();
        let line = |((is_unit, n), weight): (&(bool, u32), &u32)| match is_unit {
            true => format!("h[{n}] {weight}/4\n"),
            false => format!("t[{n}] {}.5\n", weight),
        };
        let text: String = lines.iter().map(line).collect();
        Weights::parse(&text, &Numbered { n_units: 4, n_tests: 3 }, 3).unwrap()
    })
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
            (0u32..3, inner.clone()).prop_map(|(test, a)| Statement::In(test, a.into())),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Statement::And(a.into(), b.into())),
            (inner.clone(), inner).prop_map(|(a, b)| Statement::Or(a.into(), b.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn closed_forms_agree_with_enumeration(
        rows in prop::collection::vec((prop::collection::vec(any::<bool>(), 5), any::<bool>()), 3..6),
        statement in statement(),
        given in prop::option::of(statement()),
    ) {
        let rows: Vec<_> = rows.into_iter().map(|(row, failed)| { let any = row.contains(&true); (row, failed && any) }).collect();
        let failing_bits: usize = rows.iter().filter(|(_, f)| *f).map(|(row, _)| row.iter().filter(|c| **c).count()).sum();
        prop_assume!(failing_bits <= 14);
        let matrix = CoverageMatrix::from_rows(5, &rows);
        let query = Query { statement, given };
        let closed = closed::Closed::new(&query, &matrix, &Weights::default());
        let exact: Option<BigRational> = closed.answer();
        prop_assert_eq!(&exact, &enumerate::count(&query, &matrix));
        let rounded: Option<Wide> = closed.answer();
        match (exact, rounded) {
            (Some(exact), Some(rounded)) => prop_assert!((Wide::of_ratio(&exact).value() - rounded.value()).abs() < 1e-9),
            (exact, rounded) => prop_assert!(exact.is_none() && rounded.is_none()),
        }
    }

    #[test]
    fn weighted_closed_forms_agree_with_enumeration(
        matrix in matrices(),
        weights in weight_lines(),
        statement in statement(),
        given in prop::option::of(statement()),
    ) {
        let query = Query { statement, given };
        match query.answer(&matrix, &weights) {
            Ok(Probability::Exact(answer)) => prop_assert_eq!(Some(answer), weigh(&query, &matrix, &weights)),
            Ok(Probability::Rounded(_)) => {
                let n_states = closed::Closed::new(&query, &matrix, &weights).n_states();
                prop_assert!(n_states > MOST_EXACT, "{n_states} states are few enough to be exact");
            }
            Err(_) => prop_assert_eq!(weigh(&query, &matrix, &weights), None),
        }
        let closed: Option<Wide> = closed::Closed::new(&query, &matrix, &weights).answer();
        if let Some(exact) = weigh(&query, &matrix, &weights) {
            prop_assert!((Wide::of_ratio(&exact).value() - closed.unwrap().value()).abs() < 1e-9);
        }
    }

    #[test]
    fn the_innocent_are_as_if_given_to_be_no_fault(matrix in matrices(), weights in weight_lines(), statement in statement(), unit in 0u32..4) {
        prop_assume!(weights.unit(unit) != ratio_of(1, 1));
        let mut cleared = weights.clone();
        cleared.clear(unit);
        let given = Some(Statement::Not(Statement::Fault(unit).into()));
        let asked = Query { statement: statement.clone(), given }.answer(&matrix, &weights);
        let told = Query { statement, given: None }.answer(&matrix, &cleared);
        prop_assert!(asked == told || (asked.is_err() && told.is_err()), "{asked:?} is not {told:?}");
    }

    #[test]
    fn parsing_never_panics(text in "[P(|)&!ehHuftin\\[\\]_1-9 ∧¬◇]{0,30}") {
        let _ = Query::parse(&text, &Numbered { n_units: 4, n_tests: 5 });
    }
}
