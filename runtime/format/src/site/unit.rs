//! The unit: its files, places in them, functions that were left as they were.

use super::{Bad, Cursor, Sink};

/// The first record of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Source file as given to the compiler.
    pub source: &'a str,
    /// Directory the compiler ran in.
    pub directory: &'a str,
    /// The compiler's own name and version.
    pub producer: &'a str,
    /// Bit `1 << mode` for each [`crate::abi::Mode`] that the unit's functions have a version for.
    pub modes: u32,
    /// Number of counters.
    pub n_counters: u32,
    /// Number of values.
    pub n_values: u32,
    /// Number of files.
    pub n_files: u32,
    /// Number of functions.
    pub n_functions: u32,
    /// Number of functions left as they were.
    pub n_escapes: u32,
}

impl<'a> Unit<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.source);
        sink.text(self.directory);
        sink.text(self.producer);
        for number in [self.modes, self.n_counters, self.n_values, self.n_files, self.n_functions, self.n_escapes] {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Unit {
            source: cursor.text()?,
            directory: cursor.text()?,
            producer: cursor.text()?,
            modes: cursor.small()?,
            n_counters: cursor.small()?,
            n_values: cursor.small()?,
            n_files: cursor.small()?,
            n_functions: cursor.small()?,
            n_escapes: cursor.small()?,
        })
    }
}

/// A source file that a unit has code of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// Its name, seen from the compiler's directory.
    pub name: &'a str,
    /// Who says that the code is this file's.
    pub origin: Origin,
}

/// Who says that code is a file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The compiler read the code there.
    Read,
    /// A line directive (`#line 5 "grammar.y"`) names the file, which the compiler never opened.
    Named,
}

impl<'a> File<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        sink.unsigned((self.origin == Origin::Named) as u64);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        let name = cursor.text()?;
        let origin = match cursor.unsigned()? {
            0 => Origin::Read,
            1 => Origin::Named,
            _ => return Err(Bad::Number),
        };
        Ok(File { name, origin })
    }
}

/// A place in the source. Line 0: the compiler gave none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into the unit's file names.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

impl Place {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        for number in [self.file, self.line, self.column] {
            sink.unsigned(number as u64);
        }
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor) -> Result<Self, Bad> {
        Ok(Place { file: cursor.small()?, line: cursor.small()?, column: cursor.small()? })
    }
}

/// A function that was left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape<'a> {
    /// Symbol name.
    pub name: &'a str,
    /// Where its definition begins.
    pub place: Place,
    /// Why, as a fragment that fits "not instrumented: ...".
    pub reason: &'a str,
}

impl<'a> Escape<'a> {
    /// Writes the record.
    pub fn encode(&self, sink: &mut impl Sink) {
        sink.text(self.name);
        self.place.encode(sink);
        sink.text(self.reason);
    }

    /// Reads the record.
    pub fn decode(cursor: &mut Cursor<'a>) -> Result<Self, Bad> {
        Ok(Escape { name: cursor.text()?, place: Place::decode(cursor)?, reason: cursor.text()? })
    }
}
