//! What is known of calls: which return for certain without running the program's own code, which leave frames behind.

use crate::ir::{LLVMOpcode, Value};

/// What control flow does at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It returns at once, and no code of the program runs meanwhile.
    Returns,
    /// It may end the process or thread, leave by `longjmp`, or run code that does.
    MayStop,
    /// It never returns.
    NeverReturns,
}

/// What control flow does at `call`.
pub fn effect(call: Value) -> Effect {
    if call.call_has("noreturn") {
        return Effect::NeverReturns;
    }
    if call.inline_assembly().is_some() {
        return Effect::Returns;
    }
    let Some(callee) = call.called_function() else { return Effect::MayStop };
    let harmless = call.call_has("willreturn") && call.call_has("nocallback");
    match callee.is_intrinsic() || harmless || (callee.is_declaration() && RETURNING.binary_search(&callee.name().as_str()).is_ok()) {
        true => Effect::Returns,
        false => Effect::MayStop,
    }
}

/// Whether `call` leaves the frames of its callers without returning through them.
pub fn is_nonlocal(call: Value) -> bool {
    call.called_function().is_some_and(|callee| NONLOCAL.contains(&callee.name().as_str()))
}

/// Whether `call` ends the process in an orderly way, as far as its name tells.
pub fn is_orderly_end(call: Value) -> bool {
    call.call_has("noreturn") && !call.called_function().is_some_and(|callee| DISORDERLY.contains(&callee.name().as_str()))
}

/// Whether `value` is a call other than inline assembly or one of LLVM's own.
pub fn is_call(value: Value) -> bool {
    value.is(LLVMOpcode::LLVMCall)
}

const NONLOCAL: &[&str] = &[
    "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "pthread_exit", "thrd_exit", "_Unwind_Resume", "_Unwind_ForcedUnwind",
    "swapcontext", "setcontext",
];

const DISORDERLY: &[&str] = &[
    "abort", "__assert_fail", "__assert_perror_fail", "__assert", "__stack_chk_fail", "__fortify_fail", "__chk_fail", "longjmp",
    "_longjmp", "siglongjmp", "__longjmp_chk", "llvm.trap", "llvm.debugtrap", "llvm.ubsantrap",
];

/// Functions of the C library that return, whatever happens, and call nothing of the program's. Sorted. Not here: what
/// takes a callback (`qsort`, `bsearch`), may be cancelled or blocked for ever by what the program does (`read`, locks),
/// or runs handlers (`raise`, `kill`, `fork`).
const RETURNING: &[&str] = &[
    "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "__errno_location", "__fprintf_chk", "__isoc99_sscanf",
    "__memcpy_chk", "__memmove_chk", "__memset_chk", "__printf_chk", "__snprintf_chk", "__sprintf_chk", "__strcat_chk",
    "__strcpy_chk", "__strncat_chk", "__strncpy_chk", "__vfprintf_chk", "__vsnprintf_chk", "__vsprintf_chk", "abs", "access", "acos", "acosf",
    "acosh", "aligned_alloc", "asin", "asinf", "asinh", "atan", "atan2", "atan2f", "atanf", "atanh", "atof", "atoi", "atol", "atoll",
    "bcmp", "bcopy", "bzero", "calloc", "cbrt", "ceil", "ceilf", "clearerr", "clock", "clock_gettime", "copysign", "cos", "cosf",
    "cosh", "ctime", "difftime", "div", "erf", "erfc", "exp", "exp2", "expf", "expm1", "fabs", "fabsf", "fabsl", "feof", "ferror",
    "fflush", "ffs", "fileno", "floor", "floorf", "fma", "fmax", "fmin", "fmod", "fmodf", "fprintf", "fputc", "fputs", "free", "frexp",
    "fseek", "fseeko", "ftell", "ftello", "fwrite", "getenv", "getpid", "gettimeofday", "gmtime", "gmtime_r", "hypot", "ilogb",
    "index", "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace",
    "isupper", "iswalnum", "iswalpha", "iswdigit", "iswspace", "isxdigit", "labs", "ldexp", "ldiv", "lgamma", "llabs", "llrint",
    "llround", "localeconv", "localtime", "localtime_r", "log", "log10", "log1p", "log2", "logf", "lrint", "lround", "malloc",
    "malloc_usable_size", "mblen", "mbrlen", "mbrtowc", "mbsrtowcs", "mbstowcs", "mbtowc", "memccpy", "memchr", "memcmp", "memcpy", "memmem",
    "memmove", "mempcpy", "memrchr", "memset", "mktime", "modf", "modff", "nan", "nearbyint", "nextafter", "perror", "posix_memalign",
    "pow", "powf", "printf", "putc", "putchar", "puts", "rand", "rand_r", "random", "realloc", "reallocarray", "remainder", "rewind",
    "rindex", "rint", "round", "roundf", "scalbn", "setbuf", "setlocale", "setvbuf", "sin", "sincos", "sinf", "sinh", "snprintf",
    "sprintf", "sqrt", "sqrtf", "srand", "srandom", "sscanf", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr",
    "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strftime", "strlen", "strncasecmp", "strncat",
    "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtod", "strtof", "strtok",
    "strtok_r", "strtol", "strtold", "strtoll", "strtoul", "strtoull", "strxfrm", "tan", "tanf", "tanh", "tgamma", "time", "tolower",
    "toupper", "trunc", "truncf", "ungetc", "vfprintf", "vprintf", "vsnprintf", "vsprintf", "wcrtomb", "wcscat", "wcschr", "wcscmp",
    "wcscpy", "wcslen", "wcsncmp", "wcsncpy", "wcsrchr", "wcstombs", "wctomb", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_nothing_that_calls_back() {
        assert!(RETURNING.is_sorted());
        for name in ["qsort", "bsearch", "exit", "raise", "signal", "atexit", "system", "abort", "longjmp"] {
            assert!(!RETURNING.contains(&name), "{name}");
        }
    }
}
