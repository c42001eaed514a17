//! Where things are in a trace file's bytes: everything that is checked before a word of it is believed.

use std::mem::offset_of;
use std::ops::Range;

use suspect_format::abi::{Mode, PAGE};
use suspect_format::trace::{
    HASH_START, LogHeader, MAGIC, ProcessHeader, SEGMENT_MAGIC, SegmentHeader, SegmentKind, UnitEntry, hash_bytes,
};
use suspect_format::{ENDIAN_TAG, FORMAT_VERSION};

use super::Problem;

/// What a trace's header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What was recorded.
    pub mode: Mode,
    /// Process id.
    pub pid: u32,
    /// Parent's process id.
    pub parent_pid: u32,
    /// The kernel's random bytes for this image: the same after fork, new after exec.
    pub image_id: [u8; 16],
    /// Real time at start-up or fork, nanoseconds since 1970.
    pub start_ns: u64,
    /// `STATUS_*` bits of [`suspect_format::trace`].
    pub status: u32,
    /// Modules that the process recorded.
    pub n_modules: u32,
    /// The test's name.
    pub test: String,
    /// The executable's path.
    pub executable: String,
}

/// One unit of a module segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitPart {
    /// The unit's hash.
    pub hash: u64,
    /// Address of its words in the process.
    pub address: u64,
    /// Where its counters are in the file, bytes.
    pub counters: Range<usize>,
    /// Where its values are in the file, bytes.
    pub values: Range<usize>,
}

/// A module's segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulePart {
    /// Path of the module's file; empty when the runtime did not know.
    pub path: String,
    /// See [`suspect_format::trial::TrialModule::identity`].
    pub identity: u64,
    /// Where its words were in the process.
    pub load_address: u64,
    /// Where its words are in the file, bytes.
    pub data: Range<usize>,
    /// Its units, in the order of their addresses.
    pub units: Vec<UnitPart>,
    /// Their hashes in the order of their descriptors.
    pub described: Vec<u64>,
}

/// The log of full values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPart {
    /// Values taken, whether or not there was room.
    pub n_taken: u64,
    /// Records that there was room for.
    pub capacity: u64,
    /// Where the records are in the file, bytes.
    pub records: Range<usize>,
}

/// Where everything is in a trace file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// What the header says.
    pub facts: Facts,
    /// Modules, in the order of start-up.
    pub modules: Vec<ModulePart>,
    /// The log, in `trace` mode.
    pub log: Option<LogPart>,
    /// What is missing.
    pub warnings: Vec<String>,
}

impl Layout {
    /// Finds and checks everything in `bytes`, a whole trace file.
    pub fn of(bytes: &[u8]) -> Result<Layout, Problem> {
        let (facts, valid_len) = facts(bytes)?;
        let mut layout = Layout { facts, modules: Vec::new(), log: None, warnings: Vec::new() };
        let valid_len = usize::try_from(valid_len).unwrap_or(usize::MAX);
        let is_cut = bytes.len() < valid_len;
        if is_cut {
            layout.warnings.push(format!("cut off: {} of {valid_len} bytes are there", bytes.len()));
        }
        let mut offset = PAGE;
        while offset < valid_len {
            let Some(Segment { end, part }) = segment(bytes, offset, valid_len)? else {
                return if is_cut { Ok(layout) } else { Err(damaged(offset, "a segment that does not end")) };
            };
            match part {
                Part::Module(module) => layout.modules.push(module),
                Part::Log(log) if layout.log.is_none() => layout.log = Some(log),
                Part::Log(_) => return Err(damaged(offset, "a second log")),
            }
            offset = end;
        }
        if layout.modules.len() != layout.facts.n_modules as usize {
            let (expected, found) = (layout.facts.n_modules, layout.modules.len());
            return Err(Problem::Damaged(format!("its header counts {expected} modules and {found} are there")));
        }
        Ok(layout)
    }
}

