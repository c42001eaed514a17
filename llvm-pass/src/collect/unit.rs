//! What collecting needs to know besides the function.

use suspect_format::site::Place;

use crate::collect::callees::Callees;
use crate::collect::expression::Reader;
use crate::collect::limits::Limits;
use crate::collect::variables::Globals;
use crate::llvm::debug_info::Info;
use crate::llvm::ir::{self, Value};
use crate::llvm::shim;
use crate::options::Versions;
use crate::table::Files;

/// A unit while its functions are collected.
pub struct Unit<'a> {
    /// Reads expressions.
    pub reader: Reader,
    /// Which versions will be made.
    pub versions: &'a Versions,
    /// Analyses of the running pass manager.
    pub analyses: *mut shim::Analyses,
    /// The unit's file names.
    pub files: &'a mut Files,
    /// The unit's variables.
    pub globals: &'a Globals,
    /// The members that it compares.
    pub limits: &'a Limits,
    /// The functions that it calls or defines.
    pub callees: &'a Callees,
}

impl Unit<'_> {
    /// The source position of an instruction.
    pub fn place_of(&mut self, instruction: Value) -> Option<Place> {
        let (line, column, scope) = ir::debug_location(instruction)?;
        (line > 0).then(|| Place { file: self.files.of_scope(scope), line, column })
    }

    /// Where a function's definition begins.
    pub fn place_of_function(&mut self, function: Value) -> Place {
        Info::subprogram_of(function).map_or_else(Place::default, |subprogram| Place {
            file: self.files.of_scope(subprogram.raw()),
            line: subprogram.subprogram_line(),
            column: 0,
        })
    }
}
