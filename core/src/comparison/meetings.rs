//! Where two runs that parted meet again, although a way out of the function lies between.
//!
//! An early `return` moves the immediate post-dominator of every branch around it to the end of the function: two runs that go round a loop
//! unequally often would have nothing in common after it, only because a round could have returned. So ways out are left aside at first:
//! what post-dominates a branch without them is where the ways join, unless a run has really gone out, which then joins further up.

use std::collections::HashMap;

use super::NONE;
use super::regions::Flow;

/// A place where ways may join, among those of one function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    /// Number in an order in which what is joined before comes after its joins.
    number: u32,
    /// The last number that joins here.
    last: u32,
    /// How many joins are behind it.
    depth: u32,
}

/// For each branch, the blocks in which its ways may join, from the nearest to the farthest: its ancestors in a forest.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// For each site that a block starts with.
    spans: Vec<Span>,
    /// For sites that an endless loop starts with: where the next round begins.
    rounds: HashMap<u32, Span>,
    /// For each site that decides: the number of its block.
    numbers: Vec<u32>,
    next: u32,
}

impl Meetings {
    /// No function's yet; sites are below `sites`.
    pub fn new(sites: usize) -> Self {
        Self { spans: vec![Span::default(); sites], rounds: HashMap::new(), numbers: vec![0; sites], next: 1 }
    }

    /// Takes in a function: its blocks in the order of the source with their successors, those that return; for each block the site that it
    /// starts with and the sites in it that decide ([`NONE`] and none if no point is of it).
    pub fn add(&mut self, successors: &[Vec<u32>], returns: &[u32], blocks: &[(u32, Vec<u32>)]) {
        let (parents, endless) = parents(successors, returns);
        let mut children = vec![Vec::new(); parents.len()];
        let mut stack: Vec<(u32, u32, bool)> = Vec::new();
        for (block, parent) in (0..).zip(&parents) {
            match children.get_mut(*parent as usize) {
                Some(children) => children.push(block),
                None => stack.push((block, 0, false)),
            }
        }
        let mut spans = vec![Span::default(); parents.len()];
        while let Some((block, depth, done)) = stack.pop() {
            let span = &mut spans[block as usize];
            if done {
                span.last = self.next - 1;
                continue;
            }
            *span = Span { number: self.next, last: self.next, depth };
            self.next += 1;
            stack.push((block, depth, true));
            stack.extend(children[block as usize].iter().map(|child| (*child, depth + 1, false)));
        }
        for (span, (head, deciding)) in spans.iter().zip(blocks) {
            if let Some(place) = self.spans.get_mut(*head as usize) {
                *place = *span;
            }
            for site in deciding {
                self.numbers[*site as usize] = span.number;
            }
        }
        for (head, span) in endless.iter().zip(&spans[successors.len()..]) {
            self.rounds.insert(blocks[*head as usize].0, *span);
        }
    }

    /// How near to `branch` its ways join at `site`, more being nearer; nothing if they do not.
    pub fn nearness(&self, branch: u32, site: u32) -> Option<u32> {
        let number = *self.numbers.get(branch as usize)?;
        let within = |span: &Span| (span.number < number && number <= span.last).then_some(span.depth);
        within(self.spans.get(site as usize)?).or_else(|| within(self.rounds.get(&site)?))
    }
}

/// For each block, the nearest one that all ways from it lead to, ways out aside; [`NONE`] if there is none. Behind them, for each loop
/// that is only left by ways out, the beginning of its next round, and these loops' heads.
fn parents(successors: &[Vec<u32>], returns: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let loops = loops(successors);
    let mut kept = without_escapes(successors, returns, &loops);
    let leaves = |one: &&Loop| one.blocks().any(|from| kept[from as usize].iter().any(|to| !one.body[*to as usize]));
    let endless: Vec<&Loop> = loops.iter().filter(|one| !leaves(one)).collect();
    for (round, one) in (successors.len() as u32..).zip(&endless) {
        for latch in &one.latches {
            kept[*latch as usize].iter_mut().filter(|to| **to == one.head).for_each(|to| *to = round);
        }
    }
    kept.resize(kept.len() + endless.len(), Vec::new());
    let mut flow = Flow::new(&kept);
    flow.solve(returns);
    let ends = (0..kept.len() as u32).filter(|block| flow.is_unknown(*block) && kept[*block as usize].is_empty());
    let ends: Vec<u32> = ends.collect();
    flow.solve(&ends);
    let mut parents = flow.into_dominators();
    if let [last] = returns {
        let roots = (0..).zip(&mut parents).filter(|(block, parent)| **parent == NONE && block != last);
        roots.for_each(|(_, parent)| *parent = *last);
    }
    (parents, endless.iter().map(|one| one.head).collect())
}

