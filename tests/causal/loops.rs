//! How well structure finds the direct dependences of loops, by mode.

use std::collections::BTreeSet;

use suspect::causal::{Cycles, Independence, Observations, Parents, Structure, StructureOptions};

use super::programs::Program;

/// What was found of the true edges.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    found: usize,
    right: usize,
    /// True edges that can show: some mutant of the cause changes the effect.
    visible: usize,
}

impl Score {
    fn precision(self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }

    fn recall(self) -> f64 {
        self.right as f64 / self.visible.max(1) as f64
    }
}

fn all_edges(structure: &Structure) -> BTreeSet<(u32, u32)> {
    let of = |effect: u32| structure.all_parents(effect).into_iter().map(move |cause| (cause, effect));
    (0..structure.len() as u32).flat_map(of).collect()
}

/// The edges of one program found by these options, among all, those inside loops, and those between nodes that influence each other.
fn score(program: &Program, observations: &Observations, order: &[u32], options: StructureOptions) -> [Score; 3] {
    let structure = Structure::learn(observations, order, options);
    let truth = program.dependences();
    let found = all_edges(&structure);
    let inside = |(cause, effect): &(u32, u32)| program.in_loop(*cause) && program.in_loop(*effect);
    let count = |kept: &dyn Fn(&(u32, u32)) -> bool| Score {
        found: found.iter().filter(|edge| kept(edge)).count(),
        right: found.intersection(&truth).filter(|edge| kept(edge)).count(),
        visible: truth.iter().filter(|edge| kept(edge) && structure.is_influenced(edge.1, edge.0)).count(),
    };
    let mutual = |(cause, effect): &(u32, u32)| {
        structure.is_influenced(*effect, *cause) && structure.is_influenced(*cause, *effect)
    };
    [count(&|_| true), count(&inside), count(&mutual)]
}

fn total(options: StructureOptions, sizes: (usize, usize)) -> [Score; 3] {
    let mut sum = [Score::default(); 3];
    for seed in 0..20 {
        let program = Program::new(seed, sizes.0, 100);
        let (observations, order) = program.campaign(sizes.1, 10, seed);
        for (sum, score) in sum.iter_mut().zip(score(&program, &observations, &order, options)) {
            sum.found += score.found;
            sum.right += score.right;
            sum.visible += score.visible;
        }
    }
    sum
}

#[test]
fn loops_are_found_better_than_by_dropping_cycles() {
    let paper = total(StructureOptions::paper(), (60, 4_000));
    let carried = total(StructureOptions::default(), (60, 4_000));
    let acyclic = total(StructureOptions { parents: Parents::Acyclic, ..StructureOptions::default() }, (60, 4_000));
    println!("precision and recall: all edges, those inside loops, those between nodes that influence each other");
    for (name, [all, inside, mutual]) in [("paper", paper), ("carried", carried), ("acyclic", acyclic)] {
        println!(
            "{name:<8} {:.3} {:.3}   {:.3} {:.3}   {:.3} {:.3}   {all:?} {inside:?} {mutual:?}",
            all.precision(),
            all.recall(),
            inside.precision(),
            inside.recall(),
            mutual.precision(),
            mutual.recall(),
        );
    }
    assert!(paper[1].visible > 300, "{paper:?}");
    assert!(carried[1].recall() > paper[1].recall() + 0.1, "{carried:?} {paper:?}");
    let f = |score: Score| 2.0 * score.precision() * score.recall() / (score.precision() + score.recall());
    assert!(f(carried[1]) > f(paper[1]) && f(carried[0]) > f(paper[0]), "{carried:?} {paper:?}");
}

#[test]
fn a_statistical_test_keeps_fewer_parents_that_do_not_matter() {
    let exact = StructureOptions { cycles: Cycles::Paper, ..StructureOptions::default() };
    let tested = StructureOptions { independence: Independence::GTest { alpha: 0.01 }, ..exact };
    let [exact, tested] = [exact, tested].map(|options| total(options, (30, 1_500))[0]);
    println!("exact {exact:?} {:.3}, G-test {tested:?} {:.3}", exact.precision(), tested.precision());
    assert!(tested.found < exact.found && tested.precision() > exact.precision());
}
