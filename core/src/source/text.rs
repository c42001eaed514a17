//! A file's text and its syntax tree, flattened.

use std::collections::{BTreeSet, HashMap};

use tree_sitter::{Parser, TreeCursor};

use super::conditional::{self, Compiled, LeftOut};
use super::kind::{Field, Kind, language};
use super::literal::Literal;
use super::misread::Substitute;
use super::spelling;
use super::token::is_name;

/// A stretch of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of its first byte.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
}

impl Span {
    /// Whether `other` lies in it, or is it.
    pub fn holds(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A node of the tree. Nodes lie in the order in which they begin, a node before its children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub span: Span,
    /// Its parent; itself for the root.
    pub parent: u32,
    /// Behind its last descendant.
    pub last: u32,
    pub kind: Kind,
    pub field: Field,
    /// Whether the parser found something wrong in it.
    pub flawed: bool,
    /// Whether it lies in a statement with no flaw right around it: the tree can be believed there.
    pub sound: bool,
}

/// The text of a C source file, parsed. Costs time and memory linear in its length.
#[derive(Clone, Debug)]
pub struct Text {
    source: Vec<u8>,
    lines: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    /// Nodes without children that are not empty, in the order of the text.
    leaves: Vec<u32>,
    macros: HashMap<Box<str>, Macro>,
    /// Where variables are declared.
    declared: HashMap<Box<str>, Vec<Declared>>,
    /// Where each word stands first outside functions or as a macro's name.
    introduced: HashMap<Box<str>, u32>,
    /// What was left out to read conditional groups.
    pub(super) left_out: Vec<LeftOut>,
}

/// How often a text is parsed to have its names right: each round shows what the last one's mistakes hid, mostly nothing.
const MOST_ROUNDS: usize = 4;

/// A declaration of a name.
#[derive(Clone, Copy, Debug)]
struct Declared {
    /// Where the name stands.
    at: u32,
    /// The block, loop, function or text that it is known in.
    scope: Span,
    /// The function that it is in; the whole text for others.
    function: Span,
    /// The declarator with its initial value.
    declarator: Span,
    /// Whether it is a variable that begins without a value.
    unset: bool,
    /// Whether it is a parameter.
    parameter: bool,
    /// Whether it is the name of the function that it is in.
    defined: bool,
}

impl Declared {
    /// Whether it is known outside functions.
    fn is_outside(&self) -> bool {
        self.defined || self.scope.end == u32::MAX
    }
}

/// What the name of a function that the compiler knows means at a place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// That function, for all that the text says.
    Itself,
    /// Something else.
    Another,
    /// Nothing as far as the text goes: it is declared below, or in a header besides.
    Later,
}

/// What is known of a macro, all its definitions in a text together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Macro {
    /// Whether it stands for one operand wherever it is used: a single token, a call, or something in parentheses.
    pub closed: bool,
    /// The literal that it is.
    pub literal: Option<Literal>,
    /// Whether it is a type for all that its first word says.
    pub converts: bool,
}

impl Text {
    /// Parses `source`, whatever it is. A text of 4 GiB or more has no tree, so nothing is found in it.
    pub fn parse(source: impl Into<Vec<u8>>) -> Text {
        Text::parse_compiled(source, &BTreeSet::new())
    }

    /// Parses the source of a program that has code on these lines, counted from 1. They tell which branches of `#if` were compiled.
    pub fn parse_compiled(source: impl Into<Vec<u8>>, code: &BTreeSet<u32>) -> Text {
        let source = source.into();
        let newlines = source.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let lines = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        let mut text = Text {
            source,
            lines,
            nodes: Vec::new(),
            leaves: Vec::new(),
            macros: HashMap::new(),
            declared: HashMap::new(),
            introduced: HashMap::new(),
            left_out: Vec::new(),
        };
        if u32::try_from(text.source.len()).is_ok() {
            text.read(code);
            text.introduced = text.introductions();
        }
        text
    }

