//! What the failing run does outside of its objects, in words.

use suspect_format::body::Symbol;

use super::Case;
use crate::comparison::{Effect, Side, Value};
use crate::recording::{Block, Misuse, Owner, Site, Use};

/// Calls, one in another, at most, through which an object was asked for: an allocator of the program's own takes one or two.
const MOST_CALLS: usize = 4;

impl Case<'_> {
    /// The first misuse of memory as an effect, where the runs differ in it, or in coming there.
    pub(super) fn misuse_effect(&self) -> Option<(Effect, Option<String>)> {
        let misuse = self.misuse?;
        let (at, told) = (self.at(Side::Second, misuse.point), self.told_misuse(misuse));
        let text = Some(format!("{at} {told}"));
        // What is used after its end differs in that it ended.
        let ended = misuse.block.ended.filter(|end| self.runs.alignment.partner(Side::Second, *end).is_none());
        if let Some(end) = ended {
            return self.parting_before(Side::Second, end).map(|effect| (effect, text));
        }
        match self.runs.alignment.partner(Side::Second, misuse.point) {
            Some(partner) => self.reads_differ(partner).map(|effect| (effect, text)),
            None => self.parting_before(Side::Second, misuse.point).map(|effect| (effect, text)),
        }
    }

    /// The length of a misuse, where that is more than its object has: the write of it that the point reads.
    pub(super) fn too_long(&self, misuse: &Misuse) -> Option<u32> {
        let run = self.failing();
        let is_length = |write: &&u32| run.value(**write) == Value::Number(misuse.length);
        run.reads(misuse.point).iter().rfind(is_length).copied().filter(|_| misuse.length > misuse.block.size)
    }

    /// A misuse as a sentence without its subject, the line.
    pub(super) fn told_misuse(&self, misuse: &Misuse) -> String {
        let Misuse { what, address, length, block, hit, .. } = misuse;
        let owner = format!("{}{}", self.told_block(block), self.told_purpose(block, misuse.point));
        let end = match (block.ended, block.what) {
            (Some(_), Owner::Variable(..)) => ", whose function has returned".to_owned(),
            (Some(freed), _) => format!(", which was freed at {}", self.at(Side::Second, freed)),
            _ => String::new(),
        };
        let verb = match what {
            Use::Read => "reads",
            Use::Write => "writes",
            Use::Free => return told_free(misuse, &owner, &end),
        };
        let bytes = match *length as i64 {
            1 => "1 byte".to_owned(),
            // A size is unsigned; what came out of a difference was not.
            negative @ i64::MIN..=-1 => format!("{length} ({negative}) bytes"),
            _ => format!("{length} bytes"),
        };
        let offset = address.wrapping_sub(block.address);
        let place = match (offset as i64).is_negative() {
            true => format!("{} bytes before", offset.wrapping_neg()),
            false => format!("at offset {offset} of"),
        };
        let hit = hit.as_ref().map(|hit| format!("; it hits {}", self.told_block(hit))).unwrap_or_default();
        format!("{verb} {bytes} {place} {owner}{end}{hit}")
    }

    /// Where the function that misuses an object, or else any other, asked for it, if another one allocated it for that.
    fn told_purpose(&self, block: &Block, misused: u32) -> String {
        let Owner::Heap(point) = block.what else { return String::new() };
        let details = &self.runs.details[1];
        let function = |point: u32| self.own_place(Side::Second, point).map(|(_, function)| function.to_owned());
        let (allocating, misusing) = (function(point), function(misused));
        if allocating == misusing {
            return String::new();
        }
        let caller = |frame: &u32| Some(details.frames.get(*frame as usize)?.caller).filter(|caller| caller != frame);
        let calls = std::iter::successors(details.frame_of(point), caller)
            .filter_map(|frame| details.frames.get(frame as usize)?.call)
            .take(MOST_CALLS);
        let sites: Vec<u32> = calls.map(|step| self.code.site(Site::Step(step))).collect();
        let is_own = |site: &&u32| Some(self.words.function(**site)) == misusing.as_deref();
        let place = sites.iter().find(is_own).or(sites.first()).and_then(|site| self.words.place(*site));
        place.map(|place| format!(" for {}:{}", self.words.file(place), place.line)).unwrap_or_default()
    }

    /// An object in words.
    fn told_block(&self, block: &Block) -> String {
        let size = block.size;
        match block.what {
            Owner::Heap(point) => format!("the {size}-byte object allocated at {}", self.at(Side::Second, point)),
            Owner::Variable(function, offset) => {
                let name = self.words.variable(function, offset).map_or("a variable", |variable| &variable.name);
                format!("the {size} bytes of `{name}`")
            }
            Owner::Symbol(symbol) => {
                let symbol = &self.code.symbols[symbol as usize];
                match symbol.flags & Symbol::LOCAL != 0 && symbol.name.starts_with('.') {
                    true => format!("a string of {size} bytes"),
                    false => format!("the {size} bytes of `{}`", symbol.name),
                }
            }
        }
    }
}

fn told_free(misuse: &Misuse, owner: &str, end: &str) -> String {
    let offset = misuse.address.wrapping_sub(misuse.block.address);
    match misuse.block.what {
        Owner::Heap(_) if misuse.block.ended.is_some() => format!("frees {owner}{end}"),
        Owner::Heap(_) => format!("frees an address {offset} bytes into {owner}, where no object begins"),
        _ => format!("frees {owner}, which is not on the heap"),
    }
}
