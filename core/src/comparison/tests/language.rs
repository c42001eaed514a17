//! A small imperative language: structured programs lowered to a flow graph, and what each of its statements does.

use crate::comparison::{Effects, Joins, NONE, Operands, Place, Stop, Value};

/// Expressions. Variables are numbered by [`Program::variable`].
#[derive(Clone, Debug)]
pub enum Expr {
    Const(i64),
    Var(u32),
    /// An element of an array.
    Index(u32, Box<Expr>),
    /// What lies so far behind the address.
    Deref(Box<Expr>, u32),
    Op(fn(&[i64]) -> i64, Vec<Expr>),
}

/// Where an assignment goes.
#[derive(Clone, Debug)]
pub enum Target {
    Var(u32),
    Index(u32, Expr),
    Deref(Expr, u32),
}

/// Statements, each with its source line.
#[derive(Clone, Debug)]
pub enum Stmt {
    Input(u32, u32),
    Assign(u32, Target, Expr),
    Fill(u32, u32, Vec<i64>),
    Alloc(u32, u32),
    If(u32, Expr, Vec<Stmt>, Vec<Stmt>),
    While(u32, Expr, Vec<Stmt>),
    /// Ways by value; without one of its own, a value goes on behind the switch.
    Switch(u32, Expr, Vec<(i64, Vec<Stmt>)>),
    Print(u32, Expr),
    Halt(u32),
}

/// What a site of the flow graph does.
#[derive(Clone, Debug)]
pub enum Op {
    Start,
    Input(u32),
    Assign(Target, Expr),
    Fill(u32, Vec<i64>),
    Alloc(u32),
    If(Expr),
    Switch(Expr, Vec<i64>),
    Print(Expr),
    Halt,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub line: u32,
    pub op: Op,
    /// Where it goes on, by outcome; [`NONE`] is the end.
    pub next: Vec<u32>,
}

/// Variable 0 is what was printed last, variable 1 how much input was read.
pub const OUT: u32 = 0;
pub const CURSOR: u32 = 1;

#[derive(Clone, Debug)]
pub struct Program {
    pub nodes: Vec<Node>,
    pub joins: Joins,
    names: Vec<String>,
}

impl Program {
    /// `names` are those of the variables from 2 on.
    pub fn new(names: &[&str], body: Vec<Stmt>) -> Self {
        let names = ["$out", "$in"].iter().chain(names).map(|name| (*name).to_owned()).collect();
        let mut program = Self { nodes: Vec::new(), joins: Joins::new(Vec::new()), names };
        program.node(0, Op::Start, 1);
        let first = program.block(&body, NONE);
        program.nodes[0].next = vec![first];
        let successors: Vec<Vec<u32>> =
            program.nodes.iter().map(|node| node.next.iter().copied().filter(|next| *next != NONE).collect()).collect();
        let ends = |node: &Node| node.next.contains(&NONE);
        let returns: Vec<u32> =
            (0..).zip(&program.nodes).filter(|(_, node)| ends(node)).map(|(site, _)| site).collect();
        program.joins = Joins::from_flow(&successors, &returns);
        program
    }

    fn node(&mut self, line: u32, op: Op, ways: usize) -> u32 {
        self.nodes.push(Node { line, op, next: vec![NONE; ways] });
        self.nodes.len() as u32 - 1
    }

    /// Lowers statements that are followed by `next`; answers where they start.
    fn block(&mut self, body: &[Stmt], next: u32) -> u32 {
        body.iter().rev().fold(next, |next, statement| self.statement(statement, next))
    }

    fn statement(&mut self, statement: &Stmt, next: u32) -> u32 {
        let (site, ways) = match statement {
            Stmt::Input(line, variable) => (self.node(*line, Op::Input(*variable), 1), vec![next]),
            Stmt::Assign(line, target, value) => {
                (self.node(*line, Op::Assign(target.clone(), value.clone()), 1), vec![next])
            }
            Stmt::Fill(line, array, values) => (self.node(*line, Op::Fill(*array, values.clone()), 1), vec![next]),
            Stmt::Alloc(line, variable) => (self.node(*line, Op::Alloc(*variable), 1), vec![next]),
            Stmt::Print(line, value) => (self.node(*line, Op::Print(value.clone()), 1), vec![next]),
            Stmt::Halt(line) => (self.node(*line, Op::Halt, 0), vec![]),
            Stmt::If(line, condition, yes, no) => {
                let site = self.node(*line, Op::If(condition.clone()), 2);
                (site, vec![self.block(no, next), self.block(yes, next)])
            }
            Stmt::While(line, condition, body) => {
                let site = self.node(*line, Op::If(condition.clone()), 2);
                (site, vec![next, self.block(body, site)])
            }
            Stmt::Switch(line, value, cases) => {
                let values = cases.iter().map(|(value, _)| *value).collect();
                let site = self.node(*line, Op::Switch(value.clone(), values), cases.len() + 1);
                let mut ways: Vec<u32> = cases.iter().map(|(_, body)| self.block(body, next)).collect();
                ways.push(next);
                (site, ways)
            }
        };
        self.nodes[site as usize].next = ways;
        site
    }

