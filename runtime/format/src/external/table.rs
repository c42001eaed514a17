//! The functions of the C library: a row for each, with its role, its effects and what else is known of it.

use super::Base::{Argument as A, Pointee as P, Result as R};
use super::Effect::{Allocates, Copies, Fills, Frees, Moves, Prints, Reads, Scans, Writes, Zeroes};
use super::Extent::{Bytes, Count, Items, Limited, Pointers, Product, Returned, Text, TextWithin, Wide, Wides};
use super::Known::{Heap, Looks, Returns, Searches, Shows, Sizes, Stirs, Whole};
use super::Role::{Aborts, Ends, Executes, Forks, Handles, Input, Jumps, Output, Plain, Threads};
use super::{Extent, External};

const STAT: Extent = Bytes(144);
const TIME: Extent = Bytes(16);
const CALENDAR: Extent = Bytes(56);
const FILE: Extent = Bytes(216);

/// A row: the name, what it is to the process, its effects, and behind a semicolon what else is known.
macro_rules! external {
    ($name:literal $role:ident [$($effect:expr),* $(; $($known:ident),+)?]) => {
        External { name: $name, effects: &[$($effect),*], role: $role, known: &[$($($known),+)?] }
    };
}

/// A row for each alternative name.
macro_rules! externals {
    ($($($name:literal)|+ => $role:ident $rest:tt)*) => { &[$($(external!($name $role $rest)),+),*] };
}

