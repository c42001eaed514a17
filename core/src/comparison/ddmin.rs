//! Delta debugging: a subset that passes and from which nothing can be taken (1.4, minimal).

use std::collections::HashMap;

/// What delta debugging found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimal {
    /// The subset, ascending.
    pub members: Vec<usize>,
    /// How many different subsets were tested.
    pub tests: usize,
}

struct Memo<T> {
    test: T,
    /// By the subset as words of bits.
    known: HashMap<Vec<u64>, bool>,
    n_words: usize,
    /// The test gave up.
    is_over: bool,
}

impl<T: FnMut(&[usize]) -> Option<bool>> Memo<T> {
    fn passes(&mut self, subset: &[usize]) -> bool {
        if self.is_over {
            return false;
        }
        let mut key = vec![0; self.n_words];
        for member in subset {
            key[member / 64] |= 1 << (member % 64);
        }
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let Some(passes) = (self.test)(subset) else {
            self.is_over = true;
            return false;
        };
        self.known.insert(key, passes);
        passes
    }
}

/// A 1-minimal subset of `0..n` that passes `test`, or nothing if the whole does not (section 1.6; Zeller & Hildebrandt, ddmin). Tests the whole
/// first, no subset twice, and the empty set never: nothing is no cause. Where the test gives up, by saying nothing, the smallest subset is taken
/// that passed until then.
pub fn ddmin(n: usize, test: impl FnMut(&[usize]) -> Option<bool>) -> (Option<Minimal>, usize) {
    let mut memo = Memo { test, known: HashMap::new(), n_words: n.div_ceil(64), is_over: false };
    let mut members: Vec<usize> = (0..n).collect();
    if n == 0 || !memo.passes(&members) {
        return (None, memo.known.len());
    }
    let mut parts = 2;
    while members.len() >= 2 && !memo.is_over {
        let size = (members.len() / parts).max(1);
        let part = members.chunks(size).find(|part| memo.passes(part)).map(<[usize]>::to_vec);
        if let Some(part) = part {
            members = part;
            parts = 2;
            continue;
        }
        let rest = complements(&members, size).find(|rest| memo.passes(rest));
        if let Some(rest) = rest {
            members = rest;
            parts = (parts - 1).max(2);
        } else if parts >= members.len() {
            break;
        } else {
            parts = (2 * parts).min(members.len());
        }
    }
    let tests = memo.known.len();
    (Some(Minimal { members, tests }), tests)
}

fn complements(members: &[usize], size: usize) -> impl Iterator<Item = Vec<usize>> + '_ {
    let starts = (0..members.len()).step_by(size);
    starts
        .map(move |start| [&members[..start], &members[(start + size).min(members.len())..]].concat())
        .filter(|rest| !rest.is_empty())
}
