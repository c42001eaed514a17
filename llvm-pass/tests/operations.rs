//! Operations are those of the source, whatever the optimizer; what a mutated one does is what the edited source does.

#[allow(dead_code, reason = "each test needs a part of it")]
mod support;

use std::path::{Path, PathBuf};

use support::decode::{OwnedFunction, OwnedOperation, OwnedUnit, tables};
use suspect_format::site::OperationKind;

fn compile(scratch: &Path, name: &str, level: &str) -> PathBuf {
    let out = scratch.join(format!("{name}{level}.o"));
    let source = support::tests().join("tables").join(name);
    let mut command = support::clang();
    command.args([level, "-g", "-w", "-c"]).args(support::plugin_flags("")).arg(source).arg("-o").arg(&out);
    support::must(&mut command);
    out
}

/// Where the text of an operation begins in the source, and the rest of its line.
fn text_of(function: &OwnedFunction, site: &OwnedOperation, source: &[&str]) -> String {
    let operation = &site.operation;
    let place = operation.place;
    let rest: String = source[place.line as usize - 1].chars().skip(place.column as usize - 1).take(12).collect();
    let kind = match operation.kind {
        OperationKind::Binary { operator, width, signedness, left, right } => {
            format!("{operator:?} {width} {signedness:?} {left:?} {right:?}")
        }
        OperationKind::Read { variable, width, .. } => {
            let name = |number: &u32| function.variables[*number as usize].0.as_str();
            let others: Vec<&str> = site.others.iter().map(name).collect();
            format!("Read {width} {} others {}", name(&variable), others.join(" "))
        }
        // What each LLVM makes of the function that it is taken from has a hash of its own.
        OperationKind::Donor { copy, n_others, .. } => format!("Donor {copy} others {n_others}"),
        kind => format!("{kind:?}"),
    };
    let node = operation.node.map_or("-", |node| function.nodes[node as usize].text.as_str());
    format!("{}:{} `{}` {kind} | {node}", place.line, place.column, rest.trim_end())
}

fn operations_text(unit: &OwnedUnit, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut text = String::new();
    for function in &unit.functions {
        text += &format!("{}\n", function.name);
        for site in &function.operations {
            text += &format!("  {}\n", text_of(function, site, &lines));
        }
    }
    text
}

/// The same at each level and with each LLVM: the expected text is one file. `SUSPECT_BLESS=1` writes it anew.
#[test]
fn operations_are_those_of_the_source_at_every_level() {
    let scratch = support::scratch("operations-tables");
    let source = std::fs::read_to_string(support::tests().join("tables/operations.c")).unwrap();
    let expected = support::tests().join("tables/operations.expected");
    for level in ["-O0", "-O1", "-O2", "-Os"] {
        let text = operations_text(&tables(&compile(&scratch, "operations.c", level))[0], &source);
        if std::env::var_os("SUSPECT_BLESS").is_some() && level == "-O0" {
            std::fs::write(&expected, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&expected).unwrap(), "{level}");
    }
}

