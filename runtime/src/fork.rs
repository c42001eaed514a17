//! Plans: where pending mutants would change what a site comes to, a child for each of them: a fork, or one that is [`lent`] this memory.
//!
//! Children run one after another while their parent waits, and share with it what all children share: open files. So the parent
//! notes where each file stands, and afterwards reads what the child has written, takes it back, and puts each file where it stood.
//! What cannot be taken back never happens: see [`crate::filter`].

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

use suspect_format::abi::Mode;
use suspect_format::trial::{
    CHANGED, Done, EXIT_CUT, NO_MUTANT, OUTPUT_HASH_START, PROCESS_LENT, Refusal, Stream, TrialProcess, TrialResult,
    common_prefix, output_hash,
};

use crate::change::{self, Taken};
use crate::filter::{self, call};
use crate::mutants::{self, At};
use crate::process::{Process, shared};
use crate::sys::{self, Errno};
use crate::trial::{self, Child};
use crate::{fuel, gates, lent};

const CLOSE: usize = 3;
const FSTAT: usize = 5;
const LSEEK: usize = 8;
const PREAD: usize = 17;
const CLONE: usize = 56;
const WAIT: usize = 61;
const FCNTL: usize = 72;
const FTRUNCATE: usize = 77;
const PRCTL: usize = 157;
const CLOCK_GETTIME: usize = 228;
const OPENAT: usize = 257;
const GETDENTS: usize = 217;
const PPOLL: usize = 271;
const SEND_SIGNAL: usize = 424;

const CLONE_PIDFD: usize = 0x1000;
const WAIT_ALL: usize = 0x4000_0000;
const SIGKILL: usize = 9;
const SIGSYS: i32 = 31;
const POLLIN: u16 = 1;
const EINTR: Errno = sys::EINTR;
const SEEK_SET: usize = 0;
const SEEK_CUR: usize = 1;
const F_GETFL: usize = 3;
const ACCESS: usize = 3;
const AT_FDCWD: usize = -100isize as usize;
const DIRECTORY: usize = 0o200000 | 0o2000000;
const PDEATHSIG: usize = 1;

/// The kind of clock that tells what a process has computed.
const PROCESSOR_CLOCK: usize = 2;
const SECOND: u64 = 1_000_000_000;
/// Nanoseconds between two looks at a child's processor time, at least.
const LEAST_SLICE: u64 = 20_000_000;

const TYPE: u32 = 0o170000;
const REGULAR: u32 = 0o100000;
const DIRECTORY_TYPE: u32 = 0o040000;
const DEVICE: u32 = 0o020000;
/// Null, zero, full, random, urandom.
const HARMLESS_DEVICES: [u64; 5] = [0x103, 0x105, 0x107, 0x108, 0x109];

/// Open files that a plan can put back.
const MOST_FILES: usize = 64;
const BUFFER: usize = 16 * 1024;

/// An open file and where it stood.
#[derive(Clone, Copy)]
struct Standing {
    fd: usize,
    offset: u64,
}

/// What only a plan's process uses, which has one thread.
struct Room {
    files: UnsafeCell<[Standing; MOST_FILES]>,
    buffer: UnsafeCell<[u64; BUFFER / 8]>,
}

// SAFETY: used by one thread alone, and never twice at once: hooks do not nest in here.
unsafe impl Sync for Room {}

static ROOM: Room = Room {
    files: UnsafeCell::new([Standing { fd: 0, offset: 0 }; MOST_FILES]),
    buffer: UnsafeCell::new([0; BUFFER / 8]),
};

/// `struct stat`, as far as it matters.
#[repr(C)]
struct Status {
    device: u64,
    inode: u64,
    _links: u64,
    mode: u32,
    _ids: [u32; 3],
    special: u64,
    size: u64,
    _rest: [u64; 11],
}

const _: () = assert!(size_of::<Status>() == 144);

