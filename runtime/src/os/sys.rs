//! System calls, made directly: the C library and its `errno` never notice.

use core::arch::asm;
use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use suspect_format::abi::PAGE;

use crate::os::memory::Writer;

/// What the kernel answers when it refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

pub const ENOSPC: Errno = Errno(28);
pub const EEXIST: Errno = Errno(17);
pub const EFAULT: Errno = Errno(14);
pub const EINVAL: Errno = Errno(22);
pub const EINTR: Errno = Errno(4);
pub const EFBIG: Errno = Errno(27);
pub const EOPNOTSUPP: Errno = Errno(95);
pub const EDQUOT: Errno = Errno(122);
pub const EIO: Errno = Errno(5);

const READ: usize = 0;
const CLOSE: usize = 3;
const LSEEK: usize = 8;
const MMAP: usize = 9;
const MPROTECT: usize = 10;
const MUNMAP: usize = 11;
const BRK: usize = 12;
const SIGPROCMASK: usize = 14;
const PREAD: usize = 17;
const PWRITE: usize = 18;
const MREMAP: usize = 25;
const MADVISE: usize = 28;
const GETPID: usize = 39;
const KILL: usize = 62;
const FLOCK: usize = 73;
const FTRUNCATE: usize = 77;
const READLINK: usize = 89;
const UNLINK: usize = 87;
const GETPPID: usize = 110;
const CLOCK_GETTIME: usize = 228;
const SIGACTION: usize = 13;
const PRCTL: usize = 157;
const EXIT_GROUP: usize = 231;
const OPENAT: usize = 257;
const FALLOCATE: usize = 285;
const PRLIMIT: usize = 302;
const PROCESS_VM_READV: usize = 310;

const AT_FDCWD: isize = -100;
const RLIMIT_FSIZE: usize = 1;
const SEEK_END: usize = 2;
const LOCK_EX: usize = 2;
const LOCK_UN: usize = 8;
const PROT_READ: usize = 1;
const PROT_READ_WRITE: usize = 3;
const MAP_SHARED: usize = 1;
const MAP_PRIVATE: usize = 2;
const MAP_FIXED: usize = 0x10;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
const SIGKILL: usize = 9;

pub const O_RDONLY: usize = 0;
pub const O_RDWR: usize = 2;
pub const O_CREAT: usize = 0o100;
pub const O_NOFOLLOW: usize = 0o400000;
pub const O_CLOEXEC: usize = 0o2000000;

/// Tries of a call that signals interrupt, before giving up.
const MAX_TRIES: u32 = 1000;

