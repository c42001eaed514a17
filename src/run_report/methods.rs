//! Where several methods put the first lines, from numbers that are read once.

use std::collections::{BTreeSet, HashMap};

use crate::obstacle::Obstacle;
use crate::rank::{Method, RankedUnit, Units, find_method};
use crate::rank_inputs::{CdflChoice, MethodInput, Observed};
use crate::report::{ComparedLine, ComparedMethod, Comparison, RankingReport};
use crate::store::Run;

/// Methods beside the report's own: those that need no more than coverage and edges, then those that need value mutants.
const RECORDED: [&str; 6] = ["ochiai", "tarantula", "dstar2", "cln", "blockrank", "cp"];
const MUTATED: [&str; 2] = ["cdfl", "direct"];
/// First lines of the report's own ranking, and of each other.
const FIRST: (usize, u32) = (20, 5);

/// The first lines of the ranking and of other methods in all of these. `lines` are what `seen` is about; `observed` is what a campaign
/// observed, if there was one.
pub fn comparison(
    run: &Run,
    lines: &Units,
    seen: MethodInput,
    observed: Option<Observed>,
    ranking: &RankingReport,
) -> Result<Comparison, Obstacle> {
    let mut seen = seen;
    let mut others: Vec<&str> = RECORDED.to_vec();
    if let Some(observed) = observed {
        seen = seen.with_mutants(observed, CdflChoice::new(run, None, None)?);
        others.extend(MUTATED);
    }
    let mut methods = vec![compared(find(&ranking.method)?)];
    let mut tables = Vec::new();
    for name in others {
        let method = find(name)?;
        // What a method cannot say of this run, such as one whose failing tests were not mutated, is left out.
        let Ok(ranked) = seen.rank(method) else { continue };
        methods.push(compared(method));
        tables.push(
            ranked.ranking.iter().map(|place| (place.unit, [place.best, place.worst])).collect::<HashMap<u32, _>>(),
        );
    }
    let own: HashMap<(&str, u32), [u32; 2]> = ranking
        .ranking
        .iter()
        .map(|entry| ((entry.file.as_str(), entry.line), [entry.rank_best, entry.rank_worst]))
        .collect();
    let place = |unit: u32| {
        let RankedUnit::Line(line) = lines.get(unit) else { return ("", 0) };
        let line = run.program.lines[line as usize];
        (run.program.files.get(line.file as usize).map_or("", String::as_str), line.line)
    };
    let is_first = |ranks: &[u32; 2]| ranks[1] <= FIRST.1;
    let first =
        tables.iter().flat_map(|table| table.iter().filter(|(_, ranks)| is_first(ranks)).map(|(unit, _)| *unit));
    let mut chosen: BTreeSet<u32> = first.collect();
    let first: BTreeSet<(&str, u32)> =
        ranking.ranking.iter().take(FIRST.0).map(|entry| (entry.file.as_str(), entry.line)).collect();
    chosen.extend((0..lines.len() as u32).filter(|unit| first.contains(&place(*unit))));
    let mut compared: Vec<ComparedLine> = chosen
        .into_iter()
        .map(|unit| {
            let (file, line) = place(unit);
            let ranks = std::iter::once(own.get(&(file, line)).copied())
                .chain(tables.iter().map(|table| table.get(&unit).copied()))
                .collect();
            ComparedLine { file: file.to_string(), line, ranks }
        })
        .collect();
    compared.sort_by_key(|line| line.ranks[0].map_or(u32::MAX, |ranks| ranks[0]));
    Ok(Comparison { methods, lines: compared })
}

fn find(name: &str) -> Result<&'static Method, Obstacle> {
    find_method(name).map_err(Obstacle::of(Obstacle::Internal))
}

fn compared(method: &Method) -> ComparedMethod {
    ComparedMethod { id: method.id.into(), name: method.name.into(), family: method.family.into() }
}
