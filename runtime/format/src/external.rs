//! What functions of the C library do to memory: the effects that the runtime records after a call and the reader gives reasons to.
//!
//! A model lists what a function reads, writes, copies and allocates, as far as arguments and result tell. Whatever else changes is
//! seen by the loads that find it. Sizes are those of x86-64 Linux with glibc; other libraries do not have larger ones.

use Base::{Argument as A, Pointee as P, Result as R};
use Effect::{Allocates, Copies, Fills, Frees, Moves, Prints, Reads, Scans, Writes, Zeroes};
use Extent::{Bytes, Count, Limited, Pointers, Product, Returned, Returns, Text, TextWithin, Wide};
use Role::{Aborts, Ends, Executes, Forks, Handles, Input, Jumps, Output, Plain, Threads};

/// The number of a function without a model that is called by its name.
pub const UNKNOWN: u32 = u32::MAX;
/// The number of whatever is called through a pointer.
pub const INDIRECT: u32 = u32::MAX - 1;

/// Most bytes of ranges that one call records.
pub const MOST_CHANGED: u64 = 1 << 20;
/// Bytes from the address that an argument of a function without a model is, that are compared before and after the call.
pub const COMPARED: u64 = 16 << 10;

/// A function of the C library.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct External {
    /// Its name.
    pub name: &'static str,
    /// What it does to memory.
    pub effects: &'static [Effect],
    /// What it is to the process.
    pub role: Role,
}

/// What a function is to the process that calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Neither of these.
    Plain,
    /// Its result and what it writes come from outside: an input.
    Input,
    /// What it reads goes outside: an output.
    Output,
    /// Does not return: the process ends.
    Ends,
    /// Does not return: a signal ends the process.
    Aborts,
    /// Does not return: `setjmp` does, again.
    Jumps,
    /// Returns in two processes.
    Forks,
    /// Starts a thread.
    Threads,
    /// Puts another program in the process's place.
    Executes,
    /// Argument 1 is what handles a signal: a function, or the address of a record that begins with one.
    Handles,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// At the address that the argument is.
    Argument(u8),
    /// At the address that is kept at the address that the argument is, after the call.
    Pointee(u8),
    /// At the address that the result is.
    Result,
}

/// How many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many.
    Bytes(u32),
    /// What the argument says.
    Count(u8),
    /// The product of two arguments.
    Product(u8, u8),
    /// As many addresses as the argument says.
    Pointers(u8),
    /// What the result says, none if it is negative.
    Returned,
    /// The result times the argument.
    Returns(u8),
    /// Up to the first zero byte, and with it.
    Text,
    /// The same, but at most what the argument says.
    TextWithin(u8),
    /// One more than the result, but at most what the argument says.
    Limited(u8),
    /// Up to the first zero of four bytes, and with it.
    Wide,
}

/// What a function does to memory. Nothing at null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads.
    Reads(Base, Extent),
    /// Writes; the bytes are recorded.
    Writes(Base, Extent),
    /// Copies to the first from the second; the bytes are recorded where the arguments do not tell how many.
    Copies(Base, Base, Extent),
    /// Writes argument 1 to each byte; nothing is recorded.
    Fills(Base, Extent),
    /// Writes zeros; nothing is recorded.
    Zeroes(Base, Extent),
    /// Makes an object, unless that is one which is known already.
    Allocates(Base, Extent),
    /// Ends the object that the argument points to, null for none; the result is one of this size, or null, with as many of its bytes as there is room for.
    Moves(u8, Extent),
    /// Ends the object that the argument points to.
    Frees(u8),
    /// Reads as the format says, the argument of the first number; the second one is that of the first argument for it.
    Prints(u8, u8),
    /// Writes as the format says, likewise; the bytes are recorded.
    Scans(u8, u8),
}

impl Extent {
    /// Whether the arguments alone tell.
    pub const fn is_told(self) -> bool {
        matches!(self, Extent::Bytes(_) | Extent::Count(_) | Extent::Product(..) | Extent::Pointers(_))
    }

