//! What a walk asks of the modules that a process has loaded.

use super::body::Code;
use super::objects::Object;

/// Where modules lie and what symbols' addresses are.
pub trait Image {
    /// The address of a symbol; one that nothing has if it is not known.
    fn symbol(&self, symbol: u32) -> u64;
    /// Whether a loaded module has the symbol.
    fn is_known(&self, symbol: u32) -> bool;
    /// Where a module keeps the address of a symbol that another module has.
    fn kept(&self, name: &str) -> Option<u64>;
    /// The modelled function of the C library whose address a module keeps at this place.
    fn modelled_at(&self, place: u64) -> Option<u32>;
    /// The address of a symbol has been found out.
    fn set(&mut self, symbol: u32, address: u64);
    /// The function whose symbol has this address.
    fn function_at(&self, address: u64) -> Option<u32>;
    /// A shared library with this name lies at `address`.
    fn name_library(&mut self, name: &[u8], address: u64);
    /// A module was loaded: its ELF header is at `base`. Answers memory that nobody writes, and objects.
    fn load(&mut self, code: &Code, path: &[u8], base: u64) -> Loaded;
}

/// What a module brings.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Ranges of memory, in order.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// Objects.
    pub objects: Vec<Object>,
}
