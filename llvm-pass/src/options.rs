//! The command line's choice of modes, and which versions of each function follow from it.

use suspect_format::abi::Mode;

/// The versions to emit, in the order of their numbers; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions(Vec<Mode>);

impl Versions {
    /// Reads `-suspect-modes=`; empty means all modes.
    ///
    /// `edges` is left out beside `values` unless `plain` is there too: without an inert version the build is meant to
    /// be quick, and `values` says all that `edges` does. `record` comes with `plain`: its hooks work only while a process is recorded.
    pub fn parse(option: &str) -> Result<Versions, String> {
        if option.is_empty() {
            return Ok(Versions(Mode::VERSIONS.to_vec()));
        }
        let mut modes = option.split(',').map(one_mode).collect::<Result<Vec<_>, _>>()?;
        modes.sort();
        modes.dedup();
        if modes == [Mode::Record] {
            modes.insert(0, Mode::Plain);
        }
        if modes.contains(&Mode::Values) && !modes.contains(&Mode::Plain) {
            modes.retain(|mode| *mode != Mode::Edges);
        }
        if modes.contains(&Mode::Mutants) && !modes.contains(&Mode::Trace) {
            return Err("suspect: -suspect-modes has `mutants` without `trace`, in which mutants run".to_owned());
        }
        Ok(Versions(modes))
    }

    /// The version that keeps the function's own body and debug information.
    pub fn base(&self) -> Mode {
        self.0[0]
    }

    /// The versions that are copies.
    pub fn copies(&self) -> &[Mode] {
        &self.0[1..]
    }

    /// Whether `mode` has a version.
    pub fn contains(&self, mode: Mode) -> bool {
        self.0.contains(&mode)
    }

    /// The version that the `trace` version calls.
    pub fn called_by_trace(&self) -> Mode {
        if self.contains(Mode::Mutants) { Mode::Mutants } else { Mode::Trace }
    }

    /// Whether there is a choice to make at run time.
    pub fn dispatch(&self) -> bool {
        self.0.len() > 1
    }

    /// Bit `1 << mode` for each version.
    pub fn bits(&self) -> u32 {
        self.0.iter().map(|mode| 1 << *mode as u32).sum()
    }
}

fn one_mode(name: &str) -> Result<Mode, String> {
    let names = || Mode::VERSIONS.map(Mode::name).join(", ");
    Mode::version_from_name(name)
        .ok_or_else(|| format!("suspect: unknown mode `{name}` in -suspect-modes: expected one or more of {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(option: &str) -> Vec<Mode> {
        Versions::parse(option).unwrap().0
    }

    #[test]
    fn no_option_means_every_mode() {
        assert_eq!(versions(""), Mode::VERSIONS);
    }

    #[test]
    fn edges_beside_values_without_plain_is_left_out() {
        assert_eq!(versions("edges,values"), [Mode::Values]);
        assert_eq!(versions("values,trace,edges"), [Mode::Values, Mode::Trace]);
        assert_eq!(versions("edges,plain,values"), [Mode::Plain, Mode::Edges, Mode::Values]);
        assert_eq!(versions("edges,trace"), [Mode::Edges, Mode::Trace]);
    }

    #[test]
    fn modes_are_sorted_and_named_twice_count_once() {
        assert_eq!(versions("trace,plain,trace"), [Mode::Plain, Mode::Trace]);
    }

    #[test]
    fn mutants_run_in_the_trace_version() {
        assert_eq!(versions("mutants,trace"), [Mode::Trace, Mode::Mutants]);
        assert!(Versions::parse("plain,mutants").unwrap_err().contains("without `trace`"));
    }

    #[test]
    fn record_is_never_alone() {
        assert_eq!(versions("record"), [Mode::Plain, Mode::Record]);
        assert_eq!(versions("record,values"), [Mode::Values, Mode::Record]);
    }

    #[test]
    fn an_unknown_mode_is_named() {
        assert!(Versions::parse("plain,edge").unwrap_err().contains("`edge`"));
        assert!(Versions::parse("plain,").unwrap_err().contains("``"));
    }
}
