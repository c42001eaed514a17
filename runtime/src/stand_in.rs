//! Giving place to the tool, which runs the program as its own child to see what it reads and writes, or answers in its stead.

use core::ffi::c_char;
use core::ptr;

use suspect_format::abi::STAND_IN;

use crate::os::memory::Writer;
use crate::os::settings::Settings;
use crate::os::symbols;
use crate::os::sys::{self, File, O_CLOEXEC, O_RDONLY};

/// Bytes of all arguments of a program that gives place, with their zeros; one with more goes on itself.
const ARGUMENT_BYTES: usize = 256 << 10;
/// Its arguments at most, with those before them.
const ARGUMENTS: usize = 8 << 10;
/// Bytes of its path.
const PATH_BYTES: usize = 4096;
/// Bytes of the tool's word, with its zero.
const WORD_BYTES: usize = STAND_IN.len() + 1;
/// Arguments before the program's own: the tool, its word, its directory, the program.
const OWN: usize = 4;

// Written by the loader's one thread before anything of the program runs; in `.bss`, so that other processes never touch them.
static mut TEXT: [u8; ARGUMENT_BYTES] = [0; ARGUMENT_BYTES];
static mut WORDS: [*const c_char; ARGUMENTS + 1] = [ptr::null(); ARGUMENTS + 1];
static mut PATH: [u8; PATH_BYTES] = [0; PATH_BYTES];
static mut WORD: [u8; WORD_BYTES] = [0; WORD_BYTES];

/// Has the tool take the place of this process; returns where that cannot be, and the program goes on itself.
///
/// # Safety
/// This is the loader's one thread; the settings are those of a process that [is replaced](Settings::is_replaced).
pub unsafe fn give_place(settings: &Settings) {
    let environment = symbols::environment();
    if environment.is_null() {
        return;
    }
    // SAFETY: nobody else uses the statics, which are as long as said; their last bytes and words stay zero.
    unsafe {
        let Ok(length) = read_arguments() else { return };
        let (text, words) = ((&raw const TEXT).cast::<c_char>(), (&raw mut WORDS).cast::<*const c_char>());
        let (path, word) = (&raw mut PATH, &raw mut WORD);
        if sys::read_link(c"/proc/self/exe".as_ptr(), path.cast(), PATH_BYTES - 1).is_err() {
            return;
        }
        Writer(word.cast()).text(STAND_IN);
        let own: [*const c_char; OWN] = [settings.stand_in, word.cast(), settings.starts, path.cast()];
        let mut count = 0usize;
        while let Some(argument) = own.get(count) {
            words.add(count).write(*argument);
            count = count.wrapping_add(1);
        }
        let (mut at, mut begins) = (0usize, true);
        while at < length {
            if begins {
                if count >= ARGUMENTS {
                    return;
                }
                words.add(count).write(text.add(at));
                count = count.wrapping_add(1);
            }
            begins = *text.add(at) == 0;
            at = at.wrapping_add(1);
        }
        sys::execute(settings.stand_in, words, *environment);
    }
}

/// Reads this process's arguments into [`TEXT`]; the number of their bytes, with a zero behind each.
///
/// # Safety
/// Nobody else uses the static.
unsafe fn read_arguments() -> Result<usize, sys::Errno> {
    // SAFETY: the path is a literal, the text as long as said.
    unsafe {
        let file = File::open(c"/proc/self/cmdline".as_ptr(), O_RDONLY | O_CLOEXEC)?;
        let mut length = 0usize;
        loop {
            let room = ARGUMENT_BYTES.wrapping_sub(length);
            if room == 0 {
                return Err(sys::EFBIG);
            }
            match file.read((&raw mut TEXT).cast::<u8>().add(length), room)? {
                0 => return Ok(length),
                read => length = length.wrapping_add(read),
            }
        }
    }
}
