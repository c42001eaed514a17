//! Compound conditions, and the sequences in which their conditions are evaluated.

use super::{Bad, Cursor, Place, Sink};

/// Where the number of times a sequence was followed is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SequenceCount {
    /// The count of this edge of the function.
    Edge(u32),
    /// This counter of the unit.
    Counter(u32),
}

/// A condition of two or more operands joined by `&&` and `||`, followed by its conditions (indices of nodes) and its
/// evaluation sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compound {
    /// Where the whole condition begins.
    pub place: Place,
    /// Number of conditions.
    pub n_conditions: u32,
    /// Number of evaluation sequences that short-circuit evaluation allows.
    pub n_sequences: u32,
}

impl Compound {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        self.place.encode(sink);
        sink.unsigned(self.n_conditions as u64);
        sink.unsigned(self.n_sequences as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Compound { place: Place::decode(cursor)?, n_conditions: cursor.small()?, n_sequences: cursor.small()? })
    }
}

/// One evaluation sequence, followed by its steps: for each condition evaluated, in order,
/// `2 * position among the compound's conditions + value` as an unsigned integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Number of steps.
    pub n_steps: u32,
    /// Where its count is.
    pub count: SequenceCount,
}

impl Sequence {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.unsigned(self.n_steps as u64);
        let (tag, number) = match self.count {
            SequenceCount::Edge(edge) => (0, edge),
            SequenceCount::Counter(counter) => (1, counter),
        };
        sink.put(&[tag]);
        sink.unsigned(number as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        let n_steps = cursor.small()?;
        let count = match cursor.byte()? {
            0 => SequenceCount::Edge(cursor.small()?),
            1 => SequenceCount::Counter(cursor.small()?),
            tag => return Err(Bad::Tag(tag)),
        };
        Ok(Sequence { n_steps, count })
    }
}