/// Gets the first process of a plan ready, or ends it with the reason.
///
/// # Safety
/// The trial file is mapped; the process has joined the trial and has run none of the program's code.
pub unsafe fn prepare(process: &Process) {
    // SAFETY: vouched for by the caller; the tables were looked at before they were mapped.
    unsafe {
        let header = trial::header();
        if (*header).first_pid != u64::from(process.pid.load(Ordering::Relaxed)) || (*header).next_process != 1 {
            give_up(Refusal::NotFirst, 0);
        }
        let results = u64::from((*header).n_mutants).wrapping_mul((*header).result_stride);
        let other = other_process();
        let states = if (*other).streams == 0 { 0 } else { u64::from((*header).n_nodes).wrapping_mul(8) };
        let writable =
            trial::writable((*header).results, results).and_then(|()| trial::writable((*other).states, states));
        if writable.is_err() || filter::install().is_err() {
            give_up(Refusal::Kernel, 0);
        }
        match entries(c"/proc/self/task".as_ptr().cast(), |_| true) {
            Some(1) => lent::prepare(process),
            Some(_) => give_up(Refusal::Threads, 0),
            None => give_up(Refusal::Kernel, 0),
        }
    }
}

/// Notes why there can be no plan and ends this process.
pub fn give_up(reason: Refusal, number: u32) -> ! {
    let header = trial::header();
    // SAFETY: the header is mapped and can be written.
    unsafe {
        (*header).refused_call = number;
        (*header).refusal = reason as u32;
    }
    sys::exit(EXIT_CUT)
}

/// The entry of all processes that the oracle does not have; of a plan, of its children.
///
/// # Safety
/// The trial file is mapped.
unsafe fn other_process() -> *mut TrialProcess {
    // SAFETY: vouched for by the caller; there is one entry more than processes.
    unsafe {
        let header = trial::header();
        trial::at::<TrialProcess>((*header).processes).wrapping_add((*header).n_processes as usize)
    }
}

/// The result of mutant number `index`.
///
/// # Safety
/// The trial file is mapped; `index` is less than the header's number of mutants.
pub unsafe fn result(index: u32) -> *mut TrialResult {
    // SAFETY: vouched for by the caller.
    unsafe {
        let header = trial::header();
        trial::at((*header).results.wrapping_add(u64::from(index).wrapping_mul((*header).result_stride)))
    }
}

/// The plan's process reached `site` for the so many-th time, some of whose overrides are pending: what it comes to.
///
/// # Safety
/// Called by a hook, with the trial file mapped; `site` is less than the header's `n_sites`.
pub unsafe fn reached(site: u32, execution: u64, taken: Taken) -> Option<u64> {
    // SAFETY: vouched for by the caller; overrides and results have the header's number.
    unsafe {
        let (mut index, end) = mutants::overrides_of(site);
        let (mut pending, mut files, mut last) = (false, None, NO_MUTANT);
        while index < end {
            let mutant = mutants::mutant_of(index);
            // Members of a mutant at one site follow each other.
            if mutant != last && (*result(mutant)).done == Done::Not as u32 {
                let at = At { mutant, site, execution };
                if change::would_change(&at, taken) {
                    let files = *files.get_or_insert_with(|| note());
                    if run(mutant, files) {
                        return change::apply(&at, taken);
                    }
                } else {
                    pending = true;
                }
            }
            last = mutant;
            index = index.wrapping_add(1);
        }
        gates::set_pending(site, pending);
    }
    taken.plain()
}

/// Notes what children that start here change and their parent puts back; how many files stand somewhere.
///
/// # Safety
/// In a hook of the plan's process.
unsafe fn note() -> usize {
    // SAFETY: vouched for by the caller.
    unsafe {
        if is_fuelled() {
            fuel::note(shared());
        }
        let files = standing();
        lent::look();
        files
    }
}

/// Whether budgets are counted down by the modules.
fn is_fuelled() -> bool {
    // SAFETY: the header is mapped.
    unsafe { (*trial::header()).mode == Mode::Mutants as u32 }
}

