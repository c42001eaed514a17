//! What a walk looks at for each use of memory: whether it is within the object that the pointer was made from.

use suspect_format::body::Symbol;
use suspect_format::external::{self, Base, Effect, Extent, External, Known};

use super::{Level, Outside, Walk};
use crate::comparison::NONE;
use crate::recording::bounds::Use;
use crate::recording::evaluate::Word;
use crate::recording::loading::Image;
use crate::recording::observer::Observer;

impl<O: Observer, I: Image> Walk<'_, O, I> {
    /// Looks at a use of memory by the last point.
    pub(super) fn check(&mut self, what: Use, address: Word, length: u64) {
        if let Some(bounds) = &mut self.bounds {
            bounds.check(self.points - 1, what, address.block, address.bits, length);
        }
    }

    /// A value that is stored keeps its block.
    pub(super) fn keep(&mut self, address: u64, word: Word) {
        if let Some(bounds) = &mut self.bounds {
            bounds.keep(address, word.bits, word.block);
        }
    }

    /// An object of the heap ends.
    pub(super) fn free(&mut self, address: u64) {
        self.view.objects.free(address);
        if let Some(bounds) = &mut self.bounds {
            bounds.free(self.points - 1, address);
        }
    }

    /// The block of a global variable whose size its unit knows.
    pub(super) fn block_of_symbol(&mut self, symbol: u32, address: u64) -> u32 {
        let Some(bounds) = &mut self.bounds else { return NONE };
        let of = &self.code.symbols[symbol as usize];
        let is_data = of.size > 0 && of.flags & Symbol::FUNCTION == 0 && of.flags & Symbol::DEFINED != 0;
        if is_data { bounds.symbol(symbol, address, of.size) } else { NONE }
    }

    /// The block of the variable that lies at `offset` of the frame: the largest, should several.
    pub(super) fn block_of_variable(&mut self, offset: u64) -> u32 {
        let (Some(bounds), Some(Level::Open(open))) = (&self.bounds, self.levels.last()) else { return NONE };
        if let Some(block) = bounds.recent(open.activation, offset) {
            return block;
        }
        let block = self.block_of_offset(offset);
        if let (Some(bounds), Some(Level::Open(open))) = (&mut self.bounds, self.levels.last()) {
            bounds.remember(open.activation, offset, block);
        }
        block
    }

    fn block_of_offset(&mut self, offset: u64) -> u32 {
        let (Some(bounds), Some(Level::Open(open))) = (&mut self.bounds, self.levels.last()) else { return NONE };
        let Ok(offset) = u32::try_from(offset) else { return NONE };
        let function = self.code.steps[self.step as usize].function;
        let variables = self.code.functions[function as usize].variables.iter();
        let around = variables.filter(|variable| offset.wrapping_sub(variable.offset) < variable.size);
        let Some(variable) = around.max_by_key(|variable| variable.size) else { return NONE };
        let address = self.frame.wrapping_add(u64::from(variable.offset));
        bounds.variable(open.activation, function, variable.offset, address, u64::from(variable.size))
    }

    /// The block that the result of code outside points into: a new one, or that of an argument. Only what copies into an object points just behind it;
    /// what lies behind a library's own object, as far as that is known, is the library's.
    pub(super) fn block_of_result(&self, outside: &Outside, result: u64) -> u32 {
        let Some(bounds) = &self.bounds else { return NONE };
        let copies = |effect: &Effect| matches!(effect, Effect::Copies(..));
        let may_end = external::external(outside.called).is_some_and(|model| model.effects.iter().any(copies));
        match bounds.heap_at(result) {
            NONE => bounds.around(&outside.blocks, result, may_end),
            block => block,
        }
    }

    /// Looks at what the call of code outside that begins now does by its arguments.
    pub(super) fn check_call(&mut self) {
        let Some(Level::Outside(outside)) = self.levels.last().filter(|_| self.bounds.is_some()) else { return };
        let Some(model) = external::external(outside.called) else { return };
        let Outside { arguments, blocks, .. } = outside.clone();
        let word = |number: u8| {
            let number = usize::from(number);
            let block = blocks.get(number).copied().unwrap_or(NONE);
            Word { block, ..Word::number(arguments.get(number).copied().unwrap_or(0)) }
        };
        // What measures a text says how long it is. A number ends where its digits do.
        let is_whole = model.is(Known::Whole) && !measures(model) && model.name != "atoi";
        let compared = compares(model).then(|| self.compared(word(0).bits, word(1).bits));
        let is_exact = |extent: Extent| match extent {
            Extent::Text => is_whole,
            extent => extent.is_told() && !model.is(Known::Searches),
        };
        let mut checked: Vec<(Use, u8, u64)> = Vec::new();
        for effect in model.effects {
            match *effect {
                Effect::Frees(number) | Effect::Moves(number, _) => checked.push((Use::Free, number, 1)),
                Effect::Reads(Base::Argument(number), extent) if is_exact(extent) => {
                    let length = compared.unwrap_or_else(|| self.extent(extent, word(number).bits, &arguments, 0));
                    checked.push((Use::Read, number, length));
                }
                Effect::Copies(to, Base::Argument(from), extent) if is_exact(extent) => {
                    // How long a text is that nobody recorded making, such as the name of a file, is not known before it is copied.
                    if extent == Extent::Text && word(from).block == NONE {
                        continue;
                    }
                    let length = self.extent(extent, word(from).bits, &arguments, 0);
                    checked.push((Use::Read, from, length));
                    if let Base::Argument(to) = to {
                        checked.push((Use::Write, to, length));
                    }
                }
                Effect::Fills(Base::Argument(number), extent) | Effect::Zeroes(Base::Argument(number), extent) => {
                    let length = self.extent(extent, word(number).bits, &arguments, 0);
                    checked.push((Use::Write, number, length));
                }
                _ => {}
            }
        }
        for (what, number, length) in checked {
            self.check(what, word(number), length);
        }
    }

    /// How many bytes of two texts are read to compare them: up to the first that differs, or their end.
    fn compared(&mut self, one: u64, other: u64) -> u64 {
        let memory = &mut self.view.memory;
        let mut both = |at: u64| Some((memory.byte(one.wrapping_add(at))?, memory.byte(other.wrapping_add(at))?));
        let goes_on = |at: &u64| both(*at).is_some_and(|(one, other)| one == other && one != 0);
        (0..LONGEST).take_while(goes_on).count() as u64 + 1
    }

    /// Looks at the text that a call of code outside has measured, and ends it there in memory: who wrote it may not be recorded, and then other bytes are
    /// known to lie there.
    pub(super) fn check_measured(&mut self, outside: &Outside, length: u64) {
        let is_measured = external::external(outside.called).is_some_and(measures);
        let (Some(bounds), Some(text), true) = (&mut self.bounds, outside.arguments.first(), is_measured) else {
            return;
        };
        let block = outside.blocks.first().copied().unwrap_or(NONE);
        bounds.check(outside.point, Use::Read, block, *text, length.saturating_add(1));
        self.view.memory.store(text.wrapping_add(length), 1, 0);
    }

    /// An allocator has said how many bytes of an object the program may use: all of them are the object's from now on.
    pub(super) fn told_size(&mut self, outside: &Outside, size: u64) {
        let is_told = external::external(outside.called).is_some_and(|model| model.is(Known::Sizes));
        if let (Some(bounds), Some(object), true) = (&mut self.bounds, outside.arguments.first(), is_told) {
            bounds.grow(*object, size);
        }
    }

    /// Looks at bytes that a call of code outside has written.
    pub(super) fn check_written(&mut self, outside: &Outside, address: u64, length: u64) {
        let Some(bounds) = &mut self.bounds else { return };
        // What others changed around their arguments, an allocator's own words in what it frees say, is not written through them.
        if external::external(outside.external).is_none() {
            return;
        }
        let start = outside.arguments.iter().position(|argument| *argument == address);
        if let Some(block) = start.and_then(|number| outside.blocks.get(number)) {
            bounds.check(outside.point, Use::Write, *block, address, length);
        }
    }
}

/// Bytes of two equal texts that are looked at, at most, for where they end: no text of a test is longer.
const LONGEST: u64 = 1 << 20;

/// Whether a function reads two texts, and nothing else: as far as they are equal.
fn compares(model: &External) -> bool {
    model.effects.len() == 2 && model.effects.iter().all(|effect| matches!(effect, Effect::Reads(_, Extent::Text)))
}

/// Whether what a function returns is the length of the text that it reads.
fn measures(model: &External) -> bool {
    model.name == "strlen"
}
