//! A case explained: its effect, the chain of causes, and the words.

use std::time::Instant;

use super::prover::Prover;
use super::question::No;
use super::request::Request;
use super::teller::Teller;
use super::{Case, Marks};
use crate::comparison::{self, Chain, DualSlice, Effect, Inference, Link, Rules, Side, States};
use crate::obstacle::Obstacle;
use crate::recording::NoAnswer;
use crate::report::Explanation;

impl<'a> Case<'a> {
    /// True if the passing run comes to the places that are asked about.
    pub fn check_comes_there(&self, request: &Request) -> Result<(), No> {
        for asked in [&request.effect, &request.cause].into_iter().flatten() {
            let executed = |side: Side| !self.finder.executions(side, asked).is_empty();
            if executed(Side::Second) && !executed(Side::First) {
                return Err(No::Unfit(NoAnswer::NotExecuted(asked.clone(), "the passing run").into()));
            }
        }
        Ok(())
    }

    /// Statements about what was not recorded of the runs, each once.
    pub fn warnings(&self) -> Vec<String> {
        let mut all: Vec<String> =
            self.recorded.iter().zip(&self.names).flat_map(|(one, name)| one.warnings(name)).collect();
        all.dedup();
        all
    }

    /// Explains the case until this time; notes in `marks` what was noticed.
    pub fn explanation(&self, request: &Request, until: Instant, marks: &Marks) -> Result<Explanation, Obstacle> {
        let (effect, words) = match &request.effect {
            Some(asked) => (self.finder.effect(self.pair, asked)?, None),
            None => self.default_effect()?,
        };
        if let Some(measure) = self.measure {
            measure.ideal.replace(self.ideal(&measure.faults, &effect));
        }
        let mut prover = Prover::new(self, request, until)?;
        let mut chain = match &request.cause {
            Some(cause) => {
                let of = request.effect.clone().unwrap_or_else(|| cause.clone());
                let point = self.finder.cause(&effect, cause, &of)?;
                self.single(effect.clone(), point, &mut prover)?
            }
            None => comparison::chain(
                self.pair,
                &self.runs.naming.names,
                effect.clone(),
                request.steps,
                |slice, states, cut| prover.infer_and_judge(slice, states, cut),
            ),
        };
        let forked = prover.forked();
        marks.odd.set(marks.odd.get() || prover.is_unsteady());
        let given_up = prover.given_up();
        let mut problems = prover.problems();
        if let Some(differences) = given_up {
            marks.given_up.set(true);
            if chain.links.len() > 1 {
                chain.links.pop_if(|link| link.inference.causes.is_empty());
            }
            problems.push(format!(
                "time was up at a step in which the runs differ in {differences} places: causes there may be fewer, and earlier ones are not looked \
                 for; --budget gives it more time"
            ));
        }
        Teller { case: self, request, forked }.explanation(&effect, words, &chain, problems)
    }

    /// One step from a given cause point.
    fn single(&self, effect: Effect, point: u32, prover: &mut Prover<'_, 'a>) -> Result<Chain, Obstacle> {
        let names = &self.runs.naming.names;
        let states = States::before(self.pair, point, names)
            .ok_or_else(|| Obstacle::new(Obstacle::Internal, "the cause point is in one run only"))?;
        let slice = DualSlice::new(self.pair, &effect, Rules::Repaired);
        let inference: Inference = prover.infer(&slice, &states, &slice.cut(&states));
        let partner = self.runs.alignment.partner(Side::First, point).unwrap_or_default();
        let cause = [point, partner];
        let points = Side::BOTH.map(|side| {
            let (from, to) = (0, effect.points[side.index()]);
            slice.members(side).iter().filter(|point| (from..=to).contains(point)).collect()
        });
        let complete = !inference.causes.is_empty();
        let link = Link { cause, effect: effect.clone(), inference, points };
        Ok(Chain { links: vec![link], origins: Vec::new(), complete })
    }
}