    /// Bytes at `base`. `length` counts the units up to a zero, without it: of so many bytes each (1 or 4), at most so many units.
    pub fn bytes(self, base: u64, arguments: &[u64], result: u64, length: impl Fn(u64, u64, u64) -> u64) -> u64 {
        let argument = |number: u8| arguments.get(usize::from(number)).copied().unwrap_or(0);
        let returned = if (result as i64) < 0 { 0 } else { result };
        match self {
            Extent::Bytes(bytes) => u64::from(bytes),
            Extent::Count(number) => argument(number),
            Extent::Product(one, other) => argument(one).saturating_mul(argument(other)),
            Extent::Pointers(number) => argument(number).saturating_mul(8),
            Extent::Returned => returned,
            Extent::Returns(number) => returned.saturating_mul(argument(number)),
            Extent::Text => length(base, 1, MOST_CHANGED).saturating_add(1),
            Extent::TextWithin(number) => {
                let most = argument(number);
                length(base, 1, most.min(MOST_CHANGED)).saturating_add(1).min(most)
            }
            Extent::Limited(number) => returned.saturating_add(1).min(argument(number)),
            Extent::Wide => length(base, 4, MOST_CHANGED / 4).saturating_add(1).saturating_mul(4),
        }
    }
}

impl Effect {
    /// The memory whose bytes are recorded after a call: where, and how much. [`Scans`] has many and is not among these.
    pub const fn recorded(self) -> Option<(Base, Extent)> {
        match self {
            Effect::Writes(base, extent) => Some((base, extent)),
            Effect::Copies(base, _, extent) if !extent.is_told() => Some((base, extent)),
            _ => None,
        }
    }
}

/// The number of the function called `name`, if there is a model.
pub fn number(name: &str) -> Option<u32> {
    EXTERNALS.iter().position(|external| external.name == name).map(|number| number as u32)
}

/// The function of this number, if there is a model.
#[inline]
pub fn external(number: u32) -> Option<&'static External> {
    EXTERNALS.get(number as usize)
}

const STAT: Extent = Bytes(144);
const TIME: Extent = Bytes(16);
const CALENDAR: Extent = Bytes(56);
const FILE: Extent = Bytes(216);

/// A row for each alternative name.
macro_rules! externals {
    ($($($name:literal)|+ => $role:ident $effects:tt)*) => {
        &[$($(External { name: $name, effects: &$effects, role: $role }),+),*]
    };
}

