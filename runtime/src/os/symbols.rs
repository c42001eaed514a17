//! Symbols: those this object defines for the units, and those of the linker and the C library that it looks up.
//!
//! Everything is hidden: an executable and its shared libraries must each see their own. The definitions are assembly
//! because visibility and section flags cannot be said in Rust.

use core::arch::{asm, global_asm};
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use suspect_format::abi::{PAGE, STATE_WORDS};
use suspect_format::trace::UnitDescriptor;
use suspect_format::trial::FUEL_WORD;

// `R` keeps the state page although a linker may take `__start_` symbols for no use of a section.
global_asm!(
    ".pushsection suspect_data,\"awR\",@progbits",
    ".p2align 12",
    ".globl __suspect_state",
    ".hidden __suspect_state",
    ".type __suspect_state, @object",
    ".size __suspect_state, {page}",
    "__suspect_state:",
    ".zero {page}",
    ".globl __suspect_fuel",
    ".hidden __suspect_fuel",
    ".type __suspect_fuel, @object",
    ".size __suspect_fuel, 8",
    ".set __suspect_fuel, __suspect_state + {fuel}",
    ".popsection",
    ".pushsection .bss.__suspect_mode,\"aw\",@nobits",
    ".p2align 2",
    ".globl __suspect_mode",
    ".hidden __suspect_mode",
    ".type __suspect_mode, @object",
    ".size __suspect_mode, 4",
    "__suspect_mode:",
    ".zero 4",
    ".popsection",
    ".pushsection .bss.__suspect_cases,\"aw\",@nobits",
    ".p2align 2",
    ".globl __suspect_cases",
    ".hidden __suspect_cases",
    ".type __suspect_cases, @object",
    ".size __suspect_cases, 4",
    "__suspect_cases:",
    ".zero 4",
    ".popsection",
    ".pushsection .bss.__suspect_fill,\"aw\",@nobits",
    ".p2align 3",
    ".globl __suspect_fill",
    ".hidden __suspect_fill",
    ".type __suspect_fill, @object",
    ".size __suspect_fill, 8",
    "__suspect_fill:",
    ".zero 8",
    ".popsection",
    ".hidden __suspect_node",
    ".hidden __suspect_pointer",
    ".hidden __suspect_text",
    ".hidden __suspect_object",
    ".hidden __suspect_tick",
    ".hidden __suspect_operation",
    ".hidden __suspect_variable",
    ".hidden __suspect_choice",
    ".hidden __suspect_refuel",
    ".hidden __suspect_enter",
    ".hidden __suspect_step",
    ".hidden __suspect_loaded",
    ".hidden __suspect_branch",
    ".hidden __suspect_call",
    ".hidden __suspect_called",
    ".hidden __suspect_setjmp",
    ".hidden __suspect_case",
    ".hidden __suspect_case_left",
    ".hidden __suspect_case_result",
    ".hidden __suspect_time",
    ".hidden __suspect_clock",
    ".hidden __suspect_gettimeofday",
    ".hidden __suspect_clock_gettime",
    ".hidden __suspect_timespec_get",
    page = const PAGE,
    fuel = const FUEL_WORD * 8,
);

/// The address of a symbol by this module's own table of addresses, after the directives that say what it is.
macro_rules! address {
    ($symbol:literal $(, $directive:literal)*) => {{
        let address: *mut c_void;
        // SAFETY: reads a word that the linker has filled.
        unsafe {
            asm!($(concat!($directive, " ", $symbol),)* concat!("mov {0}, qword ptr [rip + ", $symbol, "@GOTPCREL]"),
                 out(reg) address, options(pure, readonly, nostack, preserves_flags));
        }
        address
    }};
}

/// The address of a symbol of another module, null if nothing defines it.
macro_rules! foreign {
    ($symbol:literal) => {
        address!($symbol, ".weak")
    };
}

/// The address of a symbol that the linker or the compiler's start-up objects define, null if they do not.
macro_rules! linked {
    ($symbol:literal) => {
        address!($symbol, ".weak", ".hidden")
    };
}

/// The words of this module: first byte, and one past the last.
pub fn data() -> (*mut u8, *mut u8) {
    (linked!("__start_suspect_data").cast(), linked!("__stop_suspect_data").cast())
}

/// The descriptors of this module's units: the first, and one past the last.
pub fn units() -> (*const UnitDescriptor, *const UnitDescriptor) {
    (linked!("__start_suspect_units").cast(), linked!("__stop_suspect_units").cast())
}

/// The gates of this module's functions: the first byte, and one past the last.
pub fn gates() -> (*mut u8, *mut u8) {
    (linked!("__start_suspect_gates").cast(), linked!("__stop_suspect_gates").cast())
}

/// The bytes of this module's operations: the first, and one past the last.
pub fn operations() -> (*mut u8, *mut u8) {
    (linked!("__start_suspect_operations").cast(), linked!("__stop_suspect_operations").cast())
}

/// Ticks that this module may still count.
pub fn fuel() -> *mut i64 {
    address!("__suspect_fuel", ".hidden").cast()
}

