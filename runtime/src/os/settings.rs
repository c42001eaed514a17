//! What the environment asks for, and what the kernel told this process at its start.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use suspect_format::abi::{
    DEFAULT_LOG_BYTES, ENV_CLOCK, ENV_FILL, ENV_FILL_FROM, ENV_FILL_TO, ENV_LOG_BYTES, ENV_OUT, ENV_PLAN, ENV_QUIET,
    ENV_RECORD, ENV_RECORD_BYTES, ENV_STAND_IN, ENV_STARTS, ENV_TEST, ENV_TRIAL, Mode, SESSION_BYTES, SESSION_FILE,
};
use suspect_format::record::DEFAULT_RECORD_BYTES;

use crate::os::memory::{self, Writer};
use crate::os::symbols;
use crate::os::sys::{self, File, O_CLOEXEC, O_NOFOLLOW, O_RDONLY};

/// What to record, and where; the pointers are into the environment.
pub struct Settings {
    /// Directory for trace files.
    pub out: *const c_char,
    /// The version of the functions that runs.
    pub mode: Mode,
    /// Path of the trial file, or null: then nothing is recorded.
    pub trial: *const c_char,
    /// The test's name, or null.
    pub test: *const c_char,
    /// Path of the plan file, or null: nothing is replayed.
    pub plan: *const c_char,
    /// Path of the tool that takes the place of this program, or null.
    pub stand_in: *const c_char,
    /// Where the tool keeps what it does then, or null.
    pub starts: *const c_char,
    /// What locals begin as, one byte eight times.
    pub fill: u64,
    /// The gates of functions whose locals do: the first, and one past the last.
    pub filled: (u64, u64),
    /// Bytes for full values.
    pub log_bytes: u64,
    /// Bytes for a recording.
    pub record_bytes: u64,
    /// When the clock is held, seconds since 1970; zero: it is not.
    pub clock: u64,
    /// Nothing calls the system once the program's own code runs.
    pub quiet: bool,
    /// The environment says nothing: somebody has cleared it.
    pub cleared: bool,
}

/// What every variable that is for this begins with.
const OURS: &str = "SUSPECT_";

/// What the session's file says; written by the loader's one thread alone, before anything points into it.
static mut SESSION: [u8; SESSION_BYTES] = [0; SESSION_BYTES];

/// A byte eight times, of the byte.
const EIGHT_TIMES: u64 = 0x0101_0101_0101_0101;

impl Settings {
    /// Reads the environment; `None` when there is nothing to do.
    pub fn read() -> Option<Settings> {
        let environment = symbols::environment();
        if environment.is_null() {
            return None;
        }
        let mut settings = Settings {
            out: core::ptr::null(),
            mode: Mode::Edges,
            trial: core::ptr::null(),
            test: core::ptr::null(),
            plan: core::ptr::null(),
            stand_in: core::ptr::null(),
            starts: core::ptr::null(),
            fill: 0,
            filled: (0, u64::MAX),
            log_bytes: DEFAULT_LOG_BYTES,
            record_bytes: DEFAULT_RECORD_BYTES,
            clock: 0,
            quiet: false,
            cleared: true,
        };
        // SAFETY: the C library's `environ` is null or points to C strings, ended by a null pointer.
        unsafe {
            let mut entry = *environment;
            while !entry.is_null() && !(*entry).is_null() {
                settings.cleared &= !memory::begins(*entry, OURS);
                settings.take(*entry)?;
                entry = entry.add(1);
            }
            if settings.cleared {
                settings.take_session()?;
            }
        }
        let replays = !settings.plan.is_null() && settings.mode == Mode::Record;
        let records = !settings.out.is_null() && settings.mode != Mode::Plain;
        (records || replays || settings.is_replaced() || !settings.trial.is_null()).then_some(settings)
    }

    /// Whether the tool takes the place of this program.
    pub fn is_replaced(&self) -> bool {
        !self.stand_in.is_null() && !self.starts.is_null()
    }

    /// Takes what the file of the test's session says. A test may have made a session of its own in that one, or its parent may have.
    ///
    /// # Safety
    /// This is the loader's one thread.
    unsafe fn take_session(&mut self) -> Option<()> {
        let own = sys::session_of(0);
        // SAFETY: vouched for by the caller.
        unsafe {
            if let Some(file) = session_file(own) {
                return self.take_from(&file);
            }
            let parent = sys::session_of(sys::parent_id());
            let outer = if parent == own { sys::session_of(sys::parent_of(own)) } else { parent };
            self.take_from(&session_file(outer)?)
        }
    }

    /// Takes what a session's file says.
    ///
    /// # Safety
    /// This is the loader's one thread.
    unsafe fn take_from(&mut self, file: &File) -> Option<()> {
        let session = &raw mut SESSION;
        // SAFETY: the buffer is as long as said, and its last byte stays zero.
        unsafe {
            let length = file.read(session.cast(), SESSION_BYTES.wrapping_sub(1)).ok()?;
            let mut at = 0usize;
            while at < length {
                let entry = session.cast::<c_char>().add(at);
                self.take(entry)?;
                at = at.wrapping_add(memory::text(entry).len()).wrapping_add(1);
            }
        }
        Some(())
    }

