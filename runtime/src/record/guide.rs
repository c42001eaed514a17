//! Guard rails: the way of a patched process along two recorded runs (Sumner & Zhang, ICSE 2013, the approximate model).

use suspect_format::plan::Divergence;

/// The decisions of two runs, and where they part.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    /// Outcomes of each run's decisions.
    pub outcomes: [&'a [u32]; 2],
    /// Where the runs part, in order.
    pub divergences: &'a [Divergence],
}

/// Where a process goes at a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// This way.
    Goes(u32),
    /// By itself it would go a way that neither run went.
    Confounded,
    /// There is no such decision in the runs.
    Desync,
}

/// A process's place. Zeros are the start.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Guide {
    /// Decisions of each run that are behind it.
    pub at: [u32; 2],
    /// Number of the next divergence.
    next: u64,
    /// The run in whose arm it is or was last, and for how many more decisions.
    forced: u32,
    left: u32,
}

impl Guide {
    /// The way that a process on the input of run `side` goes at its next decision, which by itself would go the way `computed`: where both
    /// runs went one way it is that, where they parted it is its own, and where one run went alone it is that run's.
    pub fn decide(&mut self, runs: &Runs, side: usize, computed: u32) -> Way {
        self.skip_unrecorded(runs, side);
        if self.left > 0 {
            self.left = self.left.wrapping_sub(1);
            return self.advance(runs, self.forced as usize).map_or(Way::Desync, Way::Goes);
        }
        let divergence = self.divergence(runs);
        let (Some(one), Some(other)) = (self.advance(runs, 0), self.advance(runs, 1)) else { return Way::Desync };
        let Some(divergence) = divergence else { return Way::Goes(one) };
        if computed == one {
            self.enter(0, &divergence);
        } else if computed == other {
            self.enter(1, &divergence);
        } else {
            return Way::Confounded;
        }
        Way::Goes(computed)
    }

    /// The run in whose arm it was last, if it stands where so many decisions of each run are made and in no arm. What code decides that is
    /// not recorded may be behind it already, where its own side's arm has no decisions.
    pub fn stands_at(&self, runs: &Runs, side: usize, decisions: [u64; 2]) -> Option<usize> {
        let mut here = *self;
        while here.left == 0 {
            let [one, other] = here.at;
            if [u64::from(one), u64::from(other)] == decisions {
                return Some(here.forced as usize);
            }
            let divergence = here.divergence(runs).filter(|divergence| divergence.decided == 0)?;
            here.enter(side, &divergence);
        }
        None
    }

    /// Goes past what code decides that is not recorded: into its own side's arm.
    fn skip_unrecorded(&mut self, runs: &Runs, side: usize) {
        while self.left == 0
            && let Some(divergence) = self.divergence(runs)
            && divergence.decided == 0
        {
            self.enter(side, &divergence);
        }
    }

    fn divergence(&self, runs: &Runs) -> Option<Divergence> {
        runs.divergences.get(self.next as usize).copied().filter(|divergence| divergence.at == self.at)
    }

    fn enter(&mut self, side: usize, divergence: &Divergence) {
        let other = side ^ 1;
        if let Some(at) = self.at.get_mut(other) {
            *at = at.wrapping_add(part(&divergence.arms, other));
        }
        self.forced = side as u32;
        self.left = part(&divergence.arms, side);
        self.next = self.next.wrapping_add(1);
    }

    fn advance(&mut self, runs: &Runs, side: usize) -> Option<u32> {
        let at = self.at.get_mut(side)?;
        let outcome = runs.outcomes.get(side)?.get(*at as usize).copied()?;
        *at = at.wrapping_add(1);
        Some(outcome)
    }
}

fn part(pair: &[u32; 2], side: usize) -> u32 {
    pair.get(side).copied().unwrap_or(0)
}
