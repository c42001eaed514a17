//! Chosen sets of nodes over the causal structure, as SVG.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::fmt::Write;

use super::NodeSet;

/// Width and height of the drawing, and the middle of its circle.
const SIZE: f64 = 900.0;
const MIDDLE: f64 = SIZE / 2.0;
/// Radius of the circle: names stand outside.
const RADIUS: f64 = 300.0;
/// Nodes drawn, at most: more names would lie on each other.
const MOST_NODES: usize = 150;
/// Letters of a name, at most: what there is room for beside the circle.
const MOST_LETTERS: usize = 22;

/// Nodes on a circle in their order, edges of the structure between them in grey, chosen sets in colour. The nodes of `sets` come first when
/// there are too many; `name` says what a node is called.
pub fn draw_sets(
    title: &str,
    nodes: &[u32],
    edges: &[(u32, u32)],
    sets: &[NodeSet],
    name: impl Fn(u32) -> String,
) -> String {
    let chosen = nodes.iter().filter(|node| sets.iter().any(|set| set.nodes.contains(node)));
    let mut drawn: BTreeSet<u32> = BTreeSet::new();
    drawn.extend(
        chosen
            .chain(nodes)
            .scan(BTreeSet::new(), |seen, node| Some(seen.insert(*node).then_some(*node)))
            .flatten()
            .take(MOST_NODES),
    );
    let n = drawn.len().max(1) as f64;
    let angles: BTreeMap<u32, f64> = drawn.iter().enumerate().map(|(at, node)| (*node, at as f64 / n * TAU)).collect();
    let place = |angle: f64, radius: f64| (MIDDLE + radius * angle.cos(), MIDDLE + radius * angle.sin());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {SIZE}\" font-family=\"sans-serif\" font-size=\"9\">\n\
         <rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"white\"/>\n"
    );
    let of =
        if drawn.len() < nodes.len() { format!("; {} of {} nodes", drawn.len(), nodes.len()) } else { String::new() };
    // Writing to a string cannot fail.
    let _ = writeln!(svg, "<text x=\"20\" y=\"24\" font-size=\"14\">{}{of}</text>", escaped(title));
    let line = |svg: &mut String, from: u32, to: u32, style: &str| {
        let (Some(from), Some(to)) = (angles.get(&from), angles.get(&to)) else { return };
        let ((x1, y1), (x2, y2)) = (place(*from, RADIUS), place(*to, RADIUS));
        let _ = writeln!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>");
    };
    for (from, to) in edges {
        line(&mut svg, *from, *to, "stroke=\"#cccccc\" stroke-width=\"0.7\"");
    }
    for set in sets {
        for pair in set.nodes.windows(2) {
            let width = 0.8 + 2.2 * set.effect.clamp(0.0, 1.0);
            line(&mut svg, pair[0], pair[1], &format!("stroke=\"#d55e00\" stroke-width=\"{width:.1}\""));
        }
    }
    for (node, angle) in &angles {
        let ((x, y), degrees) = (place(*angle, RADIUS), angle.to_degrees());
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"#0072b2\"/>");
        let is_left = (90.0..270.0).contains(&degrees);
        let ((x, y), anchor) = (place(*angle, RADIUS + 8.0), if is_left { "end" } else { "start" });
        let turned = if is_left { degrees - 180.0 } else { degrees };
        let name: String = name(*node).chars().take(MOST_LETTERS).collect();
        let _ = writeln!(
            svg,
            "<text transform=\"translate({x:.1} {y:.1}) rotate({turned:.1})\" text-anchor=\"{anchor}\">{}</text>",
            escaped(&name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_on_a_circle_and_sets_cross_it() {
        let sets = [NodeSet { nodes: vec![2, 6], effect: 1.0 }];
        let svg = draw_sets("a<b", &[2, 4, 6, 8], &[(2, 4), (4, 99)], &sets, |node| format!("n&{node}"));
        // Four nodes: right, below, left, above. The edge to a node that is not there is not drawn.
        assert!(svg.contains("<line x1=\"750.0\" y1=\"450.0\" x2=\"450.0\" y2=\"750.0\" stroke=\"#cccccc\""), "{svg}");
        assert!(svg.contains(
            "<line x1=\"750.0\" y1=\"450.0\" x2=\"150.0\" y2=\"450.0\" stroke=\"#d55e00\" stroke-width=\"3.0\""
        ));
        assert_eq!((svg.matches("<line").count(), svg.matches("<circle").count()), (2, 4));
        assert!(svg.contains(">a&lt;b</text>") && svg.contains(">n&amp;8</text>"));
    }

    #[test]
    fn nodes_of_sets_are_drawn_where_there_are_too_many() {
        let nodes: Vec<u32> = (0..400).collect();
        let sets = [NodeSet { nodes: vec![398, 399], effect: 0.5 }];
        let svg = draw_sets("t", &nodes, &[], &sets, |node| node.to_string());
        assert_eq!(svg.matches("<circle").count(), MOST_NODES);
        assert!(svg.contains("t; 150 of 400 nodes") && svg.contains("stroke=\"#d55e00\""));
    }
}
