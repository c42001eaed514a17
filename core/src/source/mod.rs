//! Source text of C programs: which expression stands at a place that the compiler names, and how it reads after an edit.
//!
//! A [`Text`] is parsed once by tree-sitter, which takes code as it is written: macros not expanded, directives left in, errors
//! passed over. Places are those of clang's debug information: lines and columns from 1, columns in bytes. Clang
//! puts an operation at its operator's token, a call and an element at their first token, a member at its name, an initialiser at the
//! name that it initialises, and all that comes out of a macro at the macro's invocation. So where the token at an
//! operation's place is not its operator, the operation was made by a macro or by the compiler, and no edit of the
//! text would be that mutant: but for what stands in a macro's argument, see [`Definition`].
//!
//! A mutant is a [`Rewrite`] of a node of the tree; [`Text::edits`] turns any number of them, nested ones too, into [`Edit`]s
//! after which the text means exactly that: where the new expression would bind otherwise, it is put in parentheses.

mod beside;
mod callback;
mod claimed;
mod conditional;
mod consequence;
mod constant;
mod definition;
mod edit;
mod enumeration;
mod expression;
mod find;
mod first;
mod kind;
mod literal;
mod misread;
mod operator;
mod rewrite;
mod slip;
mod spelling;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod warning;

pub use beside::Renamed;
pub use claimed::{claimed_lines, names_others, says_it_is_generated};
pub use constant::{Number, constant_text};
pub use definition::Definition;
pub use edit::{Edit, apply};
pub use expression::{Expression, Statement};
pub use kind::Kind;
pub use literal::{Literal, LiteralValue};
pub use operator::Precedence;
pub use rewrite::{Clash, Insertion, Rewrite, What};
pub use slip::{Names, Shows, Slip, SlipClass, parses, slips};
pub use text::{Macro, Meaning, Span, Text};
pub use token::plain;
pub use warning::{Warning, warnings};