/// A program with one edit `[[old|new]]` (or `[[old => new]]`) in it; `@` stands where the operation is said to be, if that is not where the edit begins.
struct Edit {
    program: &'static str,
    /// What the test runtime is told to do, and the number that goes with it.
    change: (&'static str, i64),
}

const fn edit(program: &'static str, what: &'static str, number: i64) -> Edit {
    Edit { program, change: (what, number) }
}

const EDITS: &[Edit] = &[
    // Operators.
    edit("int a = rand_(9), b = rand_(7); show(a [[+|-]] b);", "operator", 2),
    edit("int a = rand_(9), b = rand_(7); a [[-=|*=]] b; show(a);", "operator", 3),
    edit("int a = -rand_(9), b = rand_(7) + 2; show(a [[*|/]] b); show(a * b);", "operator", 4),
    edit("unsigned a = -rand_(9), b = rand_(7) + 2; show(a [[/|%]] b);", "operator", 7),
    edit("int a = rand_(9), b = 0; show(a [[/|+]] b);", "operator", 1),
    edit("int a = -2147483647 - 1, b = -rand_(1); show(a [[%|&]] b);", "operator", 8),
    edit("char c = rand_(100) + 20; c [[+=|<<=]] 3; show(c);", "operator", 11),
    edit("long a = -rand_(1000); show(a [[>>|/]] 3);", "operator", 4),
    edit("if (rand_(9) [[<|>=]] 5) show(1); else show(2);", "operator", 19),
    edit("unsigned a = -1; show(a [[>|<=]] 5u);", "operator", 21),
    edit("int *p = &global, *q = p; show(p [[==|!=]] q);", "operator", 15),
    edit("double d = rand_(9) + .5; dump(d [[*|-]] 3);", "operator", 25),
    edit("float d = rand_(9) + .5; dump(d [[/|+]] 3);", "operator", 24),
    edit("double d = 0. / rand_(0); show(d [[==|!=]] d);", "operator", 29),
    edit("int a = rand_(9); show(a[[@++|--]]); show(a);", "operator", 2),
    edit("int a = rand_(9); show([[--|++]]a);", "operator", 2),
    edit("int a = rand_(9), b = rand_(7); a [[+=|=]] b; show(a);", "operator", 35),
    edit("short a = rand_(9); long b = rand_(70000); a [[*=|=]] b; show(a);", "operator", 35),
    edit("float a = rand_(9); double b = rand_(7) / 3.; a [[-=|=]] b; dump(a);", "operator", 35),
    edit("int a = rand_(9), b = 0; a [[/=|=]] b; show(a);", "operator", 35),
    edit("int a = rand_(9), b = rand_(7); show([[a @- b|a]]);", "operator", 34),
    edit("int a = rand_(9), b = rand_(7); show([[a @- b|b]]);", "operator", 35),
    edit("double a = rand_(9), b = rand_(7); dump([[a @- b|b]]);", "operator", 35),
    edit("char c = rand_(100); int s = 3; show([[c @<< s|c]]);", "operator", 34),
    edit("int a = rand_(2); show([[!a|a]]);", "operator", 34),
    edit("int a = rand_(9) + 3; show([[!a|a]]);", "operator", 34),
    edit("long a = 1; show([[!((a << 32) + 5)|(int)((a << 32) + 5)]]);", "operator", 34),
    edit("unsigned char c = rand_(200) + 3; show([[!c|c]] + 1);", "operator", 34),
    edit("int a = rand_(9), b = rand_(7); show([[!(a < b)|(a < b)]]);", "operator", 34),
    edit("int a = rand_(9) + 2; show([[!(a != 0)|(a != 0)]]);", "operator", 34),
    edit(
        "int a = rand_(9); switch ([[!a|a]]) { case 0: show(1); break; case 1: show(2); break; default: show(3); }",
        "operator",
        34,
    ),
    edit("char c = rand_(90) + 5; int a = [[-c|c]]; show(a);", "operator", 34),
    edit("long a = rand_(90) + 5; show([[~a|a]] + 2);", "operator", 34),
    edit("double d = rand_(9) + 2.5; dump([[-d|d]]);", "operator", 34),
    edit("float d = rand_(9) + 2.5; dump([[-d|d]]);", "operator", 34),
    // Assignments.
    edit("int a = rand_(9), b = rand_(7);\na [[=|+=]] b; show(a);", "operator", 1),
    edit("unsigned char a = rand_(9); int b = rand_(250);\na [[=|*=]] b; show(a);", "operator", 3),
    edit("long a = rand_(9); int b = -rand_(7);\na [[=|-=]] b; show(a);", "operator", 2),
    edit("int a = rand_(9);\na [[=|+=]] 5; show(a);", "operator", 1),
    edit("int a = rand_(9), b = rand_(6);\na [[=|&=]] b; show(a);", "operator", 8),
    edit("global = 4;\nglobal [[=||=]] next(); show(global);", "operator", 9),
    edit("double a = rand_(9); int b = rand_(3);\na [[=|*=]] b; dump(a);", "operator", 26),
    edit("float a = rand_(9), b = rand_(3);\na [[=|-=]] b; dump(a);", "operator", 25),
    edit("int a = rand_(9), b = rand_(7), c;\nc = a [[=|+=]] b; show(a); show(c);", "operator", 1),
    edit("struct pair a = make(5), *p = &a;\np->y [[=|+=]] next(); show(a.y);", "operator", 1),
    edit("int a[3] = {1, 2, 3}, i = 0;\na[i++] [[=|+=]] 7 * i; show(a[0]); show(i);", "operator", 1),
    edit("int a = 1;\nif ((a [[=|+=]] next()) == 12) show(1); else show(2);", "operator", 1),
    // Operands.
    edit("int a = rand_(9); show(a @+ [[5|7]]);", "right", 7),
    edit("int a = rand_(9); show([[5|0]] @- a);", "left", 0),
    edit("unsigned char s = 250; s @+= [[10|11]]; show(s);", "right", 11),
    edit("int a[3] = {1, 2, 3}; int *p = a; p[[@++|--]]; p += 1; show(*p);", "left", -1),
    edit("int a[5] = {1, 2, 3, 4, 5}; int *p = a + 2, n = 1; show(*(p [[+|-]] n));", "left", -1),
    edit("int a[5] = {1, 2, 3, 4, 5}; int *p = a + 2, n = 1; show(*(p [[-|+]] n));", "left", 1),
    // Subscripts, of which the runtime here can make another number.
    edit("int a[4] = {1, 2, 3, 4}, i = rand_(1); show(@a[ [[i|3]] ]);", "left", 3),
    edit(
        "int a[4] = {1, 2, 3, 4}, *p = a + 1; unsigned i = rand_(1); @p[ [[i|0]] ] = 7; show(a[1]); show(a[2]);",
        "left",
        0,
    ),
    edit("int a[4] = {1, 2, 3, 4}; char i = rand_(1); show(@a[ [[i + 1|3]] ]);", "left", 3),
    edit("int a[4] = {1, 2, 3, 4}; @a[ [[0|2]] ] += 5; show(a[0]); show(a[2]);", "left", 2),
    edit("int n = rand_(4), v[n]; for (int i = 0; i < n; i++) v[i] = i; show(@v[ [[n - 1|1]] ]);", "left", 1),
    edit("struct pair p[2] = {{1, 2}, {3, 4}}; int i = rand_(0); show(@p[ [[i|1]] ].y);", "left", 1),
    edit("static int t[3][2] = {{1, 2}, {3, 4}, {5, 6}}; long i = rand_(1); show((@t[ [[i|2]] ])[1]);", "left", 2),
    edit("[[@show(3)|show(-3)]];", "result", -3),
    edit("[[@dump(1.5)|dump(2.5)]];", "result", 0x4004_0000_0000_0000),
    edit("int a = rand_(9); @show([[a|42]]);", "result", 42),
    edit("unsigned char c = rand_(9); @show([[c|-7]]);", "result", -7),
    edit("long l = rand_(9); @show([[l|-7]]);", "result", -7),
    edit("unsigned u = rand_(9); @show([[u + 2|4294967295u]]);", "result", -1),
    edit("int a = rand_(3); @show([[next()|42]] );", "result", 42),
    // Statements.
    edit("int a = 3; [[a @= next();|;]] show(a); show(next());", "choice", 1),
    edit("int a = 3; [[a@++;|;]] show(a);", "choice", 1),
    edit("[[@next();|;]] show(next());", "choice", 1),
    edit("int a[2] = {0, 0}, *p = a; [[*p++ @= next();|;]] show(p - a); show(a[0] + next());", "choice", 1),
    edit("int a = 1, b = 2; [[a @= b = 5;|;]] show(a + b);", "choice", 1),
    edit("struct pair a = {1, 2}, b = {3, 4}; [[a = @b;|;]] show(a.x + a.y);", "choice", 1),
    edit("struct pair a = {1, 2}; [[a = @make(next());|;]] show(a.x + a.y + next());", "choice", 1),
    edit("bits.high = 2; [[bits.high @= rand_(3);|;]] show(bits.high);", "choice", 1),
    edit("void *p = 0; [[@posix_memalign(&p, 8, 64);|;]] show(p == 0);", "choice", 1),
    edit("for (int i = 0; i < 3; i++) { [[global @+= i;|;]] show(global); }", "choice", 1),
    // Statements beside others: the first of the function, and the way out.
    edit("int a = 3, b = 2; b++; [[a @*= b;|b++; a *= b;]] show(a * 10 + b);", "choice", 2),
    edit("int a = 3, b = 2; b++; [[a @*= b;|a *= b; b++;]] show(a * 10 + b);", "choice", 3),
    edit("int a[2] = {1, 2}, *p = a; *p = next(); [[p@++;|p++; *p = next();]] show(a[0] * 100 + a[1]);", "choice", 3),
    edit("struct pair a = {1, 2}; a = make(3); [[a.x @= 7;|a.x = 7; a = make(3);]] show(a.x + a.y);", "choice", 3),
    edit("int n = 3, v[n]; n += 2; [[v[0] @= n;|n += 2; v[0] = n;]] show(v[0]);", "choice", 2),
    edit("int a = 3; if (a) { [[a@++;|return; a++;]] } show(a);", "choice", 4),
    // Pointers: the way out where one is null.
    edit(
        "struct pair *p = (void *)(long)rand_(0); [[int x = @p->x;|if (!p) return; int x = p->x;]] show(x);",
        "guard",
        1,
    ),
    edit("void *p = 0; [[free(@p);|if (!p) return; free(p);]] show(5);", "guard", 1),
    edit(
        "struct { int *to; } h = {0}, *q = &h; [[free(q->@to);|if (!q->to) return; free(q->to);]] show(5);",
        "guard",
        1,
    ),
    // Numbers: the way out where one is 0, or less, and where a call says so.
    edit("int n = rand_(0); [[show(@n + 1);|if (n == 0) return; show(n + 1);]] show(5);", "number", 1),
    edit("long n = -1 - rand_(3); [[show(@n);|if (n < 0) return; show(n);]] show(5);", "number", 1 << 21),
    edit(
        "const char *s = \"\"; [[if (@*s != 'a') show(3);|if (*s == 0) return; if (*s != 'a') show(3);]] show(5);",
        "number",
        1,
    ),
    edit("struct pair p = {0, 2}; [[show(p.@x);|if (p.x == 0) return; show(p.x);]] show(5);", "number", 1),
    edit("next(); [[@next();|if (next()) return;]] show(next());", "number", 1 << 42),
    edit(
        "int a[8] = {0}, n = rand_(4), m = rand_(3);\nif (n < m) n++;\n[[show(@a[n]);|if (n >= m) return; show(a[n]);]] show(5);",
        "bound",
        1 << 21,
    ),
    edit("int a[8] = {0}, n = rand_(7) + 1; [[global = @a[n & 15];|if ((n & 15) >= 8) return;]] show(5);", "bound", 1),
    edit(
        "int a[8] = {0}, *p = a + 4, n = -rand_(1); unsigned m = rand_(3); if (m > rand_(2)) m++;\n[[show(@p[n]);|if (n >= m) return; show(p[n]);]] show(5);",
        "bound",
        1,
    ),
    edit("unsigned k = rand_(2), m = rand_(3); [[show(k @- m);|if (k < m) return; show(k - m);]] show(5);", "bound", 1),
    edit(
        "unsigned long k = -rand_(2), m = rand_(3); [[show(k @+ m);|if (k + m < k) return; show(k + m);]] show(5);",
        "bound",
        1,
    ),
    edit(
        "char to[16] = {1}, from[8] = {2}; long n = rand_(9); [[@memcpy(to, from, n);|if (n > 8) return; memcpy(to, from, n);]] show(to[0]);",
        "bound",
        1 << 21,
    ),
    // Consequences: what other guards do is done where one holds that leads there.
    edit(
        "int n = rand_(0), a = 5;\nif (a < 0) { a = 9; goto out; }\n[[show(@n);|if (n == 0) { a = 9; goto out; } show(n);]] out: show(a);",
        "number",
        3,
    ),
    edit(
        "for (int i = 0; i < 4; i++) {\nint n = i - 2;\nif (i > 5 || i < 0) { global++; continue; }\nif (i > 6) break;\n[[show(@n);|if (n < 0) { global++; continue; } show(n);]] } show(global);",
        "number",
        3 << 21,
    ),
    edit(
        "for (int i = 0; i < 4; i++) {\nint n = i - 2;\nif (i > 5 || i < 0) { global++; continue; }\nif (i > 6) break;\n[[show(@n);|if (n == 0) break; show(n);]] } show(global);",
        "number",
        1 << 2 | 3,
    ),
    edit(
        "struct pair *p = 0; int a = rand_(9) + 1;\nif (!a) { show(7); return; }\n[[int x = @p->x;|if (!p) { show(7); return; } int x = p->x;]] show(x);",
        "guard",
        3,
    ),
    edit(
        "int a[8] = {0}, n = rand_(7) + 1;\nif (n > 90) { show(7); exit(3); }\n[[global = @a[n & 15];|if ((n & 15) >= 8) { show(7); exit(3); }]] show(5);",
        "bound",
        3,
    ),
    // Logic: as a condition, as a value, nested, negated, in loops.
    edit("if (is(\"a\", 1) [[&&|||]] is(\"b\", 0)) show(1); else show(2);", "choice", 1),
    edit("if (is(\"a\", 0) [[&&|||]] is(\"b\", 1)) show(1); else show(2);", "choice", 1),
    edit("if (is(\"a\", 1) [[|||&&]] is(\"b\", 0)) show(1); else show(2);", "choice", 1),
    edit("int x = is(\"a\", 0) && is(\"b\", 1) [[|||&&]] is(\"c\", 1); show(x);", "choice", 1),
    edit("if (!(is(\"a\", 0) || is(\"b\", 0)) [[&&|||]] is(\"c\", 1)) show(1); else show(2);", "choice", 1),
    edit("if ((is(\"a\", 1) || is(\"b\", 0)) [[&&|||]] is(\"c\", 0)) show(1); else show(2);", "choice", 1),
    edit("int x = is(\"a\", 1) [[&&|||]] is(\"b\", 0); show(x);", "choice", 1),
    edit("int x = is(\"a\", 0) [[|||&&]] is(\"b\", 1); show(x);", "choice", 1),
    edit("if (is(\"a\", 0) [[&&|||]] is(\"b\", 1) && is(\"c\", 0)) show(1); else show(2);", "choice", 1),
    edit("if (is(\"a\", 1) && is(\"b\", 0) [[&&|||]] is(\"c\", 1)) show(1); else show(2);", "choice", 1),
    edit("if ((is(\"a\", 0) || is(\"b\", 1)) [[&&|||]] is(\"c\", 1)) show(1); else show(2);", "choice", 1),
    edit("if ((is(\"a\", 0) [[|||&&]] is(\"b\", 1)) && is(\"c\", 1)) show(1); else show(2);", "choice", 1),
    edit("if (is(\"a\", 1) && (is(\"b\", 0) [[|||&&]] is(\"c\", 1))) show(1); else show(2);", "choice", 1),
    edit("int x = (is(\"a\", 1) [[&&|||]] is(\"b\", 0)) || is(\"c\", 0); show(x);", "choice", 1),
    edit("int x = (is(\"a\", 1) && is(\"b\", 0)) [[|||&&]] is(\"c\", 1); show(x);", "choice", 1),
    edit("int x = is(\"a\", 1) && (is(\"b\", 0) [[|||&&]] is(\"c\", 1)); show(x);", "choice", 1),
    edit("int x = is(\"a\", 0) [[&&|||]] (is(\"b\", 0) || is(\"c\", 1)); show(x);", "choice", 1),
    edit("if (!is(\"a\", 0) [[&&|||]] is(\"b\", 0)) show(1); else show(2);", "choice", 1),
    edit("if (!(is(\"a\", 1) [[|||&&]] is(\"b\", 0)) && is(\"c\", 1)) show(1); else show(2);", "choice", 1),
    edit("int i = 0; while (i < 5 [[&&|||]] is(\"a\", i < 9)) i++; show(i);", "choice", 1),
    edit("int i = 0; do i++; while (is(\"a\", i < 4) [[|||&&]] is(\"b\", i < 3)); show(i);", "choice", 1),
    edit("for (int i = 0; i < 3 [[&&|||]] is(\"a\", i < 6); i++) show(i);", "choice", 1),
    edit("show(is(\"a\", 1) [[&&|||]] is(\"b\", 0) ? 5 : 6);", "choice", 1),
    edit("if ([[is(\"a\", 1) @&& is(\"b\", 0) => is(\"a\", 1)]]) show(1); else show(2);", "choice", 2),
    edit("if ([[is(\"a\", 0) @|| is(\"b\", 1) => is(\"a\", 0)]]) show(1); else show(2);", "choice", 2),
    edit(
        "int a = rand_(0), b = rand_(1); if ([[a @&& is(\"b\", b) => is(\"b\", b)]]) show(1); else show(2);",
        "choice",
        3,
    ),
    edit(
        "int a = rand_(1), b = rand_(0); if ([[a @|| is(\"b\", b) => is(\"b\", b)]]) show(1); else show(2);",
        "choice",
        3,
    ),
    edit("int a = rand_(1); int x = [[a @|| is(\"b\", 0) => is(\"b\", 0)]]; show(x);", "choice", 3),
    edit("int x = [[is(\"a\", 1) @&& is(\"b\", 0) => is(\"a\", 1)]]; show(x);", "choice", 2),
    edit("if ([[is(\"a\", 1) @&& is(\"b\", 0) => is(\"a\", 1)]] && is(\"c\", 1)) show(1); else show(2);", "choice", 2),
    edit(
        "if (is(\"a\", 1) && [[(is(\"b\", 0) @|| is(\"c\", 1)) => is(\"b\", 0)]]) show(1); else show(2);",
        "choice",
        2,
    ),
    edit(
        "if (!([[is(\"a\", 0) @|| is(\"b\", 1) => is(\"a\", 0)]]) && is(\"c\", 1)) show(1); else show(2);",
        "choice",
        2,
    ),
    edit("int i = 0; while ([[i < 5 @&& is(\"a\", i < 3) => i < 5]]) i++; show(i);", "choice", 2),
    edit("int i = 0; while ([[i < 5 @&& is(\"a\", i < 9) => is(\"a\", i < 9)]]) i++; show(i);", "choice", 3),
    // Variables: others by their number, in the order in which operations name them.
    // Conditions that are asked again.
    edit("int i = 0; [[if|while]] (@i < 5) i++; show(i);", "choice", 1),
    edit("int i = 0; [[if|while]] (@is(\"a\", i < 3) && is(\"b\", i != 1)) { show(i); i += 1; } show(i);", "choice", 1),
    edit(
        "int i = 0; [[if|while]] (@(i < 3 || is(\"a\", i == 3)) && i != 2) { int twice = 2 * i++; show(twice); }",
        "choice",
        1,
    ),
    edit(
        "int i = 0, c;\n[[if|while]] (@(c = rand_(5)) != 3 && i++ < 9) { show(c); if (c == 9) return; } show(i);",
        "choice",
        1,
    ),
    edit("int i = 3, k; [[if|while]] (@is(\"a\", k = 3) + i-- > 1) show(i + k); show(i);", "choice", 1),
    edit(
        "int i = 6, j = 0;\nif (i < 0) show(1); else [[if|while]] (@!(i & 8)) { switch (i) { case 6: j = 1; break; default: j++; } i++; } show(j);",
        "choice",
        1,
    ),
    edit(
        "for (int i = 0; i < 3; i++) { int k = i; show(i); [[if|while]] (@k-- > 0) for (int j = 0; ; j++) { if (j > k) break; show(j); } }",
        "choice",
        1,
    ),
    edit("int i = 0; do [[if|while]] (@i % 3) { show(i); i++; } while (++i < 7);", "choice", 1),
    edit("int a = 1, b = 2;\nshow([[a|b]]);", "variable", 1),
    edit("int a = 1, b = 2;\nshow(a + [[b|a]]);", "variable", 0),
    edit("double a = 1, b = 2;\ndump([[b|a]]);", "variable", 1),
    edit("int x = 3, *a = &global, *b = &x;\nshow(*[[a|b]]);", "variable", 1),
    edit("bool a = true, b = false;\nshow([[a|b]]);", "variable", 1),
    edit("int a = 7;\nshow([[a|global]]);", "variable", 1),
    edit("static int s = 4;\nint a = 7;\nshow([[a|s]]);", "variable", 1),
    // Members: how far away the other one is.
    edit("struct pair p = make(3), *q = &p;\nshow(q->[[x|y]]);", "member", 4),
    edit("struct pair p = make(3);\np.[[y|x]] += 9;\nshow(p.x * 100 + p.y);", "member", -4),
    edit(
        "struct pair p[2] = {{1, 2}, {3, 4}};\nint i = 0;\np[i++].[[x|y]] = 7;\nshow(p[0].x * 100 + p[0].y + i);",
        "member",
        4,
    ),
    // Functions: by their numbers, too. The nearest comes first, unless the function calls another one already.
    edit("show([[rand_|twice]](3));", "callee", 1),
    edit("show(thrice(rand_(2)));\nshow([[rand_|thrice]](3));", "callee", 1),
    edit("show(-[[make|other]](rand_(3)).y + 1);", "callee", 3),
];

const PRELUDE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
struct pair { int x, y; };
struct { unsigned low : 3; int high : 5; } bits;
int global;
__attribute__((noinline)) int rand_(int n) { return n; }
__attribute__((noinline)) void show(long n) { printf("%ld\n", n); }
__attribute__((noinline)) void dump(double d) { printf("%a\n", d); }
__attribute__((noinline)) int next(void) { static int n = 10; return ++n; }
__attribute__((noinline)) struct pair make(int n) { return (struct pair){n, n + 1}; }
__attribute__((noinline)) struct pair other(int n) { return (struct pair){n, n + 7}; }
int twice(int n) { return 2 * n; }
static inline int thrice(int n) { return 3 * n; }
int is(const char *name, int value) { printf("%s ", name); return value; }
"#;

/// Edits that are built into one program: linking takes as long as compiling many.
const BATCH: usize = 24;

/// The bodies of many edits in one program, which executes the one whose number it is told.
struct Batch {
    original: String,
    edited: String,
    /// Line and column of each edit's operation.
    places: Vec<(u32, u32)>,
}

impl Batch {
    fn of(edits: &[Edit]) -> Batch {
        let mut batch = Batch { original: PRELUDE.to_owned(), edited: PRELUDE.to_owned(), places: Vec::new() };
        let mut cases = String::new();
        for (number, edit) in edits.iter().enumerate() {
            let (old, new, (line, column)) = cut(edit.program);
            let body = |text: &str| format!("void body{number}(void) {{\n{text}\n}}\n");
            batch.places.push(((batch.original.matches('\n').count() + 1) as u32 + line, column));
            batch.original += &body(&old);
            batch.edited += &body(&new);
            cases += &format!("case {number}: body{number}(); break;\n");
        }
        let main =
            format!("int main(int argc, char **argv) {{\nswitch (atoi(argv[1])) {{\n{cases}}}\nputs(\"end\");\n}}\n");
        batch.original += &main;
        batch.edited += &main;
        batch
    }
}

/// The original and the edited text, and line and column of the operation, both from 1.
fn cut(program: &str) -> (String, String, (u32, u32)) {
    let (before, rest) = program.split_once("[[").unwrap();
    let (inside, after) = rest.split_once("]]").unwrap();
    let (old, new) = inside.split_once(" => ").unwrap_or_else(|| {
        let bar = if inside.starts_with("||") { 2 } else { inside.find('|').unwrap() };
        (&inside[..bar], &inside[bar + 1..])
    });
    let original = format!("{before}{old}{after}");
    let place = original.find('@').unwrap_or(before.len());
    let line_begins = original[..place].rfind('\n').map_or(0, |end| end + 1);
    let (line, column) = (original[..place].matches('\n').count() + 1, place - line_begins + 1);
    let edited = format!("{before}{new}{after}");
    (original.replacen('@', "", 1), edited.replacen('@', "", 1), (line as u32, column as u32))
}

#[test]
fn a_mutated_operation_does_what_the_edited_source_does() {
    let scratch = support::scratch("operations-edits");
    let runtime = scratch.join("runtime.o");
    let source = support::tests().join("support/runtime.c");
    support::must(support::clang().args(["-O1", "-c"]).arg(source).arg("-o").arg(&runtime));
    // Functions have numbers by what else the program calls, and where.
    let of_calls = |edit: &Edit| edit.change.0 == "callee";
    let groups = EDITS.chunk_by(|one, next| !of_calls(one) && !of_calls(next));
    let batches: Vec<(usize, &[Edit])> = groups.flat_map(|group| group.chunks(BATCH)).enumerate().collect();
    support::each(&batches, |(number, edits)| {
        let scratch = scratch.join(number.to_string());
        std::fs::create_dir(&scratch).unwrap();
        let failures = differing_from_edited(edits, &runtime, &scratch);
        if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
    });
}

/// The edits whose mutants do something else, with what differs.
fn differing_from_edited(edits: &[Edit], runtime: &Path, scratch: &Path) -> Vec<String> {
    let batch = Batch::of(edits);
    let build = |name: &str, text: &str, flags: &[String]| {
        let (source, out) = (scratch.join(format!("{name}.c")), scratch.join(name));
        std::fs::write(&source, text).unwrap();
        let mut command = support::clang();
        command.args(["-g", "-w"]).args(flags).arg(source).arg(runtime).arg("-o").arg(&out);
        support::must(&mut command);
        out
    };
    let plain = build("plain", &batch.original, &["-O0".to_owned()]);
    let edited = build("edited", &batch.edited, &["-O0".to_owned()]);
    let mutable = ["-O0", "-O2"].map(|level| {
        let flags = [support::plugin_flags(""), vec![level.to_owned()]].concat();
        let program = build(&format!("original{level}"), &batch.original, &flags);
        let is_original = |unit: &OwnedUnit| unit.source.ends_with(&format!("original{level}.c"));
        let unit = tables(&program).into_iter().find(is_original).unwrap();
        (level, program, unit)
    });
    let same = |number: usize, edit: &Edit| {
        let wanted = run(&edited, number, 0, None);
        let unchanged = run(&plain, number, 0, None);
        assert_ne!(wanted, unchanged, "{}: the edit changes nothing", edit.program);
        for (level, program, unit) in &mutable {
            let mutant = mutant_at(unit, batch.places[number], edit.change)?;
            for mode in [3, 4] {
                let got = run(program, number, mode, Some(&mutant));
                if got != wanted {
                    return Err(format!("{level} mode {mode}, {mutant}: {wanted:?} is {got:?}"));
                }
                // What is undefined may end otherwise where it is optimised.
                if unchanged.0 == Some(0) && run(program, number, mode, None) != unchanged {
                    return Err(format!("{level} mode {mode}: not the same while nothing is mutated"));
                }
            }
        }
        Ok(())
    };
    let failure =
        |(number, edit): (usize, &Edit)| same(number, edit).err().map(|why| format!("{}: {why}", edit.program));
    edits.iter().enumerate().filter_map(failure).collect()
}

/// The exit status of a batch's body, and what it writes.
fn run(program: &Path, number: usize, mode: u32, mutant: Option<&str>) -> (Option<i32>, String) {
    let mut command = std::process::Command::new("timeout");
    command.arg("10").arg(program).arg(number.to_string()).env("TEST_MODE", mode.to_string());
    command.envs(mutant.map(|mutant| ("TEST_MUTANT", mutant)));
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What the test runtime is to do: gate, operation, change, number, width and operator.
fn mutant_at(unit: &OwnedUnit, place: (u32, u32), (what, number): (&str, i64)) -> Result<String, String> {
    let mut first = 0;
    for (gate, function) in unit.functions.iter().enumerate() {
        for (index, site) in function.operations.iter().enumerate() {
            let (fits, width, operator) = match site.operation.kind {
                OperationKind::Binary { operator, width, .. } => {
                    (matches!(what, "operator" | "left" | "right"), width, operator as u8)
                }
                OperationKind::Step { .. } => (what == "left", 64, 1),
                OperationKind::Subscript { width, .. } => (what == "left", width, 1),
                OperationKind::Assign { width, .. } => (what == "operator", width, 35),
                OperationKind::Argument { width, .. } | OperationKind::Passed { width, .. } => {
                    (what == "result", width, 0)
                }
                OperationKind::Unary { width, .. } => (what == "operator", width, 0),
                OperationKind::Statement { .. } | OperationKind::If | OperationKind::Logical { .. } => {
                    (what == "choice", 64, 0)
                }
                OperationKind::Read { .. } => (what == "variable", 64, 0),
                OperationKind::Called { .. } => (what == "callee", 64, 0),
                OperationKind::Member { .. } => (what == "member", 64, 1),
                OperationKind::Pointer => (what == "guard", 64, suspect_format::operation::Operator::And as u8),
                OperationKind::Number { .. } => (what == "number", 64, suspect_format::operation::Operator::And as u8),
                OperationKind::Bounded { .. } => (what == "bound", 64, suspect_format::operation::Operator::And as u8),
                OperationKind::Whole { .. } | OperationKind::Consequence { .. } | OperationKind::Donor { .. } => {
                    (false, 0, 0)
                }
            };
            let at = site.operation.place;
            if fits && (at.line, at.column) == place {
                let what = match what {
                    "guard" | "number" | "bound" | "member" => "left",
                    "callee" => "variable",
                    what => what,
                };
                return Ok(format!("{gate} {} {what} {number} {width} {operator}", first + index));
            }
        }
        first += function.operations.len();
    }
    let all: Vec<_> = unit.functions.iter().flat_map(|one| &one.operations).map(|one| one.operation).collect();
    Err(format!("no operation at {place:?} among {all:?}"))
}
