//! The dependence model as a table, which the script draws.

use super::markup::Markup;
use crate::report::{GraphReport, Report};

/// Edges in the table.
const SHOWN: usize = 100;

pub fn write(report: &Report, page: &mut Markup) {
    let Some(model) = &report.model else { return };
    page.element("p", &[], |page| {
        page.text(&format!(
            "{} nodes and {} dependences from {}. ",
            model.nodes.len(),
            model.edges.len(),
            model.tests.join(", ")
        ));
        if model.left_out > 0 {
            page.text(&format!("{} weaker ones are left out. ", model.left_out));
        }
        page.command("suspect graph");
    });
    page.element("div", &[("id", "graph"), ("hidden", "")], |_| ());
    let n_shown = model.edges.len().min(SHOWN);
    page.element("details", &[("id", "model-table"), ("open", "")], |page| {
        page.element("summary", &[], |page| page.text(&format!("The {n_shown} strongest as a table")));
        let columns = ["Cause", "Effect", "Direct", "Causal", "Own"];
        page.table("Dependences, the strongest first", &columns, n_shown, |at, page| write_edge(model, at, page));
    });
    if !model.trust.is_empty() {
        page.element("ul", &[("class", "trust")], |page| {
            model.trust.iter().for_each(|statement| page.element("li", &[], |page| page.prose(statement)));
        });
    }
}

fn write_edge(model: &GraphReport, at: usize, page: &mut Markup) {
    let edge = &model.edges[at];
    page.cell(model.label(edge.cause));
    page.cell(model.label(edge.effect));
    let Some(strength) = edge.strength else { return };
    for number in [strength.direct, strength.causal, strength.interventional] {
        page.number(&format!("{number:.2}"));
    }
}
