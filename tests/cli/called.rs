//! Faults that are calls of the wrong function: others of the same type are called.

use crate::all_evidence::ranked;
use crate::project::Project;

/// Sums and products; in parentheses stands a product where a sum belongs.
const CALCULATOR: &str = "#include <stdio.h>
#include <stdlib.h>
typedef const char *text;
static long sum(text *s);
static long product(text *s);
static long hidden(const char **s);
static long number(text *s)
{
    char *end;
    long n = strtol(*s, &end, 10);
    *s = end;
    return n;
}
static long factor(text *s)
{
    if (**s != '(')
        return number(s);
    ++*s;
    long n = product(s);
    if (**s == ')')
        ++*s;
    return n;
}
static long product(text *s)
{
    long n = factor(s);
    while (**s == '*') {
        ++*s;
        n *= factor(s);
    }
    return n;
}
static long sum(text *s)
{
    long n = product(s);
    while (**s == '+') {
        ++*s;
        n += product(s);
    }
    return n;
}
static long unsaid(text s)
{
    return sum(&s);
}
int main(int argc, char **argv)
{
    text s = argv[argc - 1];
    printf(\"%ld\\n\", *s == '=' ? hidden(&s) : unsaid(s));
    return 0;
}
static long hidden(text *s)
{
    ++*s;
    return sum(s);
}
static long last(text *s)
{
    return *s != 0;
}
long (*const keep)(text *) = last;
";

#[test]
fn a_function_of_the_same_type_is_called_where_another_one_belongs() {
    let project = Project::new();
    let all = [("1+2", 3), ("2*3", 6), ("(4)", 4), ("(2*3)+1", 7), ("=5", 5), ("(1+2)*3", 9), ("2*(3+4)", 14)];
    project.write_lines("calculator", CALCULATOR, "./calculator '{line}'", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = CALCULATOR.lines().position(|line| line.contains("long n = product(s);")).unwrap() + 1;
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("with `sum` instead of `product`"), "{shown}");
    assert!(shown.contains("\n      +    long n = sum(s);\n"), "{shown}");
    let listed = project.succeed(&["mutants", "--list", "--operators", "CFR"]);
    assert!(listed.contains("`product` becomes `hidden`") && listed.contains("`sum` becomes `number`"), "{listed}");
    // What comes later without a declaration, takes something else, or is the same.
    for missing in ["`last`", "`unsaid`", "`main`", "`sum` becomes `sum`"] {
        assert!(!listed.contains(missing), "{missing} in {listed}");
    }
    // Only those who ask for such mutants get them.
    assert!(!project.succeed(&["mutants", "--list"]).contains("  CFR  "));
}

/// Ten pieces are many, too. Where few tests come, what another function says is right by chance.
const PRICES: &str = "#include <stdio.h>
#include <stdlib.h>
static int many(int n)
{
    return n > 10;
}
static int some(int n)
{
    return n > 9;
}
static int price(int n, char kind)
{
    if (kind == 'x')
        return some(n) ? 1 : 0;
    if (kind == 'r')
        return many(n) ? 3 * n - 5 : 3 * n;
    return 2 * n - many(n);
}
int main(int argc, char **argv)
{
    printf(\"%d\\n\", price(atoi(argv[1]), argv[2][0]));
    return 0;
}
";

#[test]
fn another_relation_leads_where_another_function_mends_as_well() {
    let project = Project::new();
    let all = [
        ("10 r", 25),
        ("3 r", 9),
        ("12 r", 31),
        ("3 a", 6),
        ("12 a", 23),
        ("5 a", 10),
        ("20 a", 39),
        ("9 x", 0),
        ("10 x", 1),
    ];
    project.write_lines("prices", PRICES, "./prices {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let line = |text: &str| 1 + PRICES.lines().position(|line| line.contains(text)).unwrap() as u32;
    assert_eq!(report.ranking[0].line, line("n > 10"), "{:?}", report.ranking);
    // Both mend all.
    let shown = project.succeed(&["rank", "-v", "--top", "3"]);
    assert!(shown.contains("`some` instead of `many`") && shown.contains("with >= instead of >"), "{shown}");
}
