//! The code of a program's `record` versions, linked over its units: steps and their trees in flat arrays.

mod load;

use std::collections::HashMap;
use std::ops::Range;

use suspect_format::body::{self, Action, Callee, Case, Datum, Token};
use suspect_format::external::{self, Role};
use suspect_format::site::ValueClass;

use super::twins::Twins;
use super::types::Types;
use crate::comparison::{Joins, Meetings, NONE, Table};
use crate::program::Place;

pub use load::BodyError;

/// A variable or function that code names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// `Symbol::*` of [`suspect_format::body`].
    pub flags: u32,
    /// Bytes, 0 when it is not defined in the unit.
    pub size: u64,
    /// The function that it is, if the unit has its body.
    pub function: Option<u32>,
    /// The number of the function of the C library that is known under its name, or [`external::UNKNOWN`].
    pub external: u32,
}

impl Symbol {
    /// Whether it is a string literal, or another constant without a name in the source.
    pub fn is_literal(&self) -> bool {
        self.flags & body::Symbol::LOCAL != 0 && self.name.starts_with('.')
    }
}

/// What a function gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where in the frame.
    pub offset: u32,
    /// What it is.
    pub datum: Datum,
    /// Under which number the recording predicts it.
    pub slot: u16,
}

/// A variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its C type.
    pub type_name: String,
    /// How to read its value.
    pub class: ValueClass,
    /// Where in the frame.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The program's number of it.
    pub program: u32,
    /// The number that recordings name it by.
    pub id: u32,
    /// Bytes of its frame.
    pub frame_size: u32,
    /// Whether it takes more than its parameters.
    pub variadic: bool,
    /// What it gets.
    pub parameters: Vec<Parameter>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// The symbols that its trees name, in the order of its addresses (numbers of the code).
    pub symbols: Vec<u32>,
    /// Its steps.
    pub steps: Range<u32>,
}

/// A step with all that follows it.
#[derive(Clone, Copy, Debug)]
pub struct CodeStep {
    /// Where in the source, in files of the program.
    pub place: Place,
    /// What it does; blocks are numbers of steps, functions and symbols those of the code.
    pub action: Action,
    /// Its first token.
    pub tokens: u32,
    /// Its first argument or case.
    pub extra: u32,
    /// Its function.
    pub function: u32,
    /// Whether a value in it cannot be computed.
    pub opaque: bool,
}

/// A token, its symbol by the code's number and its factors apart.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub token: Token,
    /// For an address: its first factor.
    pub factors: u32,
}

/// How many trees follow a token as its operands.
pub fn operands(token: Token) -> usize {
    match token {
        Token::Constant(..) | Token::Symbol(..) | Token::Frame(_) => 0,
        Token::Load(..) | Token::Cast { .. } => 1,
        Token::Address { n_terms, .. } => 1 + n_terms as usize,
        Token::Binary(..) | Token::Compare(..) => 2,
        Token::Select(_) => 3,
        Token::Apply(function, _) => function.arity() as usize,
        Token::Opaque { n_operands, .. } => n_operands as usize,
    }
}

/// All code of a program.
#[derive(Debug, Default)]
pub struct Code {
    /// Functions.
    pub functions: Vec<Function>,
    /// Functions by the number in recordings.
    pub by_id: Table<u32, u32>,
    /// Steps, function by function.
    pub steps: Vec<CodeStep>,
    /// Trees in prefix order.
    pub nodes: Vec<Node>,
    /// Factors of addresses.
    pub factors: Vec<i64>,
    /// Arguments of calls.
    pub arguments: Vec<Datum>,
    /// Cases of switches; blocks are numbers of steps.
    pub cases: Vec<Case>,
    /// Symbols, unit by unit; those visible to all units are shared.
    pub symbols: Vec<Symbol>,
    /// Types of the source.
    pub types: Types,
    /// What corresponds in it, where it is of two builds.
    pub twins: Twins,
}

/// What a site of comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The start of a run.
    Start,
    /// A step.
    Step(u32),
    /// A call of code that is not recorded returns, or `setjmp` does.
    Returned(u32),
    /// Such code calls this function.
    Called(u32),
}

impl Code {
    /// The number of a site.
    pub fn site(&self, site: Site) -> u32 {
        let steps = self.steps.len() as u32;
        match site {
            Site::Start => 0,
            Site::Step(step) => 1 + step,
            Site::Returned(step) => 1 + steps + step,
            Site::Called(function) => 1 + 2 * steps + function,
        }
    }

    /// What the site of a number is.
    pub fn what(&self, site: u32) -> Site {
        let steps = self.steps.len() as u32;
        match site.checked_sub(1) {
            None => Site::Start,
            Some(step) if step < steps => Site::Step(step),
            Some(number) if number < 2 * steps => Site::Returned(number - steps),
            Some(number) => Site::Called(number - 2 * steps),
        }
    }

