//! Static slices of test programs: what a dual slice may hold at most.

use std::collections::BTreeSet;

use super::language::{Expr, Node, OUT, Op, Program, Target};
use crate::comparison::NONE;

/// Stands for all objects that have no name.
const HEAP: u32 = NONE - 1;

fn used(expr: &Expr, into: &mut Vec<u32>) {
    match expr {
        Expr::Const(_) => {}
        Expr::Var(variable) => into.push(*variable),
        Expr::Index(array, index) => {
            into.push(*array);
            used(index, into);
        }
        Expr::Deref(pointer, _) => {
            into.push(HEAP);
            used(pointer, into);
        }
        Expr::Op(_, inner) => inner.iter().for_each(|expr| used(expr, into)),
    }
}

fn uses(node: &Node) -> Vec<u32> {
    let mut found = Vec::new();
    match &node.op {
        Op::If(expr) | Op::Switch(expr, _) | Op::Print(expr) => used(expr, &mut found),
        Op::Assign(target, value) => {
            used(value, &mut found);
            match target {
                Target::Index(_, expr) | Target::Deref(expr, _) => used(expr, &mut found),
                Target::Var(_) => {}
            }
        }
        _ => {}
    }
    found
}

/// The variable that a statement defines, and whether it defines all of it.
fn definition(node: &Node) -> Option<(u32, bool)> {
    match &node.op {
        Op::Input(variable) | Op::Alloc(variable) | Op::Fill(variable, _) => Some((*variable, true)),
        Op::Assign(Target::Var(variable), _) => Some((*variable, true)),
        Op::Assign(Target::Index(array, _), _) => Some((*array, false)),
        Op::Assign(Target::Deref(..), _) => Some((HEAP, false)),
        Op::Print(_) => Some((OUT, true)),
        _ => None,
    }
}

/// Sites from which `variable`'s definition there reaches `site`.
fn reaching(program: &Program, variable: u32, site: u32) -> Vec<u32> {
    (0..program.nodes.len() as u32)
        .filter(|from| definition(&program.nodes[*from as usize]).is_some_and(|(defined, _)| defined == variable))
        .filter(|from| {
            let mut seen = BTreeSet::new();
            let mut work = program.nodes[*from as usize].next.clone();
            while let Some(at) = work.pop().filter(|at| *at != site) {
                if at != NONE && seen.insert(at) && definition(&program.nodes[at as usize]) != Some((variable, true)) {
                    work.extend(&program.nodes[at as usize].next);
                }
            }
            let reached = seen.iter().filter(|at| definition(&program.nodes[**at as usize]) != Some((variable, true)));
            let near = &program.nodes[*from as usize].next;
            near.contains(&site) || reached.into_iter().any(|at| program.nodes[*at as usize].next.contains(&site))
        })
        .collect()
}

/// Conditionals that decide whether `site` executes.
fn deciders(program: &Program, site: u32) -> Vec<u32> {
    let decides = |from: &u32| {
        let join = program.joins.of(*from);
        let mut seen = BTreeSet::new();
        let mut work = program.nodes[*from as usize].next.clone();
        while let Some(at) = work.pop() {
            if at != NONE && at != join && seen.insert(at) {
                work.extend(&program.nodes[at as usize].next);
            }
        }
        seen.contains(&site)
    };
    (0..program.nodes.len() as u32)
        .filter(|from| program.nodes[*from as usize].next.len() > 1)
        .filter(decides)
        .collect()
}

/// Lines that what `line` uses may depend on.
pub fn lines(program: &Program, line: u32) -> Vec<u32> {
    let mut work: Vec<u32> = (0..program.nodes.len() as u32).filter(|site| program.line(*site) == line).collect();
    let mut members = BTreeSet::new();
    while let Some(site) = work.pop() {
        if members.insert(site) {
            let used = uses(&program.nodes[site as usize]);
            work.extend(used.into_iter().flat_map(|variable| reaching(program, variable, site)));
            work.extend(deciders(program, site));
        }
    }
    members.into_iter().map(|site| program.line(site)).collect::<BTreeSet<u32>>().into_iter().collect()
}