/// The models. A function's number is its place here.
#[rustfmt::skip]
pub const EXTERNALS: &[External] = externals! {
    // Memory.
    "memcpy" | "memmove" | "mempcpy" | "__memcpy_chk" | "__memmove_chk" | "__mempcpy_chk" => Plain [Copies(A(0), A(1), Count(2))]
    "bcopy" => Plain [Copies(A(1), A(0), Count(2))]
    "memccpy" => Plain [Reads(A(1), Count(3)), Writes(A(0), Count(3))]
    "memset" | "__memset_chk" => Plain [Fills(A(0), Count(2))]
    "bzero" | "explicit_bzero" | "__explicit_bzero_chk" => Plain [Zeroes(A(0), Count(1))]
    "memcmp" | "bcmp" => Plain [Reads(A(0), Count(2)), Reads(A(1), Count(2))]
    "memchr" | "memrchr" => Plain [Reads(A(0), Count(2))]
    "rawmemchr" => Plain [Reads(A(0), Text)]
    "memmem" => Plain [Reads(A(0), Count(1)), Reads(A(2), Count(3))]
    "swab" => Plain [Reads(A(0), Count(2)), Writes(A(1), Count(2))]
    // Strings.
    "strlen" => Plain [Reads(A(0), Text)]
    "strnlen" => Plain [Reads(A(0), TextWithin(1))]
    "strcpy" | "stpcpy" | "__strcpy_chk" | "__stpcpy_chk" => Plain [Copies(A(0), A(1), Text)]
    "strncpy" | "stpncpy" | "__strncpy_chk" | "__stpncpy_chk" => Plain [Reads(A(1), TextWithin(2)), Writes(A(0), Count(2))]
    "strlcpy" | "__strlcpy_chk" => Plain [Reads(A(1), Text), Writes(A(0), TextWithin(2))]
    "strcat" | "strncat" | "__strcat_chk" | "__strncat_chk" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(A(0), Text)]
    "strlcat" | "__strlcat_chk" => Plain [Reads(A(0), TextWithin(2)), Reads(A(1), Text), Writes(A(0), TextWithin(2))]
    "strdup" | "__strdup" => Plain [Allocates(R, Text), Copies(R, A(0), Text)]
    "strndup" | "__strndup" => Plain [Allocates(R, Text), Reads(A(0), TextWithin(1)), Writes(R, Text)]
    "strcmp" | "strcasecmp" | "strcoll" | "strverscmp" | "strspn" | "strcspn" | "strpbrk" | "strstr" | "strcasestr" =>
        Plain [Reads(A(0), Text), Reads(A(1), Text)]
    "strncmp" | "strncasecmp" => Plain [Reads(A(0), TextWithin(2)), Reads(A(1), TextWithin(2))]
    "strchr" | "strrchr" | "strchrnul" | "index" | "rindex" => Plain [Reads(A(0), Text)]
    "strtok" => Plain [Reads(A(1), Text), Writes(R, Text)]
    "strtok_r" | "__strtok_r" => Plain [Reads(A(1), Text), Writes(R, Text), Writes(A(2), Bytes(8))]
    "strsep" => Plain [Reads(A(1), Text), Writes(R, Text), Writes(A(0), Bytes(8))]
    "strxfrm" => Plain [Reads(A(1), Text), Writes(A(0), Limited(2))]
    "strerror" | "strsignal" | "setlocale" | "nl_langinfo" | "ttyname" | "ctermid" | "getlogin" => Input [Writes(R, Text)]
    "strerror_r" | "__xpg_strerror_r" => Plain [Writes(A(1), TextWithin(2)), Writes(R, Text)]
    "gettext" => Plain [Reads(A(0), Text), Writes(R, Text)]
    "dgettext" | "dcgettext" => Plain [Reads(A(1), Text), Writes(R, Text)]
    "ngettext" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(R, Text)]
    "dngettext" | "dcngettext" => Plain [Reads(A(1), Text), Reads(A(2), Text), Writes(R, Text)]
    "textdomain" | "bindtextdomain" | "bind_textdomain_codeset" => Plain []
    "basename" | "__xpg_basename" | "dirname" => Plain [Reads(A(0), Text), Writes(A(0), Text), Writes(R, Text)]
    // Numbers in strings.
    "atoi" | "atol" | "atoll" | "atof" => Plain [Reads(A(0), Text)]
    "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtoq" | "strtouq" | "strtoimax" | "strtoumax" | "strtod" | "strtof" | "strtold"
        | "__isoc23_strtol" | "__isoc23_strtoll" | "__isoc23_strtoul" | "__isoc23_strtoull" | "__isoc23_strtoimax" | "__isoc23_strtoumax" =>
        Plain [Reads(A(0), Text), Writes(A(1), Bytes(8))]
    // Characters.
    "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower" | "isprint" | "ispunct" | "isspace" | "isupper"
        | "isxdigit" | "isascii" | "toascii" | "tolower" | "toupper" | "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc"
        | "__ctype_get_mb_cur_max" | "iswalnum" | "iswalpha" | "iswprint" | "iswspace" | "iswpunct" | "iswdigit" | "iswupper" | "iswlower"
        | "iswcntrl" | "towlower" | "towupper" | "btowc" | "wctob" | "wcwidth" => Plain []
    "mblen" | "mbrlen" => Plain [Reads(A(0), TextWithin(1))]
    "mbtowc" | "mbrtowc" => Plain [Reads(A(1), TextWithin(2)), Writes(A(0), Bytes(4)), Writes(A(3), Bytes(8))]
    "wctomb" | "wcrtomb" => Plain [Writes(A(0), Returned)]
    "mbsinit" => Plain [Reads(A(0), Bytes(8))]
    "mbstowcs" => Plain [Reads(A(1), Text), Writes(A(0), Wide)]
    "wcslen" => Plain [Reads(A(0), Wide)]
    "wcscmp" | "wcscoll" => Plain [Reads(A(0), Wide), Reads(A(1), Wide)]
    "wcschr" | "wcswidth" => Plain [Reads(A(0), Wide)]
    "wcscpy" => Plain [Copies(A(0), A(1), Wide)]
    "wmemcpy" => Plain [Reads(A(1), Wide), Writes(A(0), Wide)]
    // The heap.
    "malloc" | "valloc" | "alloca" => Plain [Allocates(R, Count(0))]
    "calloc" => Plain [Allocates(R, Product(0, 1)), Zeroes(R, Product(0, 1))]
    "realloc" | "reallocf" => Plain [Moves(0, Count(1))]
    "reallocarray" => Plain [Moves(0, Product(1, 2))]
    "aligned_alloc" | "memalign" => Plain [Allocates(R, Count(1))]
    "posix_memalign" => Plain [Writes(A(0), Bytes(8)), Allocates(P(0), Count(2))]
    "free" | "cfree" => Plain [Frees(0)]
    "malloc_usable_size" | "malloc_trim" | "mallopt" => Plain []
    "mmap" | "mmap64" => Input [Allocates(R, Count(1))]
    "munmap" => Plain [Frees(0)]
    "mprotect" | "madvise" | "msync" | "sbrk" | "brk" => Plain []
    // Files by stream.
    "fopen" | "fopen64" => Input [Reads(A(0), Text), Reads(A(1), Text), Allocates(R, FILE)]
    "freopen" | "freopen64" => Input [Reads(A(0), Text), Reads(A(1), Text)]
    "fdopen" => Input [Reads(A(1), Text), Allocates(R, FILE)]
    "popen" => Input [Reads(A(0), Text), Reads(A(1), Text), Allocates(R, FILE)]
    "tmpfile" | "tmpfile64" => Input [Allocates(R, FILE)]
    "fmemopen" => Plain [Reads(A(0), Count(1)), Reads(A(2), Text), Allocates(R, FILE)]
    "fclose" | "pclose" => Output [Frees(0)]
    "fflush" | "fflush_unlocked" | "fpurge" | "__fpurge" => Output []
    "setvbuf" | "setbuf" | "setlinebuf" | "clearerr" | "clearerr_unlocked" | "rewind" | "fseek" | "fseeko" | "fseeko64" | "funlockfile"
        | "flockfile" | "fileno" | "fileno_unlocked" | "__fpending" | "__freading" | "__fwriting" | "ungetc" => Plain []
    "feof" | "feof_unlocked" | "ferror" | "ferror_unlocked" | "ftell" | "ftello" | "ftello64" => Input []
    "getc" | "fgetc" | "getchar" | "getc_unlocked" | "fgetc_unlocked" | "getchar_unlocked" | "_IO_getc" | "getw" | "__uflow" | "getwc" | "fgetwc" => Input []
    "fread" | "fread_unlocked" => Input [Writes(A(0), Returns(1))]
    "__fread_chk" | "__fread_unlocked_chk" => Input [Writes(A(0), Returns(2))]
    "fgets" | "fgets_unlocked" | "__fgets_chk" | "gets" => Input [Writes(R, Text)]
    "getline" => Input [Writes(A(0), Bytes(8)), Writes(A(1), Bytes(8)), Allocates(P(0), Returned), Writes(P(0), Returned)]
    "getdelim" | "__getdelim" => Input [Writes(A(0), Bytes(8)), Writes(A(1), Bytes(8)), Allocates(P(0), Returned), Writes(P(0), Returned)]
    "fgetpos" | "fgetpos64" => Input [Writes(A(1), Bytes(16))]
    "fsetpos" | "fsetpos64" => Plain [Reads(A(1), Bytes(16))]
    "fwrite" | "fwrite_unlocked" => Output [Reads(A(0), Product(1, 2))]
    "putc" | "fputc" | "putchar" | "putc_unlocked" | "fputc_unlocked" | "putchar_unlocked" | "_IO_putc" | "putw" | "__overflow" | "putwc" | "fputwc" | "putwchar" => Output []
    "fputs" | "fputs_unlocked" | "puts" | "perror" => Output [Reads(A(0), Text)]
    // Formats.
    "printf" => Output [Prints(0, 1)]
    "vprintf" => Output [Reads(A(0), Text)]
    "__printf_chk" => Output [Prints(1, 2)]
    "__vprintf_chk" => Output [Reads(A(1), Text)]
    "fprintf" | "dprintf" => Output [Prints(1, 2)]
    "vfprintf" | "vdprintf" => Output [Reads(A(1), Text)]
    "__fprintf_chk" | "__dprintf_chk" => Output [Prints(2, 3)]
    "__vfprintf_chk" | "__vdprintf_chk" => Output [Reads(A(2), Text)]
    "sprintf" => Plain [Prints(1, 2), Writes(A(0), Text)]
    "vsprintf" => Plain [Reads(A(1), Text), Writes(A(0), Text)]
    "__sprintf_chk" => Plain [Prints(3, 4), Writes(A(0), Text)]
    "__vsprintf_chk" => Plain [Reads(A(3), Text), Writes(A(0), Text)]
    "snprintf" => Plain [Prints(2, 3), Writes(A(0), Limited(1))]
    "vsnprintf" => Plain [Reads(A(2), Text), Writes(A(0), Limited(1))]
    "__snprintf_chk" => Plain [Prints(4, 5), Writes(A(0), Limited(1))]
    "__vsnprintf_chk" => Plain [Reads(A(4), Text), Writes(A(0), Limited(1))]
    "asprintf" => Plain [Prints(1, 2), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text)]
    "vasprintf" => Plain [Reads(A(1), Text), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text)]
    "__asprintf_chk" => Plain [Prints(2, 3), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text)]
    "__vasprintf_chk" => Plain [Reads(A(2), Text), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text)]
    "syslog" => Output [Prints(1, 2)]
    "err" | "errx" => Ends [Prints(1, 2)]
    "warn" | "warnx" => Output [Prints(0, 1)]
    "error" => Output [Prints(2, 3)]
    "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => Input [Scans(0, 1)]
    "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => Input [Scans(1, 2)]
    "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => Plain [Reads(A(0), Text), Scans(1, 2)]
    // Files by descriptor.
    "open" | "open64" | "creat" | "creat64" | "__open_2" | "__open64_2" | "access" | "unlink" | "rmdir" | "mkdir" | "chdir" | "chmod" | "chown" | "lchown" | "truncate"
        | "mkfifo" | "mknod" | "chroot" | "remove" | "eaccess" | "euidaccess" | "umount" => Input [Reads(A(0), Text)]
    "openat" | "openat64" | "__openat_2" | "__openat64_2" | "faccessat" | "unlinkat" | "mkdirat" | "fchmodat" | "fchownat" | "mkfifoat" | "mknodat" =>
        Input [Reads(A(1), Text)]
    "rename" | "link" | "symlink" => Input [Reads(A(0), Text), Reads(A(1), Text)]
    "renameat" | "linkat" | "renameat2" => Input [Reads(A(1), Text), Reads(A(3), Text)]
    "symlinkat" => Input [Reads(A(0), Text), Reads(A(2), Text)]
    "close" | "dup" | "dup2" | "dup3" | "isatty" | "fsync" | "fdatasync" | "sync" | "fchdir" | "fchmod" | "fchown" | "ftruncate" | "ftruncate64" | "lseek" | "lseek64"
        | "flock" | "fcntl" | "fcntl64" | "umask" | "lockf" | "posix_fadvise" | "posix_fallocate" | "ioctl" => Input []
    "read" | "pread" | "pread64" | "recv" | "__read_chk" | "__pread_chk" | "__pread64_chk" => Input [Writes(A(1), Returned)]
    "getrandom" | "getentropy" => Input [Writes(A(0), Count(1))]
    "write" | "pwrite" | "pwrite64" | "send" => Output [Reads(A(1), Count(2))]
    "readlink" | "__readlink_chk" => Input [Reads(A(0), Text), Writes(A(1), Returned)]
    "readlinkat" | "__readlinkat_chk" => Input [Reads(A(1), Text), Writes(A(2), Returned)]
    "stat" | "stat64" | "lstat" | "lstat64" => Input [Reads(A(0), Text), Writes(A(1), STAT)]
    "fstat" | "fstat64" => Input [Writes(A(1), STAT)]
    "__xstat" | "__xstat64" | "__lxstat" | "__lxstat64" => Input [Reads(A(1), Text), Writes(A(2), STAT)]
    "__fxstat" | "__fxstat64" => Input [Writes(A(2), STAT)]
    "fstatat" | "fstatat64" => Input [Reads(A(1), Text), Writes(A(2), STAT)]
    "statfs" | "statfs64" => Input [Reads(A(0), Text), Writes(A(1), Bytes(120))]
    "statvfs" | "statvfs64" => Input [Reads(A(0), Text), Writes(A(1), Bytes(112))]
    "pipe" | "pipe2" => Input [Writes(A(0), Bytes(8))]
    "utime" => Input [Reads(A(0), Text), Reads(A(1), TIME)]
    "utimes" | "lutimes" => Input [Reads(A(0), Text), Reads(A(1), Bytes(32))]
    "futimens" => Input [Reads(A(1), Bytes(32))]
    "utimensat" => Input [Reads(A(1), Text), Reads(A(2), Bytes(32))]
    "getcwd" | "__getcwd_chk" | "getwd" | "get_current_dir_name" => Input [Writes(R, Text)]
    "realpath" | "canonicalize_file_name" | "__realpath_chk" => Input [Reads(A(0), Text), Writes(R, Text)]
    "mkstemp" | "mkstemp64" | "mkdtemp" | "mktemp" | "mkostemp" => Input [Reads(A(0), Text), Writes(A(0), Text)]
    "tmpnam" | "tempnam" => Input [Writes(R, Text)]
    "opendir" => Input [Reads(A(0), Text), Allocates(R, Bytes(48))]
    "fdopendir" => Input [Allocates(R, Bytes(48))]
    "closedir" => Plain [Frees(0)]
    "readdir" | "readdir64" => Input [Writes(R, Bytes(280))]
    "rewinddir" | "seekdir" | "telldir" | "dirfd" => Input []
    "select" => Input [Writes(A(1), Bytes(128)), Writes(A(2), Bytes(128)), Writes(A(3), Bytes(128)), Writes(A(4), TIME)]
    "socket" | "bind" | "listen" | "accept" | "connect" | "shutdown" => Input []
    // Searching and sorting.
    "qsort" | "qsort_r" => Plain [Reads(A(0), Product(1, 2)), Writes(A(0), Product(1, 2))]
    "bsearch" => Plain []
    // Environment and options.
    "getenv" | "secure_getenv" => Input [Reads(A(0), Text), Writes(R, Text)]
    "setenv" => Plain [Reads(A(0), Text), Reads(A(1), Text)]
    "unsetenv" | "putenv" => Plain [Reads(A(0), Text)]
    "clearenv" => Plain []
    "getopt" => Plain [Writes(A(1), Pointers(0)), Reads(A(2), Text)]
    "getopt_long" | "getopt_long_only" => Plain [Writes(A(1), Pointers(0)), Reads(A(2), Text), Writes(A(4), Bytes(4))]
    // Time.
    "time" => Input [Writes(A(0), Bytes(8))]
    "gettimeofday" => Input [Writes(A(0), TIME), Writes(A(1), Bytes(8))]
    "clock_gettime" | "clock_getres" => Input [Writes(A(1), TIME)]
    "timespec_get" => Input [Writes(A(0), TIME)]
    "clock" | "sleep" | "usleep" | "alarm" | "difftime" => Input []
    "nanosleep" => Input [Reads(A(0), TIME), Writes(A(1), TIME)]
    "setitimer" => Input [Reads(A(1), Bytes(32)), Writes(A(2), Bytes(32))]
    "times" => Input [Writes(A(0), Bytes(32))]
    "localtime" | "gmtime" => Input [Reads(A(0), Bytes(8)), Writes(R, CALENDAR)]
    "localtime_r" | "gmtime_r" => Input [Reads(A(0), Bytes(8)), Writes(A(1), CALENDAR)]
    "mktime" | "timegm" | "timelocal" => Plain [Reads(A(0), CALENDAR), Writes(A(0), CALENDAR)]
    "tzset" => Input []
    "asctime" => Plain [Reads(A(0), CALENDAR), Writes(R, Text)]
    "ctime" => Input [Reads(A(0), Bytes(8)), Writes(R, Text)]
    "asctime_r" => Plain [Reads(A(0), CALENDAR), Writes(A(1), Text)]
    "ctime_r" => Input [Reads(A(0), Bytes(8)), Writes(A(1), Text)]
    "strftime" => Plain [Reads(A(2), Text), Reads(A(3), CALENDAR), Writes(A(0), Limited(1))]
    "strptime" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(A(2), CALENDAR)]
    // Processes, users and the machine.
    "exit" | "_exit" | "_Exit" | "quick_exit" => Ends []
    "abort" | "__stack_chk_fail" | "__chk_fail" | "__fortify_fail" => Aborts []
    "pthread_exit" => Ends []
    "__assert_fail" => Aborts [Reads(A(0), Text), Reads(A(1), Text), Reads(A(3), Text)]
    "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => Jumps []
    "fork" | "__fork" | "vfork" => Forks []
    "execv" | "execvp" | "execve" | "execvpe" | "execl" | "execlp" | "execle" | "fexecve" => Executes [Reads(A(0), Text)]
    "posix_spawn" | "posix_spawnp" => Input [Writes(A(0), Bytes(4)), Reads(A(1), Text)]
    "system" => Output [Reads(A(0), Text)]
    "wait" => Input [Writes(A(0), Bytes(4))]
    "waitpid" => Input [Writes(A(1), Bytes(4))]
    "wait3" => Input [Writes(A(0), Bytes(4)), Writes(A(2), Bytes(144))]
    "wait4" => Input [Writes(A(1), Bytes(4)), Writes(A(3), Bytes(144))]
    "atexit" | "on_exit" | "__cxa_atexit" | "at_quick_exit" => Plain []
    "getpid" | "getppid" | "gettid" | "getpgrp" | "getpgid" | "setpgid" | "setsid" | "getuid" | "geteuid" | "getgid" | "getegid" | "setuid" | "seteuid"
        | "setgid" | "setegid" | "nice" | "getpriority" | "setpriority" | "getpagesize" | "sysconf" | "pathconf" | "fpathconf" | "sched_yield" => Input []
    "getrlimit" | "getrlimit64" => Input [Writes(A(1), Bytes(16))]
    "setrlimit" | "setrlimit64" => Input [Reads(A(1), Bytes(16))]
    "getrusage" => Input [Writes(A(1), Bytes(144))]
    "uname" => Input [Writes(A(0), Bytes(390))]
    "gethostname" => Input [Writes(A(0), TextWithin(1))]
    "getpwnam" | "getpwuid" | "getpwent" => Input [Writes(R, Bytes(48))]
    "getgrnam" | "getgrgid" | "getgrent" => Input [Writes(R, Bytes(32))]
    "getgroups" => Input []
    "setpwent" | "endpwent" | "setgrent" | "endgrent" => Plain []
    "localeconv" => Input [Writes(R, Bytes(96))]
    // Signals.
    "signal" | "bsd_signal" | "sysv_signal" | "__sysv_signal" | "sigset" | "ssignal" => Handles []
    "sigaction" => Handles [Reads(A(1), Bytes(152)), Writes(A(2), Bytes(152))]
    "raise" | "kill" | "killpg" | "pause" | "siginterrupt" => Output []
    "sigemptyset" | "sigfillset" | "sigaddset" | "sigdelset" => Plain [Writes(A(0), Bytes(128))]
    "sigismember" => Plain [Reads(A(0), Bytes(128))]
    "sigprocmask" | "pthread_sigmask" => Plain [Reads(A(1), Bytes(128)), Writes(A(2), Bytes(128))]
    "sigsuspend" => Plain [Reads(A(0), Bytes(128))]
    "sigaltstack" => Plain [Writes(A(1), Bytes(24))]
    // Terminals.
    "tcgetattr" => Input [Writes(A(1), Bytes(60))]
    "tcsetattr" => Output [Reads(A(2), Bytes(60))]
    // Numbers.
    "abs" | "labs" | "llabs" | "imaxabs" | "ffs" | "ffsl" | "ffsll" | "div" | "ldiv" | "lldiv" => Plain []
    "rand" | "random" | "lrand48" | "mrand48" | "drand48" | "arc4random" | "arc4random_uniform" => Input []
    "srand" | "srandom" | "srand48" => Plain []
    "rand_r" => Input [Writes(A(0), Bytes(4))]
    "sqrt" | "sqrtf" | "cbrt" | "cbrtf" | "pow" | "powf" | "powl" | "exp" | "expf" | "exp2" | "exp2f" | "expm1" | "log" | "logf" | "log2" | "log2f" | "log10" | "log10f"
        | "log1p" | "sin" | "sinf" | "cos" | "cosf" | "tan" | "tanf" | "asin" | "asinf" | "acos" | "acosf" | "atan" | "atanf" | "atan2" | "atan2f"
        | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "hypot" | "hypotf" | "fmod" | "fmodf" | "fmodl" | "remainder" | "floor" | "floorf"
        | "floorl" | "ceil" | "ceilf" | "ceill" | "round" | "roundf" | "lround" | "lroundf" | "llround" | "llroundf" | "rint" | "rintf" | "lrint" | "llrint" | "nearbyint"
        | "trunc" | "truncf" | "fabs" | "fabsf" | "fabsl" | "fmin" | "fminf" | "fmax" | "fmaxf" | "fma" | "fmaf" | "copysign" | "copysignf" | "nextafter" | "erf" | "erfc"
        | "tgamma" | "lgamma" | "ldexp" | "ldexpf" | "ldexpl" | "scalbn" | "ilogb" | "logb" | "isnan" | "isinf" | "finite" | "__isnan" | "__isinf" | "__finite"
        | "__fpclassify" | "__signbit" | "fesetround" | "fegetround" | "feclearexcept" | "fetestexcept" => Plain []
    "frexp" | "frexpf" | "frexpl" => Plain [Writes(A(1), Bytes(4))]
    "modf" => Plain [Writes(A(1), Bytes(8))]
    "modff" => Plain [Writes(A(1), Bytes(4))]
    "sincos" => Plain [Writes(A(1), Bytes(8)), Writes(A(2), Bytes(8))]
    // What the compiler and the C library's headers call.
    "__errno_location" | "__h_errno_location" | "__libc_current_sigrtmin" | "__libc_current_sigrtmax" | "__cxa_finalize" => Plain []
    // Threads: a second one is not recorded.
    "pthread_mutex_init" | "pthread_mutex_destroy" | "pthread_mutex_lock" | "pthread_mutex_trylock" | "pthread_mutex_unlock" =>
        Plain [Writes(A(0), Bytes(40))]
    "pthread_mutexattr_init" | "pthread_mutexattr_settype" | "pthread_mutexattr_destroy" => Plain [Writes(A(0), Bytes(4))]
    "pthread_create" | "thrd_create" => Threads []
    "pthread_self" => Input []
    "pthread_once" => Plain [Writes(A(0), Bytes(4))]
    "dlopen" => Input [Reads(A(0), Text)]
    "dlsym" => Input [Reads(A(1), Text)]
    "dlclose" => Plain []
    "dlerror" => Input [Writes(R, Text)]
};