/// Runs mutant number `index` in a child: true in there. Its parent has then the result and goes on as if nothing had been.
///
/// # Safety
/// In a hook of the plan's process, after [`note`].
unsafe fn run(index: u32, files: usize) -> bool {
    // SAFETY: vouched for by the caller.
    unsafe {
        for is_lent in [true, false] {
            if is_lent && !lent::is_due() {
                continue;
            }
            match start(index, files, is_lent) {
                Split::Child => return true,
                Split::Parent(Some(done)) => {
                    let found = result(index);
                    if (*found).done == Done::Not as u32 {
                        (*found).done = done as u32;
                    }
                    break;
                }
                Split::Parent(None) => {}
            }
        }
        gates::done(index);
        // The worker looks at it meanwhile.
        AtomicU32::from_ptr(&raw mut (*trial::header()).n_done).fetch_add(1, Ordering::Relaxed);
    }
    false
}

/// Who goes on after a child was started.
pub enum Split {
    /// The child.
    Child,
    /// The parent, when the child has ended: how, `None` if that says nothing.
    Parent(Option<Done>),
}

/// Starts mutant number `index` in a child of its own, which has this process's memory or a copy of it; in the parent everything is as it
/// was when it has ended, and the result says what it did.
///
/// # Safety
/// As [`run`]; if memory is lent, it is due.
unsafe fn start(index: u32, files: usize, is_lent: bool) -> Split {
    let process = shared();
    // SAFETY: vouched for by the caller. The child goes on where this process's only thread is.
    unsafe {
        let header = trial::header();
        let found = result(index);
        ((*found).done, (*found).refused_call) = (Done::Not as u32, 0);
        let child = begin(process, index, found);
        (*header).running = u64::from(index).wrapping_add(1);
        let split = if is_lent { lent::lend(found) } else { fork(found) };
        if let Split::Child = split {
            let _ = call(PRCTL, [PDEATHSIG, SIGKILL, 0, 0, 0]);
            trial::become_child(&child);
            gates::keep_only(index);
            if is_lent {
                trial::set_flag(process, PROCESS_LENT);
                lent::guard();
            }
            return Split::Child;
        }
        (*header).running = 0;
        if is_fuelled() {
            (*found).used = fuel::put_back(process);
        }
        finish(found, &child);
        put_back(files, found);
        split
    }
}

/// Goes on in a child with a copy of this memory, and when that has ended.
unsafe fn fork(found: *mut TrialResult) -> Split {
    let mut pidfd = 0u32;
    // SAFETY: the kernel writes the descriptor.
    unsafe {
        match call(CLONE, [CLONE_PIDFD, 0, (&raw mut pidfd) as usize, 0, 0]) {
            Ok(0) => Split::Child,
            Ok(id) => Split::Parent(Some(wait(id, pidfd as usize, found))),
            Err(_) => give_up(Refusal::Kernel, 0),
        }
    }
}

/// Gives the child to come states, counter and flags of its own, those of its parent at first.
unsafe fn begin(process: &Process, index: u32, found: *mut TrialResult) -> Child {
    // SAFETY: both tables have a state for each node; the result can be written.
    unsafe {
        let n_nodes = compared(process);
        let states = trial::at::<u64>((*other_process()).states);
        let own = process.states.load(Ordering::Relaxed);
        let mut node = 0usize;
        while node < n_nodes {
            states.wrapping_add(node).write((*own.wrapping_add(node)).load(Ordering::Relaxed));
            node = node.wrapping_add(1);
        }
        (*found).used = (*process.used.load(Ordering::Relaxed)).load(Ordering::Relaxed);
        (*found).flags = (*process.flags.load(Ordering::Relaxed)).load(Ordering::Relaxed);
        Child { states, used: &raw mut (*found).used, flags: &raw mut (*found).flags, mutant: index }
    }
}

/// Nodes whose values are compared.
unsafe fn compared(process: &Process) -> usize {
    match process.streams.load(Ordering::Relaxed).is_null() {
        true => 0,
        // SAFETY: the header is mapped.
        false => unsafe { (*trial::header()).n_nodes as usize },
    }
}

