//! `suspect explain`: why a run fails where another one does not.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::answer::fitted;
use super::args::{AnswerFormat, ExplainArguments};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::exec::interrupt;
use crate::explain::{Method, Request, explain as explained, keep};
use crate::obstacle::Obstacle;
use crate::report::{self, BriefExplanation, Explanation};
use crate::source::SourceTree;
use crate::store::Store;

/// Runs both tests recorded, and explains.
pub fn explain(root: &Path, arguments: &ExplainArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let request = Request::from(arguments);
    interrupt::catch().map_err(Failure::of(Exit::Internal))?;
    let known: Arc<Mutex<Option<Explanation>>> = Arc::default();
    let late =
        || Late { known: Arc::clone(&known), root: root.to_owned(), format: arguments.format, brief: arguments.brief };
    let told = |explanation: &Explanation| {
        if let Ok(mut known) = known.lock() {
            *known = Some(explanation.clone());
        }
    };
    let explained = within(request.budget, late(), || explained(&store, &request, &StatusLine::new(), &told));
    let explanation = match explained {
        Err(Obstacle::Time(why)) if known.lock().is_ok_and(|known| known.is_some()) => {
            return Err(Failure::new(late().tell(why, out), String::new()));
        }
        explained => explained?,
    };
    // What other methods say is for comparison.
    if request.method == Method::Cc {
        keep(&store, &explanation)?;
    }
    write(root, &explanation, (arguments.format, arguments.brief), out)?;
    if interrupt::happened() {
        out.flush().map_err(Failure::of(Exit::File))?;
        return Err(Failure::new(Exit::Interrupted, "interrupted: this is what was found out by then"));
    }
    match explanation.verified || request.method != Method::Cc {
        true => Ok(()),
        false => Err(Failure::new(Exit::Finding, String::new())),
    }
}

/// Time beyond the budget in which what is under way may end by itself: a recording cannot be read in part.
const GRACE: Duration = Duration::from_secs(5);

/// What is said when time is over.
struct Late {
    /// What is known so far.
    known: Arc<Mutex<Option<Explanation>>>,
    root: PathBuf,
    format: AnswerFormat,
    brief: bool,
}

impl Late {
    /// Tells what is known, and `why` it is not more; how `suspect` is to end.
    fn tell(&self, why: String, out: &mut impl Write) -> Exit {
        let known = self.known.lock().ok().and_then(|mut known| known.take());
        let Some(mut explanation) = known else {
            anstream::eprintln!("suspect: {why}");
            return Exit::Partial;
        };
        let says_how = !explanation.facts.is_empty() || !explanation.origins.is_empty();
        explanation.trust.push(why);
        let written = write(&self.root, &explanation, (self.format, self.brief), out);
        match written.is_ok() && out.flush().is_ok() && says_how {
            true => Exit::Finding,
            false => Exit::Partial,
        }
    }
}

/// Does what must not take much longer than `budget`: what does not look at the time itself is broken off, and the process with it.
fn within<T>(budget: Duration, late: Late, work: impl FnOnce() -> T) -> T {
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if is_done.recv_timeout(budget + budget / 4 + GRACE) == Err(RecvTimeoutError::Timeout) {
            let why = format!(
                "nothing more was found out within {budget:?}: the tests, or reading what they did, took longer; --budget gives it more time"
            );
            std::process::exit(i32::from(late.tell(why, &mut anstream::stdout()) as u8));
        }
    });
    let result = work();
    drop(done);
    // Once it has begun to tell what is known, the process ends with that, and nothing is told twice.
    let _ = watch.join();
    result
}

fn write(
    root: &Path,
    explanation: &Explanation,
    (format, brief): (AnswerFormat, bool),
    out: &mut impl Write,
) -> Result<(), Failure> {
    if brief {
        let brief = serde_json::to_string(&BriefExplanation::of(explanation)).map_err(std::io::Error::from);
        return brief.and_then(|text| writeln!(out, "{text}")).map_err(Failure::of(Exit::File));
    }
    // Two tests that are named can be compared without a recorded run.
    let run = Store::new(root).latest_run();
    let sources = run.map_or_else(|_| SourceTree::plain(root), |run| SourceTree::of(root, &run.program));
    let line = |file: &str, line: u32| sources.line(file, line);
    let written = match format {
        AnswerFormat::Text => write_text(explanation, line, out),
        AnswerFormat::Json => write_json(explanation, out),
        AnswerFormat::Sarif => write_json(&report::explanation_sarif(explanation), out),
    };
    written.map_err(Failure::of(Exit::File))
}

fn write_text(
    explanation: &Explanation,
    line: impl Fn(&str, u32) -> Option<String>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let mut text = Vec::new();
    report::write_explanation(explanation, line, &mut text)?;
    out.write_all(fitted(&String::from_utf8_lossy(&text)).as_bytes())
}

fn write_json(view: &impl serde::Serialize, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::to_string_pretty(view)?)
}
