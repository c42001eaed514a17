//! The mutants of an operation: what can take its place, and how that is written.

use suspect_format::site::way;

use super::anchor::{Body, Draft};
use super::form::Form;
use super::junk::Junk;
use super::operator::{Class, alternatives, bits_of, constants, number};
use super::{insertion, sign};
use crate::program::{Node, Operation, OperationKind, Operator, Place, Signedness, Variable};
use crate::source::{Expression, Insertion, Kind, Literal, LiteralValue, Number, Rewrite, Statement, constant_text};
use crate::trial::{Change, Override, Site};

/// Adds the mutants of an operation.
pub(super) fn of_operation(body: &Body, index: u32, drafts: &mut Vec<Draft>) {
    let operation = &body.view.program.operations[index as usize];
    let mut found = Found::of(body, index, drafts);
    match operation.kind {
        OperationKind::Binary { operator, width, signedness, left, right } => {
            found.binary(operator, u32::from(width), signedness, left, right);
        }
        OperationKind::Step { backwards, constant } => found.step(backwards, constant),
        OperationKind::Subscript { width, constant } => found.subscript(u32::from(width), constant),
        OperationKind::Logical { and } => found.logical(and),
        OperationKind::Argument { position, width, is_float, value } => {
            found.argument(position, number(value, u32::from(width), is_float, true));
        }
        OperationKind::Passed { position, n_arguments, width } => {
            found.passed(position, n_arguments, u32::from(width));
        }
        OperationKind::Whole { value } => found.whole(value),
        OperationKind::Read { variable, width, .. } => found.read(variable, width),
        OperationKind::Statement { .. } => found.statement(),
        OperationKind::If => found.guard(),
        // Their mutants are made for a whole function.
        OperationKind::Pointer
        | OperationKind::Number { .. }
        | OperationKind::Bounded { .. }
        | OperationKind::Donor { .. }
        | OperationKind::Consequence { .. } => {}
        OperationKind::Called { function, .. } => found.called(function),
        OperationKind::Member { member, .. } => found.member(member),
        OperationKind::Unary { .. } => found.without_unary(),
        OperationKind::Assign { width, is_float, right } => found.assignment(u32::from(width), is_float, right),
    }
}

/// An operation, and where its mutants go.
pub(super) struct Found<'f, 'v, 'a> {
    pub body: &'f Body<'v, 'a>,
    index: u32,
    pub operation: &'a Operation,
    drafts: &'f mut Vec<Draft>,
}

impl<'f, 'v, 'a> Found<'f, 'v, 'a> {
    pub(super) fn of(body: &'f Body<'v, 'a>, index: u32, drafts: &'f mut Vec<Draft>) -> Found<'f, 'v, 'a> {
        Found { body, index, operation: &body.view.program.operations[index as usize], drafts }
    }
}

impl<'a> Found<'_, '_, 'a> {
    pub(super) fn push(&mut self, class: Class, change: Change, texts: (&str, &str), rewrite: Result<Rewrite, Junk>) {
        self.push_at(class, Site::Operation(self.index), change, texts, rewrite);
    }

    fn push_at(
        &mut self,
        class: Class,
        site: Site,
        change: Change,
        texts: (&str, &str),
        rewrite: Result<Rewrite, Junk>,
    ) {
        self.drafts.push(Draft {
            class,
            place: self.operation.place,
            function: self.body.index,
            node: self.operation.node,
            overriding: Override { site, instance: 0, change },
            original: texts.0.to_owned(),
            replacement: texts.1.to_owned(),
            rewrite,
        });
    }

