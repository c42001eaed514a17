//! How often failing and passing tests took the edges of the first functions.

use std::collections::HashMap;

use crate::profile::OUTSIDE;
use crate::program::{EdgeKind, Program};
use crate::rank_inputs::MethodInput;
use crate::report::{FunctionProfile, ProfileEdge, RankingReport};

/// Functions that are shown, and edges of each.
const SHOWN: (usize, usize) = (10, 100);

/// The edge profiles of the functions that the first lines of the ranking are in.
pub fn profiles(program: &Program, seen: &MethodInput, ranking: Option<&RankingReport>) -> Vec<FunctionProfile> {
    let (Some(ranking), Some((flow, profile))) = (ranking, seen.edges()) else { return Vec::new() };
    let mut wanted: Vec<u32> = Vec::new();
    for entry in &ranking.ranking {
        let found = function_named(program, &entry.function, &entry.file);
        wanted.extend(found.filter(|function| !wanted.contains(function)));
        if wanted.len() == SHOWN.0 {
            break;
        }
    }
    let mut edges: HashMap<u32, Vec<ProfileEdge>> = HashMap::new();
    for (at, id) in flow.edges.iter().enumerate() {
        let edge = &program.edges[*id as usize];
        if wanted.contains(&edge.function) {
            let ends = flow.graph.edges[at];
            edges.entry(edge.function).or_default().push(ProfileEdge {
                from: line(program, ends.from, |lines| lines.iter().max().copied()),
                to: line(program, ends.to, |lines| lines.iter().min().copied()),
                kind: words(edge.kind),
                failing: profile.failed[at],
                passing: profile.passed[at],
            });
        }
    }
    wanted
        .into_iter()
        .map(|function| of_function(program, function, edges.remove(&function).unwrap_or_default()))
        .collect()
}

fn of_function(program: &Program, function: u32, mut edges: Vec<ProfileEdge>) -> FunctionProfile {
    let of = &program.functions[function as usize];
    let differs = |edge: &ProfileEdge| (edge.failing - edge.passing).abs();
    edges.sort_by(|a, b| differs(b).total_cmp(&differs(a)).then((a.from, a.to).cmp(&(b.from, b.to))));
    let left_out = edges.len().saturating_sub(SHOWN.1) as u32;
    edges.truncate(SHOWN.1);
    FunctionProfile {
        function: of.name.clone(),
        file: program.files.get(of.place.file as usize).cloned().unwrap_or_default(),
        line: of.place.line,
        edges,
        left_out,
    }
}

fn function_named(program: &Program, name: &str, file: &str) -> Option<u32> {
    let is_it = |function: &crate::program::Function| {
        function.name == name && program.files.get(function.place.file as usize).is_some_and(|path| path == file)
    };
    program.functions.iter().position(is_it).map(|at| at as u32)
}

/// One of the lines of a block; 0 outside of the function.
fn line(program: &Program, block: u32, choose: impl Fn(&[u32]) -> Option<u32>) -> u32 {
    if block == OUTSIDE {
        return 0;
    }
    choose(&program.compiled_lines(block).collect::<Vec<u32>>()).unwrap_or(0)
}

fn words(kind: EdgeKind) -> String {
    match kind {
        EdgeKind::Entry => "entered".into(),
        EdgeKind::Always => "always".into(),
        EdgeKind::True => "true".into(),
        EdgeKind::False => "false".into(),
        EdgeKind::Case(value) => format!("case {value}"),
        EdgeKind::Default => "default".into(),
        EdgeKind::Continue => "call returned".into(),
        EdgeKind::Return => "returns".into(),
        EdgeKind::Stop => "ends here".into(),
        EdgeKind::Indirect => "jump".into(),
    }
}