    /// Takes one variable; `None` when it makes no sense.
    ///
    /// # Safety
    /// `entry` ends with a zero byte.
    unsafe fn take(&mut self, entry: *const c_char) -> Option<()> {
        // SAFETY: vouched for by the caller.
        unsafe {
            if *entry as u8 != b'S' {
                return Some(());
            }
            if let Some(value) = memory::value_of(entry, ENV_OUT) {
                self.out = if *value == 0 { core::ptr::null() } else { value };
            } else if let Some(value) = memory::value_of(entry, ENV_TRIAL) {
                self.trial = if *value == 0 { core::ptr::null() } else { value };
            } else if let Some(value) = memory::value_of(entry, ENV_RECORD) {
                self.mode = mode_named(value)?;
            } else if let Some(value) = memory::value_of(entry, ENV_TEST) {
                self.test = value;
            } else if let Some(value) = memory::value_of(entry, ENV_LOG_BYTES) {
                self.log_bytes = memory::number(value)?;
            } else if let Some(value) = memory::value_of(entry, ENV_FILL) {
                self.fill = (memory::number(value)? & 0xff).wrapping_mul(EIGHT_TIMES);
            } else if let Some(value) = memory::value_of(entry, ENV_FILL_FROM) {
                self.filled.0 = memory::number(value)?;
            } else if let Some(value) = memory::value_of(entry, ENV_FILL_TO) {
                self.filled.1 = memory::number(value)?;
            } else if let Some(value) = memory::value_of(entry, ENV_PLAN) {
                self.plan = if *value == 0 { core::ptr::null() } else { value };
            } else if let Some(value) = memory::value_of(entry, ENV_STAND_IN) {
                self.stand_in = if *value == 0 { core::ptr::null() } else { value };
            } else if let Some(value) = memory::value_of(entry, ENV_STARTS) {
                self.starts = if *value == 0 { core::ptr::null() } else { value };
            } else if let Some(value) = memory::value_of(entry, ENV_RECORD_BYTES) {
                self.record_bytes = memory::number(value)?;
            } else if let Some(value) = memory::value_of(entry, ENV_CLOCK) {
                self.clock = memory::number(value)?;
            } else if let Some(value) = memory::value_of(entry, ENV_QUIET) {
                self.quiet = *value != 0;
            }
        }
        Some(())
    }
}

/// # Safety
/// `name` ends with a zero byte.
unsafe fn mode_named(name: *const c_char) -> Option<Mode> {
    const NAMES: [(Mode, &str); 5] = [
        (Mode::Plain, Mode::Plain.name()),
        (Mode::Edges, Mode::Edges.name()),
        (Mode::Values, Mode::Values.name()),
        (Mode::Trace, Mode::Trace.name()),
        (Mode::Record, Mode::Record.name()),
    ];
    for (mode, word) in &NAMES {
        // SAFETY: vouched for by the caller.
        if unsafe { memory::is(name, word) } {
            return Some(*mode);
        }
    }
    None
}

const AT_PHDR: u64 = 3;
const AT_SECURE: u64 = 23;
const AT_RANDOM: u64 = 25;
const AT_EXECFN: u64 = 31;

/// The auxiliary vector's entries that matter here.
#[derive(Default)]
pub struct Auxiliary {
    /// The process has rights its user does not have, or the kernel did not say.
    pub secure: bool,
    /// Address of the executable's program headers.
    pub program_headers: u64,
    /// Address of 16 random bytes.
    pub random: u64,
    /// Address of the executable's name, above all arguments and the environment on the first thread's stack.
    pub name: u64,
    /// Address of a frame on that stack.
    pub frame: usize,
}

impl Auxiliary {
    /// Whether the C library says that the process has rights its user does not have, or says nothing.
    pub fn is_secure() -> bool {
        symbols::auxiliary_value(AT_SECURE) != Some(0)
    }

    /// What the C library keeps of it, or, without such a library, what the kernel says: opening its file costs more than all
    /// else that a start does but making the trace. `None` when neither answers.
    pub fn read(frame: usize) -> Option<Auxiliary> {
        let known = symbols::auxiliary_value(AT_RANDOM).map(|random| Auxiliary {
            random,
            secure: Auxiliary::is_secure(),
            program_headers: symbols::auxiliary_value(AT_PHDR).unwrap_or_default(),
            name: symbols::auxiliary_value(AT_EXECFN).unwrap_or_default(),
            frame,
        });
        let known = known.filter(|known| known.random != 0);
        known.or_else(|| Auxiliary::ask().map(|answer| Auxiliary { frame, ..answer }))
    }

    fn ask() -> Option<Auxiliary> {
        const ENTRIES: usize = 64;
        let mut entries = [const { MaybeUninit::<[u64; 2]>::uninit() }; ENTRIES];
        // SAFETY: the path is a literal, the buffer as long as said.
        let length = unsafe {
            let file = File::open(c"/proc/self/auxv".as_ptr(), O_RDONLY | O_CLOEXEC).ok()?;
            file.read((&raw mut entries).cast(), size_of_val(&entries)).ok()?
        };
        let mut answer = Auxiliary { secure: true, ..Auxiliary::default() };
        for entry in entries.iter().take(length / size_of::<[u64; 2]>()) {
            // SAFETY: the kernel has written so many entries.
            let [kind, value] = unsafe { entry.assume_init_ref() };
            match *kind {
                AT_PHDR => answer.program_headers = *value,
                AT_SECURE => answer.secure = *value != 0,
                AT_RANDOM => answer.random = *value,
                AT_EXECFN => answer.name = *value,
                _ => {}
            }
        }
        (answer.random != 0).then_some(answer)
    }
}

/// The file of a session, if there is one that nobody else can have written.
///
/// # Safety
/// This is the loader's one thread.
unsafe fn session_file(session: u32) -> Option<File> {
    if session == 0 {
        return None;
    }
    let mut path = [0u8; SESSION_FILE.len() + 12];
    // SAFETY: the path has room for a number and a zero.
    unsafe {
        let mut writer = Writer((&raw mut path).cast());
        writer.text(SESSION_FILE);
        writer.decimal(session);
        File::open((&raw const path).cast(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW).ok().filter(File::is_trusted)
    }
}