/// Waits for the child's end, and brings it about when its time is up, by the clock or the processor's.
///
/// # Safety
/// In a plan; `id` is a child that has not been waited for, `pidfd` a descriptor of it.
pub unsafe fn wait(id: usize, pidfd: usize, found: *mut TrialResult) -> Done {
    let mut done = Done::Ran;
    // SAFETY: the header is mapped; a child that has not been waited for, and its descriptor.
    unsafe {
        if !ends_in_time(id, pidfd) {
            done = Done::TimedOut;
            let _ = call(SEND_SIGNAL, [pidfd, SIGKILL, 0, 0, 0]);
        }
        let mut status = 0i32;
        while call(WAIT, [id, (&raw mut status) as usize, WAIT_ALL, 0, 0]) == Err(EINTR) {}
        let _ = call(CLOSE, [pidfd, 0, 0, 0, 0]);
        (*found).status = status;
        if done == Done::Ran && status & 0x7f == SIGSYS {
            // Its handler could not run.
            done = Done::Elsewhere;
        }
    }
    done
}

/// Whether a child ends before its time is up.
unsafe fn ends_in_time(id: usize, pidfd: usize) -> bool {
    // SAFETY: the header is mapped.
    let (mut wall, busy) = unsafe { ((*trial::header()).wall_ns, (*trial::header()).busy_ns) };
    let mut used = 0;
    while wall > 0 && used < busy {
        // Nobody can compute for longer than time passes.
        let slice = busy.wrapping_sub(used).max(LEAST_SLICE).min(wall);
        // SAFETY: vouched for by the caller.
        unsafe {
            match ends_within(pidfd, slice) {
                Ok(false) => {}
                ended => return ended == Ok(true),
            }
            used = processor_time(id);
        }
        wall = wall.wrapping_sub(slice);
    }
    false
}

/// Whether a child ends within so many nanoseconds.
unsafe fn ends_within(pidfd: usize, nanoseconds: u64) -> Result<bool, Errno> {
    let mut time = [nanoseconds / SECOND, nanoseconds % SECOND];
    let mut poll = [pidfd as u64 | (POLLIN as u64) << 32];
    loop {
        // SAFETY: locals; the kernel brings the time left up to date when a signal interrupts it.
        match unsafe { call(PPOLL, [(&raw mut poll) as usize, 1, (&raw mut time) as usize, 0, 8]) } {
            Err(EINTR) => {}
            answer => return answer.map(|ready| ready == 1),
        }
    }
}

/// Nanoseconds for which a child has computed; 0 where the kernel does not say.
unsafe fn processor_time(id: usize) -> u64 {
    let clock = !id << 3 | PROCESSOR_CLOCK;
    let mut time = [0u64; 2];
    // SAFETY: a local.
    match unsafe { call(CLOCK_GETTIME, [clock, (&raw mut time) as usize, 0, 0, 0]) } {
        Ok(_) => time[0].wrapping_mul(SECOND).wrapping_add(time[1]),
        Err(_) => 0,
    }
}

/// Says of each node whether the child's trajectory differs from the oracle's.
unsafe fn finish(found: *mut TrialResult, child: &Child) {
    // SAFETY: a bit for each node follows the result; states and streams are as many.
    unsafe {
        let bits = found.add(1).cast::<u8>();
        let streams = shared().streams.load(Ordering::Relaxed);
        let n_nodes = compared(shared());
        let (mut node, mut byte) = (0usize, 0u8);
        while node < n_nodes {
            let state = *child.states.wrapping_add(node);
            let stream: Stream = *streams.wrapping_add(node);
            let differs = state & CHANGED != 0 || state != stream.length;
            byte |= u8::from(differs) << (node % 8);
            node = node.wrapping_add(1);
            if node % 8 == 0 || node == n_nodes {
                bits.wrapping_add(node.wrapping_sub(1) / 8).write(byte);
                byte = 0;
            }
        }
    }
}

