//! Calls along a recorded run: what is passed, what is returned.

use suspect_format::body::{Action, Callee, Datum, Type};
use suspect_format::external;
use suspect_format::record::{Entry, Event, Unread, callee_outcome};

use super::{Level, Open, Outside, Walk};
use crate::recording::body::{CodeStep, Parameter, Site};
use crate::recording::evaluate::Word;
use crate::recording::file::Given;
use crate::recording::loading::Image;
use crate::recording::objects::{ARGUMENTS, ARGUMENTS_STRIDE};
use crate::recording::observer::{Activation, Observer};
use crate::recording::walked::Stop;

impl<O: Observer, I: Image> Walk<'_, O, I> {
    pub(super) fn call(&mut self, number: u32, step: CodeStep, mut at: usize) -> Result<(), Stop> {
        let Action::Call { callee, n_arguments, .. } = step.action else { return Ok(()) };
        let indirect = if callee == Callee::Indirect { Some(self.tree(&mut at)?) } else { None };
        let mut data = Vec::with_capacity(n_arguments as usize);
        for argument in 0..n_arguments as usize {
            let datum = self.code.arguments[step.extra as usize + argument];
            data.push((datum, self.word(&mut at)?));
        }
        let point = self.points - 1;
        if let Some(address) = indirect {
            self.observer.outcome(callee_outcome(address));
        }
        match callee {
            Callee::Version(_) => {
                self.attend()?;
                let point = self.points - 1;
                let Event::Entered(entry) = self.mirror.take_event(&mut self.stream, external::UNKNOWN)? else {
                    return Err(Unread::Damaged.into());
                };
                return self.enter(entry, Some(number), point, &data);
            }
            Callee::Setjmp(_) => {
                if let Some(open) = self.open() {
                    open.setjmp = Some(number);
                }
                return self.set_result(number, 0);
            }
            _ => {}
        }
        let external = match callee {
            Callee::Symbol(symbol) => self.code.symbols[symbol as usize].external,
            Callee::Indirect => external::INDIRECT,
            _ => external::UNKNOWN,
        };
        let arguments = data.iter().map(|(_, word)| word.bits).collect();
        let blocks = data.iter().map(|(_, word)| word.block).collect();
        let called = indirect.and_then(|address| self.modelled.get(&address).copied()).unwrap_or(external);
        let outside = Outside { call: Some(number), point, external, called, arguments, blocks, fresh: true, data };
        self.levels.push(Level::Outside(outside));
        Ok(())
    }

    /// Where the argument `number` of the call that is made now is found.
    pub(super) fn argument_address(&self, number: usize) -> u64 {
        ARGUMENTS + u64::from(self.depth) * ARGUMENTS_STRIDE + 8 * number as u64
    }

    /// The arguments of a call of code outside become what it reads.
    pub(super) fn pass_outside(&mut self, data: &[(Datum, Word)]) {
        for (number, (datum, word)) in data.iter().enumerate().take(ARGUMENTS_STRIDE as usize / 8) {
            let address = self.argument_address(number);
            self.view.memory.store(address, 8, word.bits);
            self.keep(address, *word);
            self.wrote(address, 8, matches!(datum, Datum::Value(Type::Pointer) | Datum::Bytes(_)));
        }
    }

    /// A function begins: called by a step, which is the last point, or by code outside.
    pub(super) fn enter(
        &mut self,
        entry: Entry,
        call: Option<u32>,
        opener: u32,
        data: &[(Datum, Word)],
    ) -> Result<(), Stop> {
        let Some(function) = self.code.by_id.get(&entry.id).copied() else {
            return Err(Stop::Wrong(format!("function {:08x} has no body", entry.id)));
        };
        let code = self.code;
        let body = &code.functions[function as usize];
        self.view.memory.write(entry.frame, &vec![0; body.frame_size as usize]);
        let framed = self.code.twins.frame(function);
        let object = self.view.objects.enter(framed, entry.frame, u64::from(body.frame_size));
        let caller = self.levels.iter().rev().find_map(|level| match level {
            Level::Open(open) => Some(open.activation),
            Level::Outside(_) => None,
        });
        let number = self.activations;
        self.activations += 1;
        let activation = Activation {
            function: framed,
            object,
            caller: caller.unwrap_or(number),
            depth: self.depth,
            call,
            address: entry.frame,
            from: self.points,
        };
        self.levels.push(Level::Open(Open {
            activation: number,
            frame: entry.frame,
            step: body.steps.start,
            dynamic: Vec::new(),
            setjmp: None,
            called_by: call,
            n_parameters: body.parameters.len(),
            variadic: data.iter().skip(body.parameters.len()).map(|(datum, _)| *datum).collect(),
        }));
        if call.is_some() {
            // Arguments are written by the calling point.
            self.observer.enter(activation, opener, &mut self.view);
            self.pass_variadic(data, body.parameters.len());
            self.pass(entry.frame, &body.parameters, data);
            self.depth += 1;
            return Ok(());
        }
        self.observer.enter(activation, opener, &mut self.view);
        self.depth += 1;
        self.point(Site::Called(function));
        self.read_arguments();
        self.correct();
        for parameter in &body.parameters {
            let address = entry.frame.wrapping_add(u64::from(parameter.offset));
            match parameter.datum {
                Datum::Value(of) => {
                    let bits = self.mirror.take_loaded(&mut self.stream, u32::from(parameter.slot))?;
                    self.put(address, of, bits);
                }
                Datum::Bytes(bytes) => {
                    for word in 0..bytes.div_ceil(8) {
                        let bits = self.mirror.take_loaded(&mut self.stream, u32::from(parameter.slot))?;
                        let length = (bytes - 8 * word).min(8);
                        self.view.memory.store(address.wrapping_add(u64::from(8 * word)), length, bits);
                    }
                    self.wrote(address, u64::from(bytes), false);
                }
            }
        }
        Ok(())
    }

    /// What the last point leaves at an address: `value`, unless the run was given another one.
    pub(super) fn given(&self, address: u64, value: Word) -> Word {
        let is_here = |given: &Given| given.point + 1 == self.points && given.address == address;
        self.replaced.filter(is_here).map_or(value, |given| Word::number(given.bits))
    }

    pub(super) fn pass(&mut self, frame: u64, parameters: &[Parameter], data: &[(Datum, Word)]) {
        for (parameter, (_, word)) in parameters.iter().zip(data) {
            let address = frame.wrapping_add(u64::from(parameter.offset));
            match parameter.datum {
                Datum::Value(of) => self.put_word(address, of, self.given(address, *word)),
                Datum::Bytes(bytes) => {
                    let word = word.bits;
                    self.reads(word, u64::from(bytes), false);
                    self.copy(address, word, u64::from(bytes));
                    self.wrote(address, u64::from(bytes), false);
                }
            }
        }
    }

    /// What code outside was called with is what its callback depends on. What it has written by then depends on what it read.
    pub(super) fn read_arguments(&mut self) {
        let Some(Level::Outside(outside)) = self.levels.iter().rev().nth(1) else { return };
        let (external, arguments) = (outside.external, outside.arguments.clone());
        let depth = u64::from(self.depth - 1);
        for number in 0..arguments.len().min(ARGUMENTS_STRIDE as usize / 8) {
            self.reads(ARGUMENTS + depth * ARGUMENTS_STRIDE + 8 * number as u64, 8, false);
        }
        if let Some(model) = external::external(external).filter(|_| self.corrections.contains_key(&(self.turns + 1))) {
            self.read_outside(model, &arguments, 0);
        }
    }

    pub(super) fn leave(&mut self, datum: Option<Datum>, mut at: usize) -> Result<(), Stop> {
        let value = match datum {
            Some(_) => Some(self.word(&mut at)?),
            None => None,
        };
        let Some(Level::Open(open)) = self.levels.pop() else { return Ok(()) };
        if let (Some(value), Some(call)) = (value, open.called_by)
            && let Action::Call { result: Some((datum, offset)), .. } = self.code.steps[call as usize].action
            && let Some(Level::Open(caller)) = self.levels.last()
        {
            let address = caller.frame.wrapping_add(offset);
            match datum {
                Datum::Value(of) => self.put_word(address, of, value),
                Datum::Bytes(bytes) => {
                    let value = value.bits;
                    self.reads(value, u64::from(bytes), false);
                    self.copy(address, value, u64::from(bytes));
                    self.wrote(address, u64::from(bytes), false);
                }
            }
        }
        self.close(&open);
        self.observer.leave();
        Ok(())
    }

    pub(super) fn close(&mut self, open: &Open) {
        let point = self.points - 1;
        for address in &open.dynamic {
            self.view.objects.free(*address);
            if let Some(bounds) = &mut self.bounds {
                bounds.free(point, *address);
            }
        }
        if let Some(bounds) = &mut self.bounds {
            bounds.leave(open.activation, point);
        }
        self.view.objects.leave();
        self.depth -= 1;
    }
}
