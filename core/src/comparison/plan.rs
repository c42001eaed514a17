//! The plan that guides a patched process along two recorded runs: which conditional is forced, and which is left to it (section 4.2).

use super::NONE;
use super::memory::Stop;
use super::pair::Pair;
use super::run::Side;

/// Where two runs part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// How many conditionals each run has executed before the one that parts them.
    pub at: [u32; 2],
    /// How many each executes alone after it.
    pub arms: [u32; 2],
    /// Whether a conditional decides; if not, it is a library that is not recorded, and the arms start at `at`.
    pub decided: bool,
}

/// The outcomes of both runs in program order, and where they part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Outcomes of conditionals.
    pub outcomes: [Vec<u32>; 2],
    /// Where the runs part, in order.
    pub divergences: Vec<Divergence>,
}

impl Plan {
    /// The plan of two runs. Serves both directions.
    pub fn new(pair: &Pair<'_>) -> Self {
        Self::of(pair, |_| true)
    }

    /// The same, where of the sites with outcomes only those decide that `decides` holds for.
    pub fn of(pair: &Pair<'_>, decides: impl Fn(u32) -> bool) -> Self {
        let mut plan = Self { outcomes: [Vec::new(), Vec::new()], divergences: Vec::new() };
        for segment in pair.alignment.segments() {
            for side in Side::BOTH {
                plan.take(pair, side, segment.first[side.index()], segment.aligned, &decides);
            }
            let before = plan.outcomes.each_ref().map(|outcomes| outcomes.len() as u32);
            for side in Side::BOTH {
                let from = segment.first[side.index()] + segment.aligned;
                plan.take(pair, side, from, segment.alone[side.index()], &decides);
            }
            let arms = Side::BOTH.map(|side| plan.outcomes[side.index()].len() as u32 - before[side.index()]);
            let last = segment.first[0] + segment.aligned.max(1) - 1;
            let decided =
                segment.aligned > 0 && pair.parted(Side::First, last) && decides(pair.run(Side::First).site(last));
            if decided || arms != [0, 0] {
                let at = before.map(|position| position - u32::from(decided));
                plan.divergences.push(Divergence { at, arms, decided });
            }
        }
        plan
    }

    fn take(&mut self, pair: &Pair<'_>, side: Side, from: u32, count: u32, decides: &impl Fn(u32) -> bool) {
        let run = pair.run(side);
        let outcomes = (from..from + count)
            .filter(|point| run.outcome(*point) != NONE && decides(run.site(*point)))
            .map(|point| run.outcome(point));
        self.outcomes[side.index()].extend(outcomes);
    }
}

/// A patched process's place in a [`Plan`].
#[derive(Debug)]
pub struct Guide<'a> {
    plan: &'a Plan,
    side: Side,
    at: [u32; 2],
    next: usize,
    /// Which run's arm the process is in, and for how many more conditionals.
    forced: Option<(Side, u32)>,
}

impl<'a> Guide<'a> {
    /// A process that runs on the input of run `side`, at its start.
    pub fn new(plan: &'a Plan, side: Side) -> Self {
        Self { plan, side, at: [0, 0], next: 0, forced: None }
    }

    /// The way to go at the next conditional, which by itself would go the way `computed` (rules 1 to 3 of section 1.8).
    pub fn decide(&mut self, computed: u32) -> Result<u32, Stop> {
        while let (None, Some(divergence)) = (self.forced, self.divergence().filter(|divergence| !divergence.decided)) {
            self.enter(self.side, divergence);
        }
        if let Some((side, left)) = self.forced {
            self.forced = (left > 1).then_some((side, left - 1));
            return self.advance(side);
        }
        let divergence = self.divergence();
        let recorded = [self.advance(Side::First)?, self.advance(Side::Second)?];
        let Some(divergence) = divergence else { return Ok(recorded[0]) };
        let taken = Side::BOTH.into_iter().find(|side| recorded[side.index()] == computed);
        self.enter(taken.ok_or(Stop::ControlConfounded)?, divergence);
        Ok(computed)
    }

    fn divergence(&self) -> Option<Divergence> {
        self.plan.divergences.get(self.next).copied().filter(|divergence| divergence.at == self.at)
    }

    fn enter(&mut self, side: Side, divergence: Divergence) {
        let other = side.other().index();
        self.at[other] += divergence.arms[other];
        let left = divergence.arms[side.index()];
        self.forced = (left > 0).then_some((side, left));
        self.next += 1;
    }

    fn advance(&mut self, side: Side) -> Result<u32, Stop> {
        let at = &mut self.at[side.index()];
        let outcome = self.plan.outcomes[side.index()].get(*at as usize).copied().ok_or(Stop::Desync)?;
        *at += 1;
        Ok(outcome)
    }
}