    fn binary(
        &mut self,
        operator: Operator,
        width: u32,
        signedness: Signedness,
        left: Option<u64>,
        right: Option<u64>,
    ) {
        let token = operator.token();
        let found = self
            .body
            .written(self.operation.place, |found| found.computes() == Some(token) || found.kind() == Kind::Update);
        let in_argument = match found {
            Err(Junk::Macro) => self.body.operator_in_argument(self.operation.place, token),
            _ => None,
        };
        let found = in_argument.map_or(found, Ok);
        if let Ok(update) = found
            && update.kind() == Kind::Update
        {
            return self.update(update, operator, width, right);
        }
        let signedness = found.map_or(signedness, |found| sign::of(self.body.view, found, width, signedness));
        let (class, mut others) = alternatives(operator, signedness);
        // Whether an address comes before nothing is no question, and nothing has no neighbours.
        let sides = [(left, true), (right, false)];
        // What stands in an argument is not known to be an address.
        let is_zero = in_argument.is_some() && operator.is_comparison() && [left, right].contains(&Some(0));
        let is_about_null =
            width == 64 && (is_zero || found.is_ok_and(|found| self.compares_with_null(found, operator, sides)));
        if is_about_null {
            others.retain(|other| matches!(other, Operator::Equal | Operator::NotEqual));
        }
        for other in others {
            let rewrite = found.map(|found| found.with_operator(as_written(found, other.token())));
            // What divides by zero for sure is no mutant but a crash that compilers need not even make.
            if !(divides(other) && right == Some(0)) {
                self.push(class, Change::Operator(other), (token, other.token()), rewrite);
            }
        }
        self.without_operator(
            if in_argument.is_some() { Err(Junk::Macro) } else { found },
            operator,
            width,
            signedness,
        );
        if let (Ok(found), Some(right), false) = (found, right, is_about_null || in_argument.is_some()) {
            self.widened(found, operator, number(right, width, false, signedness != Signedness::Unsigned));
        }
        let signed = signedness != Signedness::Unsigned;
        let is_shift = matches!(operator, Operator::Shl | Operator::SignedShr | Operator::UnsignedShr);
        for (value, is_left) in sides {
            let Some(value) = value.filter(|_| !is_about_null) else { continue };
            let value = number(value, width, operator.is_float(), signed);
            let operand = found.and_then(|found| if is_left { found.left() } else { found.right() }.ok_or(Junk::Made));
            for new in constants(value) {
                let bits = bits_of(new);
                let undefined = !is_left && (is_shift && bits >= u64::from(width) || divides(operator) && bits == 0);
                if !undefined {
                    let change = if is_left { Change::Left(bits) } else { Change::Right(bits) };
                    self.constant(Site::Operation(self.index), change, operand, value, new);
                }
            }
        }
    }

    /// Whether one operand is the null pointer: 0 that is not written as a number, or that an address is compared with.
    fn compares_with_null(&self, found: Expression, operator: Operator, sides: [(Option<u64>, bool); 2]) -> bool {
        let is_null = |(value, is_left): (Option<u64>, bool)| {
            let (side, other) = if is_left { (found.left(), found.right()) } else { (found.right(), found.left()) };
            let is_number = side.is_some_and(|side| side.unparenthesized().kind() == Kind::Number);
            value == Some(0) && (!is_number || other.is_some_and(|other| self.is_address(other)))
        };
        matches!(operator, Operator::Equal | Operator::NotEqual) && sides.into_iter().any(is_null)
    }

    /// Whether an expression is an address for all that is known: converted to one, taken, or a variable that holds one.
    pub(super) fn is_address(&self, expression: Expression) -> bool {
        let expression = expression.unparenthesized();
        let (line, column) = expression.place();
        let place = Place { file: self.operation.place.file, line, column };
        let variables = &self.body.view.program.functions[self.body.index as usize].variables;
        match expression.kind() {
            Kind::Cast => expression.converts_to().is_some_and(|name| name.ends_with('*')),
            Kind::Pointer => expression.operator() == "&",
            Kind::String => true,
            Kind::Identifier => self.body.operations_at(place).any(|(_, one)| match one.kind {
                OperationKind::Read { variable, .. } => variables
                    .get(variable as usize)
                    .is_some_and(|variable| expression.is_named(&variable.name) && variable.type_name.ends_with('*')),
                _ => false,
            }),
            _ => false,
        }
    }

    /// `++` and `--` of numbers.
    fn update(&mut self, update: Expression<'a>, operator: Operator, width: u32, right: Option<u64>) {
        let (token, other) = if update.operator() == "++" { ("++", "--") } else { ("--", "++") };
        let one = right.map(|right| number(right, width, operator.is_float(), true));
        let change = match one {
            Some(Number::Integer { bits, .. }) => {
                Change::Right(bits.wrapping_neg() & (u64::MAX >> (64 - width.max(1))))
            }
            Some(Number::Float { value, width }) => Change::Right(bits_of(Number::Float { value: -value, width })),
            None => return,
        };
        self.push(Class::Aor, change, (token, other), Ok(update.with_operator(other)));
    }