/// Notes where all open files stand, after their number; ends the plan if there is one that cannot be put back.
unsafe fn standing() -> usize {
    let mut count = 0usize;
    // SAFETY: the room is this thread's.
    let files = unsafe { &mut *ROOM.files.get() };
    let note = |fd: usize| {
        // SAFETY: a descriptor's number.
        let Some(offset) = (unsafe { offset_of(fd) }) else { return false };
        if offset != NOWHERE {
            let Some(place) = files.get_mut(count) else { return false };
            *place = Standing { fd, offset };
            count = count.wrapping_add(1);
        }
        true
    };
    // SAFETY: a C string.
    if unsafe { entries(c"/proc/self/fd".as_ptr().cast(), note) }.is_none() {
        give_up(Refusal::Descriptor, 0);
    }
    count
}

/// Offset of what has none.
const NOWHERE: u64 = u64::MAX;

/// Where an open file stands; `None` if it cannot be put back.
unsafe fn offset_of(fd: usize) -> Option<u64> {
    // SAFETY: system calls on a descriptor.
    unsafe {
        let status = status(fd)?;
        match status.mode & TYPE {
            DEVICE => HARMLESS_DEVICES.contains(&status.special).then_some(NOWHERE),
            REGULAR | DIRECTORY_TYPE => {
                let flags = call(FCNTL, [fd, F_GETFL, 0, 0, 0]).ok()?;
                if flags & ACCESS != 0 && !is_output_file(&status) {
                    return None;
                }
                call(LSEEK, [fd, 0, SEEK_CUR, 0, 0]).ok().map(|offset| offset as u64)
            }
            _ => None,
        }
    }
}

unsafe fn status(fd: usize) -> Option<Status> {
    let mut status = core::mem::MaybeUninit::<Status>::uninit();
    // SAFETY: the kernel fills the record if it says so.
    unsafe {
        call(FSTAT, [fd, status.as_mut_ptr() as usize, 0, 0, 0]).ok()?;
        Some(status.assume_init())
    }
}

unsafe fn is_output_file(status: &Status) -> bool {
    // SAFETY: the header is mapped.
    let outputs = unsafe { (*trial::header()).output_fds };
    outputs.iter().any(|fd| {
        // SAFETY: a descriptor's number.
        let output = if *fd < 0 { None } else { unsafe { self::status(*fd as usize) } };
        output.is_some_and(|output| output.device == status.device && output.inode == status.inode)
    })
}

/// Whether a descriptor is one of the outputs.
///
/// # Safety
/// In a plan or its child.
pub unsafe fn is_output(fd: i32) -> bool {
    // SAFETY: a descriptor's number.
    unsafe { status(fd as u32 as usize).is_some_and(|status| is_output_file(&status)) }
}

/// Looks at what the child has written, takes it back, and puts all files where they stood.
unsafe fn put_back(files: usize, found: *mut TrialResult) {
    // SAFETY: the room is this thread's; descriptors and a result that can be written.
    unsafe {
        let [out, err] = (*trial::header()).output_fds;
        let streams = [out, if err == out { -1 } else { err }];
        let lengths = (&raw mut (*found).lengths).cast::<u64>();
        let hashes = (&raw mut (*found).hashes).cast::<u64>();
        let befores = (&raw mut (*found).before).cast::<u64>();
        let mut at = 0usize;
        for fd in streams {
            let mut read = Read { hash: OUTPUT_HASH_START, expected: &[], matched: 0 };
            if fd >= 0 {
                let fd = fd as usize;
                let before = noted(files, fd);
                let Some(status) = status(fd) else { give_up(Refusal::Descriptor, 0) };
                befores.wrapping_add(at).write(before);
                lengths.wrapping_add(at).write(status.size);
                if at == 0 {
                    read.expected = expected().get(before as usize..).unwrap_or_default();
                }
                if status.size != before {
                    read.file(fd, before, status.size);
                    let _ = call(FTRUNCATE, [fd, before as usize, 0, 0, 0]);
                }
            }
            hashes.wrapping_add(at).write(read.hash);
            if at == 0 {
                (*found).matched = read.matched;
            }
            at = at.wrapping_add(1);
        }
        for file in (*ROOM.files.get()).iter().take(files) {
            let _ = call(LSEEK, [file.fd, file.offset as usize, SEEK_SET, 0, 0]);
        }
    }
}

