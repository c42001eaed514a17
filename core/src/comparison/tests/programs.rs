//! The programs of the figures, in the test language; lines are the tags of the C sources, from 35 on those without a tag.

use super::language::{Expr, Program, Stmt, Target};

/// Statements over variables by name.
pub struct Vars(pub &'static [&'static str]);

impl Vars {
    pub fn id(&self, name: &str) -> u32 {
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name}: no such variable")) as u32 + 2
    }

    pub fn v(&self, name: &str) -> Expr {
        Expr::Var(self.id(name))
    }

    pub fn op<const N: usize>(&self, op: fn(&[i64]) -> i64, names: [&str; N]) -> Expr {
        Expr::Op(op, names.iter().map(|name| self.v(name)).collect())
    }

    pub fn read(&self, line: u32, name: &str) -> Stmt {
        Stmt::Input(line, self.id(name))
    }

    pub fn set(&self, line: u32, name: &str, value: Expr) -> Stmt {
        Stmt::Assign(line, Target::Var(self.id(name)), value)
    }

    pub fn print(&self, line: u32, name: &str) -> Stmt {
        Stmt::Print(line, self.v(name))
    }
}

pub fn c(value: i64) -> Expr {
    Expr::Const(value)
}

pub fn fig1() -> Program {
    let x = Vars(&["x", "y", "z"]);
    let no = x.set(6, "y", x.op(|v| v[0] + 1, ["y"]));
    let test = Stmt::If(4, x.op(|v| i64::from(v[0] > v[1]), ["y", "z"]), vec![x.set(5, "y", c(0))], vec![no]);
    Program::new(x.0, vec![x.read(1, "x"), x.read(2, "y"), x.read(3, "z"), test, x.print(7, "y")])
}

pub fn fig2() -> Program {
    let x = Vars(&["x", "y"]);
    let first =
        Stmt::If(3, x.op(|v| i64::from(v[0] > 2), ["x"]), vec![x.set(4, "y", x.op(|v| v[0] + 2, ["y"]))], vec![]);
    let second = Stmt::If(5, x.op(|v| i64::from(v[0] < v[1]), ["x", "y"]), vec![x.set(6, "x", c(10))], vec![]);
    Program::new(x.0, vec![x.read(1, "x"), x.read(2, "y"), first, second, x.print(7, "x")])
}

pub fn fig3() -> Program {
    let x = Vars(&["x", "y", "z"]);
    let store = Stmt::Assign(4, Target::Index(x.id("x"), x.v("z")), c(5));
    let print = Stmt::Print(5, Expr::Index(x.id("x"), Box::new(x.v("y"))));
    Program::new(x.0, vec![Stmt::Fill(1, x.id("x"), vec![1, 2, 3]), x.read(2, "y"), x.read(3, "z"), store, print])
}

pub fn fig4() -> Program {
    let x = Vars(&["t", "x", "y", "z"]);
    let less = x.op(|v| i64::from(v[0] < v[1] + v[2]), ["x", "y", "z"]);
    let more = x.op(|v| i64::from(v[0] > v[1] + v[2]), ["x", "y", "z"]);
    let both = x.op(|v| i64::from(v[0] > 0 && v[1] > v[0]), ["z", "y"]);
    let mut body: Vec<Stmt> = [(1, "t"), (2, "x"), (3, "y"), (4, "z")].map(|(line, name)| x.read(line, name)).into();
    body.push(Stmt::If(5, less, vec![x.set(6, "z", c(2))], vec![]));
    body.push(Stmt::If(7, more, vec![x.set(8, "z", c(4))], vec![]));
    body.push(Stmt::If(9, both, vec![x.set(10, "t", c(0))], vec![x.print(11, "z")]));
    Program::new(x.0, body)
}

