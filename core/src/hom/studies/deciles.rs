//! Does causal effect tell where strongly subsuming mutants are? Pairs of nodes in buckets by causal effect, a sample of each.

use serde::Serialize;

use super::{Batch, Spread, share, spread};
use crate::hom::effect::EffectMatrix;
use crate::hom::kill::KillMatrix;
use crate::hom::plan::{Combinations, PlanError};
use crate::hom::pool::{Hom, Pool};
use crate::hom::random::{Draw, choose, generator};
use crate::hom::sets::Web;

/// How pairs with an effect are divided; those without have a bucket of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Buckets {
    /// Ten of equal width: above 0 to 0.1, above 0.1 to 0.2, and so on. Some may be empty.
    #[default]
    Widths,
    /// Ten of (almost) equally many pairs, by rank; ties that a limit falls into go to either side by chance. Where most pairs have a
    /// middling effect, the strong ones are few among those of the last.
    Ranks,
}

/// How large the study is; by default as in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecileOptions {
    /// How pairs are divided.
    pub buckets: Buckets,
    /// Pairs of nodes drawn from each bucket.
    pub pairs: usize,
    /// Mutants of each pair; all of one that has fewer.
    pub mutants: usize,
    /// How often all of it is done.
    pub repeats: usize,
    /// Seed of all choices.
    pub seed: u64,
}

impl Default for DecileOptions {
    fn default() -> Self {
        DecileOptions { buckets: Buckets::default(), pairs: 5, mutants: 100, repeats: 10, seed: 1 }
    }
}

/// Number of buckets of pairs with an effect.
const BUCKETS: usize = 10;

/// A bucket of pairs of nodes; the first of a study is that of pairs without effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bucket {
    pub(super) n_pairs: usize,
    /// The least and the greatest effect.
    pub(super) range: [f64; 2],
}

/// The study, planned: second-order mutants of pairs with more and with less causal effect.
#[derive(Clone, Debug, PartialEq)]
pub struct DecileStudy {
    options: DecileOptions,
    pub(super) buckets: Vec<Bucket>,
    pub(super) batch: Batch,
}

/// What came of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DecileRow {
    /// 0 for pairs without effect, then 1 to 10 from the least effect to the greatest.
    pub bucket: u32,
    /// Number of pairs of nodes in it.
    pub n_pairs: usize,
    /// The least and the greatest causal effect of its pairs; both 0 where it has none.
    pub range: [f64; 2],
    /// Mutants in a repeat.
    pub mutants: Spread,
    /// Strongly subsuming ones among them.
    pub strong: Spread,
    /// Those of these that mask a test, as the paper counts.
    pub masking: Spread,
    /// Its part of all strongly subsuming mutants of the study.
    pub share_of_strong: f64,
    /// Its part of all that mask a test.
    pub share_of_masking: f64,
    /// Strongly subsuming mutants for each mutant.
    pub rate: f64,
    /// Mutants in a repeat of which tests are unknown.
    pub unknown: Spread,
}

/// Causal effect beside strongly subsuming mutants.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DecileTable {
    /// How pairs are divided.
    pub buckets: Buckets,
    /// Number of repeats.
    pub repeats: usize,
    /// The buckets, that without effect first.
    pub rows: Vec<DecileRow>,
}

impl DecileStudy {
    /// Plans the study for the mutants of `pool`. Pairs without effect are those in which this was seen
    /// ([`EffectMatrix::is_unrelated`]). Each repeat draws its pairs anew, none twice; pairs whose mutants cannot be combined are
    /// passed over.
    ///
    /// # Errors
    /// When fewer than two nodes have mutants, or no two of these have a causal effect on each other.
    pub fn plan(pool: &Pool, effects: &EffectMatrix, options: DecileOptions) -> Result<DecileStudy, PlanError> {
        let nodes = pool.nodes();
        if nodes.len() < 2 {
            return Err(PlanError::Nodes { order: 2, nodes: nodes.len() });
        }
        let web = Web::new(nodes, effects, |a, b| pool.nearness(a, b), &mut generator(options.seed, &[STREAM]));
        if web.pairs.is_empty() {
            return Err(PlanError::NoEffect("deciles"));
        }
        let divided = divide(&web, options.buckets);
        let unrelated = |at: usize| {
            let others = &web.nodes[at + 1..];
            others.iter().filter(|other| effects.is_unrelated(web.nodes[at], **other)).count()
        };
        let without = Bucket { n_pairs: (0..web.nodes.len()).map(unrelated).sum(), range: [0.0; 2] };
        let buckets = std::iter::once(without).chain(divided.iter().map(|pairs| Bucket::of(pairs))).collect();
        let cells = (0..options.repeats).flat_map(|repeat| (0..=BUCKETS).map(move |bucket| (repeat, bucket)));
        let sampler = Sampler { pool, effects, web: &web, divided: &divided, options };
        let samples = cells.map(|(repeat, bucket)| (bucket, sampler.sample(repeat, bucket)));
        let batch = Batch::new(samples);
        Ok(DecileStudy { options, buckets, batch })
    }

