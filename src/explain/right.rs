//! What a test's output must be for its first wrong line to be right.

use super::recorded::RecordingRoom;
use super::recorded_test::RecordedTest;
use crate::obstacle::Obstacle;
use crate::suite::Test;

/// The expected output up to the end of the first line that a failing test writes otherwise.
pub struct Right {
    expected: Vec<u8>,
}

impl Right {
    /// That of a recorded failing test; nothing if the test is not judged by its output, or wrote all that is expected.
    pub fn of(room: &RecordingRoom<'_>, test: &Test, failing: &RecordedTest) -> Result<Option<Self>, Obstacle> {
        let Some([written, _]) = &failing.written else { return Ok(None) };
        Ok(room.expected(test)?.and_then(|expected| Self::between(expected, written)))
    }

    fn between(mut expected: Vec<u8>, written: &[u8]) -> Option<Self> {
        let first = common(&expected, written);
        let rest = expected.get(first..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        expected.truncate(first + end);
        Some(Right { expected })
    }

    /// Whether an output is right that far.
    pub fn is_in(&self, output: &[u8]) -> bool {
        output.starts_with(&self.expected)
    }
}

/// The number of bytes that two texts have in common before they differ.
pub fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_line_has_to_be_right_to_its_end() {
        let right = Right::between(b"a\nbcd\ne\n".to_vec(), b"a\nbxx\ny\n").unwrap();
        assert!(right.is_in(b"a\nbcd\nz\n"));
        assert!(!right.is_in(b"a\nbcx\ne\n") && !right.is_in(b"a\nbcd"));
        assert!(Right::between(b"a\n".to_vec(), b"a\nmore\n").is_none());
    }
}