/// The tar bug: names are numbers, `dir1` is 1.
pub fn fig8() -> Program {
    let x = Vars(&["file_name", "backup_option", "tmp", "errno", "status", "nop", "err", "ret", "st", "undone"]);
    let failed = x.op(|v| i64::from(v[0] != 0), ["status"]);
    let exists = x.op(|v| i64::from(v[0] == 17 && (v[1] == 1 || v[1] == 2)), ["errno", "file_name"]);
    let error = Stmt::If(11, c(1), vec![x.set(12, "err", c(1)), Stmt::Halt(13)], vec![]);
    let undo = x.op(|v| i64::from(v[0] != 0 && v[1] != 0), ["st", "backup_option"]);
    let body = vec![
        x.read(2, "file_name"),
        x.read(3, "backup_option"),
        x.set(6, "tmp", x.op(|v| if v[0] == 2 { -1 } else { 0 }, ["file_name"])),
        x.set(60, "errno", x.op(|v| if v[0] != 0 { 17 } else { 0 }, ["tmp"])),
        x.set(7, "status", x.v("tmp")),
        Stmt::If(8, failed, vec![Stmt::If(9, exists, vec![x.set(10, "nop", c(0))], vec![error])], vec![]),
        x.set(14, "ret", x.v("status")),
        x.set(17, "st", x.v("ret")),
        Stmt::If(18, undo, vec![x.set(19, "undone", c(1))], vec![x.set(20, "undone", c(0))]),
        x.print(21, "undone"),
    ];
    Program::new(x.0, body)
}

pub fn ext_loop() -> Program {
    let x = Vars(&["n", "a", "s", "i"]);
    let third =
        Stmt::If(5, x.op(|v| i64::from(v[0] == 3), ["i"]), vec![x.set(6, "s", x.op(|v| v[0] + 1, ["s"]))], vec![]);
    let rest = [x.set(7, "s", x.op(|v| v[0] + v[1], ["s", "a"])), x.set(8, "i", x.op(|v| v[0] + 1, ["i"]))];
    let round = [vec![third], rest.to_vec()].concat();
    let body = vec![
        x.set(90, "s", c(0)),
        x.read(1, "n"),
        x.read(2, "a"),
        x.set(3, "i", c(0)),
        Stmt::While(4, x.op(|v| i64::from(v[0] < v[1]), ["i", "n"]), round),
        x.print(9, "s"),
    ];
    Program::new(x.0, body)
}

pub fn ext_neutral() -> Program {
    let x = Vars(&["x", "y", "r"]);
    let test = Stmt::If(3, x.op(|v| i64::from(v[0] > 0), ["x"]), vec![x.set(4, "r", x.v("y"))], vec![]);
    Program::new(x.0, vec![x.set(90, "r", c(0)), x.read(1, "x"), x.read(2, "y"), test, x.print(5, "r")])
}

pub fn ext_leaf() -> Program {
    let x = Vars(&["c1", "c2", "d"]);
    let first = Stmt::If(4, x.v("c1"), vec![x.set(40, "d", c(7))], vec![]);
    let second = Stmt::If(5, x.v("c2"), vec![x.set(6, "d", c(9))], vec![]);
    Program::new(x.0, vec![x.read(1, "c1"), x.read(2, "c2"), x.set(3, "d", c(5)), first, second, x.print(7, "d")])
}

pub fn ext_heap() -> Program {
    let x = Vars(&["k", "a", "b", "noise", "x", "y", "p", "r"]);
    let put = |to: &str, offset, from: &str| Stmt::Assign(35, Target::Deref(x.v(to), offset), x.v(from));
    let body = vec![
        x.read(1, "k"),
        x.read(1, "a"),
        x.read(1, "b"),
        Stmt::If(2, x.v("k"), vec![Stmt::Alloc(2, x.id("noise"))], vec![]),
        Stmt::Alloc(3, x.id("x")),
        Stmt::Alloc(3, x.id("y")),
        put("x", 0, "a"),
        put("x", 8, "y"),
        put("y", 0, "b"),
        put("y", 8, "x"),
        Stmt::If(4, x.v("k"), vec![x.set(4, "p", Expr::Deref(Box::new(x.v("x")), 8))], vec![x.set(4, "p", x.v("x"))]),
        x.set(5, "r", Expr::Deref(Box::new(x.v("p")), 0)),
        x.print(6, "r"),
    ];
    Program::new(x.0, body)
}

pub fn ext_switch() -> Program {
    let x = Vars(&["a", "b", "r"]);
    let ways =
        [(1, 4, 100), (5, 5, 200), (3, 6, 200)].map(|(case, line, value)| (case, vec![x.set(line, "r", c(value))]));
    let test = Stmt::Switch(3, x.op(|v| v[0] + v[1], ["a", "b"]), ways.into());
    Program::new(x.0, vec![x.set(90, "r", c(0)), x.read(1, "a"), x.read(2, "b"), test, x.print(7, "r")])
}