    /// The mutants to run, each once.
    pub fn homs(&self) -> &[Hom] {
        &self.batch.homs
    }

    /// The table, from the outcomes of first-order mutants and of [`DecileStudy::homs`], in their order.
    ///
    /// # Panics
    /// As [`crate::hom::judge`].
    pub fn table(&self, first_order: &KillMatrix, outcomes: &KillMatrix) -> DecileTable {
        let judged = self.batch.judge(first_order, outcomes);
        let summaries: Vec<_> = (0..self.buckets.len()).map(|bucket| judged.summaries(bucket)).collect();
        let all = summaries.iter().flatten().map(|summary| summary.strong).sum();
        let all_masking = summaries.iter().flatten().map(|summary| summary.masking).sum();
        let row = |(bucket, (described, summaries)): (u32, (&Bucket, &Vec<_>))| {
            let strong = summaries.iter().map(|summary: &crate::hom::Summary| summary.strong).sum();
            let masking = summaries.iter().map(|summary| summary.masking).sum();
            DecileRow {
                bucket,
                n_pairs: described.n_pairs,
                range: described.range,
                mutants: spread(summaries, |summary| summary.n as f64),
                strong: spread(summaries, |summary| summary.strong as f64),
                masking: spread(summaries, |summary| summary.masking as f64),
                share_of_strong: share(strong, all),
                share_of_masking: share(masking, all_masking),
                rate: share(strong, summaries.iter().map(|summary| summary.n).sum()),
                unknown: spread(summaries, |summary| summary.unknown as f64),
            }
        };
        let rows = (0..).zip(self.buckets.iter().zip(&summaries)).map(row).collect();
        DecileTable { buckets: self.options.buckets, repeats: self.options.repeats, rows }
    }
}

/// What keeps this study's random numbers from those of plans.
const STREAM: u64 = 0x6465_6369;

type Pair = ((u32, u32), f64);

impl Bucket {
    fn of(pairs: &[Pair]) -> Bucket {
        let least = pairs.iter().map(|(_, effect)| *effect).fold(f64::INFINITY, f64::min);
        let greatest = pairs.iter().map(|(_, effect)| *effect).fold(0.0, f64::max);
        Bucket { n_pairs: pairs.len(), range: if pairs.is_empty() { [0.0; 2] } else { [least, greatest] } }
    }
}

/// The pairs with an effect, by bucket.
fn divide(web: &Web, buckets: Buckets) -> Vec<Vec<Pair>> {
    let mut pairs = web.pairs.clone();
    // Stable: equals stay in random order.
    pairs.sort_by(|a, b| a.1.total_cmp(&b.1));
    let n = pairs.len();
    let bucket = |at: usize, effect: f64| match buckets {
        Buckets::Ranks => at * BUCKETS / n,
        Buckets::Widths => ((effect * BUCKETS as f64).ceil() as usize).clamp(1, BUCKETS) - 1,
    };
    let mut divided = vec![Vec::new(); BUCKETS];
    for (at, pair) in pairs.into_iter().enumerate() {
        divided[bucket(at, pair.1)].push(pair);
    }
    divided
}

struct Sampler<'a> {
    pool: &'a Pool,
    effects: &'a EffectMatrix,
    web: &'a Web,
    divided: &'a [Vec<Pair>],
    options: DecileOptions,
}

impl Sampler<'_> {
    fn sample(&self, repeat: usize, bucket: usize) -> Vec<Hom> {
        let mut generator = generator(self.options.seed, &[STREAM, repeat as u64, bucket as u64]);
        let mut pairs: Box<dyn Iterator<Item = (u32, u32)>> = match bucket.checked_sub(1) {
            Some(bucket) => {
                let pairs: Vec<_> = self.divided[bucket].iter().map(|(pair, _)| *pair).collect();
                Box::new(choose(&pairs, pairs.len(), &mut generator).into_iter())
            }
            None => Box::new(self.without_effect(repeat)),
        };
        let (mut homs, mut used) = (Vec::new(), 0);
        while let Some((a, b)) = pairs.next().filter(|_| used < self.options.pairs) {
            let mut combinations = Combinations::new(self.pool, &[a, b]);
            let found = std::iter::from_fn(|| combinations.next(self.pool, &mut generator)).take(self.options.mutants);
            let before = homs.len();
            homs.extend(found);
            used += usize::from(homs.len() > before);
        }
        homs
    }

    /// Pairs without effect in random order, which may be far too many to list.
    fn without_effect(&self, repeat: usize) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        let nodes = &self.web.nodes;
        let n = nodes.len() as u64;
        let mut generator = generator(self.options.seed, &[STREAM, repeat as u64, u64::MAX]);
        let mut draw = Draw::new(n * n);
        let drawn = std::iter::from_fn(move || draw.next(&mut generator));
        let pair = move |at: u64| (nodes[(at / n) as usize], nodes[(at % n) as usize]);
        drawn.map(pair).filter(|(a, b)| a < b && self.effects.is_unrelated(*a, *b))
    }
}