    /// Builds the tree, once more where it shows what the grammar mistook a name for.
    fn read(&mut self, code: &BTreeSet<u32>) {
        let mut substitutes: Vec<Substitute> = self.read_conditional(code);
        for round in 0..=MOST_ROUNDS {
            self.plant(nodes_of(&self.source, &substitutes));
            self.macros = self.defined();
            self.declared = self.declarations();
            let (more, mut unclear) = self.misread();
            if more.is_empty() || round == MOST_ROUNDS {
                unclear.extend(more.iter().filter_map(|one| self.leaf(one.span.start)));
                self.doubt(&unclear);
                return self.doubt_around();
            }
            substitutes.extend(more);
            substitutes.sort_by_key(|one| one.span);
        }
    }

    /// What stands in other's places, conditional groups that the grammar cannot read among them.
    fn read_conditional(&mut self, code: &BTreeSet<u32>) -> Vec<Substitute> {
        let mut substitutes = spelling::respelled(&self.source);
        let mut groups = conditional::groups(&self.source);
        let compiled = Compiled::of(self, code, &groups);
        groups.retain(|group| group.divides);
        if !groups.is_empty() {
            self.plant(nodes_of(&self.source, &substitutes));
        }
        for _ in 0..conditional::MOST_ROUNDS {
            if groups.is_empty() {
                break;
            }
            let left_out = self.undivided(&mut groups, &compiled);
            let without = leaving_out(&substitutes, &left_out);
            let nodes = nodes_of(&self.source, &without);
            let before = self.flaws();
            let kept = std::mem::take(&mut self.nodes);
            self.plant(nodes);
            if self.flaws() >= before {
                self.plant(kept);
                break;
            }
            substitutes = without;
            self.left_out.extend(left_out);
        }
        substitutes
    }

    /// Takes a tree.
    fn plant(&mut self, nodes: Vec<Node>) {
        self.nodes = nodes;
        let is_leaf = |(index, node): &(u32, &Node)| node.last == index + 1 && node.span.start < node.span.end;
        self.leaves = (0..).zip(&self.nodes).filter(is_leaf).map(|(index, _)| index).collect();
    }

    /// Whether something was left out in a span to read a conditional group.
    pub(super) fn is_conditional(&self, span: Span) -> bool {
        self.left_out.iter().flat_map(|one| &one.gaps).any(|gap| span.holds(*gap))
    }

    /// The macros that it defines.
    pub fn macros(&self) -> impl Iterator<Item = (&str, Macro)> {
        self.macros.iter().map(|(name, one)| (&**name, *one))
    }

    /// The constants of enumerations that it declares.
    pub fn enumerators(&self) -> impl Iterator<Item = &str> {
        let declared = (0..).zip(&self.nodes).filter(|(_, node)| node.kind == Kind::Enumerator);
        declared.filter_map(|(index, _)| self.slice(self.node(self.child(index, Field::Name)?).span))
    }

    /// Whether a name can be known at an offset: not if the function around it declares it elsewhere alone, nor in the declaration itself, where
    /// it has no value yet. The compiler's tables know lines alone, so what is declared in the same line is not what they mean.
    pub(super) fn sees(&self, offset: u32, name: &str) -> bool {
        let Some(all) = self.declared.get(name) else { return true };
        let holds = |span: Span| span.start <= offset && offset < span.end;
        let line = |offset: u32| self.place(offset).0;
        let mut inner_first = all.iter().rev().filter(|one| one.at < offset && holds(one.scope));
        let meant = inner_first.next().filter(|one| !one.parameter && line(one.at) == line(offset));
        let is_hidden = meant.is_some() && inner_first.next().is_some();
        if is_hidden || all.iter().any(|one| holds(one.declarator)) {
            return false;
        }
        let known = all.iter().any(|one| one.at < offset && holds(one.scope));
        known || !all.iter().any(|one| holds(one.function))
    }

    /// Where the variable, parameter or function that a name means at an offset is declared; `None` if the text does not say.
    pub(super) fn declaration(&self, offset: u32, name: &str) -> Option<u32> {
        let holds = |span: Span| span.start <= offset && offset < span.end;
        let mut inner_first = self.declared.get(name)?.iter().rev();
        inner_first.find(|one| one.at < offset && holds(one.scope)).map(|one| one.at)
    }