fn damaged(offset: usize, what: &str) -> Problem {
    Problem::Damaged(format!("{what} at byte {offset}"))
}

fn facts(bytes: &[u8]) -> Result<(Facts, u64), Problem> {
    let length = size_of::<ProcessHeader>();
    let head = &bytes[..bytes.len().min(length)];
    if head.iter().all(|byte| *byte == 0) {
        return Err(Problem::Unstarted);
    }
    if !head.starts_with(&MAGIC[..head.len().min(MAGIC.len())]) {
        return Err(Problem::NotATrace);
    }
    if head.len() < length {
        return Err(Problem::Truncated(bytes.len() as u64));
    }
    let endian = u32_at(head, offset_of!(ProcessHeader, endian));
    let version = u32_at(head, offset_of!(ProcessHeader, version));
    if endian == ENDIAN_TAG.swap_bytes() {
        return Err(Problem::Machine);
    }
    if version != FORMAT_VERSION {
        return Err(Problem::Version(version));
    }
    let checked = &head[..offset_of!(ProcessHeader, valid_len)];
    if hash_bytes(HASH_START, checked) != u64_at(head, offset_of!(ProcessHeader, check)) {
        return Err(Problem::Damaged("its header does not agree with its check".into()));
    }
    if endian != ENDIAN_TAG || u32_at(head, offset_of!(ProcessHeader, pointer_bytes)) != size_of::<u64>() as u32 {
        return Err(Problem::Machine);
    }
    let mode = u32_at(head, offset_of!(ProcessHeader, mode));
    let mut image_id = [0; 16];
    image_id.copy_from_slice(&head[offset_of!(ProcessHeader, image_id)..][..16]);
    let facts = Facts {
        mode: Mode::from_number(mode).ok_or_else(|| Problem::Damaged(format!("its mode is number {mode}")))?,
        pid: u32_at(head, offset_of!(ProcessHeader, pid)),
        parent_pid: u32_at(head, offset_of!(ProcessHeader, parent_pid)),
        image_id,
        start_ns: u64_at(head, offset_of!(ProcessHeader, start_ns)),
        status: u32_at(head, offset_of!(ProcessHeader, status)),
        n_modules: u32_at(head, offset_of!(ProcessHeader, n_modules)),
        test: text(&head[offset_of!(ProcessHeader, test)..offset_of!(ProcessHeader, executable)]),
        executable: text(&head[offset_of!(ProcessHeader, executable)..]),
    };
    Ok((facts, u64_at(head, offset_of!(ProcessHeader, valid_len))))
}

struct Segment {
    end: usize,
    part: Part,
}

enum Part {
    Module(ModulePart),
    Log(LogPart),
}

/// The segment at `offset`; `None` if the file ends before it does.
fn segment(bytes: &[u8], offset: usize, valid_len: usize) -> Result<Option<Segment>, Problem> {
    let Some(head) = bytes.get(offset..).and_then(|rest| rest.get(..size_of::<SegmentHeader>())) else {
        return Ok(None);
    };
    if !head.starts_with(&SEGMENT_MAGIC) {
        return Err(damaged(offset, "no segment"));
    }
    let n_units = u32_at(head, offset_of!(SegmentHeader, n_units)) as usize;
    let entries_len = n_units * size_of::<UnitEntry>();
    let Some(entries) = bytes.get(offset + head.len()..).and_then(|rest| rest.get(..entries_len)) else {
        return Ok(None);
    };
    let hash = hash_bytes(HASH_START, &head[..offset_of!(SegmentHeader, check)]);
    if hash_bytes(hash, entries) != u64_at(head, offset_of!(SegmentHeader, check)) {
        return Err(damaged(offset, "a segment that does not agree with its check"));
    }
    let data = offset_in(head, offset_of!(SegmentHeader, data_offset), offset)?;
    let data_len = offset_in(head, offset_of!(SegmentHeader, data_len), offset)?;
    let head_end = (offset + head.len() + entries_len).next_multiple_of(PAGE);
    let end = data.checked_add(data_len).filter(|end| *end <= valid_len);
    let Some(end) = end.filter(|_| data == head_end && data_len % PAGE == 0 && data_len != 0) else {
        return Err(damaged(offset, "a segment with data outside the file"));
    };
    if end > bytes.len() {
        return Ok(None);
    }
    let part = match u32_at(head, offset_of!(SegmentHeader, kind)) {
        kind if kind == SegmentKind::Module as u32 => Part::Module(module(head, entries, data..end)?),
        kind if kind == SegmentKind::Log as u32 => Part::Log(log(bytes, data..end)),
        _ => return Err(damaged(offset, "a segment of unknown kind")),
    };
    Ok(Some(Segment { end, part }))
}

