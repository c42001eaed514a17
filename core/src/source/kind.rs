//! Kinds of nodes of the syntax tree, as far as they matter here.

use std::sync::OnceLock;

use tree_sitter::Language;

/// What a node of the syntax tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `a + b`, `a && b`, ...
    Binary,
    /// `a = b`, `a += b`, ...
    Assignment,
    /// `a++`, `--a`.
    Update,
    /// `-a`, `!a`, `~a`, `+a`.
    Unary,
    /// `*a`, `&a`.
    Pointer,
    /// `(a)`.
    Parenthesized,
    /// `f(a, b)`.
    Call,
    /// `a ? b : c`.
    Conditional,
    /// `a[b]`.
    Subscript,
    /// `a.b`, `a->b`.
    Field,
    /// `(int)a`.
    Cast,
    /// `sizeof a`, `sizeof(int)`, `_Alignof(int)`, `__extension__ a`.
    Prefixed,
    /// `a, b`.
    Comma,
    /// A variable, function, enumeration constant or macro.
    Identifier,
    /// The name of a member.
    Member,
    /// The name of a type that a program gives.
    TypeName,
    /// `42`, `0x2a`, `4.2f`.
    Number,
    /// `'a'`.
    Character,
    /// `"a"`, `"a" "b"`.
    String,
    /// `NULL`, `true`, `false` and the like.
    Named,
    /// `(struct s){1, 2}`, `_Generic(...)`, `offsetof(...)`, `__asm__(...)`.
    Special,
    /// The arguments of a call with their parentheses.
    Arguments,
    /// `a = 1` in a declaration.
    InitDeclarator,
    /// `*a`, `a[3]`, `a(int)`, `(a)` in a declaration.
    Declarator,
    /// `{1, 2}`.
    InitializerList,
    /// `.a = 1`.
    InitializerPair,
    /// `a;` where `a` is an expression.
    ExpressionStatement,
    /// A constant of an enumeration, where it is declared.
    Enumerator,
    /// `int a = 1;`.
    Declaration,
    /// `return a;`.
    Return,
    /// `if (a) ...`.
    If,
    /// `while (a) ...`.
    While,
    /// `do ... while (a);`.
    Do,
    /// `for (a; b; c) ...`.
    For,
    /// `switch (a) ...`.
    Switch,
    /// `case 1: ...`.
    Case,
    /// `{ ... }`.
    Block,
    /// A label and what follows it.
    Labeled,
    /// `goto`, `break`, `continue`.
    Jump,
    /// A function with its body.
    Function,
    /// A comment.
    Comment,
    /// A directive, or the lines between two of them.
    Directive,
    /// What the parser could not make sense of.
    Error,
    /// Any other node that has a name in the grammar: types and the like.
    Other,
    /// Punctuation or a keyword.
    Token,
}

impl Kind {
    /// Whether it is a kind of expression.
    pub fn is_expression(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Binary | Assignment | Update | Unary | Pointer | Parenthesized | Call | Conditional | Subscript | Field
        ) || matches!(self, Cast | Prefixed | Comma | Identifier | Number | Character | String | Named | Special)
    }

    /// Whether it is a kind of statement.
    pub fn is_statement(self) -> bool {
        use Kind::*;
        matches!(
            self,
            ExpressionStatement
                | Declaration
                | Return
                | If
                | While
                | Do
                | For
                | Switch
                | Case
                | Block
                | Labeled
                | Jump
                | Function
        )
    }

    fn named(name: &str) -> Kind {
        use Kind::*;
        match name {
            "binary_expression" => Binary,
            "assignment_expression" => Assignment,
            "update_expression" => Update,
            "unary_expression" => Unary,
            "pointer_expression" => Pointer,
            "parenthesized_expression" => Parenthesized,
            "call_expression" => Call,
            "conditional_expression" => Conditional,
            "subscript_expression" => Subscript,
            "field_expression" => Field,
            "cast_expression" => Cast,
            "sizeof_expression" | "alignof_expression" | "extension_expression" => Prefixed,
            "comma_expression" => Comma,
            "identifier" => Identifier,
            "field_identifier" => Member,
            "type_identifier" => TypeName,
            "number_literal" => Number,
            "char_literal" => Character,
            "string_literal" | "concatenated_string" => String,
            "true" | "false" | "null" => Named,
            "compound_literal_expression" | "generic_expression" | "offsetof_expression" | "gnu_asm_expression" => {
                Special
            }
            "argument_list" => Arguments,
            "init_declarator" => InitDeclarator,
            "pointer_declarator"
            | "array_declarator"
            | "function_declarator"
            | "parenthesized_declarator"
            | "attributed_declarator" => Declarator,
            "initializer_list" => InitializerList,
            "initializer_pair" => InitializerPair,
            "expression_statement" => ExpressionStatement,
            "enumerator" => Enumerator,
            "declaration" => Declaration,
            "return_statement" => Return,
            "if_statement" => If,
            "while_statement" => While,
            "do_statement" => Do,
            "for_statement" => For,
            "switch_statement" => Switch,
            "case_statement" => Case,
            "compound_statement" => Block,
            "labeled_statement" | "attributed_statement" => Labeled,
            "goto_statement" | "break_statement" | "continue_statement" => Jump,
            "function_definition" => Function,
            "comment" => Comment,
            name if name.starts_with("preproc_") => Directive,
            _ => Other,
        }
    }

    /// The kind that the grammar's number stands for.
    pub(super) fn of(number: u16) -> Kind {
        static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
        let kinds = KINDS.get_or_init(|| {
            let language = language();
            let kind = |id: u16| match language.node_kind_for_id(id) {
                Some(name) if language.node_kind_is_named(id) => Kind::named(name),
                _ => Kind::Token,
            };
            (0..language.node_kind_count()).map(|id| kind(id as u16)).collect()
        });
        // Errors have a number of their own beyond all others.
        kinds.get(usize::from(number)).copied().unwrap_or(Kind::Error)
    }
}

/// The grammar.
pub(super) fn language() -> Language {
    tree_sitter_c::LANGUAGE.into()
}

/// What a node is to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    None,
    Left,
    Right,
    Operator,
    Argument,
    Condition,
    Consequence,
    Alternative,
    Function,
    Arguments,
    Value,
    Declarator,
    Name,
    Update,
    Initializer,
    Index,
    Other,
}

impl Field {
    fn named(name: &str) -> Field {
        match name {
            "left" => Field::Left,
            "right" => Field::Right,
            "operator" => Field::Operator,
            "argument" => Field::Argument,
            "condition" => Field::Condition,
            "consequence" => Field::Consequence,
            "alternative" => Field::Alternative,
            "function" => Field::Function,
            "arguments" => Field::Arguments,
            "value" => Field::Value,
            "declarator" => Field::Declarator,
            "name" => Field::Name,
            "update" => Field::Update,
            "initializer" => Field::Initializer,
            "index" => Field::Index,
            _ => Field::Other,
        }
    }

    /// The field that the grammar's number stands for.
    pub(super) fn of(number: Option<u16>) -> Field {
        static FIELDS: OnceLock<Vec<Field>> = OnceLock::new();
        let fields = FIELDS.get_or_init(|| {
            let language = language();
            let field = |id: u16| language.field_name_for_id(id).map_or(Field::None, Field::named);
            (0..=language.field_count()).map(|id| field(id as u16)).collect()
        });
        number.and_then(|number| fields.get(usize::from(number)).copied()).unwrap_or(Field::None)
    }
}
