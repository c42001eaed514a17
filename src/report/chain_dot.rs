//! Chains of causes in Graphviz' language.

use std::io::{self, Write};

use super::document_text::point;
use super::explanation_text::MOST_CAUSES;
use super::graph_text::quoted;
use super::words::differences;
use super::{Point, Report};

/// Writes all chains: an arrow leads from each cause to its effect.
pub fn write_chains_dot(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph causes {{\n  node [shape=box, fontname=\"monospace\", fontsize=10];")?;
    writeln!(out, "  edge [fontname=\"monospace\", fontsize=9];")?;
    let mut points: Vec<&Point> = Vec::new();
    let mut number = |point| match points.iter().position(|known| *known == point) {
        Some(at) => at,
        None => {
            points.push(point);
            points.len() - 1
        }
    };
    let mut edges = Vec::new();
    for step in report.explanations.iter().flat_map(|chain| &chain.steps) {
        let causes = differences(step, ": ", MOST_CAUSES);
        edges.push((number(&step.cause_point), number(&step.effect_point), causes.join("\n")));
    }
    for (at, known) in points.iter().enumerate() {
        writeln!(out, "  n{at} [label={}];", quoted(&point(known)))?;
    }
    for (cause, effect, label) in edges {
        writeln!(out, "  n{cause} -> n{effect} [label={}];", quoted(&label))?;
    }
    writeln!(out, "}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::{hostile, sample};

    fn dot(report: &Report) -> String {
        let mut bytes = Vec::new();
        write_chains_dot(report, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn arrows_lead_from_causes_to_effects() {
        let text = dot(&sample());
        assert!(text.contains("n0 [label=\"sum.c:3 `a > 10` (execution 1)\"]"), "{text}");
        assert!(text.contains("n0 -> n1 [label=\"a > 10: true, not false\"]"), "{text}");
        let mut long = sample();
        let causes = &mut long.explanations[0].steps[0].causes;
        *causes = vec![causes[0].clone(); 100];
        assert!(dot(&long).contains("not false\\nand 94 more\"]"), "{}", dot(&long));
        assert_eq!(dot(&hostile()).lines().count(), text.lines().count(), "names are on their lines");
    }
}
