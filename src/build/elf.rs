//! What an object, program or shared library says about how it was built.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use object::read::ReadCache;
use object::{Object, ObjectKind, ObjectSection, ObjectSymbol, SymbolKind};
use serde::{Deserialize, Serialize};
use suspect_format::abi;
use suspect_format::site::{
    self, Bad, Compound, Cursor, Edge, Escape, Function, Node, Operation, Piece, Place, Sequence, Unit, Variable,
};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BinaryKind {
    /// Code for the linker.
    Object,
    /// A program.
    Executable,
    /// A shared library.
    SharedLibrary,
}

/// An ELF file.
#[derive(Clone, Debug)]
pub struct Binary {
    /// What it is.
    pub kind: BinaryKind,
    /// Its translation units that have sites; an error when the section cannot be read.
    pub units: Result<Vec<UnitSites>, Bad>,
    /// The runtime is linked in: the section of words is whole pages.
    pub runtime: bool,
    /// It defines functions.
    pub functions: bool,
    /// Compilers that had a part in it, as they call themselves.
    pub producers: Vec<String>,
    /// Names (not paths) of sources.
    pub sources: Vec<String>,
    /// The linker's build id in hexadecimal.
    pub build_id: Option<String>,
}

/// What the site table of one translation unit holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitSites {
    /// Its identity.
    pub hash: u64,
    /// Source file as given to the compiler.
    pub source: String,
    /// Directory the compiler ran in.
    pub directory: String,
    /// Bit `1 << mode` for each mode.
    pub modes: u32,
    /// Functions with hooks.
    pub functions: u32,
    /// Nodes of these.
    pub nodes: u32,
    /// Functions left as they were.
    pub left: Vec<LeftFunction>,
}

/// A function that the pass left as it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftFunction {
    /// Why.
    pub reason: String,
    /// Its name.
    pub name: String,
    /// File it is defined in.
    pub file: String,
    /// Line it begins in.
    pub line: u32,
}

/// Reads `path`; `None` when it is no ELF file.
pub fn read(path: &Path) -> io::Result<Option<Binary>> {
    Ok(with_file(path, binary)?.flatten())
}

/// The command lines that compilers left in `path`, with a backslash before each blank and backslash of an argument.
pub fn command_lines(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    let lines = |file: &ElfFile| {
        let all = section(file, ".GCC.command.line").split(|byte| *byte == 0);
        all.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    };
    Ok(with_file(path, lines)?.unwrap_or_default())
}

type ElfFile<'f> = object::File<'f, &'f ReadCache<File>>;

/// What `read` finds in `path`; `None` when it is no ELF file.
fn with_file<T>(path: &Path, read: impl Fn(&ElfFile) -> T) -> io::Result<Option<T>> {
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    match file.read_exact(&mut magic) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    if magic != *b"\x7fELF" {
        return Ok(None);
    }
    file.rewind()?;
    let cache = ReadCache::new(file);
    Ok(object::File::parse(&cache).ok().map(|file| read(&file)))
}

fn binary(file: &ElfFile) -> Option<Binary> {
    let kind = match file.kind() {
        ObjectKind::Relocatable => BinaryKind::Object,
        ObjectKind::Executable => BinaryKind::Executable,
        ObjectKind::Dynamic if file.entry() != 0 || file.section_by_name(".interp").is_some() => BinaryKind::Executable,
        ObjectKind::Dynamic => BinaryKind::SharedLibrary,
        _ => return None,
    };
    let named = |kind| file.symbols().filter(move |symbol| symbol.kind() == kind);
    Some(Binary {
        kind,
        units: units(section(file, abi::SECTION_SITES)),
        runtime: file.section_by_name(abi::SECTION_DATA).is_some_and(|data| is_pages(data.align(), data.size())),
        functions: named(SymbolKind::Text).any(|symbol| symbol.is_definition()),
        producers: strings(section(file, ".comment")),
        sources: named(SymbolKind::File).filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect(),
        build_id: file.build_id().ok().flatten().map(hexadecimal),
    })
}

fn is_pages(align: u64, size: u64) -> bool {
    let page = abi::PAGE as u64;
    align >= page && size > 0 && size.is_multiple_of(page)
}

fn section<'a>(file: &impl Object<'a>, name: &str) -> &'a [u8] {
    file.section_by_name(name).and_then(|section| section.data().ok()).unwrap_or_default()
}

fn strings(bytes: &[u8]) -> Vec<String> {
    let pieces = bytes.split(|byte| *byte == 0).filter(|piece| !piece.is_empty());
    pieces.map(|piece| String::from_utf8_lossy(piece).into_owned()).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn units(bytes: &[u8]) -> Result<Vec<UnitSites>, Bad> {
    let mut section = Cursor::new(bytes);
    let mut units = Vec::new();
    while let Some((header, mut body)) = site::next_table(&mut section)? {
        units.push(unit(header.unit_hash, &mut body)?);
    }
    Ok(units)
}

fn unit(hash: u64, body: &mut Cursor) -> Result<UnitSites, Bad> {
    let unit = Unit::decode(body)?;
    let files = (0..unit.n_files).map(|_| Ok(site::File::decode(body)?.name)).collect::<Result<Vec<_>, Bad>>()?;
    let mut nodes = 0u32;
    for _ in 0..unit.n_functions {
        nodes = nodes.saturating_add(skip_function(body)?);
    }
    let left = (0..unit.n_escapes).map(|_| left_function(body, &files)).collect::<Result<_, _>>()?;
    Ok(UnitSites {
        hash,
        source: unit.source.to_owned(),
        directory: unit.directory.to_owned(),
        modes: unit.modes,
        functions: unit.n_functions,
        nodes,
        left,
    })
}

/// Passes over a function's records and says how many nodes it has.
fn skip_function(body: &mut Cursor) -> Result<u32, Bad> {
    let function = Function::decode(body)?;
    for _ in 0..function.n_pieces {
        for _ in 0..Piece::decode(body)?.n_lines {
            Place::decode(body)?;
        }
    }
    for _ in 0..function.n_edges {
        Edge::decode(body)?;
    }
    for _ in 0..function.n_nodes {
        for _ in 0..Node::decode(body)?.n_cases {
            body.signed()?;
        }
    }
    for _ in 0..function.n_compounds {
        skip_compound(body)?;
    }
    for _ in 0..function.n_variables {
        Variable::decode(body)?;
    }
    for _ in 0..function.n_operations {
        skip_operation(body)?;
    }
    Ok(function.n_nodes)
}

fn skip_operation(body: &mut Cursor) -> Result<(), Bad> {
    for _ in 0..Operation::decode(body)?.kind.n_others() {
        body.unsigned()?;
    }
    Ok(())
}

fn skip_compound(body: &mut Cursor) -> Result<(), Bad> {
    let compound = Compound::decode(body)?;
    for _ in 0..compound.n_conditions {
        body.unsigned()?;
    }
    for _ in 0..compound.n_sequences {
        for _ in 0..Sequence::decode(body)?.n_steps {
            body.unsigned()?;
        }
    }
    Ok(())
}

fn left_function(body: &mut Cursor, files: &[&str]) -> Result<LeftFunction, Bad> {
    let escape = Escape::decode(body)?;
    let file = files.get(escape.place.file as usize).copied().unwrap_or_default();
    Ok(LeftFunction {
        reason: escape.reason.to_owned(),
        name: escape.name.to_owned(),
        file: file.to_owned(),
        line: escape.place.line,
    })
}
