//! The log for whoever wants to know what suspect decided and why: what `SUSPECT_LOG` asks for, on standard error.

use std::io;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::exit::{Exit, Failure};

/// What is logged: a level, or MODULE=LEVEL separated by commas.
const ENV_LOG: &str = "SUSPECT_LOG";

/// Starts the log, if it is asked for.
///
/// # Errors
/// When what is asked for has another form.
pub fn start() -> Result<(), Failure> {
    let Some(asked) = std::env::var_os(ENV_LOG).filter(|asked| !asked.is_empty()) else { return Ok(()) };
    let targets = asked.to_str().and_then(|asked| asked.parse::<Targets>().ok());
    let targets = targets.ok_or_else(|| {
        let message = format!(
            "{ENV_LOG} is {}; expected error, warn, info, debug or trace, or some of suspect::MODULE=LEVEL, separated by commas",
            asked.display()
        );
        Failure::new(Exit::Usage, message)
    })?;
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).without_time();
    // Only this starts a log.
    let _ = tracing_subscriber::registry().with(lines).with(targets).try_init();
    Ok(())
}
