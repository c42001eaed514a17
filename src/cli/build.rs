//! `suspect build` and `suspect doctor`.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use super::args::BuildArguments;
use super::exit::{Exit, Failure};
use super::project_root;
use crate::build::{self, BuildError, BuildOptions, driver};
use crate::store::Store;
use crate::suite::{CONFIG_FILE, Config};

/// Runs the project's build and says what came of it.
pub fn build(start: &Path, arguments: &BuildArguments, out: &mut impl Write) -> Result<(), Failure> {
    let root = project_root(start);
    let path = root.join(CONFIG_FILE);
    let configured = path.is_file().then(|| Config::load(&path)).transpose()?;
    let store = Store::new(&root);
    let _lock = store.lock()?;
    let command =
        match (arguments.command.is_empty(), configured.as_ref().and_then(|config| config.build.command.as_ref())) {
            (false, _) => arguments.command.clone(),
            (true, Some(line)) => ["sh", "-c", line].map(OsString::from).to_vec(),
            (true, None) => {
                let message = format!(
                    "no build command; type: suspect build -- make (or put [build] command into {CONFIG_FILE})"
                );
                return Err(Failure::new(Exit::Usage, message));
            }
        };
    let options = BuildOptions {
        command,
        modes: modes(arguments, configured.as_ref())?,
        directory: if arguments.command.is_empty() { root.clone() } else { start.to_path_buf() },
        state: store.build_directory(),
        root,
        log: None,
    };
    let report = match build::build(&options) {
        Ok(report) => report,
        Err(BuildError::NotInstrumented(report)) => {
            let message = format!("{report}suspect: no program of this build is instrumented");
            return Err(Failure::new(Exit::NotInstrumented, message.trim_start_matches("suspect: ")));
        }
        Err(error) => return Err(Failure::new(exit_of(&error), error.to_string())),
    };
    store.save_build(&report)?;
    out.flush().map_err(Failure::of(Exit::File))?;
    anstream::eprint!("{report}");
    match report.status {
        0 => Ok(()),
        status => Err(Failure::new(Exit::Build, format!("the build command ended with status {status}"))),
    }
}

/// The exit code of a build that has no usable result.
pub fn exit_of(error: &BuildError) -> Exit {
    match error {
        BuildError::NoCommand | BuildError::StaleTree(_) => Exit::Usage,
        BuildError::Toolchain(_) => Exit::Compiler,
        BuildError::Spawn { .. } => Exit::Build,
        BuildError::State { .. } => Exit::File,
        BuildError::NotInstrumented(_) => Exit::NotInstrumented,
    }
}

fn modes(arguments: &BuildArguments, configured: Option<&Config>) -> Result<String, Failure> {
    let configured = configured.map_or(&[][..], |config| &config.build.modes);
    if !arguments.modes.is_empty() {
        return driver::check_modes(&arguments.modes.join(",")).map_err(Failure::of(Exit::Usage));
    }
    if configured.is_empty() {
        return Ok(driver::ALL_MODES.to_string());
    }
    Ok(configured.iter().map(|mode| mode.name()).collect::<Vec<_>>().join(","))
}

/// Looks at the set-up and the built programs.
pub fn doctor(root: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let log = build::log_in(&store.build_directory());
    let report = build::doctor(root, log.exists().then_some(log.as_path()));
    write!(out, "{report}").map_err(Failure::of(Exit::File))?;
    match report.healthy() {
        true => Ok(()),
        false => Err(Failure::new(Exit::NotInstrumented, "something is wrong; see the lines marked BAD")),
    }
}