#[cfg(test)]
mod tests {
    extern crate std;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_function_has_one_model() {
        let names: BTreeSet<_> = EXTERNALS.iter().map(|external| external.name).collect();
        assert_eq!(names.len(), EXTERNALS.len());
        for (place, row) in EXTERNALS.iter().enumerate() {
            assert_eq!(number(row.name), Some(place as u32), "{}", row.name);
            assert_eq!(external(place as u32), Some(row));
        }
        assert_eq!((number("frobnicate"), external(UNKNOWN), external(INDIRECT)), (None, None, None));
        assert!(EXTERNALS.len() < 0x400, "results of different functions are predicted apart");
    }

    #[test]
    fn extents_are_what_arguments_and_result_say() {
        let length = |base: u64, unit: u64, most: u64| (base / unit).min(most);
        let arguments = [100, 7, 3];
        let bytes = |extent: Extent, result: i64| extent.bytes(12, &arguments, result as u64, length);
        assert_eq!(bytes(Bytes(5), 0), 5);
        assert_eq!(bytes(Count(1), 0), 7);
        assert_eq!((bytes(Product(1, 2), 0), bytes(Pointers(1), 0)), (21, 56));
        assert_eq!((bytes(Returned, 9), bytes(Returned, -1)), (9, 0));
        assert_eq!(bytes(Returns(2), 4), 12);
        assert_eq!((bytes(Text, 0), bytes(Wide, 0)), (13, 16));
        assert_eq!((bytes(TextWithin(1), 0), bytes(TextWithin(0), 0)), (7, 13));
        assert_eq!((bytes(Limited(1), 3), bytes(Limited(1), 50), bytes(Limited(1), -1)), (4, 7, 1));
        assert_eq!(bytes(Count(9), 0), 0, "an argument that is not there");
    }

    proptest! {
        /// Every model answers for whatever arguments a program passes.
        #[test]
        fn any_arguments_have_an_extent(arguments in prop::collection::vec(any::<u64>(), 0..6), result: u64, found: u64) {
            for effect in EXTERNALS.iter().flat_map(|external| external.effects) {
                let extent = match effect {
                    Reads(_, extent) | Writes(_, extent) | Fills(_, extent) | Zeroes(_, extent) => extent,
                    Allocates(_, extent) | Copies(_, _, extent) | Moves(_, extent) => extent,
                    Frees(_) | Prints(..) | Scans(..) => continue,
                };
                extent.bytes(found, &arguments, result, |_, unit, most| (found / unit.max(1)).min(most));
            }
        }
    }
}