/// This module's state words.
pub fn state() -> *mut [u64; STATE_WORDS] {
    address!("__suspect_state", ".hidden").cast()
}

/// This module's mode.
pub fn mode() -> &'static AtomicU32 {
    let word = address!("__suspect_mode", ".hidden").cast::<AtomicU32>();
    // SAFETY: defined above, aligned, and written through this reference alone; units only read it.
    unsafe { &*word }
}

/// Whether this module's case functions ask.
pub fn cases() -> &'static AtomicU32 {
    let word = address!("__suspect_cases", ".hidden").cast::<AtomicU32>();
    // SAFETY: defined above, aligned, and written through this reference alone; units only read it.
    unsafe { &*word }
}

/// What locals of this module begin as.
pub fn fill() -> &'static AtomicU64 {
    let word = address!("__suspect_fill", ".hidden").cast::<AtomicU64>();
    // SAFETY: defined above, aligned, and written through this reference alone; units only read it.
    unsafe { &*word }
}

/// This module's ELF header; null when it is not in memory.
pub fn elf_header() -> *const u8 {
    linked!("__ehdr_start").cast()
}

/// Where the heap ends that `sbrk` makes longer, as the C library keeps it; null without such a library.
pub fn heap_end() -> *const usize {
    foreign!("__curbrk").cast()
}

/// The C library's pointer to the environment, null without such a library.
pub fn environment() -> *const *const *const c_char {
    foreign!("environ").cast()
}

/// The auxiliary vector's entry of this kind, as the C library keeps it; `None` without such a library.
///
/// Only for kinds that every kernel gives: for others `errno` would be set.
pub fn auxiliary_value(kind: u64) -> Option<u64> {
    type Value = unsafe extern "C" fn(u64) -> u64;
    let function = foreign!("getauxval");
    // SAFETY: glibc and musl give `getauxval` this type; it reads a table that is never written.
    (!function.is_null()).then(|| unsafe { core::mem::transmute::<*mut c_void, Value>(function)(kind) })
}

/// Writes what the C library's streams hold back, if there is such a library.
pub fn flush() {
    type Flush = unsafe extern "C" fn(*mut c_void) -> c_int;
    let function = foreign!("fflush");
    if !function.is_null() {
        // SAFETY: C gives `fflush` this type, and a null pointer means all streams.
        unsafe { core::mem::transmute::<*mut c_void, Flush>(function)(core::ptr::null_mut()) };
    }
}

/// Has cmocka run the tests that match alone.
pub fn filter_cmocka(pattern: *const c_char) {
    type Filter = unsafe extern "C" fn(*const c_char);
    let function = foreign!("cmocka_set_test_filter");
    if !function.is_null() {
        // SAFETY: cmocka gives it this type; it keeps the pointer, which is into the environment.
        unsafe { core::mem::transmute::<*mut c_void, Filter>(function)(pattern) };
    }
}

/// The C library's `time`, null without one.
pub fn time() -> *mut c_void {
    foreign!("time")
}

/// Its `clock`.
pub fn clock() -> *mut c_void {
    foreign!("clock")
}

/// Its `gettimeofday`.
pub fn gettimeofday() -> *mut c_void {
    foreign!("gettimeofday")
}

/// Its `clock_gettime`.
pub fn clock_gettime() -> *mut c_void {
    foreign!("clock_gettime")
}

/// Its `timespec_get`.
pub fn timespec_get() -> *mut c_void {
    foreign!("timespec_get")
}

/// What `dladdr` fills in.
#[repr(C)]
pub struct AddressInfo {
    /// Path of the module.
    pub path: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    symbol_address: *mut c_void,
}

/// The path of the shared library that `address` lies in, as the dynamic linker knows it; null when it does not.
pub fn library_path(address: *const u8) -> *const c_char {
    look_up(address.cast()).path
}

/// Tells of each shared library in memory: its address, its length in bytes, and the path of its file, a C string.
pub fn libraries(tell: &mut dyn FnMut(u64, u64, *const c_char)) {
    type Tell<'t> = &'t mut dyn FnMut(u64, u64, *const c_char);
    type Iterate = unsafe extern "C" fn(Look, *mut c_void) -> c_int;
    type Look = unsafe extern "C" fn(*const LibraryInfo, usize, *mut c_void) -> c_int;
    /// `struct dl_phdr_info`, as far as every version of the C library has it.
    #[repr(C)]
    struct LibraryInfo {
        bias: u64,
        path: *const c_char,
        headers: *const u8,
        n_headers: u16,
    }
    unsafe extern "C" fn look(info: *const LibraryInfo, _: usize, tell: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker gives a library that is in memory, and what `libraries` passed.
        unsafe {
            let (info, tell) = (&*info, &mut *tell.cast::<Tell>());
            let (low, high) = elf_range(info.headers, info.n_headers);
            if !info.path.is_null() && low < high {
                tell(info.bias.wrapping_add(low), high.wrapping_sub(low), info.path);
            }
        }
        0
    }
    let function = foreign!("dl_iterate_phdr");
    if function.is_null() {
        return;
    }
    let mut tell: Tell = tell;
    // SAFETY: the C library gives `dl_iterate_phdr` this type; `tell` lives until it returns.
    unsafe { core::mem::transmute::<*mut c_void, Iterate>(function)(look, (&raw mut tell).cast()) };
}