    /// The step that a site belongs to; for a callback, the function's first.
    pub fn step_of(&self, site: u32) -> Option<u32> {
        match self.what(site) {
            Site::Start => None,
            Site::Step(step) | Site::Returned(step) => Some(step),
            Site::Called(function) => Some(self.functions[function as usize].steps.start),
        }
    }

    /// The arguments of a call.
    pub fn arguments_of(&self, step: &CodeStep) -> &[Datum] {
        let Action::Call { n_arguments, .. } = step.action else { return &[] };
        &self.arguments[step.extra as usize..][..n_arguments as usize]
    }

    /// The cases of a switch.
    pub fn cases_of(&self, step: &CodeStep) -> &[Case] {
        let Action::Switch { n_cases, .. } = step.action else { return &[] };
        &self.cases[step.extra as usize..][..n_cases as usize]
    }

    /// The first step from `step` on that is a point of runs: jumps are none.
    fn landing(&self, mut step: u32) -> u32 {
        // Empty loops of jumps end here.
        for _ in 0..1000 {
            match self.steps[step as usize].action {
                Action::Jump(to) => step = to,
                _ => return step,
            }
        }
        step
    }

    /// The steps that may come right after a step of the same function; of a branch the one of each outcome, in their order.
    pub fn successors(&self, step: u32) -> Vec<u32> {
        let code = &self.steps[step as usize];
        match code.action {
            Action::Branch { then, otherwise } => vec![then, otherwise],
            Action::Switch { default, .. } => {
                let cases = self.cases_of(code).iter().map(|case| case.block);
                std::iter::once(default).chain(cases).collect()
            }
            Action::Jump(to) => vec![to],
            Action::Return(_) | Action::Unreachable | Action::Call { stops: true, .. } => vec![],
            _ => vec![step + 1],
        }
    }

    /// Where the ways of each site join again.
    pub fn joins(&self) -> Joins {
        let sites = 1 + 2 * self.steps.len();
        let mut joins = vec![NONE; sites];
        let mut meetings = Meetings::new(sites);
        for function in &self.functions {
            let blocks = self.blocks(function);
            self.join_function(&blocks, &mut joins);
            self.meet_function(&blocks, &mut meetings);
        }
        match self.twins.order(self) {
            Some(order) => {
                let joins =
                    joins.into_iter().map(|join| if join == NONE { NONE } else { self.common_site(self.what(join)) });
                Joins::with_meetings(joins.collect(), meetings).with_edit(self.site_order(&order))
            }
            None => Joins::with_meetings(joins, meetings),
        }
    }

    fn join_function(&self, blocks: &[(u32, u32)], joins: &mut [u32]) {
        let only_jumps =
            |(head, last): &(u32, u32)| head == last && matches!(self.steps[*last as usize].action, Action::Jump(_));
        let heads: Vec<(u32, u32)> = blocks.iter().copied().filter(|block| !only_jumps(block)).collect();
        let (flow, returns) = self.flow(&heads, |to| self.landing(to));
        let joined = Joins::from_flow(&flow, &returns);
        for (block, (head, last)) in (0..).zip(&heads) {
            let join = heads.get(joined.of(block) as usize).map_or(NONE, |(head, _)| self.site(Site::Step(*head)));
            joins[self.site(Site::Step(*last)) as usize] = join;
            for step in self.calls(*head, *last) {
                let next = if step == *last { join } else { self.site(Site::Step(self.landing(step + 1))) };
                joins[self.site(Site::Step(step)) as usize] = next;
                joins[self.site(Site::Returned(step)) as usize] = next;
            }
        }
    }

    fn meet_function(&self, blocks: &[(u32, u32)], meetings: &mut Meetings) {
        let (flow, returns) = self.flow(blocks, |to| to);
        let sites = |(head, last): &(u32, u32)| {
            let calls = self.calls(*head, *last).flat_map(|step| [Site::Step(step), Site::Returned(step)]);
            let deciding = calls.chain([Site::Step(*last)]).map(|site| self.site(site)).collect();
            (self.site(Site::Step(*head)), deciding)
        };
        meetings.add(&flow, &returns, &blocks.iter().map(sites).collect::<Vec<_>>());
    }

