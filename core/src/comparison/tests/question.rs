//! What tests ask of two runs, by line and variable.

use super::case::{Meaning, Recorded};
use super::language::{Program, number};
use crate::comparison::*;

/// Two runs and what is asked of them, by line and variable.
pub struct Question<'p> {
    pub recorded: Recorded<'p>,
    pub cause: [u32; 2],
    pub effect: Effect,
}

impl<'p> Question<'p> {
    pub fn new(program: &'p Program, inputs: [&[i64]; 2], cause: u32, effect: (u32, Option<&str>)) -> Self {
        let recorded = Recorded::new(program, inputs[0], inputs[1]).unwrap();
        let pair = recorded.pair();
        let watch = effect.1.map_or(Watch::Result, |name| Watch::Locations(vec![recorded.location(name)]));
        let effect = Effect::new(&pair, recorded.point(effect.0, 0), watch, &recorded.names).unwrap();
        let cause = recorded.point(cause, 0);
        let cause = [cause, pair.alignment.partner(Side::First, cause).unwrap()];
        drop(pair);
        Self { recorded, cause, effect }
    }

    pub fn differences(&self) -> Vec<Difference> {
        let pair = self.recorded.pair();
        differences(&States::before(&pair, self.cause[0], &self.recorded.names).unwrap(), &self.recorded.names)
    }

    /// The differences at the cause point in these variables.
    pub fn patch(&self, names: &[&str]) -> Vec<Difference> {
        let all = self.differences();
        let chosen: Vec<Difference> = all
            .into_iter()
            .filter(|difference| names.contains(&self.recorded.name(difference.location).as_str()))
            .collect();
        assert_eq!(chosen.len(), names.len(), "{names:?} do not all differ");
        chosen
    }

    pub fn offline(&self, rules: Rules, model: Model, side: Side, names: &[&str]) -> Result<Vec<Value>, Stop> {
        let patch = self.patch(names);
        let patch: Vec<&Difference> = patch.iter().collect();
        let pair = self.recorded.pair();
        let slice = DualSlice::new(&pair, &self.effect, rules);
        let states = States::before(&pair, self.cause[0], &self.recorded.names).unwrap();
        let recorded = &self.recorded;
        let semantics = Meaning { program: recorded.program, inputs: &recorded.inputs, names: &recorded.names };
        let offline = Offline { slice: &slice, states: &states, names: &recorded.names, semantics: &semantics };
        match model {
            Model::Exact => offline.exact_values(side, &patch),
            Model::Approximate => offline.approximate_values(side, &patch),
        }
    }

    pub fn again(&mut self, side: Side, names: &[&str], plan: Option<&Plan>) -> Result<Vec<Value>, Stop> {
        let patch = self.patch(names);
        let patch: Vec<&Difference> = patch.iter().collect();
        self.recorded.values_again(side, self.cause, &self.effect, &patch, plan)
    }

    /// The explanation of the effect, proved without a process.
    pub fn chain(&self) -> Chain {
        let recorded = &self.recorded;
        let semantics = Meaning { program: recorded.program, inputs: &recorded.inputs, names: &recorded.names };
        chain(&recorded.pair(), &recorded.names, self.effect.clone(), 100, |slice, states, cut| {
            let offline = Offline { slice, states, names: &recorded.names, semantics: &semantics };
            explain_step(cut, |side, patch| offline.approximate(side, patch), |side, patch| offline.exact(side, patch))
        })
    }

    pub fn cut(&self, rules: Rules) -> Vec<String> {
        let pair = self.recorded.pair();
        let states = States::before(&pair, self.cause[0], &self.recorded.names).unwrap();
        self.recorded.named(&DualSlice::new(&pair, &self.effect, rules).cut(&states))
    }
}

#[derive(Clone, Copy)]
pub enum Model {
    Exact,
    Approximate,
}

pub fn one(value: i64) -> Result<Vec<Value>, Stop> {
    Ok(vec![number(value)])
}
