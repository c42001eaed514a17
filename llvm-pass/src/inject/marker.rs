//! Markers, which stand for code between the passes, and the functions of the runtime that become of some.

use inkwell::llvm_sys::core::{LLVMSetLinkage, LLVMSetVisibility};

use crate::llvm::ir::{LLVMLinkage, LLVMOpcode, Module, Type, Value, llvm};

/// The markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Marker {
    /// `(counter)`: one more.
    Count,
    /// `(counter, i1)`: one more if true.
    CountIf,
    /// `(counter, i32)`: one more in the counter that many further on.
    CountAt,
    /// `(piece)`: the piece is entered.
    Piece,
    /// `(value, anything)`: a node takes a value.
    Value,
    /// `(value, counter)`: a predicate turns out the way that the counter does not count.
    Turn,
    /// `i64 (value, i64)`: as `Value`; the value that the node takes.
    Log,
    /// `ptr (value, ptr)`: as `Log`, of an address.
    Pointer,
    /// `ptr (value, ptr)`: as `Log`, of the address of characters.
    Text,
    /// `(word)`: a state word is set.
    State,
    /// `(0)`: fuel is counted down.
    Burn,
}

impl Marker {
    /// All markers.
    pub const ALL: [Marker; 11] = [
        Marker::Count,
        Marker::CountIf,
        Marker::CountAt,
        Marker::Piece,
        Marker::Value,
        Marker::Turn,
        Marker::Log,
        Marker::Pointer,
        Marker::Text,
        Marker::State,
        Marker::Burn,
    ];

    /// The name of the function that stands for it between the passes.
    pub fn name(self) -> &'static str {
        match self {
            Marker::Count => "suspect.count",
            Marker::CountIf => "suspect.count.if",
            Marker::CountAt => "suspect.count.at",
            Marker::Piece => "suspect.piece",
            Marker::Value => "suspect.value",
            Marker::Turn => "suspect.turn",
            Marker::Log => "suspect.log",
            Marker::Pointer => "suspect.pointer",
            Marker::Text => "suspect.text",
            Marker::State => "suspect.state",
            Marker::Burn => "suspect.burn",
        }
    }

    /// The marker that `instruction` is.
    pub fn of(instruction: Value) -> Option<Marker> {
        let callee = instruction.is(LLVMOpcode::LLVMCall).then(|| instruction.called_function())??;
        let name = callee.name();
        Marker::ALL.into_iter().find(|marker| name.starts_with("suspect.") && marker.name() == name)
    }

    /// The function, declared if need be.
    pub fn function(self, module: Module) -> Value {
        module.function(self.name()).unwrap_or_else(|| self.declare(module))
    }

    fn declare(self, module: Module) -> Value {
        let number = module.int(32);
        let function = match self {
            Marker::Log => module.declare(self.name(), module.int(64), &[number, module.int(64)], false),
            Marker::Text | Marker::Pointer => {
                module.declare(self.name(), module.pointer(), &[number, module.pointer()], false)
            }
            _ => module.declare(self.name(), module.void(), &[number], true),
        };
        let context = module.context();
        for attribute in ["nounwind", "willreturn", "nocallback", "nomerge", "nofree", "nosync"] {
            function.add_attribute(context, attribute, 0);
        }
        function.add_attribute(context, "memory", INACCESSIBLE_ONLY);
        // One instruction to the inliner, not a call: it then decides nearly as for the user's code alone. (At the price of all
        // that a hook ends up as it inlines too little, at none the SQLite amalgamation takes a third longer to compile.)
        function.add_text_attribute(context, "call-inline-cost", "5");
        function
    }
}

/// LLVM's number for `memory(inaccessiblemem: readwrite)`: two bits for each kind of memory, this one being the second.
const INACCESSIBLE_ONLY: u64 = 0b11 << 2;

/// A function of the runtime, declared if need be. Objects link without the runtime.
pub fn hook(module: Module, name: &str, returns: Type, parameters: &[Type]) -> Value {
    module.function(name).unwrap_or_else(|| {
        let hook = module.declare(name, returns, parameters, false);
        llvm!({
            LLVMSetLinkage(hook.0, LLVMLinkage::LLVMExternalWeakLinkage);
            LLVMSetVisibility(hook.0, inkwell::llvm_sys::LLVMVisibility::LLVMHiddenVisibility);
        });
        hook.add_attribute(module.context(), "nounwind", 0);
        hook
    })
}
