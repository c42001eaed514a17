//! The store's files as text for people: each frame with its test, kind and values.

use std::fmt::Write;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::encoding::{self, FRAME_MAGIC, Frame};
use super::{campaign, evidence, forms, run};

/// What a frame holds whose type belongs to another room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// The lists of tests of a run.
    Lists,
    /// The cases of test programs of a run.
    Cases,
    /// The plan of a campaign.
    Plan,
    /// What is known of the tests of a search.
    Facts,
}

/// Whether bytes begin as the store's framed files do.
pub fn is_framed(bytes: &[u8]) -> bool {
    bytes.starts_with(&FRAME_MAGIC)
}

/// All frames of a file, a line or more each; `foreign` tells one whose type the store does not know.
///
/// # Errors
/// What is wrong with the file.
pub fn list_frames(
    bytes: &[u8],
    foreign: impl Fn(Foreign, &Frame) -> Result<String, String>,
) -> Result<String, String> {
    let mut text = String::new();
    for frame in encoding::frames(bytes)? {
        let (name, content) = content(&frame, &foreign)?;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "test {} {name}: {content}", frame.test);
    }
    Ok(text)
}

/// A frame's value as JSON.
///
/// # Errors
/// When it does not decode.
pub fn json<T: Serialize + DeserializeOwned>(frame: &Frame) -> Result<String, String> {
    serde_json::to_string_pretty(&frame.decode::<T>()?).map_err(|error| error.to_string())
}

fn content(
    frame: &Frame,
    foreign: &impl Fn(Foreign, &Frame) -> Result<String, String>,
) -> Result<(&'static str, String), String> {
    let counts = || Ok::<_, String>(counts(&frame.decode::<Vec<u64>>()?));
    Ok(match frame.kind {
        run::KIND_PIECES => ("pieces entered", numbers(&run::set_bits(&frame.decode::<Vec<u8>>()?))),
        run::KIND_EDGES => ("edges taken", counts()?),
        run::KIND_SEQUENCES => ("sequences of conditions", counts()?),
        run::KIND_NODES => {
            let (executions, hashes, trues): (Vec<u64>, Vec<u64>, Vec<u64>) = frame.decode()?;
            let hashes: Vec<String> =
                run::pairs(&hashes).iter().map(|(node, hash)| format!("{node}={hash:016x}")).collect();
            let (executions, trues) = (self::counts(&executions), self::counts(&trues));
            ("nodes executed", format!("{executions}; trajectories: {}; true: {trues}", hashes.join(" ")))
        }
        run::KIND_STOPPED => ("stopped in pieces", numbers(&frame.decode::<Vec<u32>>()?)),
        run::KIND_LISTS => ("lists of tests", foreign(Foreign::Lists, frame)?),
        run::KIND_CASES => ("cases of test programs", foreign(Foreign::Cases, frame)?),
        campaign::KIND_PLAN => ("plan", foreign(Foreign::Plan, frame)?),
        evidence::KIND_FACTS => ("facts", foreign(Foreign::Facts, frame)?),
        forms::KIND_FORMS => {
            let (optimiser, forms): (u64, Vec<(u64, u64)>) = frame.decode()?;
            let forms: Vec<String> = forms.iter().map(|(text, form)| format!("{text:016x}={form:016x}")).collect();
            ("optimised expressions", format!("optimiser {optimiser:016x}; {}", forms.join(" ")))
        }
        kind => return Err(format!("a frame is of kind {kind}, which is none of a run, plan or search")),
    })
}

/// `position=count` for each of a sparse list.
fn counts(coded: &[u64]) -> String {
    let pairs: Vec<String> = run::pairs(coded).iter().map(|(at, count)| format!("{at}={count}")).collect();
    pairs.join(" ")
}

fn numbers(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_told_by_kind_and_test() {
        let mut bytes = encoding::frame(3, run::KIND_PIECES, &vec![0b101u8, 1]);
        bytes.extend(encoding::frame(3, run::KIND_EDGES, &vec![2u64, 7, 3, 1]));
        bytes.extend(encoding::frame(0, evidence::KIND_FACTS, &vec![1u32]));
        let facts = |foreign: Foreign, frame: &Frame| match foreign {
            Foreign::Facts => json::<Vec<u32>>(frame),
            other => Err(format!("{other:?}")),
        };
        let text = "test 3 pieces entered: 0 2 8\ntest 3 edges taken: 2=7 5=1\ntest 0 facts: [\n  1\n]\n";
        assert!(is_framed(&bytes));
        assert_eq!(list_frames(&bytes, facts).as_deref(), Ok(text));
        assert!(list_frames(&bytes[..bytes.len() - 1], facts).is_err());
        assert!(list_frames(&encoding::frame(0, 99, &1u32), facts).unwrap_err().contains("kind 99"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_told_or_refused(mut bytes in proptest::collection::vec(0u8.., 0..80), kind in 0u32..24) {
            let _ = list_frames(&bytes, |_, frame| json::<Vec<u32>>(frame));
            // Behind a header that is right, too.
            bytes = encoding::frame(1, kind, &bytes);
            let _ = list_frames(&bytes, |_, frame| json::<Vec<u32>>(frame));
        }
    }
}
