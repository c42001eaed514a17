//! Slips in expressions.

use tree_sitter::Node;

use super::{Maker, SlipClass, bare, parts};

/// Operators whose operands cannot change places, and no other operator makes up for that.
const UNEVEN: [&str; 5] = ["-", "/", "%", "<<", ">>"];

impl<'t> Maker<'_, 't> {
    pub(super) fn of_expression(&mut self, node: Node<'t>) {
        match node.kind() {
            "binary_expression" => self.of_binary(node),
            "number_literal" => self.of_number(node),
            "char_literal" => self.of_character(node),
            "string_literal" => self.of_string(node),
            "call_expression" => self.of_call(node),
            "field_expression" => self.of_member(node),
            "update_expression" => self.of_update(node),
            "parenthesized_expression" => self.of_parentheses(node),
            "cast_expression" => self.of_cast(node),
            _ => {}
        }
    }

    fn of_binary(&mut self, node: Node<'t>) {
        let (Some(left), Some(right), Some(operator)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"), node.child_by_field_name("operator"))
        else {
            return;
        };
        let (first, second) = (self.source(left).to_owned(), self.source(right).to_owned());
        let operator = self.source(operator).to_owned();
        match operator.as_str() {
            "&&" | "||" => {
                let class = if operator == "&&" { SlipClass::Conjunct } else { SlipClass::Disjunct };
                self.push(class, node, first);
                self.push(class, node, second);
            }
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" => {
                if UNEVEN.contains(&operator.as_str()) && first != second && !(operator == "-" && is_value(node)) {
                    let second =
                        if bare(right).kind() == "binary_expression" { format!("({second})") } else { second.clone() };
                    let first = if left.kind() == "binary_expression" { format!("({first})") } else { first.clone() };
                    self.push(SlipClass::Operands, node, format!("{second} {operator} {first}"));
                }
                self.of_term(node, &operator, &first, &second);
            }
            _ => {}
        }
    }

    /// An operand left out. What one more or one less of a whole value makes again is none.
    fn of_term(&mut self, node: Node<'t>, operator: &str, left: &str, right: &str) {
        let in_index = node.parent().is_some_and(|parent| {
            parent.kind() == "subscript_expression" && parent.child_by_field_name("index") == Some(node)
        });
        let is_one = right == "1" && matches!(operator, "+" | "-");
        match (in_index, is_one) {
            (true, true) => self.push(SlipClass::Index, node, left),
            (false, true) if is_value(node) => {}
            _ => {
                self.push(SlipClass::Term, node, left);
                if matches!(operator, "+" | "*" | "&" | "|") && left != "1" {
                    self.push(SlipClass::Term, node, right);
                }
            }
        }
    }

    fn of_number(&mut self, node: Node<'t>) {
        let text = self.source(node);
        let (Some(value), true) = (text.parse::<i64>().ok(), text == "0" || !text.starts_with('0')) else { return };
        let lot = self.lot(node);
        let step = 2 + (lot % 9) as i64;
        let moved = if lot & 16 == 0 { value + step } else { value - step };
        let turned: String = text.chars().rev().collect();
        let turned = turned.parse::<i64>().ok().filter(|_| text.len() > 1 && lot & 32 == 0);
        let new = turned.filter(|new| *new != value).unwrap_or(if moved < 0 { value + step } else { moved });
        if !is_found_again(value, new) {
            self.push(SlipClass::Constant, node, new.to_string());
        }
    }

    fn of_character(&mut self, node: Node<'t>) {
        let &[b'\'', character, b'\''] = self.source(node).as_bytes() else { return };
        if character.is_ascii_alphanumeric() {
            let step = 2 + (self.lot(node) % 9) as u8;
            let (first, count) = match character {
                b'0'..=b'9' => (b'0', 10),
                b'a'..=b'z' => (b'a', 26),
                _ => (b'A', 26),
            };
            let new = first + (character - first + step) % count;
            if !is_found_again(i64::from(character), i64::from(new)) {
                self.push(SlipClass::Constant, node, format!("'{}'", char::from(new)));
            }
        }
    }

    fn of_string(&mut self, node: Node<'t>) {
        let text = self.source(node);
        let letters: Vec<(usize, char)> = text
            .char_indices()
            .filter(|(at, one)| {
                // A letter that is no part of a directive or an escape, for all that is seen.
                let before = text[..*at].chars().next_back().unwrap_or('"');
                one.is_ascii_alphanumeric() && !"\\%.*lhz".contains(before) && !before.is_ascii_digit()
            })
            .collect();
        if letters.is_empty() || text.contains('\\') && letters.len() < 2 {
            return;
        }
        let lot = self.lot(node);
        let (at, old) = letters[(lot % letters.len() as u64) as usize];
        let new = if old.is_ascii_digit() {
            'o'
        } else if old == 'x' {
            'y'
        } else {
            'x'
        };
        let text = format!("{}{new}{}", &text[..at], &text[at + 1..]);
        self.push(SlipClass::Text, node, text);
    }

    fn of_call(&mut self, node: Node<'t>) {
        let Some(callee) = node.child_by_field_name("function") else { return };
        let name = self.source(callee).to_owned();
        if callee.kind() == "identifier" {
            let others: Vec<String> = self.names.functions(&name).map(str::to_owned).collect();
            if !others.is_empty() {
                let other = &others[(self.lot(node) % others.len() as u64) as usize];
                self.push(SlipClass::Callee, callee, other.clone());
            }
        }
        let Some(list) = node.child_by_field_name("arguments") else { return };
        for pair in parts(list).windows(2) {
            let (first, second) = (self.source(pair[0]), self.source(pair[1]));
            // A format is never anything else.
            let is_text = pair.iter().any(|one| matches!(one.kind(), "string_literal" | "concatenated_string"));
            if first != second && !is_text {
                let between = self.between(pair[0].end_byte(), pair[1].start_byte());
                let swapped = format!("{second}{between}{first}");
                self.push_span(SlipClass::Arguments, pair[0].start_byte(), pair[1].end_byte(), swapped, Vec::new());
            }
        }
    }

    fn of_member(&mut self, node: Node<'t>) {
        let Some(member) = node.child_by_field_name("field") else { return };
        let others: Vec<String> = self.names.members(self.source(member)).map(str::to_owned).collect();
        if !others.is_empty() {
            let other = &others[(self.lot(node) % others.len() as u64) as usize];
            self.push(SlipClass::Member, member, other.clone());
        }
    }

    fn of_update(&mut self, node: Node<'t>) {
        let (Some(argument), Some(operator)) =
            (node.child_by_field_name("argument"), node.child_by_field_name("operator"))
        else {
            return;
        };
        let is_prefix = operator.start_byte() < argument.start_byte();
        let (operand, operator) = (self.source(argument).to_owned(), self.source(operator).to_owned());
        let parent = node.parent().map_or("", |parent| parent.kind());
        if matches!(parent, "expression_statement" | "for_statement" | "comma_expression") {
            return;
        }
        let other = if is_prefix { format!("{operand}{operator}") } else { format!("{operator}{operand}") };
        // `*p++` is `*(p++)`, `++p->a` is `++(p->a)`: what a postfix operator is put behind is one operand.
        self.push(SlipClass::Timing, node, if parent == "field_expression" { format!("({other})") } else { other });
        self.push(SlipClass::Step, node, operand);
    }

    fn of_parentheses(&mut self, node: Node<'t>) {
        let parent = node.parent().map_or("", |parent| parent.kind());
        let inner = parts(node).into_iter().next();
        let matters = matches!(parent, "binary_expression" | "unary_expression" | "cast_expression");
        if let Some(inner) = inner.filter(|inner| inner.kind() == "binary_expression" && matters) {
            let text = self.source(inner).to_owned();
            self.push(SlipClass::Grouping, node, text);
        }
    }

    fn of_cast(&mut self, node: Node<'t>) {
        let (Some(kind), Some(value)) = (node.child_by_field_name("type"), node.child_by_field_name("value")) else {
            return;
        };
        let kind = self.source(kind);
        if !kind.contains('*') && kind != "void" {
            let text = self.source(value).to_owned();
            self.push(SlipClass::Cast, node, text);
        }
    }
}

/// Whether an expression is all of a value that mutants put operators around: assigned, returned, begun with, decided on.
fn is_value(node: Node) -> bool {
    let mut here = node;
    while let Some(parent) = here.parent().filter(|parent| parent.kind() == "parenthesized_expression") {
        here = parent;
    }
    here.parent().is_none_or(|parent| {
        matches!(
            parent.kind(),
            "assignment_expression"
                | "init_declarator"
                | "return_statement"
                | "if_statement"
                | "while_statement"
                | "do_statement"
                | "switch_statement"
                | "for_statement"
                | "conditional_expression"
        )
    })
}

/// Whether constant replacement makes `old` of `new`.
fn is_found_again(old: i64, new: i64) -> bool {
    [0, 1, -1, new + 1, new - 1, -new].contains(&old)
}