/// # Safety
/// As the system call: the arguments that are addresses must be good for what it does with them.
unsafe fn raw(number: usize, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [a, b, c, d, e, f] = arguments;
    let answer: isize;
    // SAFETY: this is the kernel's calling convention; the caller vouches for the arguments.
    unsafe {
        asm!("syscall", inlateout("rax") number => answer, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
             in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    if answer < 0 { Err(Errno(answer.wrapping_neg() as i32)) } else { Ok(answer as usize) }
}

/// # Safety
/// As [`raw`].
unsafe fn retried(number: usize, arguments: [usize; 6]) -> Result<usize, Errno> {
    let mut tries = 0;
    loop {
        // SAFETY: vouched for by the caller.
        match unsafe { raw(number, arguments) } {
            Err(EINTR) if tries < MAX_TRIES => tries += 1,
            answer => return answer,
        }
    }
}

/// An open file, closed when dropped.
pub struct File(usize);

impl File {
    /// Opens `path`; a file made by this can be read by its owner alone.
    ///
    /// # Safety
    /// `path` ends with a zero byte.
    pub unsafe fn open(path: *const c_char, flags: usize) -> Result<File, Errno> {
        // SAFETY: vouched for by the caller.
        unsafe { retried(OPENAT, [AT_FDCWD as usize, path as usize, flags, 0o600, 0, 0]) }.map(File)
    }

    /// Waits for the file's lock; [`File::unlock`] or the last close of the file gives it back.
    pub fn lock(&self) -> Result<(), Errno> {
        // SAFETY: no addresses.
        unsafe { retried(FLOCK, [self.0, LOCK_EX, 0, 0, 0, 0]) }.map(|_| ())
    }

    /// Gives the lock back, also where a forked child has inherited the descriptor.
    pub fn unlock(&self) {
        // SAFETY: no addresses. Failing leaves the lock to be given back by the close that follows.
        let _ = unsafe { raw(FLOCK, [self.0, LOCK_UN, 0, 0, 0, 0]) };
    }

    /// Reads into `length` bytes at `to` from where the file stands; the number of bytes read.
    ///
    /// # Safety
    /// `to` is good for `length` bytes.
    pub unsafe fn read(&self, to: *mut u8, length: usize) -> Result<usize, Errno> {
        // SAFETY: vouched for by the caller.
        unsafe { retried(READ, [self.0, to as usize, length, 0, 0, 0]) }
    }

    /// Reads into `length` bytes at `to` from `offset`; the number of bytes read.
    ///
    /// # Safety
    /// `to` is good for `length` bytes.
    pub unsafe fn read_at(&self, to: *mut u8, length: usize, offset: u64) -> Result<usize, Errno> {
        // SAFETY: vouched for by the caller.
        unsafe { retried(PREAD, [self.0, to as usize, length, offset as usize, 0, 0]) }
    }

    /// Writes all `length` bytes at `from` to `offset`.
    ///
    /// # Safety
    /// `from` is good for `length` bytes.
    pub unsafe fn write_at(&self, from: *const u8, length: usize, offset: u64) -> Result<(), Errno> {
        let mut done = 0usize;
        while done < length {
            let rest = length.wrapping_sub(done);
            let address = (from as usize).wrapping_add(done);
            // SAFETY: vouched for by the caller; `done` is less than `length`.
            match unsafe { retried(PWRITE, [self.0, address, rest, (offset as usize).wrapping_add(done), 0, 0]) }? {
                0 => return Err(EIO),
                written => done = done.wrapping_add(written),
            }
        }
        Ok(())
    }

    /// Bytes of the file.
    pub fn length(&self) -> Result<u64, Errno> {
        // SAFETY: no addresses.
        unsafe { raw(LSEEK, [self.0, 0, SEEK_END, 0, 0, 0]) }.map(|length| length as u64)
    }

    /// Whether it is a regular file that this process's user or root has made, and that nobody else can write.
    pub fn is_trusted(&self) -> bool {
        const FSTAT: usize = 5;
        const KIND: u32 = 0o170000;
        const REGULAR: u32 = 0o100000;
        const WRITABLE_BY_OTHERS: u32 = 0o022;
        let mut stat = [0u32; 36];
        // SAFETY: the kernel writes 144 bytes.
        let answer = unsafe { raw(FSTAT, [self.0, (&raw mut stat) as usize, 0, 0, 0, 0]) };
        let [_, _, _, _, _, _, mode, owner, ..] = stat;
        answer.is_ok()
            && mode & KIND == REGULAR
            && mode & WRITABLE_BY_OTHERS == 0
            && (owner == 0 || owner == effective_user())
    }

    /// Cuts or extends the file to `length` bytes.
    pub fn truncate(&self, length: u64) -> Result<(), Errno> {
        // SAFETY: no addresses.
        unsafe { retried(FTRUNCATE, [self.0, length as usize, 0, 0, 0, 0]) }.map(|_| ())
    }

    /// Reserves blocks for `length` bytes from `offset`, extending the file.
    pub fn allocate(&self, offset: u64, length: u64) -> Result<(), Errno> {
        // SAFETY: no addresses.
        unsafe { retried(FALLOCATE, [self.0, 0, offset as usize, length as usize, 0, 0]) }.map(|_| ())
    }

    /// Maps `length` bytes from `offset` at `address`, whatever was there; at an address of the kernel's choice if null.
    ///
    /// # Safety
    /// Nobody holds references into the `length` bytes at `address`, whole pages that may be replaced.
    pub unsafe fn map(&self, address: *mut c_void, length: usize, offset: u64) -> Result<*mut c_void, Errno> {
        let place = if address.is_null() { 0 } else { MAP_FIXED };
        let arguments = [address as usize, length, PROT_READ_WRITE, MAP_SHARED | place, self.0, offset as usize];
        // SAFETY: vouched for by the caller.
        unsafe { raw(MMAP, arguments) }.map(|address| address as *mut c_void)
    }

    /// Maps the file's first `length` bytes, shared and for reading and writing, at `address`, where nothing may be.
    pub fn map_to_write_at(&self, address: usize, length: usize) -> Result<(), Errno> {
        map_new([address, length, PROT_READ_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, self.0, 0])
    }

    /// Maps the file's first `length` bytes, shared and for reading, at `address`, where nothing may be.
    pub fn map_at(&self, address: usize, length: usize) -> Result<(), Errno> {
        map_new([address, length, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, self.0, 0])
    }
}

/// Maps what must not be in anything's place.
fn map_new(arguments: [usize; 6]) -> Result<(), Errno> {
    let [address, length, ..] = arguments;
    // SAFETY: nothing is there, so nothing refers to it.
    let answer = unsafe { raw(MMAP, arguments) }?;
    if answer == address {
        return Ok(());
    }
    // A kernel from before 4.17 takes the address for a wish.
    // SAFETY: nobody knows the place.
    unsafe { unmap(answer as *mut c_void, length) };
    Err(EEXIST)
}

/// Maps `length` bytes of private zeros at `address`, where nothing may be.
pub fn map_zeros_at(address: usize, length: usize) -> Result<(), Errno> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    map_new([address, length, PROT_READ_WRITE, flags, usize::MAX, 0])
}

/// Lets `length` mapped bytes at `address`, whole pages, be written.
pub fn allow_writing(address: usize, length: usize) -> Result<(), Errno> {
    // SAFETY: takes no right away.
    unsafe { raw(MPROTECT, [address, length, PROT_READ_WRITE, 0, 0, 0]) }.map(|_| ())
}

/// Whether nobody is to ask the kernel anything while the program runs.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing can be read, as far as is known: a filter of the program's own may end it for the question.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether the page of `address` can be read. The kernel copies a signal mask from there before it finds that it was
/// not told what to do with it.
pub fn is_readable(address: usize) -> bool {
    const NOTHING_KNOWN: usize = usize::MAX;
    if address < PAGE || QUIET.load(Ordering::Relaxed) {
        // Null would be no mask at all; nobody maps anything there.
        return false;
    }
    if is_in_valgrind() {
        return copy_of(address, &mut [0]) == 1;
    }
    // SAFETY: the kernel reads the eight bytes, if it can, and changes nothing.
    let answer = unsafe { raw(SIGPROCMASK, [NOTHING_KNOWN, address & !7, 0, 8, 0, 0]) };
    answer != Err(EFAULT)
}

/// Where the program's data, which `sbrk` makes longer, ends now.
pub fn program_break() -> usize {
    // SAFETY: address 0 is no place for an end, so nothing changes.
    unsafe { raw(BRK, [0; 6]) }.unwrap_or(0)
}

/// Copies what is at `address` in this process, as far as it can be read; how many bytes that is. Valgrind takes no offence at what it copies.
pub fn copy_of(address: usize, to: &mut [u8]) -> usize {
    let (own, from) = ([to.as_mut_ptr() as usize, to.len()], [address, to.len()]);
    // SAFETY: the kernel writes at most the bytes of `to`, and reads what it can of the others.
    let answer = unsafe {
        raw(PROCESS_VM_READV, [process_id() as usize, (&raw const own) as usize, 1, (&raw const from) as usize, 1, 0])
    };
    answer.unwrap_or(0)
}

/// Whether Valgrind runs the program. It answers a request that no processor has: turns of a register that leave it as it was.
pub fn is_in_valgrind() -> bool {
    const UNKNOWN: u8 = 2;
    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    let known = KNOWN.load(Ordering::Relaxed);
    if known != UNKNOWN {
        return known == 1;
    }
    /// Valgrind's number of "are you there?".
    const RUNNING: usize = 0x1001;
    let request = [RUNNING, 0, 0, 0, 0, 0];
    let mut answer = 0usize;
    // SAFETY: `rdi` turns by 128 bits in all, and `rbx` changes places with itself.
    unsafe {
        asm!("rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
             in("rax") &raw const request, inlateout("rdx") answer, options(nostack));
    }
    KNOWN.store(u8::from(answer != 0), Ordering::Relaxed);
    answer != 0
}

/// Ends this process with exit status `status`; none of the program's own code runs any more.
pub fn exit(status: i32) -> ! {
    loop {
        // SAFETY: no addresses.
        let _ = unsafe { raw(EXIT_GROUP, [status as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Has a signal handled as the kernel's `struct sigaction` at `action` says.
///
/// # Safety
/// `action` is such a record, with a handler and what it returns to.
pub unsafe fn handle_signal(signal: usize, action: *const c_void) -> Result<(), Errno> {
    // SAFETY: vouched for by the caller.
    unsafe { raw(SIGACTION, [signal, action as usize, 0, 8, 0, 0]) }.map(|_| ())
}

/// Puts this process and its children to come under a filter of system calls, the `struct sock_fprog` at `filter`.
///
/// # Safety
/// `filter` is such a record.
pub unsafe fn filter_calls(filter: *const c_void) -> Result<(), Errno> {
    const NO_NEW_PRIVILEGES: usize = 38;
    const SECCOMP: usize = 22;
    const BY_FILTER: usize = 2;
    // SAFETY: vouched for by the caller.
    unsafe {
        raw(PRCTL, [NO_NEW_PRIVILEGES, 1, 0, 0, 0, 0])?;
        raw(PRCTL, [SECCOMP, BY_FILTER, filter as usize, 0, 0, 0]).map(|_| ())
    }
}

/// Makes a child with a copy of this process's memory: 0 in there, its id in the parent, with a descriptor that is ready to be read when it
/// has ended.
pub fn clone() -> Result<(usize, File), Errno> {
    const CLONE: usize = 56;
    const CLONE_PIDFD: usize = 0x1000;
    let mut pidfd = 0u32;
    // SAFETY: the kernel writes the descriptor; the child goes on with a copy of this stack.
    let id = unsafe { raw(CLONE, [CLONE_PIDFD, 0, (&raw mut pidfd) as usize, 0, 0, 0]) }?;
    // The child has no such descriptor; closing it there does nothing.
    Ok((id, File(if id == 0 { usize::MAX } else { pidfd as usize })))
}

/// Has the kernel kill this process when its parent ends.
pub fn die_with_parent() {
    const PDEATHSIG: usize = 1;
    // SAFETY: no addresses.
    let _ = unsafe { raw(PRCTL, [PDEATHSIG, SIGKILL, 0, 0, 0, 0]) };
}

/// Waits until `file` can be read, at most `wall_ns` nanoseconds: whether it can.
pub fn poll(file: &File, wall_ns: u64) -> bool {
    const PPOLL: usize = 271;
    const POLLIN: u64 = 1;
    let mut time = [wall_ns / 1_000_000_000, wall_ns % 1_000_000_000];
    let mut poll = [file.0 as u64 | POLLIN << 32];
    // SAFETY: locals; the kernel brings the time left up to date when a signal interrupts it.
    unsafe { retried(PPOLL, [(&raw mut poll) as usize, 1, (&raw mut time) as usize, 0, 8, 0]) == Ok(1) }
}

/// Kills a child.
pub fn kill(id: usize) {
    // SAFETY: no addresses.
    let _ = unsafe { raw(KILL, [id, SIGKILL, 0, 0, 0, 0]) };
}

/// Waits for the end of a child: its status.
pub fn wait(id: usize) -> Result<i32, Errno> {
    const WAIT: usize = 61;
    const WAIT_ALL: usize = 0x4000_0000;
    let mut status = 0i32;
    // SAFETY: the kernel writes the status.
    unsafe { raw(WAIT, [id, (&raw mut status) as usize, WAIT_ALL, 0, 0, 0]) }.map(|_| status)
}

/// Kills this process.
pub fn die() -> ! {
    // SAFETY: no addresses.
    let _ = unsafe { raw(KILL, [process_id() as usize, SIGKILL, 0, 0, 0, 0]) };
    exit(128)
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: no addresses; the descriptor is ours. Linux closes it whatever it answers.
        let _ = unsafe { raw(CLOSE, [self.0, 0, 0, 0, 0, 0]) };
    }
}

/// Replaces `length` bytes at `address` by private zeros.
///
/// # Safety
/// As [`File::map`].
pub unsafe fn map_zeros(address: *mut c_void, length: usize) -> Result<(), Errno> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    // SAFETY: vouched for by the caller.
    unsafe { raw(MMAP, [address as usize, length, PROT_READ_WRITE, flags, usize::MAX, 0]) }.map(|_| ())
}

/// Maps what shared memory is at `from` at `to` as well, whatever was there.
///
/// # Safety
/// As [`File::map`] for the `length` bytes at `to`.
pub unsafe fn map_again(from: *mut c_void, to: *mut c_void, length: usize) -> Result<(), Errno> {
    const MAY_MOVE: usize = 1;
    const FIXED: usize = 2;
    // Nothing of it is moved: its old length is none.
    // SAFETY: vouched for by the caller.
    unsafe { raw(MREMAP, [from as usize, 0, length, MAY_MOVE | FIXED, to as usize, 0]) }.map(|_| ())
}

/// Makes `length` bytes of private memory at `address` zero, whole pages; where nothing is mapped nothing happens.
pub fn forget(address: usize, length: usize) {
    const DONT_NEED: usize = 4;
    // SAFETY: called for the unused part of a stack.
    let _ = unsafe { raw(MADVISE, [address, length, DONT_NEED, 0, 0, 0]) };
}

/// Takes `length` bytes at `address` out of the address space.
///
/// # Safety
/// Nothing refers to them any more.
pub unsafe fn unmap(address: *mut c_void, length: usize) {
    // SAFETY: vouched for by the caller. It can only fail for addresses that are not mapped.
    let _ = unsafe { raw(MUNMAP, [address as usize, length, 0, 0, 0, 0]) };
}

/// Removes the file `path`.
///
/// # Safety
/// `path` ends with a zero byte.
pub unsafe fn unlink(path: *const c_char) {
    // SAFETY: vouched for by the caller. What cannot be removed stays, empty, and says nothing.
    let _ = unsafe { raw(UNLINK, [path as usize, 0, 0, 0, 0, 0]) };
}

/// Reads where the symbolic link `path` points into `length` bytes at `to`; the number of bytes.
///
/// # Safety
/// `path` ends with a zero byte; `to` is good for `length` bytes.
pub unsafe fn read_link(path: *const c_char, to: *mut u8, length: usize) -> Result<usize, Errno> {
    // SAFETY: vouched for by the caller.
    unsafe { raw(READLINK, [path as usize, to as usize, length, 0, 0, 0]) }
}

/// Executes the program `path` in the place of this one; returns where the system refuses.
///
/// # Safety
/// `path` ends with a zero byte; `arguments` and `environment` point to such texts, ended by a null pointer.
pub unsafe fn execute(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) {
    const EXECVE: usize = 59;
    // SAFETY: vouched for by the caller.
    let _ = unsafe { raw(EXECVE, [path as usize, arguments as usize, environment as usize, 0, 0, 0]) };
}

/// Longest file that this process may write.
pub fn file_size_limit() -> u64 {
    let mut limit = [u64::MAX; 2];
    // SAFETY: the kernel writes two words.
    let answer = unsafe { raw(PRLIMIT, [0, RLIMIT_FSIZE, 0, (&raw mut limit) as usize, 0, 0]) };
    let [soft, _] = limit;
    if answer.is_ok() { soft } else { u64::MAX }
}

/// The session of a process, or of this one for 0; 0 if there is none.
pub fn session_of(process: u32) -> u32 {
    const GETSID: usize = 124;
    // SAFETY: no addresses.
    unsafe { raw(GETSID, [process as usize, 0, 0, 0, 0, 0]) }.unwrap_or(0) as u32
}

/// The process that made another one, or took it over; 0 if that cannot be read.
pub fn parent_of(process: u32) -> u32 {
    let mut path = [0u8; 24];
    let mut text = [0u8; 256];
    // SAFETY: the path has room for a number of ten digits and a zero; the text is as long as said.
    unsafe {
        let mut writer = Writer((&raw mut path).cast());
        writer.text("/proc/");
        writer.decimal(process);
        writer.text("/stat");
        let Ok(file) = File::open((&raw const path).cast(), O_RDONLY | O_CLOEXEC) else { return 0 };
        let length = file.read((&raw mut text).cast(), text.len()).unwrap_or(0);
        parent_in(text.get(..length).unwrap_or_default())
    }
}

/// The parent in a line of `/proc/PID/stat`: the second word behind the name, which may hold anything but ends with the last parenthesis.
fn parent_in(line: &[u8]) -> u32 {
    let name_end = line.iter().rposition(|byte| *byte == b')').unwrap_or(line.len());
    let behind = line.get(name_end..).unwrap_or_default();
    let digits =
        behind.iter().skip(1).skip_while(|byte| !byte.is_ascii_digit()).take_while(|byte| byte.is_ascii_digit());
    digits.fold(0u32, |number, digit| number.wrapping_mul(10).wrapping_add(u32::from(digit.wrapping_sub(b'0'))))
}

/// Whose rights this process has.
fn effective_user() -> u32 {
    const GETEUID: usize = 107;
    // SAFETY: no addresses.
    unsafe { raw(GETEUID, [0; 6]) }.map_or(u32::MAX, |user| user as u32)
}

/// This process.
pub fn process_id() -> u32 {
    // SAFETY: no arguments.
    unsafe { raw(GETPID, [0; 6]) }.unwrap_or(0) as u32
}

/// The process that made this one, or took it over.
pub fn parent_id() -> u32 {
    // SAFETY: no arguments.
    unsafe { raw(GETPPID, [0; 6]) }.unwrap_or(0) as u32
}

/// The kernel's version: the first two numbers of it, zeros where it is not known.
pub fn kernel() -> (usize, usize) {
    const UNAME: usize = 63;
    const NAME: usize = 65;
    let mut names = core::mem::MaybeUninit::<[u8; 6 * NAME]>::uninit();
    // SAFETY: the kernel writes six names if it says so.
    let names = unsafe {
        if raw(UNAME, [names.as_mut_ptr() as usize, 0, 0, 0, 0, 0]).is_err() {
            return (0, 0);
        }
        names.assume_init_ref()
    };
    let mut numbers = [0usize; 2];
    let mut at = 0usize;
    for byte in names.iter().skip(2 * NAME) {
        match (byte, numbers.get_mut(at)) {
            (b'0'..=b'9', Some(number)) => {
                *number = number.wrapping_mul(10).wrapping_add(usize::from(byte.wrapping_sub(b'0')));
            }
            (b'.', _) => at = at.wrapping_add(1),
            _ => break,
        }
    }
    (numbers[0], numbers[1])
}

/// Real time, nanoseconds since 1970.
pub fn now() -> u64 {
    let mut time = [0u64; 2];
    // SAFETY: the kernel writes two words.
    let _ = unsafe { raw(CLOCK_GETTIME, [0, (&raw mut time) as usize, 0, 0, 0, 0]) };
    let [seconds, nanoseconds] = time;
    seconds.wrapping_mul(1_000_000_000).wrapping_add(nanoseconds)
}

/// The address that tells threads apart.
pub fn thread_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: x86-64 programs keep their thread control block's address in its own first word; a module that is
    // recorded has a C library and hence such a block.
    unsafe {
        asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(readonly, nostack, preserves_flags));
    }
    pointer
}
