//! Whether the first line is so far ahead that further trials would hardly change the answer.

/// Probability from which on a line is far ahead: one answer in ten may be wrong, which more of the same trials seldom mend.
const CLEAR: f64 = 0.9;
/// Of all trials one in so many may be older than the lead: since then the line has been first, with half of [`CLEAR`] at least.
const OLDER: usize = 3;

/// The first line after each round.
#[derive(Debug, Default)]
pub(super) struct Lead {
    rounds: Vec<Round>,
}

/// How it stood before a round.
#[derive(Clone, Copy, Debug)]
struct Round {
    n_trials: usize,
    line: usize,
    probability: f64,
}

impl Lead {
    /// Notes the probabilities of all lines when so many trials were known.
    pub(super) fn note(&mut self, n_trials: usize, probabilities: &[f64]) {
        let first = probabilities.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        self.rounds.extend(first.map(|(line, probability)| Round { n_trials, line, probability: *probability }));
    }

    /// Whether the first line is far ahead, and has been first for most of the trials.
    pub(super) fn is_clear(&self) -> bool {
        let Some(now) = self.rounds.last() else { return false };
        let is_same = |round: &&Round| round.line == now.line && round.probability >= CLEAR / 2.0;
        let since = self.rounds.iter().rev().take_while(is_same).last().map_or(now.n_trials, |round| round.n_trials);
        now.probability >= CLEAR && since * OLDER <= now.n_trials && since < now.n_trials
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_clear(rounds: &[(usize, &[f64])]) -> bool {
        let mut lead = Lead::default();
        rounds.iter().for_each(|(n_trials, probabilities)| lead.note(*n_trials, probabilities));
        lead.is_clear()
    }

    #[test]
    fn a_line_that_has_been_first_for_most_trials_is_clear() {
        assert!(is_clear(&[(0, &[0.5, 0.5]), (192, &[0.1, 0.9]), (576, &[0.05, 0.95]), (1344, &[0.04, 0.96])]));
        assert!(!is_clear(&[(0, &[0.5, 0.5]), (192, &[0.1, 0.9]), (500, &[0.05, 0.95])]), "not long enough");
        assert!(!is_clear(&[(192, &[0.2, 0.8]), (576, &[0.2, 0.8]), (1344, &[0.15, 0.85])]), "not far enough ahead");
        assert!(!is_clear(&[(192, &[0.1, 0.9]), (576, &[0.9, 0.1]), (1344, &[0.1, 0.9])]), "another one between");
        assert!(!is_clear(&[(1344, &[0.0, 1.0])]) && !is_clear(&[]), "nothing was tried meanwhile");
    }
}
