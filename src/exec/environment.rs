//! The environment block of a command.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Fills the block up, see [`Environment::sealed`].
const PAD: &str = "SUSPECT_PAD";
/// Bytes that the variables we set and the filling have together.
const PAD_TO: usize = 4096;

/// Variables of the session or of a surrounding `make` that say nothing about the test.
const SESSION: [&str; 12] = [
    "_",
    "COLUMNS",
    "LINES",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "MFLAGS",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "TERMCAP",
    "WINDOWID",
];

/// Variables of a command.
///
/// Starts from the user's own, since a test must do here what it does in the user's hands: locale, time zone, `PATH` and `HOME`
/// stay. What differs from one call to the next for no reason of the test is taken out: the terminal's size, the shell's
/// book-keeping, a surrounding make's job server, and every `SUSPECT_` variable. What suspect sets itself is
/// padded to a constant length, so that the stack of a program starts at the same address in every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    inherited: BTreeMap<OsString, OsString>,
    ours: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// This process's own, cleaned as described.
    pub fn inherited() -> Environment {
        Environment::cleaned(std::env::vars_os())
    }

    /// `variables`, cleaned as described.
    pub fn cleaned(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
        let keep = |name: &OsStr| !name.as_bytes().starts_with(b"SUSPECT_") && !SESSION.iter().any(|s| name == *s);
        let inherited = variables.into_iter().filter(|(name, _)| keep(name)).collect();
        Environment { inherited, ours: BTreeMap::new() }
    }

    /// Nothing at all.
    pub fn empty() -> Environment {
        Environment::default()
    }

    /// Sets a variable whose value is the same in every run.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.ours.remove(&name);
        self.inherited.insert(name, value.into());
    }

    /// Sets a variable whose length may differ from run to run (names of directories); the filling makes up for it.
    pub fn set_varying(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.inherited.remove(&name);
        self.ours.insert(name, value.into());
    }

    /// Takes a variable out.
    pub fn unset(&mut self, name: impl AsRef<OsStr>) {
        self.inherited.remove(name.as_ref());
        self.ours.remove(name.as_ref());
    }

    /// The value of a variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.ours.get(name.as_ref()).or_else(|| self.inherited.get(name.as_ref())).map(OsString::as_os_str)
    }

    /// All variables in order of name, with a filling that makes the block's size independent of the varying ones.
    pub fn sealed(&self) -> BTreeMap<OsString, OsString> {
        let used: usize = self.ours.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        let fixed = PAD.len() + 2;
        let fill = (used + fixed).next_multiple_of(PAD_TO) - used - fixed;
        let mut all = self.inherited.clone();
        all.extend(self.ours.clone());
        all.insert(PAD.into(), "x".repeat(fill).into());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(environment: &Environment) -> usize {
        environment.sealed().iter().map(|(name, value)| name.len() + value.len() + 2).sum()
    }

    #[test]
    fn block_has_the_same_size_whatever_the_directories_are_called() {
        let mut first = Environment::cleaned([("A".into(), "b".into())]);
        first.set_varying("TMPDIR", "/tmp/a");
        let mut second = first.clone();
        second.set_varying("TMPDIR", "/tmp/a/much/longer/name/than/before");
        assert_eq!(size(&first), size(&second));
    }

    #[test]
    fn session_variables_and_our_own_are_taken_out() {
        let environment = Environment::cleaned(
            [("MAKEFLAGS", "-j"), ("SUSPECT_OUT", "/x"), ("COLUMNS", "80"), ("LC_ALL", "C"), ("TZ", "Asia/Tokyo")]
                .map(|(name, value)| (name.into(), value.into())),
        );
        assert_eq!(environment.get("MAKEFLAGS"), None);
        assert_eq!(environment.get("SUSPECT_OUT"), None);
        assert_eq!(environment.get("COLUMNS"), None);
        assert_eq!(environment.get("LC_ALL"), Some(OsStr::new("C")));
        assert_eq!(environment.get("TZ"), Some(OsStr::new("Asia/Tokyo")));
    }

    #[test]
    fn last_setting_wins_whichever_way_it_was_set() {
        let mut environment = Environment::empty();
        environment.set_varying("A", "1");
        environment.set("A", "2");
        assert_eq!(environment.get("A"), Some(OsStr::new("2")));
        environment.set_varying("A", "3");
        assert_eq!(environment.get("A"), Some(OsStr::new("3")));
        environment.unset("A");
        assert_eq!(environment.get("A"), None);
    }
}