    fn step(&mut self, backwards: bool, constant: Option<u64>) {
        let found = self.body.written(self.operation.place, |found| {
            matches!(found.computes(), Some("+" | "-")) || found.kind() == Kind::Update
        });
        let token = found.map_or(if backwards { "-" } else { "+" }, |found| found.operator());
        let other = if token.contains('+') { token.replace('+', "-") } else { token.replace('-', "+") };
        let rewrite = found.map(|found| found.with_operator(as_written(found, &other)));
        // An address cannot be taken from a number.
        let is_address_last = found.is_ok_and(|found| found.right().is_some_and(|right| self.is_address(right)));
        if !is_address_last {
            self.push(Class::Aor, Change::Negate, (token, &other), rewrite);
        }
        self.without_step(found, token);
        let Some(constant) = constant else { return };
        if found.is_ok_and(|found| found.kind() == Kind::Update) {
            return;
        }
        let subtracts = token.starts_with('-');
        // The number as written: moved the other way, a step forwards has a sign.
        let value = number(if subtracts == backwards { constant } else { constant.wrapping_neg() }, 64, false, true);
        let operand = found.and_then(|found| {
            let is_number = |side: &Expression| side.literal().is_some_and(|literal| literal.is(value));
            // `1 + p` is as good as `p + 1`.
            let left = found.left().filter(|side| is_number(side) && found.kind() == Kind::Binary && !subtracts);
            left.or(found.right()).ok_or(Junk::Made)
        });
        for new in constants(value) {
            let bits = if subtracts { bits_of(new).wrapping_neg() } else { bits_of(new) };
            self.constant(Site::Operation(self.index), Change::Left(bits), operand, value, new);
        }
    }

    /// `p[i]` becomes `p[i + 1]` or `p[i - 1]`, `p[2]` another element that there may be.
    fn subscript(&mut self, width: u32, constant: Option<u64>) {
        let index = self.index_text();
        let Some(constant) = constant else {
            return self.one_more_or_less(Class::Uoi, index, width);
        };
        let value = number(constant, 64, false, true);
        // Nothing lies before an array.
        for new in constants(value).into_iter().filter(|new| new.signed().is_some_and(|new| new >= 0)) {
            self.constant(Site::Operation(self.index), Change::Left(bits_of(new)), index, value, new);
        }
    }

    /// `e`, an integer of `width` bits, becomes `e + 1` or `e - 1`. What a constant is added to has these mutants by that constant.
    fn one_more_or_less(&mut self, class: Class, written: Result<Expression<'a>, Junk>, width: u32) {
        let is_sum = |sum: Expression| {
            let sides = [sum.left(), sum.right()].into_iter().flatten();
            matches!(sum.operator(), "+" | "-") && sides.into_iter().any(|side| side.literal().is_some())
        };
        if written.is_ok_and(|written| is_sum(written.unparenthesized())) {
            return;
        }
        let less = u64::MAX >> (64 - width.clamp(1, 64));
        for (insertion, step, text) in [(Insertion::Increment, 1, "e + 1"), (Insertion::Decrement, less, "e - 1")] {
            let rewrite = written.map(|written| written.with_insertion(insertion, None));
            self.push(class, Change::Add(step), ("e", text), rewrite);
        }
    }

