//! What a recording says of code that is not recorded, and of where it leads.

use std::path::PathBuf;

use suspect_format::body::{Action, Datum};
use suspect_format::external;
use suspect_format::record::{Event, Unread, callee_outcome};

use super::{Level, Walk};
use crate::recording::body::Site;
use crate::recording::evaluate::Word;
use crate::recording::loading::Image;
use crate::recording::objects::{ARGUMENTS_STRIDE, Kind, Object, library};
use crate::recording::observer::Observer;
use crate::recording::walked::Stop;

/// Bytes of an argument, at most: the kernel takes no longer ones.
const LONGEST_ARGUMENT: u64 = 1 << 17;

impl<O: Observer, I: Image> Walk<'_, O, I> {
    /// Code outside is at work: the next thing that the recording says of it.
    pub(super) fn outside(&mut self) -> Result<(), Stop> {
        let Some(Level::Outside(outside)) = self.levels.last_mut() else { return Ok(()) };
        let (external, fresh) = (outside.external, std::mem::replace(&mut outside.fresh, false));
        let event = match self.mirror.take_event(&mut self.stream, external) {
            Ok(event) => event,
            Err(unread) => {
                self.pass_fresh(fresh);
                return Err(unread.into());
            }
        };
        if let (Event::Entered(entry), true) = (event, fresh) {
            let Some(Level::Outside(outside)) = self.levels.pop() else { return Ok(()) };
            return self.enter(entry, outside.call, outside.point, &outside.data);
        }
        self.pass_fresh(fresh);
        match event {
            Event::Entered(_) => Err(Unread::Damaged.into()),
            Event::Callback => {
                let Event::Entered(entry) = self.mirror.take_event(&mut self.stream, external)? else {
                    return Err(Unread::Damaged.into());
                };
                let opener = match self.levels.last() {
                    Some(Level::Outside(outside)) => outside.point,
                    _ => 0,
                };
                self.enter(entry, None, opener, &[])
            }
            Event::Done(result) => self.done(result, 0),
            Event::Changed(result, ranges) => self.done(result, ranges),
            Event::Jumped(frame, result) => self.jumped(frame, result),
            Event::Left(n_calls) => self.left(n_calls),
            Event::Module(_, base, path, ranges) => {
                self.modules.push(PathBuf::from(String::from_utf8_lossy(path).into_owned()));
                let loaded = self.image.load(self.code, path, base);
                for object in loaded.objects {
                    self.view.objects.allocate(object);
                }
                loaded.memory.iter().for_each(|(address, bytes)| self.view.memory.write(*address, bytes));
                self.take_memory(ranges)
            }
            Event::Library(address, size, name) => {
                let kind = Kind::Library(library(name));
                self.view.objects.add_library(Object { kind, address, size });
                self.image.name_library(name, address);
                Ok(())
            }
            Event::Memory(ranges) => {
                self.take_memory(ranges)?;
                self.find_arrays();
                Ok(())
            }
        }
    }

    /// The arrays that a process has at its start are objects as soon as it is known what they hold.
    fn find_arrays(&mut self) {
        let environ = std::mem::take(&mut self.environment);
        if environ == 0 {
            return;
        }
        let memory = &mut self.view.memory;
        // Their number precedes the arguments, and a null pointer follows them, as it does the variables.
        let below = |count: u64| environ.wrapping_sub(8 * (count + 2));
        let argc =
            (0..).map_while(|count| Some((count, memory.load(below(count), 8)?))).find(|(count, word)| count == word);
        let above = |at: u64| environ.wrapping_add(8 * at);
        let variables = (0..).map_while(|at| memory.load(above(at), 8)).take_while(|word| *word != 0).count() as u64;
        if let Some((argc, _)) = argc {
            self.find_arguments(below(argc) + 8, argc, environ);
            self.view.objects.allocate(Object { kind: Kind::Argv, address: below(argc) + 8, size: 8 * (argc + 1) });
            self.view.objects.allocate(Object { kind: Kind::Environ, address: environ, size: 8 * (variables + 1) });
        }
    }

    /// Each string of `argv` is an object: it is named by its number, wherever it lies and however long those before it are. They lie one after another,
    /// with the variables behind them.
    fn find_arguments(&mut self, argv: u64, argc: u64, environ: u64) {
        let memory = &mut self.view.memory;
        let starts: Vec<u64> = (0..argc).map_while(|number| memory.load(argv + 8 * number, 8)).collect();
        let behind = memory.load(environ, 8).filter(|first| *first != 0);
        let ends = starts.iter().copied().skip(1).chain(behind);
        for (number, (start, end)) in (0..).zip(starts.iter().copied().zip(ends)) {
            if (start + 1..start + LONGEST_ARGUMENT).contains(&end) {
                let object = Object { kind: Kind::Argument(number), address: start, size: end - start };
                self.view.objects.allocate(object);
            }
        }
    }

    /// What code outside is called with, once it is clear that it is code outside.
    pub(super) fn pass_fresh(&mut self, fresh: bool) {
        if let (true, Some(Level::Outside(outside))) = (fresh, self.levels.last_mut()) {
            let data = std::mem::take(&mut outside.data);
            self.pass_outside(&data);
            self.check_call();
        }
    }

    pub(super) fn take_memory(&mut self, ranges: u64) -> Result<(), Stop> {
        for _ in 0..ranges {
            let (address, bytes) = self.mirror.take_range(&mut self.stream)?;
            self.view.memory.write(address, bytes);
        }
        Ok(())
    }

    pub(super) fn done(&mut self, result: u64, ranges: u64) -> Result<(), Stop> {
        let Some(Level::Outside(outside)) = self.levels.pop() else { return Ok(()) };
        let Some(call) = outside.call else { return Err(Unread::Damaged.into()) };
        self.step = call;
        self.point(Site::Returned(call));
        for number in 0..outside.arguments.len().min(ARGUMENTS_STRIDE as usize / 8) {
            self.reads(self.argument_address(number), 8, false);
        }
        let model = external::external(outside.external);
        if let Some(model) = model {
            self.read_outside(model, &outside.arguments, result);
        }
        self.check_measured(&outside, result);
        self.told_size(&outside, result);
        let mut written = Vec::new();
        for _ in 0..ranges {
            let (address, bytes) = self.mirror.take_range(&mut self.stream)?;
            written.push((address, bytes));
        }
        if let Some(model) = model {
            self.objects_outside(model, &outside.arguments, result, &written);
        }
        // Of a call through a pointer all is recorded but which objects it made and ended.
        if let Some(called) = external::external(outside.called).filter(|_| model.is_none()) {
            self.objects_outside(called, &outside.arguments, result, &written);
        }
        for (address, bytes) in written {
            self.check_written(&outside, address, bytes.len() as u64);
            self.view.memory.write(address, bytes);
            self.wrote(address, bytes.len() as u64, false);
        }
        if let Some(model) = model {
            self.copies_outside(model, &outside.arguments, result);
        }
        self.correct();
        self.returned += 1;
        let block = self.block_of_result(&outside, result);
        self.set_value(call, Word { block, ..Word::number(result) });
        Ok(())
    }

    /// Code outside returns or calls back: what an earlier walk found that it must have written.
    pub(super) fn correct(&mut self) {
        self.turns += 1;
        let Some(corrections) = self.corrections.remove(&self.turns) else { return };
        for stray in corrections {
            self.view.memory.store(stray.address, stray.length, stray.bits);
            self.wrote(stray.address, u64::from(stray.length), false);
        }
    }

    pub(super) fn set_value(&mut self, call: u32, result: Word) {
        let Action::Call { result: Some((Datum::Value(of), offset)), .. } = self.code.steps[call as usize].action
        else {
            return;
        };
        let Some(frame) = self.open().map(|open| open.frame) else { return };
        self.put_word(frame.wrapping_add(offset), of, result);
    }

    pub(super) fn set_result(&mut self, call: u32, result: u64) -> Result<(), Stop> {
        self.step = call;
        self.point(Site::Returned(call));
        self.set_value(call, Word::number(result));
        self.observer.outcome(callee_outcome(result));
        Ok(())
    }

    /// A jump that ended in code outside left the innermost calls of such code, so many, and what they called back.
    fn left(&mut self, n_calls: u64) -> Result<(), Stop> {
        let mut n_calls = n_calls;
        while n_calls > 0 || self.open().is_some() {
            match self.levels.pop() {
                Some(Level::Open(open)) => self.close(&open),
                Some(Level::Outside(_)) => n_calls = n_calls.saturating_sub(1),
                None => return Err(Unread::Damaged.into()),
            }
        }
        if self.levels.is_empty() {
            return Err(Unread::Damaged.into());
        }
        self.observer.unwind(self.depth);
        self.jumps += 1;
        Ok(())
    }

    pub(super) fn jumped(&mut self, frame: u64, result: u64) -> Result<(), Stop> {
        let target = self.levels.iter().position(|level| matches!(level, Level::Open(open) if open.frame == frame));
        let Some(target) = target else { return Err(Unread::Damaged.into()) };
        while self.levels.len() > target + 1 {
            if let Some(Level::Open(open)) = self.levels.pop() {
                self.close(&open);
            }
        }
        self.observer.unwind(self.depth);
        self.jumps += 1;
        let Some(call) = self.open().and_then(|open| open.setjmp) else { return Err(Unread::Damaged.into()) };
        if let Some(open) = self.open() {
            open.step = call + 1;
        }
        self.set_result(call, result)
    }
}