    /// Whether the function around an offset declares a name once, and for the offset.
    pub(super) fn declares_once(&self, offset: u32, name: &str) -> bool {
        let holds = |span: Span| span.start <= offset && offset < span.end;
        let all = self.declared.get(name).into_iter().flatten();
        let mut own = all.filter(|one| !one.is_outside() && holds(one.function));
        own.next().is_some_and(|one| one.at < offset && holds(one.scope)) && own.next().is_none()
    }

    /// Whether a variable, parameter or function of this name is declared where the offset is.
    pub(super) fn declares(&self, offset: u32, name: &str) -> bool {
        let holds = |span: Span| span.start <= offset && offset < span.end;
        let all = self.declared.get(name).into_iter().flatten();
        all.into_iter().any(|one| one.at < offset && holds(one.scope))
    }

    /// Whether a macro, a type, a member or a constant of this name may be known at the later offset alone, for the text tells of it between the two.
    pub(super) fn introduces(&self, word: &str, between: Span) -> bool {
        self.introduced.get(word).is_some_and(|at| between.start < *at && *at < between.end)
    }

    fn introductions(&self) -> HashMap<Box<str>, u32> {
        let (mut found, mut function_end) = (HashMap::new(), 0);
        for (index, node) in (0..).zip(&self.nodes) {
            if node.kind == Kind::Function {
                function_end = node.last;
            }
            let outer = || self.parent(index).map(|outer| self.node(outer).kind);
            let is_macro = node.field == Field::Name && outer() == Some(Kind::Directive);
            let is_told = node.last == index + 1 && (index >= function_end || is_macro);
            if let Some(word) = self.slice(node.span).filter(|token| is_told && is_name(token)) {
                found.entry(word.into()).or_insert(node.span.start);
            }
        }
        found
    }

    /// What the name of a function that the program has means at an offset.
    pub(super) fn names_function(&self, offset: u32, name: &str) -> Meaning {
        let Some(all) = self.declared.get(name) else { return Meaning::Itself };
        let holds = |span: Span| span.start <= offset && offset < span.end;
        let (outside, inside): (Vec<&Declared>, Vec<&Declared>) = all.iter().partition(|one| one.is_outside());
        if inside.iter().any(|one| one.at < offset && holds(one.scope)) {
            return Meaning::Another;
        }
        // Where all that declare it are other functions, a header does, too.
        let is_known = outside.is_empty() || outside.iter().any(|one| one.at < offset);
        if is_known { Meaning::Itself } else { Meaning::Later }
    }

    /// Whether a variable or function of this name is declared outside functions.
    pub fn declares_outside(&self, name: &str) -> bool {
        self.declared.get(name).is_some_and(|all| all.iter().any(Declared::is_outside))
    }

    /// A macro that it defines.
    pub(super) fn macro_of(&self, name: &str) -> Option<Macro> {
        self.macros.get(name).copied()
    }

    /// First and last line of each function.
    pub fn functions(&self) -> Vec<(u32, u32)> {
        let line = |offset: u32| self.lines.partition_point(|start| *start <= offset) as u32;
        let functions = self.nodes.iter().filter(|node| node.kind == Kind::Function);
        functions.map(|node| (line(node.span.start), line(node.span.end.saturating_sub(1)))).collect()
    }

    /// The token that follows an offset; comments are none.
    pub(super) fn leaf_after(&self, offset: u32) -> Option<&[u8]> {
        let position = self.leaves.partition_point(|leaf| self.node(*leaf).span.start < offset);
        let mut following = self.leaves[position..].iter().map(|leaf| self.node(*leaf));
        following.find(|node| node.kind != Kind::Comment).map(|node| self.bytes(node.span))
    }