    /// What stands between the brackets of the element that the operation leads to.
    fn index_text(&self) -> Result<Expression<'a>, Junk> {
        let place = self.operation.place;
        let text = self.body.text(place)?;
        let mut written = text.beginning_at(place.line, place.column);
        written.retain(|found| found.kind() == Kind::Subscript);
        let is_subscript = |one: &Operation| matches!(one.kind, OperationKind::Subscript { .. });
        let here = self.body.operations_at(place).filter(|(_, one)| is_subscript(one));
        let here: Vec<u32> = here.map(|(index, _)| index).collect();
        let position = here.iter().position(|index| *index == self.index);
        match written.is_empty() {
            true => Err(self.body.nothing(text, place)),
            // Of `a[i][j]` the inner one comes first, in the text and in the code.
            false if written.len() != here.len() => Err(Junk::Several),
            false => position.and_then(|at| written.get(at)?.subscript()).ok_or(Junk::Made),
        }
    }

    fn logical(&mut self, and: bool) {
        let (token, other) = if and { ("&&", "||") } else { ("||", "&&") };
        let found = self.body.written(self.operation.place, |found| found.operator() == token);
        let rewrite = match found {
            Err(Junk::Macro) => self.body.operator_in_argument(self.operation.place, token).ok_or(Junk::Macro),
            found => found,
        };
        let rewrite = rewrite.map(|found| found.with_operator(other));
        self.push(Class::Lcr, Change::Choose(1), (token, other), rewrite);
        self.without_connector(found, token);
    }

    /// `f(n)` becomes `f(n + 1)` or `f(n - 1)`: a last resort, since it also takes back a relation that is wrong by one in `f`.
    fn passed(&mut self, position: u32, n_arguments: u32, width: u32) {
        let argument = self.call().and_then(|call| {
            // One that is passed in pieces moves those behind it.
            let written = Some(call.arguments()).filter(|written| written.len() == n_arguments as usize);
            written.and_then(|written| written.get(position as usize).copied()).ok_or(Junk::Made)
        });
        self.one_more_or_less(Class::Sti, argument, width);
    }

    fn argument(&mut self, position: u32, value: Number) {
        let argument = self.call().and_then(|call| {
            let written = call.arguments();
            written.get(position as usize).copied().ok_or(Junk::Made)
        });
        // The type of the parameter is not known, that of a literal is.
        let signed = argument.ok().and_then(|argument| argument.literal()).is_none_or(|literal| !literal.unsigned);
        let value = match value {
            Number::Integer { bits, width, .. } => Number::Integer { bits, width, signed },
            float => float,
        };
        for new in constants(value) {
            self.constant(Site::Operation(self.index), Change::Left(bits_of(new)), argument, value, new);
        }
    }

    /// The call at the operation's place, if it is one and no macro.
    pub(super) fn call(&self) -> Result<Expression<'a>, Junk> {
        let place = self.operation.place;
        let text = self.body.text(place)?;
        let calls = text.calls_at(place.line, place.column);
        let [call] = calls[..] else {
            return Err(if calls.is_empty() { self.body.nothing(text, place) } else { Junk::Several });
        };
        let name = call.callee().filter(|callee| callee.kind() == Kind::Identifier).map_or("", Expression::source);
        // What a macro computes stands where its name does.
        let computes = |operation: &Operation| match operation.kind {
            OperationKind::Argument { .. } | OperationKind::Passed { .. } | OperationKind::Bounded { .. } => false,
            OperationKind::Called { .. } | OperationKind::Statement { .. } | OperationKind::Number { .. } => false,
            OperationKind::Consequence { .. } | OperationKind::Donor { .. } => false,
            OperationKind::Read { variable, .. } => {
                let variables = &self.body.view.program.functions[self.body.index as usize].variables;
                variables.get(variable as usize).is_none_or(|variable| variable.name != name)
            }
            _ => true,
        };
        let expands = self.body.view.is_macro(name)
            || self.body.assigns_at(place)
            || self.body.operations_at(place).any(|(_, operation)| computes(operation));
        if expands { Err(Junk::Macro) } else { Ok(call) }
    }

    fn whole(&mut self, bits: u64) {
        let Some(index) = self.operation.node else { return };
        let node: &'a Node = &self.body.view.program.nodes[index as usize];
        let value = match Form::of(node) {
            Form::Integer { width, signed, .. } => number(bits, width, false, signed),
            Form::Float { width } => number(bits, width, true, true),
            Form::Truth => number(bits & 1, 1, false, false),
            Form::Text | Form::Observed => return,
        };
        let source = insertion::value_of(self.body, node);
        for new in constants(value) {
            self.constant(Site::Node(index), Change::Set(bits_of(new)), source, value, new);
        }
    }

    /// The mutant by which the constant `value` at `site`, written as `operand`, becomes `new`.
    fn constant(
        &mut self,
        site: Site,
        change: Change,
        operand: Result<Expression<'a>, Junk>,
        value: Number,
        new: Number,
    ) {
        let operand = operand.and_then(|operand| {
            let written = operand.unparenthesized();
            let literal = literal_of(written).filter(|literal| literal.is(value));
            if literal.is_some() || (!is_null(written) && is_constant(written, 0)) {
                Ok((written, literal))
            } else {
                Err(Junk::Made)
            }
        });
        let literal = operand.ok().and_then(|(_, literal)| literal);
        let named = operand
            .ok()
            .filter(|_| literal.is_none())
            .and_then(|(written, _)| self.body.view.enumerator(written.source(), value.signed()?, new.signed()?));
        let text = named.map(str::to_owned).or_else(|| constant_text(new, literal));
        let original = operand.ok().map(|(written, _)| written.source().to_owned());
        let original = original.or_else(|| constant_text(value, None)).unwrap_or_default();
        let rewrite = operand.and_then(|(written, _)| Ok(written.with_text(text.as_deref().ok_or(Junk::NoText)?)));
        self.push_at(Class::Crp, site, change, (&original, text.as_deref().unwrap_or_default()), rewrite);
    }

    fn read(&mut self, variable: u32, width: u8) {
        let place = self.operation.place;
        let variables = &self.body.view.program.functions[self.body.index as usize].variables;
        let Some(own) = variables.get(variable as usize) else { return };
        let name = self.body.text(place).and_then(|text| match text.name_at(place.line, place.column) {
            Some(found) if found.is_named(&own.name) => Ok(found),
            Some(_) => Err(Junk::Macro),
            None => Err(self.body.nothing(text, place)),
        });
        let body = self.body;
        let in_argument = match name {
            Err(Junk::Macro) => body.name_in_argument(place, &own.name, variable),
            _ => None,
        };
        let name = in_argument.map_or(name, |(found, _)| Ok(found));
        // What the macro declares or uses itself is another thing than a variable of the same name.
        let is_of_macro =
            |name: &str| in_argument.is_some_and(|(_, macro_)| macro_.tokens().any(|token| token == name));
        let named = |index: &u32| variables.get(*index as usize).map(|one| one.name.as_str());
        let same_name =
            |name: &str| self.operation.others.iter().filter(|other| named(other) == Some(name)).count() > 1;
        for other in self.operation.others.clone() {
            let Some(new) = variables.get(other as usize).filter(|new| new.name != own.name && same_type(own, new))
            else {
                continue;
            };
            let rewrite = name.and_then(|found| {
                // Of two variables of one name, the text means the inner one.
                match same_name(&new.name) {
                    true => Err(Junk::Several),
                    false if is_of_macro(&new.name) => Err(Junk::Macro),
                    false if !found.sees(&new.name) => Err(Junk::Made),
                    false if found.is_before_value_of(&new.name) => Err(Junk::Unset),
                    false => Ok(found.with_text(&new.name)),
                }
            });
            self.push(Class::Vrr, Change::Choose(other), (&own.name, &new.name), rewrite);
        }
        self.steps(own, width, name);
    }

    /// `v` becomes `v++`, `v--`, `++v` or `--v`.
    fn steps(&mut self, own: &Variable, width: u8, name: Result<Expression<'a>, Junk>) {
        if own.step == 0 || !matches!(width, 8 | 16 | 32 | 64) {
            return;
        }
        let mask = u64::MAX >> (64 - u32::from(width));
        let name = name.and_then(|found| if is_read(found) { Ok(found) } else { Err(Junk::Made) });
        for (operator, step) in [("++", own.step), ("--", own.step.wrapping_neg())] {
            let rewrite = |prefix| name.map(|found| found.with_step(operator, prefix));
            let (after, before) = (format!("{}{operator}", own.name), format!("{operator}{}", own.name));
            self.push(Class::Sti, Change::StepAfter(step & mask), (&own.name, &after), rewrite(false));
            self.push(Class::Sti, Change::StepBefore(step & mask), (&own.name, &before), rewrite(true));
        }
    }

    /// `if (a) b` becomes `while (a) b`.
    fn guard(&mut self) {
        let place = self.operation.place;
        let rewrite = self.body.text(place).and_then(|text| {
            let found = text.while_for_if(place.line, place.column).ok_or(Junk::Made)?;
            let is_guard = |(_, one): &(u32, &Operation)| one.kind == OperationKind::If;
            if self.body.operations_at(place).filter(is_guard).count() > 1 { Err(Junk::Several) } else { Ok(found) }
        });
        self.push(Class::Iwr, Change::Choose(1), ("if", "while"), rewrite);
    }

    fn statement(&mut self) {
        let found = self.written_statement();
        let rewrite = found.and_then(|found| found.deleted().ok_or(Junk::Part));
        let original = found.map(|found| found.source().to_owned()).unwrap_or_default();
        self.push(Class::Sdl, Change::Choose(way::OMITTED), (&original, ""), rewrite);
    }

    /// What is written where the statement is, alone of its kind there.
    fn written_statement(&self) -> Result<Expression<'a>, Junk> {
        let place = self.operation.place;
        let found = self.body.text(place).and_then(|text| {
            let is_effect = |found: &Expression| matches!(found.kind(), Kind::Assignment | Kind::Update);
            let copied = || {
                let begins = text.beginning_at(place.line, place.column).into_iter();
                begins.filter(|found| found.kind() != Kind::Call).find_map(|found| {
                    let outer = found.parent().filter(|outer| outer.operator() == "=")?;
                    (outer.right() == Some(found)).then_some(outer)
                })
            };
            match text.operator_at(place.line, place.column).filter(is_effect).or_else(copied) {
                Some(found) => Ok(found),
                None => self.call(),
            }
        })?;
        // A structure is copied where what is copied begins.
        let assignment = found.parenthesized().parent().filter(|outer| outer.operator() == "=");
        let assignment = assignment.filter(|outer| outer.right() == Some(found.parenthesized()));
        let whole = if found.kind() == Kind::Call { assignment.unwrap_or(found) } else { found };
        let is_statement = |(_, one): &(u32, &Operation)| matches!(one.kind, OperationKind::Statement { .. });
        if self.body.operations_at(place).filter(is_statement).count() > 1 { Err(Junk::Several) } else { Ok(whole) }
    }
}

