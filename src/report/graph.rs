//! The view of a causal program dependence model, which is also its JSON form (`docs/graph.schema.json`).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::causal::{Bands, Change, Cpdm, Strength};
use crate::program::{NodeKind, Program};

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const GRAPH_SCHEMA_VERSION: u32 = 1;

/// Strengths this far apart disagree.
const DISAGREES: f64 = 0.25;

/// A dependence model, or the difference of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphReport {
    /// Version of this form.
    pub schema_version: u32,
    /// What the edges are estimated from, in words; for a difference, first the one and then the other group of tests.
    pub tests: Vec<String>,
    /// Where the bands of direct dependence begin; those below the first are band 0.
    pub bands: Vec<f64>,
    /// Nodes that an edge leads from or to, or that are in a cluster, in the order of the program.
    pub nodes: Vec<GraphNode>,
    /// Edges, the strongest direct dependence first; of a difference, the largest change.
    pub edges: Vec<GraphEdge>,
    /// Dependence clusters, where they are asked for: ids of nodes that all depend on each other, the largest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<Vec<u32>>,
    /// Edges left out because there were too many: the weakest.
    pub left_out: u32,
    /// How far to trust it: one statement each.
    pub trust: Vec<String>,
}

/// A node of the program, or its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphNode {
    /// What edges name it by, within this report.
    pub id: u32,
    /// Source file; empty for the output.
    pub file: String,
    /// Line; 0 for the output.
    pub line: u32,
    /// Column; 0 when unknown.
    pub column: u32,
    /// Function; empty for the output.
    pub function: String,
    /// What kind of node it is: assignment, parameter, predicate, switch, return or output.
    pub kind: String,
    /// The variable or expression; empty where there is none.
    pub name: String,
    /// All of that in a few words.
    pub label: String,
}

/// An edge from a cause to its effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    /// Id of the cause.
    pub cause: u32,
    /// Id of the effect.
    pub effect: u32,
    /// The edge; `null` where only the second group of tests has it.
    pub strength: Option<EdgeStrength>,
    /// The edge in the second group of tests, for a difference.
    pub second: Option<EdgeStrength>,
}

/// How strong an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeStrength {
    /// Direct dependence: the natural direct effect.
    pub direct: f64,
    /// Probability mass without estimate of the direct dependence.
    pub direct_unidentified: f64,
    /// Band of the direct dependence.
    pub band: u32,
    /// Causal dependence: P(effect changes | do(cause changes)) − P(effect changes | do(cause does not change)).
    pub causal: f64,
    /// P(effect changes | do(cause changes)).
    pub causal_changed: f64,
    /// P(effect changes | do(cause does not change)).
    pub causal_unchanged: f64,
    /// Probability mass without estimate, of each of the two.
    pub causal_unidentified: [f64; 2],
    /// Share of the cause's own mutants that change the effect.
    pub interventional: f64,
    /// Whether that is far from the causal dependence.
    pub disagrees: bool,
    /// Whether a loop carries the dependence from one iteration to the next.
    pub carried: bool,
    /// Tests behind the direct dependence.
    pub tests: u32,
}

impl GraphReport {
    /// The view of a model: its strongest `most` edges.
    pub fn new(program: &Program, model: &Cpdm, bands: &Bands, most: usize, tests: String) -> GraphReport {
        let edges = model.edges().into_iter().map(|(cause, effect, strength)| GraphEdge {
            cause,
            effect,
            strength: Some(EdgeStrength::new(&strength, bands)),
            second: None,
        });
        GraphReport::of_edges(program, edges.collect(), bands, most, vec![tests])
    }

    /// The view of the difference of two models: the `most` edges that change most.
    pub fn of_changes(
        program: &Program,
        changes: &[Change],
        bands: &Bands,
        most: usize,
        tests: [String; 2],
    ) -> GraphReport {
        let strength = |strength: &Strength| EdgeStrength::new(strength, bands);
        let edges = changes.iter().map(|change| GraphEdge {
            cause: change.cause,
            effect: change.effect,
            strength: change.before.as_ref().map(strength),
            second: change.after.as_ref().map(strength),
        });
        GraphReport::of_edges(program, edges.collect(), bands, most, tests.to_vec())
    }