    fn declarations(&self) -> HashMap<Box<str>, Vec<Declared>> {
        let mut found: HashMap<Box<str>, Vec<Declared>> = HashMap::new();
        // What is open around the node at hand, innermost last: function and other scopes.
        let mut open: Vec<(u32, Span, bool)> = Vec::new();
        let whole = Span { start: 0, end: u32::MAX };
        for (index, node) in (0..).zip(&self.nodes) {
            while open.last().is_some_and(|(last, ..)| *last <= index) {
                open.pop();
            }
            if matches!(node.kind, Kind::Function | Kind::Block | Kind::For) {
                open.push((node.last, node.span, node.kind == Kind::Function));
            }
            let names_something = node.field == Field::Declarator && node.kind == Kind::Identifier;
            let written = self.slice(node.span).filter(|_| names_something);
            // What is called in an expression that looks like a declaration is no variable, nor is a function.
            let Some(name) = written.map(spelling::joined) else { continue };
            let scope = open.last().map_or(whole, |(_, span, _)| *span);
            let function =
                open.iter().rev().find(|(_, _, is_function)| *is_function).map_or(whole, |(_, span, _)| *span);
            let outer = std::iter::successors(Some(index), |inner| self.parent(*inner))
                .take_while(|around| {
                    *around == index || matches!(self.node(*around).kind, Kind::Declarator | Kind::InitDeclarator)
                })
                .last();
            let outer = outer.unwrap_or(index);
            let declarator = self.node(outer).span;
            let unset = scope != whole && self.begins_unset(outer);
            let parameter = self.parent(outer).is_none_or(|around| self.node(around).kind != Kind::Declaration);
            let defined = self.parent(outer).is_some_and(|around| self.node(around).kind == Kind::Function);
            let one = Declared { at: node.span.start, scope, function, declarator, unset, parameter, defined };
            match found.get_mut(&*name) {
                Some(all) => all.push(one),
                None => _ = found.insert(name.into(), vec![one]),
            }
        }
        found
    }

    /// Whether a declarator is of a variable that has no value: a number or an address inside a function, not kept, no parameter.
    fn begins_unset(&self, declarator: u32) -> bool {
        let Some(declaration) = self.parent(declarator) else { return false };
        let inside = self.parent(declaration).is_some_and(|outer| self.node(outer).kind != Kind::Function);
        let kept = [&b"static"[..], b"extern", b"_Thread_local", b"__thread"];
        let words = self.bytes(self.node(declaration).span);
        let is_scalar = !self.bytes(self.node(declarator).span).iter().any(|byte| b"[(".contains(byte));
        let is_kept = kept.iter().any(|word| words.windows(word.len()).any(|window| window == *word));
        self.node(declaration).kind == Kind::Declaration && inside && is_scalar && !is_kept
    }

    /// Whether a name is that of a variable which the text says nothing of between its declaration without a value and the offset.
    pub(super) fn is_unset(&self, offset: u32, name: &str) -> bool {
        let holds = |span: Span| span.start <= offset && offset < span.end;
        let mut known = self.declared.get(name).into_iter().flatten();
        let Some(one) = known.rfind(|one| one.at < offset && holds(one.scope)) else { return false };
        let start = |leaf: &u32| self.node(*leaf).span.start;
        let from = self.leaves.partition_point(|leaf| start(leaf) < one.declarator.end);
        let mut between = self.leaves[from..].iter().take_while(|leaf| start(leaf) < offset);
        one.unset && !between.any(|leaf| self.bytes(self.node(*leaf).span) == name.as_bytes())
    }

    fn defined(&self) -> HashMap<Box<str>, Macro> {
        let mut found = HashMap::new();
        for (index, _) in (0..).zip(&self.nodes).filter(|(_, node)| node.kind == Kind::Directive) {
            let part = |field| self.child(index, field).and_then(|child| self.slice(self.node(child).span));
            let is_definition = self.bytes(self.node(index).span).starts_with(b"#");
            let Some(name) = part(Field::Name).filter(|_| is_definition) else { continue };
            let body = part(Field::Value).unwrap_or_default();
            let one = Macro {
                closed: is_one_operand(body),
                literal: Literal::of_text(body.trim()),
                converts: begins_type(body),
            };
            let known: &mut Macro = found.entry(name.into()).or_insert(one);
            known.closed &= one.closed;
            known.converts &= one.converts;
            known.literal = known.literal.filter(|literal| Some(*literal) == one.literal);
        }
        found
    }