/// The whole statement that an operation is, where the text has it.
pub(super) fn statement_at<'a>(body: &Body<'_, 'a>, index: u32) -> Option<Statement<'a>> {
    let operation = &body.view.program.operations[index as usize];
    let found = Found { body, index, operation, drafts: &mut Vec::new() };
    found.written_statement().ok()?.whole_statement()
}

/// `operator` as it is written in an expression like `found`: with `=` in an assignment, doubled where it counts by one.
fn as_written(found: Expression, operator: &str) -> &'static str {
    const ASSIGNMENTS: [&str; 10] = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
    const OTHERS: [&str; 18] =
        ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "++", "--"];
    let in_assignment = |one: &&&str| one.strip_suffix('=') == Some(operator) || **one == operator;
    match found.kind() {
        Kind::Assignment => ASSIGNMENTS.iter().find(in_assignment).copied().unwrap_or(""),
        _ => OTHERS.iter().find(|one| **one == operator).copied().unwrap_or(""),
    }
}

/// Whether an expression is the null pointer by name.
fn is_null(expression: Expression) -> bool {
    let written = expression.unparenthesized();
    written.kind() == Kind::Named && !matches!(written.source(), "true" | "false")
}

/// Whether a variable can be read for another one whatever is done with the value: a number may be constant, but what an address
/// leads to must be so in both.
fn same_type(one: &Variable, other: &Variable) -> bool {
    let unqualified = |name: &'_ str| -> String {
        let words = name.split(' ').filter(|word| name.ends_with('*') || !matches!(*word, "const" | "volatile"));
        words.collect::<Vec<_>>().join(" ")
    };
    unqualified(&one.type_name) == unqualified(&other.type_name)
}