    fn calls(&self, head: u32, last: u32) -> impl Iterator<Item = u32> + '_ {
        (head..=last).filter(|step| matches!(self.steps[*step as usize].action, Action::Call { .. }))
    }

    /// The successors of each of a function's blocks, by number, and the blocks that return.
    fn flow(&self, blocks: &[(u32, u32)], landing: impl Fn(u32) -> u32) -> (Vec<Vec<u32>>, Vec<u32>) {
        let number: HashMap<u32, u32> = (0..).zip(blocks).map(|(number, (head, _))| (*head, number)).collect();
        let returns = |(_, last): &(u32, u32)| matches!(self.steps[*last as usize].action, Action::Return(_));
        let flow = blocks.iter().map(|(_, last)| {
            self.successors(*last).iter().filter_map(|next| number.get(&landing(*next)).copied()).collect()
        });
        (flow.collect(), (0..).zip(blocks).filter(|(_, block)| returns(block)).map(|(number, _)| number).collect())
    }

    /// The first and the last step of each block, in the order of the source.
    fn blocks(&self, function: &Function) -> Vec<(u32, u32)> {
        let mut blocks = Vec::new();
        let mut head = function.steps.start;
        for step in function.steps.clone() {
            let ends = matches!(
                self.steps[step as usize].action,
                Action::Branch { .. }
                    | Action::Switch { .. }
                    | Action::Jump(_)
                    | Action::Return(_)
                    | Action::Unreachable
                    | Action::Call { stops: true, .. }
            );
            if ends {
                blocks.push((head, step));
                head = step + 1;
            }
        }
        blocks
    }
}

impl Code {
    /// How many instructions of the front end's a step is: itself and what its trees compute or load.
    pub fn instructions(&self, step: u32) -> u32 {
        let code = &self.steps[step as usize];
        let end = self.steps.get(step as usize + 1).map_or(self.nodes.len(), |next| next.tokens as usize);
        let is_leaf = |node: &&Node| matches!(node.token, Token::Constant(..) | Token::Frame(_) | Token::Symbol(..));
        let inner = self.nodes[code.tokens as usize..end].iter().filter(|node| !is_leaf(node)).count();
        1 + inner as u32
    }

    /// Whether the first tree of a step is what the frame holds at `offset`.
    pub fn reads_frame(&self, step: u32, offset: u32) -> bool {
        let at = self.steps[step as usize].tokens as usize;
        let tokens = self.nodes.get(at..at + 2).unwrap_or(&[]);
        matches!(tokens, [Node { token: Token::Load(..), .. }, Node { token: Token::Frame(from), .. }] if *from == i64::from(offset))
    }

    /// Whether a site is a decision of patched runs: a branch of two ways or more, or an indirect call.
    pub fn decides(&self, site: u32) -> bool {
        let Site::Step(step) = self.what(site) else { return false };
        match self.steps[step as usize].action {
            Action::Branch { .. } | Action::Call { callee: Callee::Indirect, .. } => true,
            Action::Switch { n_cases, .. } => n_cases > 0,
            _ => false,
        }
    }

    /// Whether a step is a call around which the runtime is told of.
    pub fn is_hooked_call(&self, step: u32) -> bool {
        matches!(
            self.steps[step as usize].action,
            Action::Call { callee: Callee::Symbol(_) | Callee::Indirect | Callee::Assembly, .. }
        )
    }

    /// Whether a step does nothing but to store one value.
    pub fn is_store(&self, step: u32) -> bool {
        matches!(self.steps[step as usize].action, Action::Store(_))
    }

    /// Whether a step goes one of two ways.
    pub fn is_branch(&self, step: u32) -> bool {
        matches!(self.steps[step as usize].action, Action::Branch { .. })
    }

    /// Whether a step is a call that `longjmp` can return from again.
    pub fn is_jumped_to(&self, step: u32) -> bool {
        matches!(self.steps[step as usize].action, Action::Call { callee: Callee::Setjmp(_), .. })
    }

    /// The ways that a decision can be sent, by the numbers that outcomes have; none for one that cannot be turned.
    pub fn ways(&self, site: u32) -> std::ops::Range<u32> {
        let Site::Step(step) = self.what(site) else { return 0..0 };
        match self.steps[step as usize].action {
            Action::Branch { .. } => 0..2,
            Action::Switch { n_cases, .. } => 0..n_cases + 1,
            _ => 0..0,
        }
    }

    /// What the function that a site calls, or returns from, does to the outside, if it is one that is known.
    pub fn role(&self, site: u32) -> Option<Role> {
        let (Site::Step(step) | Site::Returned(step)) = self.what(site) else { return None };
        self.role_of(step)
    }

    /// The same of the function that a step calls.
    pub fn role_of(&self, step: u32) -> Option<Role> {
        external::known(self.called_symbol(step)?).map(|model| model.role)
    }

    /// The name of the symbol that a step calls, if it calls one that code without a body may be.
    pub fn called_symbol(&self, step: u32) -> Option<&str> {
        match self.steps[step as usize].action {
            Action::Call { callee: Callee::Symbol(symbol), .. } => Some(&self.symbols[symbol as usize].name),
            _ => None,
        }
    }
}
