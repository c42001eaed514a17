//! A recording as text for people: what each point read, wrote and decided.

use std::io::{self, Write};
use std::path::Path;

use super::body::{Code, Site};
use super::file::{Recording, RecordingError, code_of};
use super::image::Modules;
use super::observer::{Access, Activation, Observer, View};
use super::walk::Walk;
use super::walked::{End, Walked};
use crate::program::Program;

/// Why a recording cannot be printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// It cannot be used.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The text cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

struct Printer<'a, W> {
    code: &'a Code,
    program: &'a Program,
    out: &'a mut W,
    number: u32,
    depth: usize,
    failed: Option<io::Error>,
}

impl<W: Write> Printer<'_, W> {
    fn say(&mut self, text: &str) {
        if self.failed.is_none()
            && let Err(error) = write!(self.out, "{text}")
        {
            self.failed = Some(error);
        }
    }

    fn access(&mut self, what: &str, access: Access, view: &mut View) {
        let value = match (access.length, view.memory.load(access.address, access.length.min(8))) {
            (_, None) => "?".to_owned(),
            (0..=8, Some(bits)) => format!("{bits:#x}"),
            (_, Some(bits)) => format!("{bits:#x}.."),
        };
        self.say(&format!(" {what} {:#x}/{}={value}", access.address, access.length));
    }
}

impl<W: Write> Observer for Printer<'_, W> {
    fn point(&mut self, site: u32, _: u32) {
        self.number += 1;
        let step = self.code.step_of(site).map(|step| &self.code.steps[step as usize]);
        let place = step.map(|step| step.place).unwrap_or_default();
        let file = self.program.files.get(place.file as usize).map_or("", String::as_str);
        let what = match (self.code.what(site), step) {
            (Site::Step(_), Some(step)) => {
                let action = format!("{:?}", step.action);
                action.split(['(', ' ']).next().unwrap_or_default().to_lowercase()
            }
            (Site::Returned(_), _) => "returned".to_owned(),
            _ => "called".to_owned(),
        };
        let indent = "  ".repeat(self.depth.min(40));
        self.say(&format!("\n{:>8} {indent}{file}:{}:{} {what}", self.number, place.line, place.column));
    }

    fn read(&mut self, access: Access, view: &mut View) {
        self.access("r", access, view);
    }

    fn write(&mut self, access: Access, view: &mut View) {
        self.access("w", access, view);
    }

    fn outcome(&mut self, outcome: u32) {
        self.say(&format!(" -> {outcome}"));
    }

    fn enter(&mut self, activation: Activation, _: u32, _: &mut View) {
        let function = self.code.functions[activation.function as usize].program;
        self.say(&format!(" enter {}", self.program.functions[function as usize].name));
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn unwind(&mut self, depth: u32) {
        self.depth = depth as usize;
        self.say(&format!(" unwind to {depth}"));
    }

    fn allocate(&mut self, object: u32, view: &mut View) {
        let object = view.objects.all()[object as usize];
        self.say(&format!(" object {:#x}/{}", object.address, object.size));
    }
}

/// Writes what the recording at `path` says to `out`, and where it and the code disagree.
pub fn print(path: &Path, out: &mut impl Write) -> Result<(), PrintError> {
    let recording = Recording::open(path)?;
    let [test, executable] = recording.names();
    let bytes = recording.stream().end();
    writeln!(out, "recording    {}, {bytes} bytes", path.display())?;
    writeln!(out, "test         {test}\nexecutable   {executable}")?;
    let header = recording.header();
    writeln!(out, "process      {}, child of {}", header.pid, header.parent_pid)?;
    for warning in recording.warnings() {
        writeln!(out, "warning      {warning}")?;
    }
    let modules = recording.modules();
    for module in &modules {
        writeln!(out, "module       {}", module.display())?;
    }
    let (program, code) = code_of(&[&recording], "")?;
    let mut printer = Printer { code: &code, program: &program, out, number: 0, depth: 0, failed: None };
    let mut image = Modules::default();
    let walked = Walk::new(&code, &mut image, &mut printer, recording.stream(), header, recording.replaced(), &[])
        .with_bounds()
        .run();
    if let Some(error) = printer.failed {
        return Err(error.into());
    }
    writeln!(out)?;
    for problem in image.problems() {
        writeln!(out, "problem      {problem}")?;
    }
    summarise(&walked, &code, &program, out)?;
    Ok(())
}

fn summarise(walked: &Walked, code: &Code, program: &Program, out: &mut impl Write) -> io::Result<()> {
    let place = |step: u32| {
        let place = code.steps[step as usize].place;
        format!("{}:{}", program.files.get(place.file as usize).map_or("", String::as_str), place.line)
    };
    let end = match &walked.end {
        End::Outside(None) => "the process ended after its last function, or before its first".to_owned(),
        End::Outside(Some(step)) => format!("the process ended in a function called at {}", place(*step)),
        End::Within(step) => format!("the recording ends at {}", place(*step)),
        End::Interrupted(step) => {
            format!(
                "more handlers of signals were entered than a recording tells; the last one that is told, at {}",
                place(*step)
            )
        }
        End::Late => "there was no time to read on".to_owned(),
        End::Damaged(what) => format!("code and recording do not fit: {what}"),
    };
    writeln!(out, "end          {end}")?;
    let Walked { points, evaluated, returned, .. } = walked;
    for one in &walked.misuses {
        let (what, length, block) = (one.what, one.length, &one.block);
        let offset = one.address.wrapping_sub(block.address) as i64;
        writeln!(
            out,
            "misuse       point {}: {what:?} of {length} bytes at offset {offset} of {} bytes of {:?}, ended: {:?}",
            one.point, block.size, block.what, block.ended
        )?;
    }
    writeln!(out, "points       {points}, of {evaluated} operations; {returned} calls of other code returned")?;
    let [branches, loads] = walked.compared;
    let (wrong, strays) = (walked.disagreements.len(), walked.strays.len());
    writeln!(out, "checked      {branches} branches, {wrong} of them disagree")?;
    writeln!(out, "             {loads} loads, {strays} of them found what other code must have written")?;
    for one in &walked.disagreements {
        writeln!(
            out,
            "  branch at {} (point {}): {} expected, {} recorded",
            place(one.step),
            one.point,
            one.computed,
            one.recorded
        )?;
    }
    for one in walked.strays.iter().take(100) {
        let (address, length) = (one.address, one.length);
        writeln!(
            out,
            "  load at {} of {address:#x}/{length}: {:#x} expected, {:#x} recorded",
            place(one.step),
            one.expected,
            one.bits
        )?;
    }
    Ok(())
}
