//! What came of higher-order mutants of one heuristic.

use std::io::{self, Write};

use serde::Serialize;

use super::Ground;
use crate::hom::{Heuristic, Hom, Judgement, KillMatrix, Kills, Plan, Summary};
use crate::mutation::entry;
use crate::report::MutantEntry;

/// Higher-order mutants, and what tests do to them.
#[derive(Debug, Serialize)]
pub struct HomReport {
    /// Name of the heuristic.
    heuristic: &'static str,
    /// How many code mutants are active together.
    order: usize,
    /// First-order mutants that were combined.
    first_order: usize,
    /// Nodes that they belong to.
    nodes: usize,
    /// Mutants made.
    mutants: usize,
    /// Strongly subsuming ones.
    strongly_subsuming: usize,
    /// Those of these that mask a test, which kills a member and not the combination.
    masking: usize,
    /// How many of the strongly subsuming ones are different mutants.
    distinct_strongly_subsuming: usize,
    /// How many kill vectors these have.
    strong_kill_vectors: usize,
    /// Distinct kill vectors for each mutant.
    d_score: f64,
    /// Share of the mutants that no test kills.
    survival: f64,
    /// Mutants of which tests are unknown.
    unknown: usize,
    /// The sets of nodes, in the order in which they were chosen.
    sets: Vec<SetReport>,
    /// The strongly subsuming mutants, each once.
    strong: Vec<StrongReport>,
}

/// What came of a set of nodes.
#[derive(Debug, Serialize)]
struct SetReport {
    nodes: Vec<String>,
    effect: f64,
    mutants: usize,
    strongly_subsuming: usize,
}

/// A strongly subsuming mutant.
#[derive(Debug, Serialize)]
struct StrongReport {
    /// Names of the tests that kill it.
    killed_by: Vec<String>,
    members: Vec<MemberReport>,
}

/// A member of a higher-order mutant.
#[derive(Debug, Serialize)]
struct MemberReport {
    #[serde(flatten)]
    place: Edited,
    /// How many tests kill it alone.
    killed_by: usize,
}

#[derive(Debug, Serialize)]
struct Edited {
    id: String,
    class: String,
    place: String,
    change: String,
}

impl From<MutantEntry> for Edited {
    fn from(entry: MutantEntry) -> Edited {
        Edited { place: entry.place(), change: entry.change(), id: entry.id, class: entry.class }
    }
}

impl HomReport {
    pub(super) fn new(
        ground: &Ground,
        heuristic: Heuristic,
        order: usize,
        plan: &Plan,
        outcomes: &KillMatrix,
        judgements: &[Judgement],
    ) -> HomReport {
        let all = || plan.homs.iter().zip(outcomes.rows()).zip(judgements);
        let total = Summary::of(&plan.homs, outcomes, judgements);
        let mut sets: Vec<SetReport> = plan.sets.iter().map(|set| SetReport::of(ground, set)).collect();
        for (set, judgement) in plan.set_of.iter().zip(judgements) {
            let set = &mut sets[*set as usize];
            set.mutants += 1;
            set.strongly_subsuming += usize::from(judgement.strong == Some(true));
        }
        let mut strong: Vec<(&Hom, &Kills)> =
            all().filter(|(_, judgement)| judgement.strong == Some(true)).map(|(one, _)| one).collect();
        strong.sort_by_key(|(hom, _)| *hom);
        strong.dedup_by_key(|(hom, _)| *hom);
        HomReport {
            heuristic: heuristic.name(),
            order,
            first_order: ground.pool.len(),
            nodes: ground.pool.nodes().len(),
            mutants: total.n,
            strongly_subsuming: total.strong,
            masking: total.masking,
            distinct_strongly_subsuming: total.distinct_strong,
            strong_kill_vectors: total.strong_vectors,
            d_score: total.d_score(),
            survival: total.survival(),
            unknown: total.unknown,
            sets,
            strong: strong.into_iter().map(|(hom, kills)| StrongReport::of(ground, hom, kills)).collect(),
        }
    }

    /// As text, or as JSON; `top` sets and strongly subsuming mutants as text.
    pub fn write(&self, as_json: bool, top: usize, out: &mut impl Write) -> io::Result<()> {
        if as_json {
            serde_json::to_writer_pretty(&mut *out, self)?;
            return writeln!(out);
        }
        writeln!(
            out,
            "{} mutants of order {} by {}, from {} sets of {} nodes with {} first-order mutants",
            self.mutants,
            self.order,
            self.heuristic,
            self.sets.len(),
            self.nodes,
            self.first_order
        )?;
        writeln!(
            out,
            "strongly subsuming: {}, of which {} mask a test ({} different, {} kill vectors); dScore {:.4}; {:.1} % survive; \
             {} unknown\n",
            self.strongly_subsuming,
            self.masking,
            self.distinct_strongly_subsuming,
            self.strong_kill_vectors,
            self.d_score,
            self.survival * 100.0,
            self.unknown
        )?;
        self.write_sets(top, out)?;
        self.write_strong(top, out)
    }

    fn write_sets(&self, top: usize, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "mutants  SSHOMs  effect  nodes")?;
        for set in self.sets.iter().take(top) {
            let nodes = set.nodes.join("; ");
            writeln!(out, "{:7}  {:6}  {:6.4}  {nodes}", set.mutants, set.strongly_subsuming, set.effect)?;
        }
        match self.sets.len().saturating_sub(top) {
            0 => Ok(()),
            more => writeln!(out, "... and {more} more (--top N, --format json)"),
        }
    }

    fn write_strong(&self, top: usize, out: &mut impl Write) -> io::Result<()> {
        const NAMED: usize = 5;
        for one in self.strong.iter().take(top) {
            let names = one.killed_by.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = if one.killed_by.len() > NAMED { ", ..." } else { "" };
            let n = one.killed_by.len();
            let tests = if n == 1 { "test" } else { "tests" };
            writeln!(out, "\nstrongly subsuming, killed by {n} {tests}: {names}{more}")?;
            for MemberReport { place, killed_by } in &one.members {
                let Edited { place, class, change, .. } = place;
                writeln!(out, "  {place}  {class}  {change}  (alone killed by {killed_by})")?;
            }
        }
        match self.strong.len().saturating_sub(top) {
            0 => Ok(()),
            more => writeln!(out, "\n... and {more} more (--top N, --format json)"),
        }
    }
}

impl SetReport {
    fn of(ground: &Ground, set: &crate::hom::NodeSet) -> SetReport {
        let program = &ground.session.run.program;
        let name = |node: &u32| {
            let node = &program.nodes[*node as usize];
            let file = program.files.get(node.place.file as usize).map_or("?", String::as_str);
            let what = if node.expression.is_empty() { &node.variable } else { &node.expression };
            format!("{file}:{} {what}", node.place.line)
        };
        let nodes = set.nodes.iter().map(name).collect();
        SetReport { nodes, effect: set.effect, mutants: 0, strongly_subsuming: 0 }
    }
}

impl StrongReport {
    fn of(ground: &Ground, hom: &Hom, kills: &Kills) -> StrongReport {
        let names = ground.killer.test_names();
        let member = |member: &u32| MemberReport {
            place: entry(&ground.session.run.program, ground.mutants[*member as usize]).into(),
            killed_by: ground.kills.rows()[*member as usize].killed.len() as usize,
        };
        StrongReport {
            killed_by: kills.killed.iter().map(|test| names[test as usize].clone()).collect(),
            members: hom.members.iter().map(member).collect(),
        }
    }
}