    /// The bytes.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Offset of a place; `None` if the text has no such line or the line no such column.
    pub fn offset(&self, line: u32, column: u32) -> Option<u32> {
        let index = line.checked_sub(1)? as usize;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(index + 1).copied().unwrap_or(self.source.len() as u32);
        let offset = start.checked_add(column.checked_sub(1)?)?;
        (offset < end).then_some(offset)
    }

    /// Line and column of an offset, both from 1.
    pub fn place(&self, offset: u32) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        (line as u32, offset.saturating_sub(start) + 1)
    }

    /// The text of a span; `None` if it is no UTF-8.
    pub fn slice(&self, span: Span) -> Option<&str> {
        std::str::from_utf8(self.bytes(span)).ok()
    }

    pub(super) fn bytes(&self, span: Span) -> &[u8] {
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    pub(super) fn n_nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub(super) fn node(&self, index: u32) -> &Node {
        // Indices come from this text's own tables.
        &self.nodes[index as usize]
    }

    /// The first leaf that begins at `offset` or behind it.
    pub(super) fn leaf_from(&self, offset: u32) -> Option<u32> {
        let position = self.leaves.partition_point(|leaf| self.node(*leaf).span.start < offset);
        self.leaves.get(position).copied()
    }

    /// The leaf that begins at `offset`.
    pub(super) fn leaf(&self, offset: u32) -> Option<u32> {
        self.leaf_from(offset).filter(|leaf| self.node(*leaf).span.start == offset)
    }

    /// The direct children of a node, in the order of the text.
    pub(super) fn children(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let last = self.node(index).last;
        let within = move |child: &u32| *child < last;
        std::iter::successors(Some(index + 1).filter(within), move |child| Some(self.node(*child).last).filter(within))
    }

    pub(super) fn child(&self, index: u32, field: Field) -> Option<u32> {
        self.children(index).find(|child| self.node(*child).field == field)
    }

    /// The parent; `None` for the root.
    pub(super) fn parent(&self, index: u32) -> Option<u32> {
        Some(self.node(index).parent).filter(|parent| *parent != index)
    }
}