struct Loop {
    head: u32,
    /// Where rounds end.
    latches: Vec<u32>,
    /// Whether each block is in it.
    body: Vec<bool>,
}

fn predecessors(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, targets) in (0..).zip(successors) {
        targets.iter().for_each(|to| predecessors[*to as usize].push(from));
    }
    predecessors
}

/// The natural loops, by their heads.
fn loops(successors: &[Vec<u32>]) -> Vec<Loop> {
    let predecessors = predecessors(successors);
    let mut latches: Vec<Vec<u32>> = vec![Vec::new(); successors.len()];
    for (from, to) in back_edges(successors) {
        latches[to as usize].push(from);
    }
    let heads = (0..).zip(latches).filter(|(_, latches)| !latches.is_empty());
    let found = heads.map(|(head, latches)| {
        let mut body = vec![false; successors.len()];
        body[head as usize] = true;
        let mut stack = latches.clone();
        while let Some(block) = stack.pop() {
            if !std::mem::replace(&mut body[block as usize], true) {
                stack.extend(&predecessors[block as usize]);
            }
        }
        Loop { head, latches, body }
    });
    found.collect()
}

/// Edges that lead to a block from which they were come to (depth first, from the first block on).
fn back_edges(successors: &[Vec<u32>]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let (mut seen, mut open) = (vec![false; successors.len()], vec![false; successors.len()]);
    for root in 0..successors.len() {
        if seen[root] {
            continue;
        }
        (seen[root], open[root]) = (true, true);
        let mut stack = vec![(root, 0)];
        while let Some((block, next)) = stack.pop() {
            let Some(to) = successors[block].get(next).map(|to| *to as usize) else {
                open[block] = false;
                continue;
            };
            stack.push((block, next + 1));
            if open[to] {
                found.push((block as u32, to as u32));
            } else if !std::mem::replace(&mut seen[to], true) {
                open[to] = true;
                stack.push((to, 0));
            }
        }
    }
    found
}

/// The flow without ways out: jumps to the end of the function other than the last one, and exits of a loop from which what comes after the
/// loop is not come to.
fn without_escapes(successors: &[Vec<u32>], returns: &[u32], loops: &[Loop]) -> Vec<Vec<u32>> {
    let mut kept = successors.to_vec();
    let predecessors = predecessors(successors);
    for end in returns {
        let jumps = predecessors[*end as usize].iter().filter(|from| successors[**from as usize].len() == 1);
        let mut jumps: Vec<u32> = jumps.copied().collect();
        jumps.sort_unstable();
        jumps.pop();
        jumps.iter().for_each(|from| kept[*from as usize].clear());
    }
    let back = back_edges(successors);
    for one in loops {
        let after = one.follow(successors, returns).map(|follow| leading_to(follow, &predecessors, &back));
        for from in one.blocks() {
            let leads = |to: &u32| one.body[*to as usize] || after.as_ref().is_some_and(|after| after[*to as usize]);
            kept[from as usize].retain(leads);
        }
    }
    kept
}

impl Loop {
    fn blocks(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.body).filter(|(_, inside)| **inside).map(|(block, _)| block)
    }

    /// The block that comes after the loop: where its condition leads, which stands at its head or at its end; of a loop without condition,
    /// what stands behind it.
    fn follow(&self, successors: &[Vec<u32>], returns: &[u32]) -> Option<u32> {
        let out = |from: u32| successors[from as usize].iter().copied().filter(|to| !self.body[*to as usize]);
        if let Some(follow) = self.latches.iter().chain([&self.head]).flat_map(|from| out(*from)).max() {
            return Some(follow);
        }
        let last = self.blocks().last().unwrap_or_default();
        let exits = self.blocks().flat_map(out);
        let further = exits.flat_map(|to| {
            let next = &successors[to as usize];
            [to].into_iter().chain(next.first().copied().filter(|_| next.len() == 1))
        });
        further.filter(|to| *to > last && !returns.contains(to)).min()
    }
}

/// Which blocks lead to `to` without going round.
fn leading_to(to: u32, predecessors: &[Vec<u32>], back: &[(u32, u32)]) -> Vec<bool> {
    let mut found = vec![false; predecessors.len()];
    let mut stack = vec![to];
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut found[block as usize], true) {
            let before = predecessors[block as usize].iter().filter(|from| !back.contains(&(**from, block)));
            stack.extend(before);
        }
    }
    found
}
