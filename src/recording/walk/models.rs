//! What functions of the C library do to memory, as a walk tells it: models applied to arguments and result.

use suspect_format::conversion::{Printed, Prints};
use suspect_format::external::{Base, Effect, Extent, External};

use super::Walk;
use crate::recording::loading::Image;
use crate::recording::observer::Observer;

impl<O: Observer, I: Image> Walk<'_, O, I> {
    fn base(&mut self, base: Base, arguments: &[u64], result: u64) -> u64 {
        let argument = |number: u8| arguments.get(usize::from(number)).copied().unwrap_or(0);
        match base {
            Base::Argument(number) => argument(number),
            Base::Pointee(number) => self.view.memory.load(argument(number), 8).unwrap_or(0),
            Base::Result => result,
        }
    }

    pub(super) fn extent(&mut self, extent: Extent, base: u64, arguments: &[u64], result: u64) -> u64 {
        let walk = std::cell::RefCell::new(self);
        let length = |base: u64, unit: u64, most: u64| walk.borrow_mut().length(base, unit, most);
        extent.bytes(base, arguments, result, length)
    }

    /// What the function has read.
    pub(super) fn read_outside(&mut self, model: &External, arguments: &[u64], result: u64) {
        for effect in model.effects {
            match *effect {
                Effect::Reads(base, extent) | Effect::Copies(_, base, extent) => {
                    let at = self.base(base, arguments, result);
                    if at != 0 {
                        let length = self.extent(extent, at, arguments, result);
                        self.reads(at, length, false);
                    }
                }
                Effect::Moves(number, _) => {
                    let old = arguments.get(usize::from(number)).copied().unwrap_or(0);
                    if let Some(object) = self.view.objects.known(old) {
                        let size = self.view.objects.all()[object as usize].size;
                        self.reads(old, size, false);
                    }
                }
                Effect::Prints(format, first) => self.read_printed(arguments, usize::from(format), usize::from(first)),
                Effect::Scans(format, _) => {
                    let at = arguments.get(usize::from(format)).copied().unwrap_or(0);
                    let length = self.length(at, 1, 1 << 16) + 1;
                    self.reads(at, length, false);
                }
                _ => {}
            }
        }
    }

    fn text(&mut self, at: u64, most: u64) -> Vec<u8> {
        let length = self.length(at, 1, most);
        (0..length).filter_map(|offset| self.view.memory.byte(at + offset)).collect()
    }

    fn read_printed(&mut self, arguments: &[u64], format: usize, first: usize) {
        let Some(at) = arguments.get(format).copied().filter(|at| *at != 0) else { return };
        let text = self.text(at, 1 << 16);
        self.reads(at, text.len() as u64 + 1, false);
        for (number, printed) in Prints::new(&text).enumerate() {
            let Some(word) = arguments.get(first + number).copied().filter(|word| *word != 0) else { continue };
            match printed {
                Printed::Text(most) => {
                    let length = self.length(word, 1, most.min(1 << 20));
                    // With a precision the text need not end.
                    self.reads(word, (length + 1).min(most), false);
                }
                Printed::Wide => {
                    let length = self.length(word, 4, 1 << 18);
                    self.reads(word, 4 * (length + 1), false);
                }
                Printed::Word | Printed::Written(_) => {}
            }
        }
    }

    /// Which objects the function has made and ended. `written` are ranges that it wrote, not yet in memory.
    pub(super) fn objects_outside(
        &mut self,
        model: &External,
        arguments: &[u64],
        result: u64,
        written: &[(u64, &[u8])],
    ) {
        for effect in model.effects {
            match *effect {
                Effect::Allocates(base, extent) => {
                    let at = match base {
                        Base::Pointee(number) => {
                            let place = arguments.get(usize::from(number)).copied().unwrap_or(0);
                            let bytes = written.iter().find(|(address, bytes)| *address == place && bytes.len() == 8);
                            bytes
                                .and_then(|(_, bytes)| Some(u64::from_le_bytes((*bytes).try_into().ok()?)))
                                .unwrap_or(0)
                        }
                        base => self.base(base, arguments, result),
                    };
                    let text = written.iter().find(|(address, _)| *address == at).map(|(_, bytes)| bytes.len() as u64);
                    let size = match (extent, text) {
                        (Extent::Text | Extent::TextWithin(_), Some(size)) => size,
                        _ => self.extent(extent, at, arguments, result),
                    };
                    let known = self.view.objects.known(at).is_some_and(|object| {
                        let object = self.view.objects.all()[object as usize];
                        object.address == at && !matches!(extent, Extent::Count(_) | Extent::Product(..))
                    });
                    if at != 0 && !known {
                        self.allocate(at, size);
                    }
                }
                Effect::Moves(number, extent) => {
                    let old = arguments.get(usize::from(number)).copied().unwrap_or(0);
                    let size = self.extent(extent, result, arguments, result);
                    if result != 0 {
                        self.move_object(old, result, size);
                    }
                }
                Effect::Frees(number) => {
                    let old = arguments.get(usize::from(number)).copied().unwrap_or(0);
                    self.free(old);
                }
                _ => {}
            }
        }
    }

    fn move_object(&mut self, old: u64, new: u64, size: u64) {
        let had = self.view.objects.known(old).map(|object| self.view.objects.all()[object as usize].size);
        self.free(old);
        self.allocate(new, size);
        if let Some(had) = had.filter(|_| old != 0) {
            self.copy_outside(new, old, had.min(size));
        }
    }

    /// What the function has written without its being recorded.
    pub(super) fn copies_outside(&mut self, model: &External, arguments: &[u64], result: u64) {
        for effect in model.effects {
            match *effect {
                Effect::Copies(to, from, extent) if extent.is_told() => {
                    let (to, from) = (self.base(to, arguments, result), self.base(from, arguments, result));
                    let length = self.extent(extent, from, arguments, result);
                    if to != 0 && from != 0 {
                        self.copy_outside(to, from, length);
                    }
                }
                Effect::Fills(base, extent) => {
                    let at = self.base(base, arguments, result);
                    let length = self.extent(extent, at, arguments, result);
                    if at != 0 {
                        self.fill_outside(at, arguments.get(1).copied().unwrap_or(0) as u8, length);
                    }
                }
                Effect::Zeroes(base, extent) => {
                    let at = self.base(base, arguments, result);
                    let length = self.extent(extent, at, arguments, result);
                    if at != 0 {
                        self.fill_outside(at, 0, length);
                    }
                }
                _ => {}
            }
        }
    }

    /// How many units of `unit` bytes come before a zero one, at most `most`.
    fn length(&mut self, base: u64, unit: u64, most: u64) -> u64 {
        (0..most)
            .find(|index| {
                self.view.memory.load(base.wrapping_add(index * unit), unit as u32).is_none_or(|value| value == 0)
            })
            .unwrap_or(most)
    }

    fn fill_outside(&mut self, address: u64, byte: u8, length: u64) {
        self.fill(address, byte, length);
        self.wrote(address, length, false);
    }

    fn copy_outside(&mut self, to: u64, from: u64, length: u64) {
        self.copy(to, from, length);
        self.wrote(to, length, false);
    }
}