/// The models. A function's number is its place here.
#[rustfmt::skip]
pub const EXTERNALS: &[External] = externals! {
    // Memory.
    "memcpy" | "memmove" | "mempcpy" | "__memcpy_chk" | "__memmove_chk" | "__mempcpy_chk" => Plain [Copies(A(0), A(1), Count(2)); Returns]
    "bcopy" => Plain [Copies(A(1), A(0), Count(2)); Returns]
    "memccpy" => Plain [Reads(A(1), Count(3)), Writes(A(0), Count(3)); Returns, Searches]
    "memset" | "__memset_chk" => Plain [Fills(A(0), Count(2)); Returns]
    "bzero" | "explicit_bzero" | "__explicit_bzero_chk" => Plain [Zeroes(A(0), Count(1)); Returns]
    "memcmp" | "bcmp" => Plain [Reads(A(0), Count(2)), Reads(A(1), Count(2)); Returns]
    "memchr" | "memrchr" => Plain [Reads(A(0), Count(2)); Returns, Searches]
    "rawmemchr" => Plain [Reads(A(0), Text); Returns]
    "memmem" => Plain [Reads(A(0), Count(1)), Reads(A(2), Count(3)); Returns]
    "swab" => Plain [Reads(A(0), Count(2)), Writes(A(1), Count(2)); Returns]
    // Strings.
    "strlen" => Plain [Reads(A(0), Text); Returns, Whole]
    "strnlen" => Plain [Reads(A(0), TextWithin(1)); Returns]
    "strcpy" | "stpcpy" | "__strcpy_chk" | "__stpcpy_chk" => Plain [Copies(A(0), A(1), Text); Returns, Whole]
    "strncpy" | "stpncpy" | "__strncpy_chk" | "__stpncpy_chk" => Plain [Reads(A(1), TextWithin(2)), Writes(A(0), Count(2)); Returns]
    "strlcpy" | "__strlcpy_chk" => Plain [Reads(A(1), Text), Writes(A(0), TextWithin(2)); Returns]
    "strcat" | "__strcat_chk" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(A(0), Text); Returns, Whole]
    "strncat" | "__strncat_chk" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(A(0), Text); Returns]
    "strlcat" | "__strlcat_chk" => Plain [Reads(A(0), TextWithin(2)), Reads(A(1), Text), Writes(A(0), TextWithin(2)); Returns]
    "strdup" | "__strdup" => Plain [Allocates(R, Text), Copies(R, A(0), Text); Returns, Heap, Whole]
    "strndup" | "__strndup" => Plain [Allocates(R, Text), Reads(A(0), TextWithin(1)), Writes(R, Text); Returns, Heap]
    "strcmp" => Plain [Reads(A(0), Text), Reads(A(1), Text); Returns, Whole]
    "strcasecmp" | "strcoll" | "strverscmp" | "strspn" | "strcspn" | "strpbrk" | "strstr" | "strcasestr" =>
        Plain [Reads(A(0), Text), Reads(A(1), Text); Returns]
    "strncmp" | "strncasecmp" => Plain [Reads(A(0), TextWithin(2)), Reads(A(1), TextWithin(2)); Returns]
    "strchr" | "strrchr" | "strchrnul" | "index" | "rindex" => Plain [Reads(A(0), Text); Returns]
    "strtok" => Plain [Reads(A(1), Text), Writes(R, Text); Returns]
    "strtok_r" | "__strtok_r" => Plain [Reads(A(1), Text), Writes(R, Text), Writes(A(2), Bytes(8)); Returns]
    "strsep" => Plain [Reads(A(1), Text), Writes(R, Text), Writes(A(0), Bytes(8)); Returns]
    "strxfrm" => Plain [Reads(A(1), Text), Writes(A(0), Limited(2)); Returns]
    "strerror" | "strsignal" | "setlocale" | "nl_langinfo" | "ttyname" | "ctermid" | "getlogin" => Input [Writes(R, Text); Returns]
    "strerror_r" | "__xpg_strerror_r" => Plain [Writes(A(1), TextWithin(2)), Writes(R, Text); Returns]
    "gettext" => Plain [Reads(A(0), Text), Writes(R, Text); Returns]
    "dgettext" | "dcgettext" => Plain [Reads(A(1), Text), Writes(R, Text); Returns]
    "ngettext" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(R, Text); Returns]
    "dngettext" | "dcngettext" => Plain [Reads(A(1), Text), Reads(A(2), Text), Writes(R, Text); Returns]
    "textdomain" | "bindtextdomain" | "bind_textdomain_codeset" => Plain [; Returns]
    "basename" | "__xpg_basename" | "dirname" => Plain [Reads(A(0), Text), Writes(A(0), Text), Writes(R, Text); Returns]
    // Numbers in strings.
    "atoi" => Plain [Reads(A(0), Text); Returns, Whole]
    "atol" | "atoll" | "atof" => Plain [Reads(A(0), Text); Returns]
    "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtoq" | "strtouq" | "strtoimax" | "strtoumax" | "strtod" | "strtof" | "strtold"
        | "__isoc23_strtol" | "__isoc23_strtoll" | "__isoc23_strtoul" | "__isoc23_strtoull" | "__isoc23_strtoimax" | "__isoc23_strtoumax" =>
        Plain [Reads(A(0), Text), Writes(A(1), Bytes(8)); Returns]
    // Characters.
    "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower" | "isprint" | "ispunct" | "isspace" | "isupper"
        | "isxdigit" | "isascii" | "toascii" | "tolower" | "toupper" | "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc"
        | "__ctype_get_mb_cur_max" | "iswalnum" | "iswalpha" | "iswprint" | "iswspace" | "iswpunct" | "iswdigit" | "iswupper" | "iswlower"
        | "iswcntrl" | "towlower" | "towupper" | "btowc" | "wctob" | "wcwidth" => Plain [; Returns]
    "mblen" | "mbrlen" => Plain [Reads(A(0), TextWithin(1)); Returns]
    "mbtowc" | "mbrtowc" => Plain [Reads(A(1), TextWithin(2)), Writes(A(0), Bytes(4)), Writes(A(3), Bytes(8)); Returns]
    "wctomb" | "wcrtomb" => Plain [Writes(A(0), Returned); Returns]
    "mbsinit" => Plain [Reads(A(0), Bytes(8)); Returns]
    "mbstowcs" => Plain [Reads(A(1), Text), Writes(A(0), Wide); Returns]
    "wcslen" => Plain [Reads(A(0), Wide); Returns]
    "wcscmp" | "wcscoll" => Plain [Reads(A(0), Wide), Reads(A(1), Wide); Returns]
    "wcschr" | "wcswidth" => Plain [Reads(A(0), Wide); Returns]
    "wcscpy" => Plain [Copies(A(0), A(1), Wide); Returns]
    "wcsrchr" => Plain [Reads(A(0), Wide); Returns]
    "wcsncmp" => Plain [Reads(A(0), Wide), Reads(A(1), Wide); Returns]
    "wcsncpy" => Plain [Reads(A(1), Wide), Writes(A(0), Wides(2)); Returns]
    "wcscat" => Plain [Reads(A(0), Wide), Reads(A(1), Wide), Writes(A(0), Wide); Returns]
    "wcstombs" => Plain [Reads(A(1), Wide), Writes(A(0), Limited(2)); Returns]
    "mbsrtowcs" => Plain [Writes(A(0), Wide), Writes(A(1), Bytes(8)); Returns]
    "wmemcpy" | "wmemmove" => Plain [Copies(A(0), A(1), Wides(2)); Returns]
    "wmemcmp" => Plain [Reads(A(0), Wides(2)), Reads(A(1), Wides(2)); Returns]
    "wmemchr" => Plain [Reads(A(0), Wides(2)); Returns, Searches]
    "wmemset" => Plain [Writes(A(0), Wides(2)); Returns]
    // The heap.
    "malloc" | "valloc" | "pvalloc" => Plain [Allocates(R, Count(0)); Returns, Heap]
    "alloca" => Plain [Allocates(R, Count(0)); Returns]
    "calloc" => Plain [Allocates(R, Product(0, 1)), Zeroes(R, Product(0, 1)); Returns, Heap]
    "realloc" | "reallocf" => Plain [Moves(0, Count(1)); Returns, Heap]
    "reallocarray" => Plain [Moves(0, Product(1, 2)); Returns, Heap]
    "aligned_alloc" | "memalign" => Plain [Allocates(R, Count(1)); Returns, Heap]
    "posix_memalign" => Plain [Writes(A(0), Bytes(8)), Allocates(P(0), Count(2)); Returns, Heap]
    "free" | "cfree" => Plain [Frees(0); Returns]
    "malloc_usable_size" => Plain [; Returns, Sizes]
    "malloc_trim" | "mallopt" => Plain [; Returns]
    "mmap" | "mmap64" => Input [Allocates(R, Count(1))]
    "munmap" => Plain [Frees(0)]
    "mprotect" | "madvise" | "msync" | "sbrk" | "brk" => Plain []
    // Files by stream.
    "fopen" | "fopen64" => Input [Reads(A(0), Text), Reads(A(1), Text), Allocates(R, FILE)]
    "freopen" | "freopen64" => Input [Reads(A(0), Text), Reads(A(1), Text); Stirs]
    "fdopen" => Input [Reads(A(1), Text), Allocates(R, FILE)]
    "popen" => Input [Reads(A(0), Text), Reads(A(1), Text), Allocates(R, FILE)]
    "tmpfile" | "tmpfile64" => Input [Allocates(R, FILE)]
    "fmemopen" => Plain [Reads(A(0), Count(1)), Reads(A(2), Text), Allocates(R, FILE); Stirs]
    "fclose" | "pclose" => Output [Frees(0)]
    "fflush" | "fflush_unlocked" | "fpurge" | "__fpurge" => Output [; Returns]
    "flockfile" => Plain []
    "setvbuf" | "setbuf" | "setlinebuf" | "clearerr" | "clearerr_unlocked" | "rewind" | "fseek" | "fseeko" | "fseeko64" | "funlockfile"
        | "fileno" | "fileno_unlocked" | "__fpending" | "__freading" | "__fwriting" | "ungetc" => Plain [; Returns]
    "feof" | "feof_unlocked" | "ferror" | "ferror_unlocked" | "ftell" | "ftello" | "ftello64" => Input [; Returns, Looks]
    "getc" | "fgetc" | "getchar" | "getc_unlocked" | "fgetc_unlocked" | "getchar_unlocked" | "_IO_getc" | "getw" | "__uflow" | "getwc" | "fgetwc" => Input []
    "fread" | "fread_unlocked" => Input [Writes(A(0), Items(1))]
    "__fread_chk" | "__fread_unlocked_chk" => Input [Writes(A(0), Items(2))]
    "fgets" | "fgets_unlocked" | "__fgets_chk" | "gets" => Input [Writes(R, Text)]
    "getline" => Input [Writes(A(0), Bytes(8)), Writes(A(1), Bytes(8)), Allocates(P(0), Returned), Writes(P(0), Returned); Heap]
    "getdelim" | "__getdelim" => Input [Writes(A(0), Bytes(8)), Writes(A(1), Bytes(8)), Allocates(P(0), Returned), Writes(P(0), Returned); Heap]
    "fgetpos" | "fgetpos64" => Input [Writes(A(1), Bytes(16))]
    "fsetpos" | "fsetpos64" => Plain [Reads(A(1), Bytes(16)); Stirs]
    "fwrite" | "fwrite_unlocked" => Output [Reads(A(0), Product(1, 2)); Returns]
    "putc" | "fputc" | "putchar" | "putc_unlocked" | "fputc_unlocked" | "putchar_unlocked" | "_IO_putc" | "putw" | "__overflow" | "putwc" | "fputwc" | "putwchar" => Output [; Returns]
    "fputs" | "fputs_unlocked" | "puts" => Output [Reads(A(0), Text); Returns, Whole]
    "perror" => Output [Reads(A(0), Text); Returns]
    // Formats.
    "printf" => Output [Prints(0, 1); Returns]
    "vprintf" => Output [Reads(A(0), Text); Returns]
    "__printf_chk" => Output [Prints(1, 2); Returns]
    "__vprintf_chk" => Output [Reads(A(1), Text); Returns]
    "fprintf" | "dprintf" => Output [Prints(1, 2); Returns]
    "vfprintf" | "vdprintf" => Output [Reads(A(1), Text); Returns]
    "__fprintf_chk" | "__dprintf_chk" => Output [Prints(2, 3); Returns]
    "__vfprintf_chk" | "__vdprintf_chk" => Output [Reads(A(2), Text); Returns]
    "sprintf" => Plain [Prints(1, 2), Writes(A(0), Text); Returns]
    "vsprintf" => Plain [Reads(A(1), Text), Writes(A(0), Text); Returns]
    "__sprintf_chk" => Plain [Prints(3, 4), Writes(A(0), Text); Returns]
    "__vsprintf_chk" => Plain [Reads(A(3), Text), Writes(A(0), Text); Returns]
    "snprintf" => Plain [Prints(2, 3), Writes(A(0), Limited(1)); Returns]
    "vsnprintf" => Plain [Reads(A(2), Text), Writes(A(0), Limited(1)); Returns]
    "__snprintf_chk" => Plain [Prints(4, 5), Writes(A(0), Limited(1)); Returns]
    "__vsnprintf_chk" => Plain [Reads(A(4), Text), Writes(A(0), Limited(1)); Returns]
    "asprintf" => Plain [Prints(1, 2), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text); Heap]
    "vasprintf" => Plain [Reads(A(1), Text), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text); Heap]
    "__asprintf_chk" => Plain [Prints(2, 3), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text); Heap]
    "__vasprintf_chk" => Plain [Reads(A(2), Text), Writes(A(0), Bytes(8)), Allocates(P(0), Text), Writes(P(0), Text); Heap]
    "syslog" => Output [Prints(1, 2)]
    "err" | "errx" => Ends [Prints(1, 2)]
    "warn" | "warnx" => Output [Prints(0, 1)]
    "error" => Output [Prints(2, 3)]
    "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => Input [Scans(0, 1)]
    "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => Input [Scans(1, 2)]
    "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => Plain [Reads(A(0), Text), Scans(1, 2); Returns]
    // Files by descriptor.
    "open" | "open64" | "creat" | "creat64" | "__open_2" | "__open64_2" | "chdir" | "chroot" | "umount" => Input [Reads(A(0), Text)]
    "access" | "eaccess" | "euidaccess" => Input [Reads(A(0), Text); Returns]
    "unlink" | "rmdir" | "mkdir" | "chmod" | "chown" | "lchown" | "truncate" | "mkfifo" | "mknod" | "remove" => Input [Reads(A(0), Text); Shows]
    "openat" | "openat64" | "__openat_2" | "__openat64_2" | "faccessat" => Input [Reads(A(1), Text)]
    "unlinkat" | "mkdirat" | "fchmodat" | "fchownat" | "mkfifoat" | "mknodat" => Input [Reads(A(1), Text); Shows]
    "rename" | "link" | "symlink" => Input [Reads(A(0), Text), Reads(A(1), Text); Shows]
    "renameat" | "linkat" | "renameat2" => Input [Reads(A(1), Text), Reads(A(3), Text); Shows]
    "symlinkat" => Input [Reads(A(0), Text), Reads(A(2), Text); Shows]
    "close" | "dup" | "dup2" | "dup3" | "isatty" | "fsync" | "fdatasync" | "sync" | "fchdir" | "fchmod" | "fchown" | "ftruncate" | "ftruncate64" | "lseek" | "lseek64"
        | "flock" | "umask" | "lockf" | "posix_fadvise" | "posix_fallocate" => Input [; Looks]
    "fcntl" | "fcntl64" | "ioctl" => Input []
    "read" | "pread" | "pread64" | "recv" | "__read_chk" | "__pread_chk" | "__pread64_chk" => Input [Writes(A(1), Returned)]
    "getrandom" | "getentropy" => Input [Writes(A(0), Count(1))]
    "writev" | "pwritev" | "sendmsg" => Output []
    "write" | "pwrite" | "pwrite64" | "send" | "sendto" => Output [Reads(A(1), Count(2))]
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
    "getenv" | "secure_getenv" => Input [Reads(A(0), Text), Writes(R, Text); Returns, Looks]
    "setenv" => Plain [Reads(A(0), Text), Reads(A(1), Text)]
    "unsetenv" | "putenv" => Plain [Reads(A(0), Text)]
    "clearenv" => Plain []
    "getopt" => Plain [Writes(A(1), Pointers(0)), Reads(A(2), Text)]
    "getopt_long" | "getopt_long_only" => Plain [Writes(A(1), Pointers(0)), Reads(A(2), Text), Writes(A(4), Bytes(4))]
    // Time.
    "time" => Input [Writes(A(0), Bytes(8)); Returns]
    "gettimeofday" => Input [Writes(A(0), TIME), Writes(A(1), Bytes(8)); Returns]
    "clock_gettime" | "clock_getres" => Input [Writes(A(1), TIME); Returns]
    "timespec_get" => Input [Writes(A(0), TIME); Returns]
    "clock" | "difftime" => Input [; Returns]
    "sleep" | "usleep" | "alarm" => Input []
    "nanosleep" => Input [Reads(A(0), TIME), Writes(A(1), TIME)]
    "setitimer" => Input [Reads(A(1), Bytes(32)), Writes(A(2), Bytes(32))]
    "times" => Input [Writes(A(0), Bytes(32))]
    "localtime" | "gmtime" => Input [Reads(A(0), Bytes(8)), Writes(R, CALENDAR); Returns]
    "localtime_r" | "gmtime_r" => Input [Reads(A(0), Bytes(8)), Writes(A(1), CALENDAR); Returns]
    "mktime" | "timegm" | "timelocal" => Plain [Reads(A(0), CALENDAR), Writes(A(0), CALENDAR); Returns]
    "tzset" => Input []
    "asctime" => Plain [Reads(A(0), CALENDAR), Writes(R, Text); Returns]
    "ctime" => Input [Reads(A(0), Bytes(8)), Writes(R, Text); Returns]
    "asctime_r" => Plain [Reads(A(0), CALENDAR), Writes(A(1), Text); Returns]
    "ctime_r" => Input [Reads(A(0), Bytes(8)), Writes(A(1), Text); Returns]
    "strftime" => Plain [Reads(A(2), Text), Reads(A(3), CALENDAR), Writes(A(0), Limited(1)); Returns]
    "strptime" => Plain [Reads(A(0), Text), Reads(A(1), Text), Writes(A(2), CALENDAR); Returns]
    // Processes, users and the machine.
    "exit" | "_exit" | "_Exit" | "quick_exit" => Ends []
    "abort" | "__stack_chk_fail" | "__chk_fail" | "__fortify_fail" | "__assert" | "__assert_perror_fail" => Aborts []
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
        | "setgid" | "setegid" | "nice" | "getpriority" | "setpriority" | "getpagesize" | "sysconf" | "pathconf" | "fpathconf" | "sched_yield" => Input [; Returns]
    "getrlimit" | "getrlimit64" => Input [Writes(A(1), Bytes(16))]
    "setrlimit" | "setrlimit64" => Input [Reads(A(1), Bytes(16))]
    "getrusage" => Input [Writes(A(1), Bytes(144))]
    "uname" => Input [Writes(A(0), Bytes(390))]
    "gethostname" => Input [Writes(A(0), TextWithin(1))]
    "getpwnam" | "getpwuid" | "getpwent" => Input [Writes(R, Bytes(48))]
    "getgrnam" | "getgrgid" | "getgrent" => Input [Writes(R, Bytes(32))]
    "getgroups" => Input []
    "setpwent" | "endpwent" | "setgrent" | "endgrent" => Plain []
    "localeconv" => Input [Writes(R, Bytes(96)); Returns]
    // Signals.
    "signal" | "bsd_signal" | "sysv_signal" | "__sysv_signal" | "sigset" | "ssignal" => Handles []
    "sigaction" => Handles [Reads(A(1), Bytes(152)), Writes(A(2), Bytes(152))]
    "raise" | "kill" | "killpg" | "pause" | "siginterrupt" => Output []
    "sigemptyset" | "sigfillset" | "sigaddset" | "sigdelset" => Plain [Writes(A(0), Bytes(128)); Returns]
    "sigismember" => Plain [Reads(A(0), Bytes(128)); Returns]
    "sigprocmask" | "pthread_sigmask" => Plain [Reads(A(1), Bytes(128)), Writes(A(2), Bytes(128))]
    "sigsuspend" => Plain [Reads(A(0), Bytes(128))]
    "sigaltstack" => Plain [Writes(A(1), Bytes(24))]
    // Terminals.
    "tcgetattr" => Input [Writes(A(1), Bytes(60))]
    "tcsetattr" => Output [Reads(A(2), Bytes(60))]
    // Numbers.
    "abs" | "labs" | "llabs" | "imaxabs" | "ffs" | "ffsl" | "ffsll" | "div" | "ldiv" | "lldiv" => Plain [; Returns]
    "rand" | "random" | "lrand48" | "mrand48" | "drand48" | "arc4random" | "arc4random_uniform" => Input [; Returns]
    "srand" | "srandom" | "srand48" => Plain [; Returns]
    "rand_r" => Input [Writes(A(0), Bytes(4)); Returns]
    "sqrt" | "sqrtf" | "cbrt" | "cbrtf" | "pow" | "powf" | "powl" | "exp" | "expf" | "exp2" | "exp2f" | "expm1" | "log" | "logf" | "log2" | "log2f" | "log10" | "log10f"
        | "log1p" | "sin" | "sinf" | "cos" | "cosf" | "tan" | "tanf" | "asin" | "asinf" | "acos" | "acosf" | "atan" | "atanf" | "atan2" | "atan2f"
        | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "hypot" | "hypotf" | "fmod" | "fmodf" | "fmodl" | "remainder" | "floor" | "floorf"
        | "floorl" | "ceil" | "ceilf" | "ceill" | "round" | "roundf" | "lround" | "lroundf" | "llround" | "llroundf" | "rint" | "rintf" | "lrint" | "llrint" | "nearbyint"
        | "trunc" | "truncf" | "fabs" | "fabsf" | "fabsl" | "fmin" | "fminf" | "fmax" | "fmaxf" | "fma" | "fmaf" | "copysign" | "copysignf" | "nextafter" | "erf" | "erfc"
        | "tgamma" | "lgamma" | "ldexp" | "ldexpf" | "ldexpl" | "scalbn" | "ilogb" | "logb" | "isnan" | "isinf" | "finite" | "__isnan" | "__isinf" | "__finite"
        | "__fpclassify" | "__signbit" | "fesetround" | "fegetround" | "feclearexcept" | "fetestexcept" => Plain [; Returns]
    "nan" | "nanf" => Plain [Reads(A(0), Text); Returns]
    "frexp" | "frexpf" | "frexpl" => Plain [Writes(A(1), Bytes(4)); Returns]
    "modf" => Plain [Writes(A(1), Bytes(8)); Returns]
    "modff" => Plain [Writes(A(1), Bytes(4)); Returns]
    "sincos" => Plain [Writes(A(1), Bytes(8)), Writes(A(2), Bytes(8)); Returns]
    // What the compiler and the C library's headers call.
    "__errno_location" | "__h_errno_location" | "__libc_current_sigrtmin" | "__libc_current_sigrtmax" | "__cxa_finalize" => Plain [; Returns]
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
