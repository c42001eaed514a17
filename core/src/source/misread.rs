//! What a name in parentheses is before `+`, `-`, `*`, `&` or `(`: a value, and an operator or a call follows, or a type, and what follows is
//! converted. The grammar cannot know, so it may have built the wrong tree.

use std::collections::{HashMap, HashSet};

use super::kind::{Field, Kind};
use super::text::{Span, Text};

/// What stands in another's place while the text is parsed once more.
#[derive(Clone, Copy)]
pub(super) struct Substitute {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub by: &'static str,
}

/// Reads as nothing but a value.
const VALUE: &str = "0";
/// Reads as nothing but a type.
const TYPE: &str = "int";

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Value,
    Type,
    Unknown,
}

/// A name in parentheses of its own.
struct Spot<'t> {
    /// The node of the name.
    node: u32,
    name: &'t str,
    /// Whether the tree takes it for a type.
    as_type: bool,
    /// Whether `(` follows.
    calls: bool,
}

/// What a text tells about names, apart from the places in question.
struct Names<'t> {
    types: HashSet<&'t str>,
    values: HashSet<&'t str>,
    enumerators: HashSet<&'t str>,
}

impl Text {
    /// What has to be substituted for the tree to be right, and the nodes whose meaning the text does not tell.
    pub(super) fn misread(&self) -> (Vec<Substitute>, Vec<u32>) {
        let spots = self.spots();
        let (mut found, mut unclear) = (Vec::new(), Vec::new());
        if spots.is_empty() {
            return (found, unclear);
        }
        let names = self.names(&spots);
        for spot in &spots {
            let span = self.node(spot.node).span;
            match self.meaning(&names, span.start, spot.name) {
                Meaning::Value if spot.as_type => found.push(Substitute { span, by: VALUE }),
                Meaning::Type if !spot.as_type => found.push(Substitute { span, by: TYPE }),
                // What is called or converted binds alike.
                Meaning::Unknown if !spot.calls => unclear.push(spot.node),
                _ => {}
            }
        }
        (found, unclear)
    }

    /// Takes back that the tree can be believed around these nodes.
    pub(super) fn doubt(&mut self, unclear: &[u32]) {
        for index in unclear {
            let mut inside = *index;
            let is_within = |parent: &u32| !self.node(*parent).kind.is_statement() && self.parent(*parent).is_some();
            while let Some(parent) = self.parent(inside).filter(is_within) {
                inside = parent;
            }
            let last = self.node(inside).last;
            self.nodes[inside as usize..last as usize].iter_mut().for_each(|node| node.sound = false);
        }
    }

    fn spots(&self) -> Vec<Spot<'_>> {
        let number = 0..self.n_nodes();
        number.filter_map(|index| self.conversion_at(index).or_else(|| self.parenthesized_at(index))).collect()
    }

    /// The name that a conversion converts to, if it is one word and what is converted may be an operand instead.
    fn conversion_at(&self, index: u32) -> Option<Spot<'_>> {
        let node = self.node(index);
        if node.kind != Kind::Cast {
            return None;
        }
        let kind = self.children(index).find(|child| self.node(*child).kind == Kind::Other)?;
        let mut parts = self.children(kind);
        let name = parts.next().filter(|name| self.node(*name).kind == Kind::TypeName)?;
        let value = self.node(self.child(index, Field::Value)?).span;
        let first = self.bytes(value).first()?;
        let is_open = parts.next().is_none() && matches!(first, b'+' | b'-' | b'*' | b'&' | b'(');
        let spot =
            || Some(Spot { node: name, name: self.slice(self.node(name).span)?, as_type: true, calls: *first == b'(' });
        if is_open { spot() } else { None }
    }

    /// The name that is all there is in parentheses before what may be converted.
    fn parenthesized_at(&self, index: u32) -> Option<Spot<'_>> {
        let node = self.node(index);
        if node.kind != Kind::Parenthesized {
            return None;
        }
        let belongs = self.parent(index).map(|parent| self.node(parent).kind);
        if matches!(belongs, Some(Kind::If | Kind::While | Kind::Do | Kind::Switch | Kind::Prefixed)) {
            return None;
        }
        let mut parts = self.children(index).filter(|part| self.node(*part).kind != Kind::Token);
        let name = parts.next().filter(|name| self.node(*name).kind == Kind::Identifier)?;
        let next = self.leaf_after(node.span.end)?;
        let is_open = parts.next().is_none() && matches!(next, b"+" | b"-" | b"*" | b"&" | b"(");
        let signed = next.len() > 1 && matches!(next[0], b'+' | b'-') && (next[1].is_ascii_digit() || next[1] == b'.');
        let spot =
            || Some(Spot { node: name, name: self.slice(self.node(name).span)?, as_type: false, calls: next == b"(" });
        if is_open || signed { spot() } else { None }
    }

    fn names<'t>(&'t self, spots: &[Spot<'t>]) -> Names<'t> {
        let asked: HashMap<&str, HashSet<u32>> = spots.iter().fold(HashMap::new(), |mut asked, spot| {
            asked.entry(spot.name).or_default().insert(spot.node);
            asked
        });
        let (mut types, mut values) = (HashSet::new(), HashSet::new());
        for (index, node) in (0..).zip(&self.nodes) {
            if !matches!(node.kind, Kind::TypeName | Kind::Identifier) || self.is_measured(index) {
                continue;
            }
            let Some(name) = self.slice(node.span) else { continue };
            if asked.get(name).is_some_and(|spots| !spots.contains(&index)) {
                if node.kind == Kind::TypeName { &mut types } else { &mut values }.insert(name);
            }
        }
        Names { types, values, enumerators: self.enumerators().collect() }
    }

    /// Whether a node is what `sizeof` and the like are asked about, in parentheses: a type or a value.
    fn is_measured(&self, index: u32) -> bool {
        let around = self.parent(index).filter(|around| self.node(*around).kind == Kind::Parenthesized);
        around.and_then(|around| self.parent(around)).is_some_and(|outer| self.node(outer).kind == Kind::Prefixed)
    }

    fn meaning(&self, names: &Names, offset: u32, name: &str) -> Meaning {
        if self.declares(offset, name) || names.enumerators.contains(name) {
            return Meaning::Value;
        }
        if let Some(one) = self.macro_of(name) {
            return match (one.literal, one.converts) {
                (Some(_), _) => Meaning::Value,
                (None, true) => Meaning::Type,
                (None, false) => Meaning::Unknown,
            };
        }
        // A type can look like an argument, as in `va_arg(list, T)`; a value never looks like a type.
        match (names.types.contains(name), names.values.contains(name)) {
            (true, _) => Meaning::Type,
            (false, true) => Meaning::Value,
            // As types of the standard library are called.
            (false, false) if name.ends_with("_t") => Meaning::Type,
            (false, false) => Meaning::Unknown,
        }
    }
}
