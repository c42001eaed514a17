//! A dependence model as text and as DOT.

use std::io::{self, Write};

use super::graph::{EdgeStrength, GraphEdge, GraphReport};

/// Writes a model as text: its edges by band, strongest first, with what else is known of each.
pub fn write_graph(report: &GraphReport, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "dependence by {}", report.tests.join(", then by "))?;
    if report.edges.is_empty() {
        writeln!(out, "no edge")?;
    }
    let mut heading = None;
    for edge in &report.edges {
        let band = edge.strength.filter(|_| !report.is_difference()).map(|strength| strength.band);
        if band.is_some() && band != heading {
            writeln!(out, "{}", band_name(report, band.unwrap_or(0)))?;
            heading = band;
        }
        writeln!(out, "  {} -> {}{}", report.label(edge.cause), report.label(edge.effect), numbers(report, edge))?;
    }
    if report.left_out > 0 {
        writeln!(out, "... and {} more", report.left_out)?;
    }
    for cluster in &report.clusters {
        writeln!(out, "cluster of {} nodes, each of which depends on each other one:", cluster.len())?;
        cluster.iter().try_for_each(|node| writeln!(out, "  {}", report.label(*node)))?;
    }
    if !report.trust.is_empty() {
        writeln!(out, "how far to trust this:")?;
        report.trust.iter().try_for_each(|statement| writeln!(out, "  - {statement}"))?;
    }
    Ok(())
}

fn band_name(report: &GraphReport, band: u32) -> String {
    match (band as usize).checked_sub(1).and_then(|at| report.bands.get(at)) {
        Some(limit) => format!("direct dependence from {limit}:"),
        None => match report.bands.first() {
            Some(first) => format!("direct dependence below {first}:"),
            None => "direct dependence:".to_string(),
        },
    }
}

fn numbers(report: &GraphReport, edge: &GraphEdge) -> String {
    if report.is_difference() {
        let direct = |strength: Option<EdgeStrength>| {
            strength.map_or("none".into(), |strength| format!("{:.3}", strength.direct))
        };
        return format!("  DD {} -> {}", direct(edge.strength), direct(edge.second));
    }
    let Some(strength) = edge.strength else { return String::new() };
    let mut text =
        format!("  DD {:.3}  CD {:.3}  own {:.3}", strength.direct, strength.causal, strength.interventional);
    let notes = [
        (strength.disagrees, "CD and own disagree"),
        (strength.carried, "around a loop"),
        (strength.direct_unidentified > 0.5, "mostly without estimate"),
    ];
    for (_, note) in notes.into_iter().filter(|(holds, _)| *holds) {
        text.push_str("  (");
        text.push_str(note);
        text.push(')');
    }
    text
}

/// Colours of edges from the weakest band to the strongest.
const COLOURS: [&str; 4] = ["gray70", "gray40", "black", "red3"];

/// Writes a model in Graphviz' language. Width and colour follow direct dependence; what a loop carries is dashed. In a difference, edges
/// that get weaker or go away are blue, those that get stronger or appear are red.
pub fn write_graph_dot(report: &GraphReport, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph dependence {{")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\", fontsize=10];")?;
    writeln!(out, "  edge [fontname=\"monospace\", fontsize=9];")?;
    for node in &report.nodes {
        let shape = if node.kind == "output" { ", shape=ellipse" } else { "" };
        writeln!(out, "  n{} [label={}{shape}];", node.id, quoted(&node.label))?;
    }
    for (number, cluster) in report.clusters.iter().enumerate() {
        let nodes: Vec<String> = cluster.iter().map(|node| format!("n{node};")).collect();
        writeln!(out, "  subgraph cluster_{number} {{ {} }}", nodes.join(" "))?;
    }
    for edge in &report.edges {
        writeln!(out, "  n{} -> n{} [{}];", edge.cause, edge.effect, attributes(report, edge))?;
    }
    if report.left_out > 0 {
        writeln!(out, "  label=\"{} weaker edges left out\";", report.left_out)?;
    }
    writeln!(out, "}}")
}

fn attributes(report: &GraphReport, edge: &GraphEdge) -> String {
    let direct = |strength: Option<EdgeStrength>| strength.map_or(0.0, |strength| strength.direct);
    let style =
        if edge.strength.or(edge.second).is_some_and(|strength| strength.carried) { ", style=dashed" } else { "" };
    if report.is_difference() {
        let (before, after) = (direct(edge.strength), direct(edge.second));
        let colour = if after < before { "blue3" } else { "red3" };
        let width = 1.0 + 3.0 * (after - before).abs();
        return format!("label=\"{before:.2} → {after:.2}\", color={colour}, penwidth={width:.2}{style}");
    }
    let value = direct(edge.strength);
    let band = edge.strength.map_or(0, |strength| strength.band as usize);
    // The strongest band has the last colour, however many there are.
    let colour = COLOURS[(COLOURS.len() + band).saturating_sub(report.bands.len() + 1).min(COLOURS.len() - 1)];
    let width = 1.0 + 3.0 * value.clamp(0.0, 1.0);
    format!("label=\"{value:.2}\", color={colour}, penwidth={width:.2}{style}")
}

/// `text` in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
