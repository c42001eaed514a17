//! The acceptance table: the figures of the paper and further examples, with every column.

use super::case::{Meaning, Recorded};
use super::language::Program;
use super::programs::*;
use crate::comparison::*;

/// What of the effect point is watched.
#[derive(Clone, Copy)]
enum Seen {
    Var(&'static str),
    Result,
    /// All operands belong to the criterion, but only this variable is the target.
    OfPoint(&'static str),
}

/// A row of the table. Sets of locations are sorted by name.
struct Row {
    program: Program,
    inputs: [&'static [i64]; 2],
    outputs: [i64; 2],
    cause: u32,
    effect: (u32, Seen),
    lines: &'static [u32],
    cut: &'static [(&'static str, i64, i64)],
    csm: [&'static [&'static str]; 2],
    exact: Option<&'static [&'static str]>,
    approximate: Option<&'static [&'static str]>,
}

impl Row {
    fn check(&self) {
        let mut recorded = Recorded::new(&self.program, self.inputs[0], self.inputs[1]).unwrap();
        let printed = Side::BOTH.map(|side| recorded.printed(side));
        assert_eq!(printed, self.outputs.map(|value| vec![value]), "outputs");
        let point = recorded.point(self.effect.0, 0);
        let watch = match self.effect.1 {
            Seen::Var(name) | Seen::OfPoint(name) => Watch::Locations(vec![recorded.location(name)]),
            Seen::Result => Watch::Result,
        };
        let cause = recorded.point(self.cause, 0);
        let (cut, all, effect, points) = self.check_offline(&recorded, point, watch, cause);
        for side in Side::BOTH {
            let (found, _) = csm(&all, side, |side, patch| recorded.execute_again(side, points, &effect, patch, None));
            let found = found.map(|found| recorded.named(&found));
            assert_eq!(found.as_deref(), Some(&strings(self.csm[side.index()])[..]), "CSM into {side:?}");
        }
        let plan = Plan::new(&recorded.pair());
        let (found, _) = infer(&cut, |side, patch| recorded.execute_again(side, points, &effect, patch, Some(&plan)));
        assert_eq!(
            found.map(|found| recorded.named(&found)),
            self.approximate.map(strings),
            "CC approximate, in a guided process"
        );
    }

    fn check_offline(
        &self,
        recorded: &Recorded<'_>,
        point: u32,
        watch: Watch,
        cause: u32,
    ) -> (Vec<Difference>, Vec<Difference>, Effect, [u32; 2]) {
        let pair = recorded.pair();
        let mut effect = Effect::new(&pair, point, watch, &recorded.names).unwrap();
        if let Seen::OfPoint(_) = self.effect.1 {
            effect.operands = Effect::new(&pair, point, Watch::Result, &recorded.names).unwrap().operands;
        }
        let slice = DualSlice::new(&pair, &effect, Rules::Repaired);
        assert_eq!(recorded.lines(&slice), self.lines, "lines of the dual slice");
        let states = States::before(&pair, cause, &recorded.names).unwrap();
        let cut = slice.cut(&states);
        let mut found: Vec<_> = cut.iter().map(|found| (recorded.name(found.location), found.values)).collect();
        found.sort();
        let expected: Vec<_> =
            self.cut.iter().map(|(name, a, b)| ((*name).to_owned(), [*a, *b].map(super::language::number))).collect();
        assert_eq!(found, expected, "cut");
        let semantics = Meaning { program: &self.program, inputs: &recorded.inputs, names: &recorded.names };
        let offline = Offline { slice: &slice, states: &states, names: &recorded.names, semantics: &semantics };
        let (exact, _) = infer(&cut, |side, patch| offline.exact(side, patch));
        assert_eq!(exact.map(|found| recorded.named(&found)), self.exact.map(strings), "CC exact");
        let (approximate, _) = infer(&cut, |side, patch| offline.approximate(side, patch));
        assert_eq!(approximate.map(|found| recorded.named(&found)), self.approximate.map(strings), "CC approximate");
        let points = [cause, pair.alignment.partner(Side::First, cause).unwrap()];
        (cut, differences(&states, &recorded.names), effect, points)
    }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn figure_1() {
    Row {
        program: fig1(),
        inputs: [&[3, 1, 2], &[4, 5, 7]],
        outputs: [2, 6],
        cause: 4,
        effect: (7, Seen::Var("y")),
        lines: &[2, 6, 7],
        cut: &[("y", 1, 5)],
        csm: [&["y", "z"], &["y"]],
        exact: Some(&["y"]),
        approximate: Some(&["y"]),
    }
    .check();
}

#[test]
fn figure_2() {
    let row = |cause, cut, csm, effect, outputs_lines: &'static [u32], found| Row {
        program: fig2(),
        inputs: [&[1, 2], &[3, -2]],
        outputs: [10, 3],
        cause,
        effect,
        lines: outputs_lines,
        cut,
        csm,
        exact: Some(found),
        approximate: Some(found),
    };
    let all = &[1, 2, 3, 4, 5, 6, 7];
    let x = &["x"];
    let xy = &["x", "y"];
    row(5, &[("x", 1, 3), ("y", 2, 0)], [x, xy], (7, Seen::Var("x")), all, xy).check();
    row(3, &[("x", 1, 3), ("y", 2, -2)], [xy, &["y"]], (7, Seen::Var("x")), all, xy).check();
    // The criterion is the point, with all its operands, or x there alone.
    row(3, &[("x", 1, 3), ("y", 2, -2)], [x, x], (5, Seen::OfPoint("x")), &[1, 2, 3, 4, 5], x).check();
    row(3, &[("x", 1, 3)], [x, x], (5, Seen::Var("x")), &[1, 5], x).check();
}

