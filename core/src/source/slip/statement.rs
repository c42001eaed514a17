//! Slips in statements and declarations.

use tree_sitter::Node;

use super::names::declared;
use super::{Maker, SlipClass, bare, below, line, parts};

impl<'t> Maker<'_, 't> {
    pub(super) fn of_statement(&mut self, node: Node<'t>) {
        match node.kind() {
            "if_statement" => self.of_if(node),
            "while_statement" => self.of_while(node),
            "for_statement" => self.of_body(node),
            "case_statement" => self.of_case(node),
            "expression_statement" => self.of_expression_statement(node),
            "return_statement" | "break_statement" | "continue_statement" | "goto_statement" => self.of_jump(node),
            "declaration" => self.of_declaration(node),
            _ => {}
        }
    }

    fn of_if(&mut self, node: Node<'t>) {
        let (Some(condition), Some(then)) =
            (node.child_by_field_name("condition"), node.child_by_field_name("consequence"))
        else {
            return;
        };
        let lines: Vec<u32> = (line(condition.start_position().row)..=line(condition.end_position().row)).collect();
        let Some(other) = node.child_by_field_name("alternative") else {
            self.remove(SlipClass::If, node);
            // A declaration under an `if` is in a block of its own, which stays.
            self.push_span(SlipClass::Guard, node.start_byte(), then.start_byte(), "", Vec::new());
            self.of_body(node);
            return;
        };
        self.push_span(SlipClass::Else, then.end_byte(), other.end_byte(), "", lines);
        let chained = parts(other).into_iter().next().filter(|inner| inner.kind() == "if_statement");
        if let Some(inner) = chained.filter(|_| is_listed(node)) {
            self.push_span(
                SlipClass::Chain,
                other.start_byte(),
                condition_end(inner),
                self.text_of_if(inner),
                Vec::new(),
            );
        }
    }

    /// `if` with its condition.
    fn text_of_if(&self, node: Node) -> String {
        self.between(node.start_byte(), condition_end(node)).to_owned()
    }

    fn of_while(&mut self, node: Node<'t>) {
        let Some(condition) = node.child_by_field_name("condition") else { return };
        let text = format!("if {}", self.source(condition));
        self.push_span(SlipClass::Once, node.start_byte(), condition.end_byte(), text, Vec::new());
        self.of_body(node);
    }

    /// The last statement of a body behind it.
    fn of_body(&mut self, node: Node<'t>) {
        let body = node.child_by_field_name("consequence").or_else(|| node.child_by_field_name("body"));
        let Some(body) = body.filter(|body| body.kind() == "compound_statement" && is_listed(node)) else { return };
        let inside = parts(body);
        if let [.., before, last] = inside[..]
            && last.kind() == "expression_statement"
            && before.kind() != "declaration"
        {
            let rest = self.between(last.end_byte(), body.end_byte()).to_owned();
            let moved = format!("{}{}{}", rest.trim_start(), gap(&rest), self.source(last));
            self.push_span(SlipClass::Scope, last.start_byte(), body.end_byte(), moved, Vec::new());
        }
    }

    fn of_case(&mut self, node: Node<'t>) {
        let Some(value) = node.child_by_field_name("value") else { return };
        let Some(colon) = self.between(value.end_byte(), node.end_byte()).find(':') else { return };
        // Only a label that shares its statements with another one: without it, the others stay.
        let inside = parts(node);
        let follows_label = node.prev_named_sibling().is_some_and(|before| {
            before.kind() == "case_statement"
                && parts(before).len() == usize::from(before.child_by_field_name("value").is_some())
        });
        if inside.len() == 1 || follows_label {
            let switch = around(node, "switch_statement").and_then(|switch| switch.child_by_field_name("condition"));
            let also = switch.map(|condition| line(condition.start_position().row)).into_iter().collect();
            self.push_span(SlipClass::Case, node.start_byte(), value.end_byte() + colon + 1, "", also);
        }
    }

    fn of_expression_statement(&mut self, node: Node<'t>) {
        let Some(expression) = parts(node).into_iter().next() else { return };
        let expression = bare(expression);
        if matches!(expression.kind(), "assignment_expression" | "call_expression" | "update_expression") {
            self.remove(SlipClass::Statement, node);
        }
        self.of_assignment(expression);
        if let Some(next) = node.next_named_sibling().filter(|next| next.kind() == "expression_statement") {
            let between = self.between(node.end_byte(), next.start_byte());
            let swapped = format!("{}{between}{}", self.source(next), self.source(node));
            if self.source(next) != self.source(node) {
                self.push_span(SlipClass::Order, node.start_byte(), next.end_byte(), swapped, Vec::new());
            }
        }
    }

    /// What can be wrong with an assignment that is a statement.
    fn of_assignment(&mut self, node: Node<'t>) {
        let sides = (node.child_by_field_name("left"), node.child_by_field_name("right"));
        let (Some(left), Some(right), Some(operator)) = (sides.0, sides.1, node.child_by_field_name("operator")) else {
            return;
        };
        if node.kind() != "assignment_expression" {
            return;
        }
        if self.source(operator) != "=" {
            self.push_operator(SlipClass::Overwrite, node, operator, "=");
            return;
        }
        let is_constant = |node: Node| {
            matches!(bare(node).kind(), "string_literal" | "null" | "true" | "false" | "assignment_expression")
        };
        if !is_constant(right) {
            self.push_operator(SlipClass::Accumulate, node, operator, "+=");
        }
        if bare(right).kind() == "call_expression" && !self.source(right).contains(self.source(left)) {
            let text = self.source(right).to_owned();
            self.push(SlipClass::Ignored, node, text);
        }
    }

    /// Puts another operator into the whole expression, so that the lines of the edit are those of the expression.
    fn push_operator(&mut self, class: SlipClass, node: Node, operator: Node, new: &str) {
        let before = self.between(node.start_byte(), operator.start_byte());
        let text = format!("{before}{new}{}", self.between(operator.end_byte(), node.end_byte()));
        self.push(class, node, text);
    }

    fn of_jump(&mut self, node: Node<'t>) {
        // A function's last statement is no early return.
        let parent = node.parent();
        let is_body = parent.is_some_and(|parent| self.function.child_by_field_name("body") == Some(parent));
        let is_last = node.next_named_sibling().is_none();
        if !(is_body && is_last) {
            self.remove(SlipClass::Jump, node);
        }
    }

    fn of_declaration(&mut self, node: Node<'t>) {
        for declarator in parts(node).into_iter().filter(|part| part.kind() == "init_declarator") {
            let Some(value) = declarator.child_by_field_name("value") else { continue };
            // A list, a constant that mutants find again, and what is no variable of the activation.
            let text = self.source(value).trim();
            let is_near =
                matches!(text, "0" | "1" | "-1" | "NULL") || matches!(bare(value).kind(), "initializer_list" | "null");
            if !is_near && !self.source(node).starts_with("static") {
                self.push(SlipClass::Initial, value, "0");
            }
        }
        self.of_type(node);
    }

    /// Another type of the variables declared: what it does shows where they are used.
    fn of_type(&mut self, node: Node<'t>) {
        let Some(kind) = node.child_by_field_name("type") else { return };
        let names: Vec<Node> =
            parts(node).into_iter().filter(|part| part.id() != kind.id()).filter_map(declared).collect();
        let plain = parts(node).into_iter().filter(|part| part.id() != kind.id()).all(|part| {
            let name =
                if part.kind() == "init_declarator" { part.child_by_field_name("declarator") } else { Some(part) };
            name.is_some_and(|name| name.kind() == "identifier")
        });
        let other = match self.source(kind).split_whitespace().collect::<Vec<_>>().join(" ").as_str() {
            "unsigned char" => "char",
            "unsigned" | "unsigned int" | "size_t" => "int",
            "unsigned short" => "short",
            "unsigned long" | "uint32_t" => "int",
            "long" | "int" => "short",
            "double" => "float",
            _ => return,
        };
        if !plain || names.is_empty() {
            return;
        }
        let names: Vec<&str> = names.into_iter().map(|name| self.source(name)).collect();
        let Some(scope) = node.parent() else { return };
        let uses = below(scope).filter(|inner| inner.kind() == "identifier" && names.contains(&self.source(*inner)));
        let mut also: Vec<u32> = uses.map(|inner| line(inner.start_position().row)).collect();
        also.sort_unstable();
        also.dedup();
        self.push_span(SlipClass::Type, kind.start_byte(), kind.end_byte(), other, also);
    }

    /// Leaves a statement out; where there has to be one, an empty one stays.
    fn remove(&mut self, class: SlipClass, node: Node<'t>) {
        let empty = if is_listed(node) { "" } else { ";" };
        self.push(class, node, empty);
    }
}

/// Whether a statement stands in a list of statements.
fn is_listed(node: Node) -> bool {
    node.parent().is_some_and(|parent| matches!(parent.kind(), "compound_statement" | "case_statement"))
}

fn condition_end(node: Node) -> usize {
    node.child_by_field_name("condition").map_or(node.end_byte(), |condition| condition.end_byte())
}

/// The innermost node of this kind around a node.
fn around<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    std::iter::successors(node.parent(), |node| node.parent()).find(|node| node.kind() == kind)
}

/// The blanks that a text begins with, a line break at most once; a blank if there are none.
fn gap(text: &str) -> &str {
    let blanks = &text[..text.len() - text.trim_start().len()];
    if blanks.is_empty() { " " } else { blanks }
}