    pub fn name(&self, variable: u32) -> &str {
        &self.names[variable as usize]
    }

    pub fn variables(&self) -> u32 {
        self.names.len() as u32
    }

    pub fn variable(&self, name: &str) -> u32 {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}: no such variable")) as u32
    }

    pub fn line(&self, site: u32) -> u32 {
        self.nodes[site as usize].line
    }
}

/// What a statement needs beside its operands.
pub struct Context<'a> {
    /// What the process reads.
    pub input: &'a [i64],
    /// The object that an allocation makes.
    pub fresh: u32,
}

pub fn number(value: i64) -> Value {
    Value::Number(value as u64)
}

fn int(value: Value) -> Result<i64, Stop> {
    match value {
        Value::Number(bits) => Ok(bits as i64),
        _ => Err(Stop::Unknown),
    }
}

fn eval(expr: &Expr, operands: &mut dyn Operands) -> Result<Value, Stop> {
    match expr {
        Expr::Const(value) => Ok(number(*value)),
        Expr::Var(variable) => operands.read(Place { object: *variable, offset: 0 }),
        Expr::Index(array, index) => {
            let place = element(*array, eval(index, operands)?)?;
            operands.read(place)
        }
        Expr::Deref(pointer, offset) => {
            let place = behind(eval(pointer, operands)?, *offset)?;
            operands.read(place)
        }
        Expr::Op(op, inner) => {
            let values: Result<Vec<i64>, Stop> = inner.iter().map(|expr| int(eval(expr, operands)?)).collect();
            Ok(number(op(&values?)))
        }
    }
}

fn element(array: u32, index: Value) -> Result<Place, Stop> {
    let offset = u32::try_from(int(index)?).map_err(|_| Stop::Broken)?;
    Ok(Place { object: array, offset })
}

fn behind(pointer: Value, offset: u32) -> Result<Place, Stop> {
    match pointer {
        Value::Address(place) => Ok(Place { object: place.object, offset: place.offset + offset }),
        _ => Err(Stop::Broken),
    }
}

fn place_of(target: &Target, operands: &mut dyn Operands) -> Result<Place, Stop> {
    match target {
        Target::Var(variable) => Ok(Place { object: *variable, offset: 0 }),
        Target::Index(array, index) => element(*array, eval(index, operands)?),
        Target::Deref(pointer, offset) => behind(eval(pointer, operands)?, *offset),
    }
}

/// Executes one statement.
pub fn execute(op: &Op, context: &Context<'_>, operands: &mut dyn Operands, effects: &mut Effects) -> Result<(), Stop> {
    let at = |object| Place { object, offset: 0 };
    match op {
        Op::Start | Op::Halt => {}
        Op::Input(variable) => {
            let cursor = int(operands.read(at(CURSOR))?)?;
            let value = context.input.get(cursor as usize).copied().ok_or(Stop::Broken)?;
            effects.writes.extend([(at(*variable), number(value)), (at(CURSOR), number(cursor + 1))]);
        }
        Op::Assign(target, value) => {
            let value = eval(value, operands)?;
            effects.writes.push((place_of(target, operands)?, value));
        }
        Op::Fill(array, values) => {
            let places = (0..).map(|offset| Place { object: *array, offset });
            effects.writes.extend(places.zip(values.iter().map(|value| number(*value))));
        }
        Op::Alloc(variable) => effects.writes.push((at(*variable), Value::Address(at(context.fresh)))),
        Op::If(condition) => effects.outcome = Some(u32::from(int(eval(condition, operands)?)? != 0)),
        Op::Switch(value, cases) => {
            let value = int(eval(value, operands)?)?;
            effects.outcome = Some(cases.iter().position(|case| *case == value).unwrap_or(cases.len()) as u32);
        }
        Op::Print(value) => effects.writes.push((at(OUT), eval(value, operands)?)),
    }
    Ok(())
}