#[test]
fn figure_3() {
    Row {
        program: fig3(),
        inputs: [&[0, 1], &[1, 2]],
        outputs: [1, 2],
        cause: 4,
        effect: (5, Seen::Result),
        lines: &[1, 2, 5],
        cut: &[("y", 0, 1)],
        csm: [&["y", "z"], &["y"]],
        exact: Some(&["y"]),
        approximate: None,
    }
    .check();
}

#[test]
fn figure_4() {
    Row {
        program: fig4(),
        inputs: [&[7, 1, 1, 2], &[8, 1, 3, -5]],
        outputs: [2, 4],
        cause: 5,
        effect: (11, Seen::Var("z")),
        lines: &[3, 4, 5, 6, 7, 8, 11],
        cut: &[("y", 1, 3), ("z", 2, -5)],
        csm: [&["z"], &["y", "z"]],
        exact: Some(&["z"]),
        approximate: Some(&["z"]),
    }
    .check();
}

#[test]
fn figure_8() {
    let row = |cause, effect, lines, cut, csm, found| Row {
        program: fig8(),
        inputs: [&[3, 1], &[2, 1]],
        outputs: [0, 1],
        cause,
        effect,
        lines,
        cut,
        csm,
        exact: Some(found),
        approximate: Some(found),
    };
    let all = &[2, 6, 7, 14, 17, 18, 19, 20, 21];
    let tmp = &["tmp"];
    let name = &["file_name"];
    let confounded = &["errno", "file_name", "tmp"];
    row(7, (14, Seen::Var("status")), &[2, 6, 7, 14], &[("tmp", 0, -1)], [confounded, tmp], tmp).check();
    row(7, (21, Seen::Var("undone")), all, &[("tmp", 0, -1)], [confounded, tmp], tmp).check();
    row(6, (21, Seen::Var("undone")), all, &[("file_name", 3, 2)], [name, name], name).check();
}

#[test]
fn loops_of_different_length() {
    Row {
        program: ext_loop(),
        inputs: [&[2, 5], &[4, 5]],
        outputs: [10, 21],
        cause: 3,
        effect: (9, Seen::Var("s")),
        lines: &[1, 4, 5, 6, 7, 8, 9],
        cut: &[("n", 2, 4)],
        csm: [&["n"], &["n"]],
        exact: Some(&["n"]),
        approximate: Some(&["n"]),
    }
    .check();
}

#[test]
fn neutral_differences() {
    Row {
        program: ext_neutral(),
        inputs: [&[3, 1], &[8, 2]],
        outputs: [1, 2],
        cause: 3,
        effect: (5, Seen::Var("r")),
        lines: &[2, 4, 5],
        cut: &[("y", 1, 2)],
        csm: [&["y"], &["y"]],
        exact: Some(&["y"]),
        approximate: Some(&["y"]),
    }
    .check();
}

#[test]
fn leaves_of_the_slice() {
    Row {
        program: ext_leaf(),
        inputs: [&[1, 1], &[0, 0]],
        outputs: [9, 5],
        cause: 5,
        effect: (7, Seen::Var("d")),
        lines: &[2, 3, 5, 6, 7],
        cut: &[("c2", 1, 0), ("d", 7, 5)],
        csm: [&["c2", "d"], &["c2"]],
        exact: Some(&["c2", "d"]),
        approximate: Some(&["c2", "d"]),
    }
    .check();
}

#[test]
fn multiway_branches() {
    Row {
        program: ext_switch(),
        inputs: [&[0, 1], &[2, 3]],
        outputs: [100, 200],
        cause: 3,
        effect: (7, Seen::Var("r")),
        lines: &[1, 2, 3, 4, 5, 7],
        cut: &[("a", 0, 2), ("b", 1, 3)],
        csm: [&["a"], &["a", "b"]],
        exact: Some(&["a", "b"]),
        approximate: Some(&["a", "b"]),
    }
    .check();
}
