//! Names that can stand for one another: functions of the same parameters and result, members of the same type.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::{below, parts, span, with_tree};
use crate::source::Text;

/// Names that can stand for one another in a program.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By the name of a function, others that look the same to whoever calls them.
    functions: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a member, others of the same type in the same structure.
    members: BTreeMap<String, BTreeSet<String>>,
}

/// Functions of the C library that are taken for one another.
const LIBRARY: [&[&str]; 8] = [
    &["isalpha", "isalnum", "isdigit", "isspace", "isupper", "islower", "ispunct", "isxdigit", "isprint"],
    &["toupper", "tolower"],
    &["strchr", "strrchr"],
    &["strcmp", "strcasecmp"],
    &["strcpy", "strcat"],
    &["strspn", "strcspn"],
    &["floor", "ceil"],
    &["sin", "cos"],
];

impl Names {
    /// The names that these texts, sources and headers, declare.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t Text>) -> Names {
        let mut names = Names::default();
        let mut by_signature: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for text in texts {
            with_tree(text, |root| {
                for node in below(root) {
                    match node.kind() {
                        "function_definition" => {
                            if let Some((name, signature)) = signature(text, node) {
                                by_signature.entry(signature).or_default().insert(name);
                            }
                        }
                        "field_declaration_list" => names.add_members(text, node),
                        _ => {}
                    }
                }
            });
        }
        let library = LIBRARY.iter().map(|all| all.iter().map(|name| (*name).to_owned()).collect());
        for group in by_signature.into_values().chain(library) {
            alike(&mut names.functions, &group);
        }
        names
    }

    /// Functions that could be called instead of this one.
    pub(super) fn functions(&self, name: &str) -> impl Iterator<Item = &str> {
        self.functions.get(name).into_iter().flatten().map(String::as_str)
    }

    /// Members that could be meant instead of this one.
    pub(super) fn members(&self, name: &str) -> impl Iterator<Item = &str> {
        self.members.get(name).into_iter().flatten().map(String::as_str)
    }

    fn add_members(&mut self, text: &Text, list: Node) {
        let mut by_type: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for declaration in parts(list).into_iter().filter(|part| part.kind() == "field_declaration") {
            let Some(kind) = declaration.child_by_field_name("type") else { continue };
            for declarator in parts(declaration).into_iter().filter(|part| part.id() != kind.id()) {
                let (Some(kind), Some(whole)) = (text.slice(span(kind)), text.slice(span(declarator))) else {
                    continue;
                };
                let Some(name) = declared(declarator).and_then(|name| text.slice(span(name))) else { continue };
                // What is left of `*a[3]` without its name is what is done to the type.
                let shape = whole.replacen(name, "", 1);
                by_type.entry(format!("{kind} {shape}")).or_default().insert(name.to_owned());
            }
        }
        for group in by_type.into_values() {
            alike(&mut self.members, &group);
        }
    }
}

fn alike(all: &mut BTreeMap<String, BTreeSet<String>>, group: &BTreeSet<String>) {
    for name in group {
        let others = group.iter().filter(|other| *other != name).cloned();
        all.entry(name.clone()).or_default().extend(others);
    }
}

/// A function's name, and its result's and parameters' types in words; `None` without parameters, where calls tell nothing apart.
fn signature(text: &Text, function: Node) -> Option<(String, String)> {
    let result = text.slice(span(function.child_by_field_name("type")?))?;
    let mut declarator = function.child_by_field_name("declarator")?;
    let mut stars = String::new();
    while declarator.kind() == "pointer_declarator" {
        stars.push('*');
        declarator = declarator.child_by_field_name("declarator")?;
    }
    let name = text.slice(span(declared(declarator)?))?;
    let parameters = declarator.child_by_field_name("parameters")?;
    let mut types = Vec::new();
    for parameter in parts(parameters) {
        if parameter.kind() != "parameter_declaration" {
            return None;
        }
        let whole = text.slice(span(parameter))?;
        let named =
            parameter.child_by_field_name("declarator").and_then(declared).and_then(|name| text.slice(span(name)));
        types.push(named.map_or(whole.to_owned(), |named| match whole.rfind(named) {
            Some(at) => format!("{}{}", &whole[..at], &whole[at + named.len()..]),
            None => whole.to_owned(),
        }));
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let types: Vec<String> = types.iter().map(|one| words(one)).collect();
    Some((name.to_owned(), format!("{}{stars}({})", words(result), types.join(","))))
}

/// The name that a declarator declares.
pub(super) fn declared(declarator: Node) -> Option<Node> {
    let mut here = declarator;
    loop {
        if matches!(here.kind(), "identifier" | "field_identifier") {
            return Some(here);
        }
        here = match here.child_by_field_name("declarator") {
            Some(inner) => inner,
            None => parts(here).into_iter().find(|part| part.kind().ends_with("declarator"))?,
        };
    }
}