/// Whether a variable's value is all that is asked of it where it stands.
fn is_read(name: Expression) -> bool {
    let whole = name.parenthesized();
    whole.parent().is_none_or(|parent| match parent.kind() {
        Kind::Update | Kind::Prefixed => false,
        Kind::Pointer => parent.operator() != "&",
        Kind::Assignment => parent.left() != Some(whole),
        _ => true,
    })
}

/// Whether an operator has no result where the right operand is 0.
fn divides(operator: Operator) -> bool {
    use Operator::*;
    matches!(operator, SignedDiv | UnsignedDiv | SignedRem | UnsignedRem)
}

/// The literal that an expression is, `true` and `false` among them.
pub(super) fn literal_of(expression: Expression) -> Option<Literal> {
    let truth = |value| Literal {
        value: LiteralValue::Integer(value),
        width: 32,
        unsigned: false,
        character: false,
        radix: 10,
    };
    match (expression.kind(), expression.source()) {
        (Kind::Named, "true") => Some(truth(1)),
        (Kind::Named, "false") => Some(truth(0)),
        _ => expression.literal(),
    }
}

/// Whether an expression that the compiler found constant has no effects besides: it calls and changes nothing.
fn is_constant(expression: Expression, depth: u32) -> bool {
    let operands = [expression.left(), expression.right(), expression.operand()];
    let parts_are = || operands.into_iter().flatten().all(|part| is_constant(part.unparenthesized(), depth + 1));
    match expression.kind() {
        Kind::Identifier | Kind::Number | Kind::Character | Kind::Named => true,
        Kind::Prefixed => expression.source().starts_with(['s', '_']),
        Kind::Unary | Kind::Binary | Kind::Cast => depth < 32 && parts_are(),
        _ => false,
    }
}