fn offset_in(head: &[u8], field: usize, segment: usize) -> Result<usize, Problem> {
    usize::try_from(u64_at(head, field)).map_err(|_| damaged(segment, "a segment with an impossible length"))
}

fn module(head: &[u8], entries: &[u8], data: Range<usize>) -> Result<ModulePart, Problem> {
    let load_address = u64_at(head, offset_of!(SegmentHeader, load_address));
    let mut units = Vec::with_capacity(entries.len() / size_of::<UnitEntry>());
    let mut identity = HASH_START;
    for entry in entries.chunks_exact(size_of::<UnitEntry>()) {
        let hash = u64_at(entry, offset_of!(UnitEntry, unit_hash));
        identity = hash_bytes(identity, &hash.to_ne_bytes());
        if hash != 0 {
            units.push(unit(hash, entry, load_address, &data)?);
        }
    }
    let described = units.iter().map(|unit: &UnitPart| unit.hash).collect();
    units.sort_by_key(|unit| unit.counters.start);
    let overlapping = units.windows(2).any(|pair| pair[0].values.end > pair[1].counters.start);
    if overlapping {
        return Err(damaged(data.start, "units that share words"));
    }
    Ok(ModulePart {
        path: text(&head[offset_of!(SegmentHeader, path)..]),
        identity,
        load_address,
        data,
        units,
        described,
    })
}

fn unit(hash: u64, entry: &[u8], load_address: u64, data: &Range<usize>) -> Result<UnitPart, Problem> {
    let offset = offset_in(entry, offset_of!(UnitEntry, offset), data.start)?;
    let n_counters = u32_at(entry, offset_of!(UnitEntry, n_counters)) as usize;
    let n_values = u32_at(entry, offset_of!(UnitEntry, n_values)) as usize;
    let end = offset.checked_add((n_counters + n_values) * size_of::<u64>());
    if offset % size_of::<u64>() != 0 || offset < PAGE || end.is_none_or(|end| end > data.len()) {
        return Err(damaged(data.start, "a unit outside its module's words"));
    }
    let counters = data.start + offset..data.start + offset + n_counters * size_of::<u64>();
    let values = counters.end..counters.end + n_values * size_of::<u64>();
    Ok(UnitPart { hash, address: load_address.wrapping_add(offset as u64), counters, values })
}

fn log(bytes: &[u8], data: Range<usize>) -> LogPart {
    const RECORD: usize = size_of::<suspect_format::trace::LogRecord>();
    let records = (data.start + size_of::<LogHeader>()).min(data.end)..data.end;
    let n_taken = u64_at(&bytes[data], offset_of!(LogHeader, n_taken));
    let capacity = records.len() / RECORD;
    let taken = usize::try_from(n_taken).unwrap_or(usize::MAX).min(capacity);
    LogPart { n_taken, capacity: capacity as u64, records: records.start..records.start + taken * RECORD }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The integer at `offset` of a structure that is known to be complete.
fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[offset..offset + 4]);
    u32::from_ne_bytes(word)
}

/// The integer at `offset` of a structure that is known to be complete.
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_ne_bytes(word)
}