    fn of_edges(program: &Program, mut edges: Vec<GraphEdge>, bands: &Bands, most: usize, tests: Vec<String>) -> Self {
        let left_out = edges.len().saturating_sub(most) as u32;
        let trust = trust(&edges);
        edges.truncate(most);
        let ids: BTreeSet<u32> = edges.iter().flat_map(|edge| [edge.cause, edge.effect]).collect();
        GraphReport {
            schema_version: GRAPH_SCHEMA_VERSION,
            tests,
            bands: bands.limits().to_vec(),
            nodes: ids.into_iter().map(|id| GraphNode::new(program, id)).collect(),
            edges,
            clusters: Vec::new(),
            left_out,
            trust,
        }
    }

    /// The same with the dependence clusters of the model.
    pub fn with_clusters(mut self, program: &Program, model: &Cpdm) -> GraphReport {
        self.clusters = model.clusters();
        let known: BTreeSet<u32> = self.nodes.iter().map(|node| node.id).collect();
        let others = self.clusters.iter().flatten().filter(|id| !known.contains(id));
        self.nodes.extend(others.map(|id| GraphNode::new(program, *id)));
        self.nodes.sort_by_key(|node| node.id);
        self
    }

    /// Whether it is the difference of two models.
    pub fn is_difference(&self) -> bool {
        self.tests.len() == 2
    }

    /// What a node is called.
    pub fn label(&self, id: u32) -> &str {
        self.nodes.binary_search_by_key(&id, |node| node.id).map_or("", |at| &self.nodes[at].label)
    }
}

/// What must be said about these edges.
fn trust(edges: &[GraphEdge]) -> Vec<String> {
    let count = |holds: fn(&EdgeStrength) -> bool| {
        let both = |edge: &&GraphEdge| edge.strength.iter().chain(&edge.second).any(holds);
        edges.iter().filter(both).count()
    };
    let statements = [
        (count(|strength| strength.disagrees), "by structure and by the mutants' own effect differ by more than 0.25"),
        (
            count(|strength| strength.direct_unidentified > 0.5),
            "lack an estimate for more than half of the probability mass",
        ),
        (
            count(|strength| strength.carried),
            "are carried around a loop, where the order of cause and effect is inferred",
        ),
    ];
    let say = |(n, what): (usize, &str)| format!("{n} of {} edges {what}", edges.len());
    statements.into_iter().filter(|(n, _)| *n > 0).map(say).collect()
}

impl GraphNode {
    fn new(program: &Program, id: u32) -> GraphNode {
        let Some(node) = program.nodes.get(id as usize) else { return GraphNode::output(id) };
        let file = program.files.get(node.place.file as usize).cloned().unwrap_or_default();
        let (kind, words) = kind_name(node.kind);
        let name = if node.variable.is_empty() { node.expression.clone() } else { node.variable.clone() };
        GraphNode {
            id,
            line: node.place.line,
            column: node.place.column,
            function: program.functions[node.function as usize].name.clone(),
            label: format!("{file}:{} {name} {words}", node.place.line).replace("  ", " "),
            kind: kind.to_string(),
            name,
            file,
        }
    }

    fn output(id: u32) -> GraphNode {
        GraphNode {
            id,
            file: String::new(),
            line: 0,
            column: 0,
            function: String::new(),
            kind: "output".to_string(),
            name: String::new(),
            label: "output".to_string(),
        }
    }
}

/// What kind of node it is, in a word.
pub fn node_kind(kind: NodeKind) -> &'static str {
    kind_name(kind).0
}

fn kind_name(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Assignment => ("assignment", "assigned"),
        NodeKind::Parameter => ("parameter", "parameter"),
        NodeKind::Predicate => ("predicate", "predicate"),
        NodeKind::Switch => ("switch", "switch"),
        NodeKind::Return => ("return", "returned"),
    }
}

impl EdgeStrength {
    fn new(strength: &Strength, bands: &Bands) -> EdgeStrength {
        EdgeStrength {
            direct: strength.direct.value,
            direct_unidentified: strength.direct.unidentified,
            band: bands.of(strength.direct.value) as u32,
            causal: strength.causal.difference(),
            causal_changed: strength.causal.changed,
            causal_unchanged: strength.causal.unchanged,
            causal_unidentified: strength.causal.unidentified,
            interventional: strength.interventional.value,
            disagrees: strength.disagreement() > DISAGREES,
            carried: strength.carried,
            tests: strength.direct.n_tests,
        }
    }
}