/// Whether a macro's body binds as tightly as a name: a token, a call, or something in parentheses.
fn is_one_operand(body: &str) -> bool {
    let body = body.split("/*").next().unwrap_or_default().trim();
    let rest = body.trim_start_matches(|one: char| one.is_alphanumeric() || matches!(one, '_' | '.' | '$'));
    if rest.is_empty() || rest.starts_with(['"', '\'']) {
        return true;
    }
    // The parenthesis that opens the rest is to be closed at its end, not before.
    let mut depth = 0usize;
    let closes = rest.char_indices().find_map(|(at, one)| {
        depth = match one {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        (depth == 0).then_some(at)
    });
    rest.starts_with('(') && closes == Some(rest.len() - 1)
}

/// Whether a macro's body begins as a type does.
fn begins_type(body: &str) -> bool {
    const WORDS: [&str; 16] = [
        "char", "const", "double", "enum", "float", "int", "long", "short", "signed", "struct", "union", "unsigned",
        "void", "volatile", "_Bool", "__int128",
    ];
    let word = body.split(|one: char| !one.is_alphanumeric() && one != '_').find(|word| !word.is_empty());
    word.is_some_and(|word| WORDS.contains(&word) || word.ends_with("_t"))
}

/// What stands in other's places where these are left out, too; what lies in them goes with them.
fn leaving_out(substitutes: &[Substitute], left_out: &[LeftOut]) -> Vec<Substitute> {
    let mut gaps: Vec<Span> = left_out.iter().flat_map(|one| &one.gaps).copied().collect();
    gaps.sort();
    let is_left_out = |span: Span| {
        let before = gaps.partition_point(|gap| gap.start <= span.start);
        before.checked_sub(1).is_some_and(|last| gaps[last].holds(span))
    };
    let mut all: Vec<Substitute> = substitutes.iter().filter(|one| !is_left_out(one.span)).copied().collect();
    all.extend(gaps.iter().map(|gap| Substitute { span: *gap, by: "" }));
    all.sort_by_key(|one| one.span);
    all
}

/// The nodes of a text's tree, some names of it read as something else.
fn nodes_of(source: &[u8], substitutes: &[Substitute]) -> Vec<Node> {
    let mut parser = Parser::new();
    if parser.set_language(&language()).is_err() {
        // The versions of grammar and parser are tested to fit.
        return Vec::new();
    }
    if substitutes.is_empty() {
        return parser.parse(source, None).map_or_else(Vec::new, |tree| flatten(&mut tree.walk()));
    }
    let (mut parsed, mut from) = (Vec::with_capacity(source.len() + 64), 0);
    // Where each one begins in what is parsed.
    let mut begins = Vec::new();
    for Substitute { span, by } in substitutes {
        parsed.extend_from_slice(&source[from..span.start as usize]);
        begins.push(parsed.len() as u32);
        parsed.extend_from_slice(by.as_bytes());
        from = span.end as usize;
    }
    parsed.extend_from_slice(&source[from..]);
    let Some(tree) = parser.parse(&parsed, None) else { return Vec::new() };
    let mut nodes = flatten(&mut tree.walk());
    let original = |offset: u32, is_start: bool| {
        let Some(last) = begins.partition_point(|begin| *begin < offset + u32::from(is_start)).checked_sub(1) else {
            return offset;
        };
        let Substitute { span, by } = &substitutes[last];
        match offset == begins[last] && !by.is_empty() {
            true => span.start,
            false => (offset - begins[last]).saturating_sub(by.len() as u32) + span.end,
        }
    };
    for node in &mut nodes {
        let is_substitute = begins
            .binary_search(&node.span.start)
            .is_ok_and(|at| node.span.end - node.span.start == substitutes[at].by.len() as u32);
        node.span = Span { start: original(node.span.start, true), end: original(node.span.end, false) };
        // A whole name that is a number to the parser.
        if is_substitute && node.kind == Kind::Number {
            node.kind = Kind::Identifier;
        }
    }
    nodes
}

/// All nodes below a cursor at the root; walks instead of calling itself, for trees may be deep.
fn flatten(cursor: &mut TreeCursor) -> Vec<Node> {
    let mut nodes = vec![node_at(cursor, 0, false)];
    let mut open = vec![0u32];
    // A statement is a new beginning whatever it stands in, unless what is wrong is in it or right before it.
    let sound_below = |node: &Node| match node.kind {
        Kind::ExpressionStatement | Kind::Return => node.sound && !node.flawed,
        Kind::Error | Kind::Directive => false,
        kind => kind.is_statement() || node.sound,
    };
    loop {
        let parent = open.last().copied().unwrap_or(0);
        if cursor.goto_first_child() {
            open.push(nodes.len() as u32);
            let mut node = node_at(cursor, parent, sound_below(&nodes[parent as usize]));
            node.sound |= node.kind.is_statement();
            nodes.push(node);
            continue;
        }
        let mut done = parent;
        loop {
            nodes[done as usize].last = nodes.len() as u32;
            open.pop();
            if cursor.goto_next_sibling() {
                let parent = open.last().copied().unwrap_or(0);
                open.push(nodes.len() as u32);
                let before = nodes[done as usize];
                let after_flaw = before.kind == Kind::Error || (before.kind == Kind::Directive && before.flawed);
                let mut node = node_at(cursor, parent, sound_below(&nodes[parent as usize]));
                let new_beginning = node.kind.is_statement();
                node.sound = if new_beginning { !after_flaw } else { node.sound };
                nodes.push(node);
                break;
            }
            if !cursor.goto_parent() {
                return nodes;
            }
            done = open.last().copied().unwrap_or(0);
        }
    }
}

fn node_at(cursor: &TreeCursor, parent: u32, sound: bool) -> Node {
    let node = cursor.node();
    let range = node.byte_range();
    Node {
        span: Span { start: range.start as u32, end: range.end as u32 },
        parent,
        last: 0,
        kind: if node.is_error() { Kind::Error } else { Kind::of(node.kind_id()) },
        field: Field::of(cursor.field_id().map(u16::from)),
        flawed: node.has_error(),
        sound,
    }
}