/// First address of the segments that are loaded, and one past the last, before they are moved.
///
/// # Safety
/// `headers` are `n_headers` program headers.
unsafe fn elf_range(headers: *const u8, n_headers: u16) -> (u64, u64) {
    const LOAD: u32 = 1;
    const HEADER: usize = 56;
    let (mut low, mut high) = (u64::MAX, 0u64);
    for number in 0..usize::from(n_headers) {
        // SAFETY: vouched for by the caller.
        let (kind, address, length) = unsafe {
            let header = headers.add(number.wrapping_mul(HEADER));
            let word = |at: usize| header.add(at).cast::<u64>().read_unaligned();
            (header.cast::<u32>().read_unaligned(), word(16), word(40))
        };
        if kind == LOAD {
            low = low.min(address);
            high = high.max(address.wrapping_add(length));
        }
    }
    (low, high)
}

/// Where the module begins that `address` lies in; null when the dynamic linker does not know, or there is none.
fn base_of(address: *mut c_void) -> *mut c_void {
    look_up(address).base
}

fn look_up(address: *const c_void) -> AddressInfo {
    type Lookup = unsafe extern "C" fn(*const c_void, *mut AddressInfo) -> c_int;
    const NOTHING: AddressInfo = AddressInfo {
        path: core::ptr::null(),
        base: core::ptr::null_mut(),
        symbol: core::ptr::null(),
        symbol_address: core::ptr::null_mut(),
    };
    let function = foreign!("dladdr");
    let mut info = NOTHING;
    if function.is_null() {
        return info;
    }
    // SAFETY: POSIX gives `dladdr` this type; it reads the dynamic linker's tables and sets no errno.
    let found = unsafe { core::mem::transmute::<*mut c_void, Lookup>(function)(address, &raw mut info) };
    if found == 0 { NOTHING } else { info }
}

/// Where this thread's `errno` is; null without a C library that says so.
pub fn errno_address() -> *mut c_int {
    type Address = unsafe extern "C" fn() -> *mut c_int;
    let function = foreign!("__errno_location");
    if function.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: glibc and musl give it this type; it computes an address.
    unsafe { core::mem::transmute::<*mut c_void, Address>(function)() }
}

/// Bytes from `object`, which the C library's allocator made, to its end; 0 when that cannot be told.
pub fn usable_size(object: usize) -> usize {
    type Size = unsafe extern "C" fn(*mut c_void) -> usize;
    static KNOWN: AtomicUsize = AtomicUsize::new(NOT_ASKED);
    const NOT_ASKED: usize = 1;
    let mut function = KNOWN.load(Ordering::Relaxed);
    if function == NOT_ASKED {
        let (size, malloc) = (foreign!("malloc_usable_size"), foreign!("malloc"));
        // A program with a `malloc` of its own has objects that the C library's function makes nothing of.
        function = if base_of(size) == base_of(malloc) { size as usize } else { 0 };
        KNOWN.store(function, Ordering::Relaxed);
    }
    if function == 0 {
        return 0;
    }
    // SAFETY: glibc, musl and those who replace their allocators give it this type; the object was just made.
    unsafe { core::mem::transmute::<usize, Size>(function)(object as *mut c_void) }
}

/// `length` bytes of the program's own heap; null when there are none.
pub fn allocate(length: usize) -> *mut u8 {
    type Allocate = unsafe extern "C" fn(usize) -> *mut c_void;
    let function = foreign!("malloc");
    if function.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: C gives `malloc` this type.
    unsafe { core::mem::transmute::<*mut c_void, Allocate>(function)(length).cast() }
}

/// Has `before` called before every `fork` and `handler` in its child, until this module is unloaded.
pub fn at_fork(before: Option<extern "C" fn()>, handler: extern "C" fn()) {
    type Handler = Option<extern "C" fn()>;
    type Register = unsafe extern "C" fn(Handler, Handler, Handler, *mut c_void) -> c_int;
    type RegisterForever = unsafe extern "C" fn(Handler, Handler, Handler) -> c_int;
    let (register, this_module) = (foreign!("__register_atfork"), linked!("__dso_handle"));
    let forever = foreign!("pthread_atfork");
    // SAFETY: glibc gives `__register_atfork` this type and POSIX `pthread_atfork`; refusing (no memory) leaves forked
    // children writing into this process's words, as told in the crate's documentation.
    unsafe {
        if !register.is_null() && !this_module.is_null() {
            core::mem::transmute::<*mut c_void, Register>(register)(before, None, Some(handler), this_module);
        } else if !forever.is_null() {
            core::mem::transmute::<*mut c_void, RegisterForever>(forever)(before, None, Some(handler));
        }
    }
}
