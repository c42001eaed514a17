//! The names under which the driver is called, and what each promises its caller.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Name that CMake's launcher variables call the driver by: the first argument is the compiler.
pub const LAUNCHER: &str = "suspect-cc-launcher";
/// Names that every shim directory has.
pub const SHIMS: &[&str] =
    &["suspect-cc", "suspect-clang", LAUNCHER, "cc", "gcc", "clang", "c89", "c99", "c++", "g++", "clang++"];

/// What a caller expects of a compiler of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Clang's options and strictness.
    Clang,
    /// gcc's options; what gcc only warns about is no error.
    Gcc,
    /// As gcc, for the older standard C of this option.
    Standard(&'static str),
    /// C++: only links concern us.
    Cxx,
}

/// A compiler's name, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// What it promises.
    pub family: Family,
    /// Major version in the name (`clang-16`).
    pub major: Option<u32>,
}

impl Name {
    /// Takes the last component of `program` apart; `None` when it names no compiler that we stand in for.
    pub fn of(program: &OsStr) -> Option<Name> {
        let name = base_name(program)?;
        let name = name.strip_prefix(host_prefix()).unwrap_or(name);
        let (stem, major) = match name.rsplit_once('-') {
            Some((stem, version)) if version.starts_with(|first: char| first.is_ascii_digit()) => {
                (stem, Some(version.split('.').next()?.parse().ok()?))
            }
            _ => (name, None),
        };
        let family = match stem {
            "suspect-cc" | "suspect-clang" | "clang" => Family::Clang,
            "cc" | "gcc" => Family::Gcc,
            "c89" => Family::Standard("-std=c89"),
            "c99" => Family::Standard("-std=c99"),
            "c++" | "g++" | "clang++" => Family::Cxx,
            _ => return None,
        };
        Some(Name { family, major })
    }
}

/// Whether `program` (as in `argv[0]`) calls for the driver.
pub fn is_driver_name(program: &OsStr) -> bool {
    is_launcher(program) || Name::of(program).is_some()
}

/// Whether `program` is the launcher.
pub fn is_launcher(program: &OsStr) -> bool {
    base_name(program) == Some(LAUNCHER)
}

/// The last component of a path.
fn base_name(program: &OsStr) -> Option<&str> {
    let bytes = program.as_bytes();
    std::str::from_utf8(bytes.rsplit(|byte| *byte == b'/').next()?).ok()
}

/// What distributions put before the names of compilers for this machine.
fn host_prefix() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64-linux-gnu-" } else { "x86_64-linux-gnu-" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_what_their_users_expect() {
        let of = |name: &str| Name::of(OsStr::new(name)).map(|name| (name.family, name.major));
        assert_eq!(of("suspect-cc"), Some((Family::Clang, None)));
        assert_eq!(of("/a b/clang-16"), Some((Family::Clang, Some(16))));
        assert_eq!(of("cc"), Some((Family::Gcc, None)));
        assert_eq!(of("gcc-4.9"), Some((Family::Gcc, Some(4))));
        assert_eq!(of("c99"), Some((Family::Standard("-std=c99"), None)));
        assert_eq!(of("clang++-19"), Some((Family::Cxx, Some(19))));
        assert_eq!(of("suspect"), None);
        assert_eq!(of("gcc-ar"), None);
        assert_eq!(of("arm-none-eabi-gcc"), None);
        assert_eq!(of("clang-tidy-19"), None);
    }

    #[test]
    fn launcher_is_a_driver() {
        assert!(is_driver_name(OsStr::new("/x/suspect-cc-launcher")));
        assert!(is_driver_name(OsStr::new("/x/suspect-cc")));
        assert!(!is_driver_name(OsStr::new("suspect")));
    }
}