/// Where `fd` was noted to stand.
unsafe fn noted(files: usize, fd: usize) -> u64 {
    // SAFETY: the room is this thread's.
    let noted = unsafe { &*ROOM.files.get() }.iter().take(files).find(|file| file.fd == fd);
    match noted {
        Some(file) => file.offset,
        // The program has closed it: what children write cannot be seen.
        None => give_up(Refusal::Descriptor, 0),
    }
}

/// What standard output is compared with.
///
/// # Safety
/// The trial file is mapped.
unsafe fn expected() -> &'static [u8] {
    // SAFETY: vouched for by the caller; it was looked at before it was mapped, and is never written.
    unsafe {
        let header = trial::header();
        core::slice::from_raw_parts(trial::at((*header).expected), (*header).expected_length as usize)
    }
}

/// What is found in an output that is read from somewhere on.
struct Read {
    hash: u64,
    /// What is expected next; nothing any more after the first difference.
    expected: &'static [u8],
    /// Bytes that were as expected.
    matched: u64,
}

impl Read {
    /// Reads a file's bytes from `from` up to `to`.
    unsafe fn file(&mut self, fd: usize, from: u64, to: u64) {
        let mut at = from;
        let buffer = ROOM.buffer.get().cast::<u8>();
        while at < to {
            let want = (to.wrapping_sub(at)).min(BUFFER as u64) as usize;
            // SAFETY: the buffer is as long as said; a file in memory is read whole.
            unsafe {
                match call(PREAD, [fd, buffer as usize, want, at as usize, 0]) {
                    Ok(read) if read == want => {}
                    Err(EINTR) => continue,
                    _ => give_up(Refusal::Descriptor, 0),
                }
                self.bytes(core::slice::from_raw_parts(buffer, want));
            }
            at = at.wrapping_add(want as u64);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hash = output_hash(self.hash, bytes);
        let same = common_prefix(bytes, self.expected);
        self.matched = self.matched.wrapping_add(same as u64);
        let rest = if same == bytes.len() { self.expected.get(same..) } else { None };
        self.expected = rest.unwrap_or_default();
    }
}

/// Calls `look` with each number that is an entry's name in the directory `path`, this directory's own descriptor left out;
/// their count, or `None` when that fails or `look` says so.
///
/// # Safety
/// `path` ends with a zero byte.
unsafe fn entries(path: *const u8, mut look: impl FnMut(usize) -> bool) -> Option<usize> {
    const HEAD: usize = 19;
    let mut buffer = [const { core::mem::MaybeUninit::<u64>::uninit() }; 256];
    let mut count = 0usize;
    // SAFETY: the buffer is as long as said, and the kernel fills it with whole records.
    unsafe {
        let own = call(OPENAT, [AT_FDCWD, path as usize, DIRECTORY, 0, 0]).ok()?;
        let bytes = (&raw mut buffer).cast::<u8>();
        let mut good = true;
        loop {
            let read = call(GETDENTS, [own, bytes as usize, size_of_val(&buffer), 0, 0]);
            let Ok(length) = read else {
                good = false;
                break;
            };
            if length == 0 {
                break;
            }
            let mut at = 0usize;
            while at < length {
                let record = bytes.wrapping_add(at);
                if let Some(number) = number(record.wrapping_add(HEAD))
                    && number != own
                {
                    count = count.wrapping_add(1);
                    good &= look(number);
                }
                at = at.wrapping_add(record.wrapping_add(16).cast::<u16>().read_unaligned() as usize);
            }
        }
        let _ = call(CLOSE, [own, 0, 0, 0, 0]);
        good.then_some(count)
    }
}

/// The number that a name is.
unsafe fn number(mut name: *const u8) -> Option<usize> {
    let mut number = 0usize;
    // SAFETY: stops at the final zero.
    unsafe {
        if *name == 0 {
            return None;
        }
        while *name != 0 {
            let digit = (*name).wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number.wrapping_mul(10).wrapping_add(digit as usize);
            name = name.wrapping_add(1);
        }
    }
    Some(number)
}
