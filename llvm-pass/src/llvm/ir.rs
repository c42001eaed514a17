//! LLVM's module, values, blocks and types as plain copyable handles; all calls into LLVM are here and in [`crate::llvm::shim`].
//!
//! inkwell brings LLVM's C interface; its typed values are not used, because they panic on kinds of values that C
//! programs contain. A handle is valid while the compiler runs a pass over the module it came from, and passes hold
//! handles no longer than that, which is the safety argument of every call here.

use std::ffi::{CStr, CString, c_uint};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
pub use inkwell::llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

use crate::llvm::shim;

/// Calls LLVM.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: the handles that go in were given out by LLVM for the module that the running pass was called with,
        // lengths are those of the slices passed, and each caller checks the kind of value first.
        unsafe { $call }
    };
}
pub(crate) use llvm;

/// A value: instruction, constant, global, argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block(pub LLVMBasicBlockRef);

/// A type of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type(pub LLVMTypeRef);

/// The module being compiled.
#[derive(Clone, Copy, Debug)]
pub struct Module(pub LLVMModuleRef);

fn text<'a>(bytes: *const std::ffi::c_char, length: usize) -> &'a [u8] {
    match bytes.is_null() {
        true => &[],
        // SAFETY: LLVM returned this pointer with this length; the string lives as long as its context.
        false => unsafe { std::slice::from_raw_parts(bytes.cast(), length) },
    }
}

/// The string that `call` returns, given a place for its length.
pub fn string_of(call: impl FnOnce(*mut usize) -> *const std::ffi::c_char) -> String {
    String::from_utf8_lossy(bytes_of(call).unwrap_or_default()).into_owned()
}

/// The bytes that `call` returns; `None` when it returns null.
pub fn bytes_of<'a>(call: impl FnOnce(*mut usize) -> *const std::ffi::c_char) -> Option<&'a [u8]> {
    let mut length = 0;
    let bytes = call(&mut length);
    (!bytes.is_null()).then(|| text(bytes, length))
}

fn optional(value: LLVMValueRef) -> Option<Value> {
    (!value.is_null()).then_some(Value(value))
}

impl Module {
    /// The context that owns the module.
    pub fn context(self) -> LLVMContextRef {
        llvm!(LLVMGetModuleContext(self.0))
    }

    /// All functions, declared and defined.
    pub fn functions(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstFunction(self.0));
        std::iter::successors(optional(first), |function| optional(llvm!(LLVMGetNextFunction(function.0)))).collect()
    }

    /// All indirect functions.
    pub fn ifuncs(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstGlobalIFunc(self.0));
        std::iter::successors(optional(first), |ifunc| optional(llvm!(LLVMGetNextGlobalIFunc(ifunc.0)))).collect()
    }

    /// The function called `name`.
    pub fn function(self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        optional(llvm!(LLVMGetNamedFunction(self.0, name.as_ptr())))
    }

    /// The variable called `name`.
    pub fn global(self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        optional(llvm!(LLVMGetNamedGlobal(self.0, name.as_ptr())))
    }

    /// Declares a function.
    pub fn declare(self, name: &str, returns: Type, parameters: &[Type], variadic: bool) -> Value {
        let mut parameters: Vec<LLVMTypeRef> = parameters.iter().map(|kind| kind.0).collect();
        let name = CString::new(name).unwrap_or_default();
        llvm!({
            let kind =
                LLVMFunctionType(returns.0, parameters.as_mut_ptr(), parameters.len() as c_uint, variadic as i32);
            Value(LLVMAddFunction(self.0, name.as_ptr(), kind))
        })
    }

    /// Adds a variable without initialiser.
    pub fn add_global(self, name: &str, kind: Type) -> Value {
        let name = CString::new(name).unwrap_or_default();
        Value(llvm!(LLVMAddGlobal(self.0, kind.0, name.as_ptr())))
    }

    /// Integer type of `bits` bits.
    pub fn int(self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.context(), bits)))
    }

    /// No type.
    pub fn void(self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.context())))
    }

    /// Type of addresses.
    pub fn pointer(self) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.context(), 0)))
    }

    /// Array of 64-bit words.
    pub fn words(self, count: u32) -> Type {
        self.array(self.int(64), count)
    }

    /// Array type.
    pub fn array(self, element: Type, count: u32) -> Type {
        // LLVM 16 has only the old function, LLVM 19 has both.
        #[cfg_attr(feature = "llvm19", expect(deprecated, reason = "the new one is not in LLVM 16"))]
        Type(llvm!(LLVMArrayType(element.0, count)))
    }

    /// The constant `number` of an integer type of `bits` bits.
    pub fn constant(self, bits: u32, number: u64) -> Value {
        Value(llvm!(LLVMConstInt(self.int(bits).0, number, 0)))
    }

    /// Appends assembly to the module's own.
    pub fn append_assembly(self, assembly: &str) {
        llvm!(LLVMAppendModuleInlineAsm(self.0, assembly.as_ptr().cast(), assembly.len()))
    }

    /// The source file's name as given to the compiler.
    pub fn source(self) -> String {
        string_of(|length| llvm!(LLVMGetSourceFileName(self.0, length)))
    }

    /// Reports an error as the compiler's own, which fails the compilation.
    pub fn error(self, message: &str) {
        llvm!(shim::suspect_error(self.0, message.as_ptr().cast(), message.len()))
    }

    /// Leaves numbers in the module under `name` for a later pass.
    pub fn leave(self, name: &CStr, numbers: &[u64]) {
        llvm!({
            let context = self.context();
            let mut values: Vec<LLVMMetadataRef> =
                numbers.iter().map(|number| LLVMValueAsMetadata(self.constant(64, *number).0)).collect();
            let node = LLVMMDNodeInContext2(context, values.as_mut_ptr(), values.len());
            LLVMAddNamedMetadataOperand(self.0, name.as_ptr(), LLVMMetadataAsValue(context, node));
        })
    }

    /// Takes the numbers that an earlier pass left.
    pub fn take(self, name: &CStr) -> Option<Vec<u64>> {
        llvm!({
            if LLVMGetNamedMetadataNumOperands(self.0, name.as_ptr()) == 0 {
                return None;
            }
            let mut node = std::ptr::null_mut();
            LLVMGetNamedMetadataOperands(self.0, name.as_ptr(), &mut node);
            let mut values = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, values.as_mut_ptr());
            shim::suspect_drop_named_metadata(self.0, name.as_ptr());
            Some(values.into_iter().map(|value| LLVMConstIntGetZExtValue(value)).collect())
        })
    }
}

impl Type {
    /// What kind of type it is.
    pub fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    /// Bits of an integer type; 0 for other types.
    pub fn int_bits(self) -> u32 {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => llvm!(LLVMGetIntTypeWidth(self.0)),
            _ => 0,
        }
    }

    /// Bits of a scalar that fits a value word, possibly folded; `None` for aggregates, vectors and void.
    pub fn scalar_bits(self) -> Option<u32> {
        use LLVMTypeKind::*;
        match self.kind() {
            LLVMIntegerTypeKind => Some(self.int_bits()).filter(|bits| *bits <= 128),
            LLVMHalfTypeKind | LLVMBFloatTypeKind => Some(16),
            LLVMFloatTypeKind => Some(32),
            LLVMDoubleTypeKind | LLVMPointerTypeKind => Some(64),
            LLVMX86_FP80TypeKind => Some(80),
            LLVMFP128TypeKind => Some(128),
            _ => None,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        use LLVMTypeKind::*;
        matches!(
            self.kind(),
            LLVMHalfTypeKind
                | LLVMBFloatTypeKind
                | LLVMFloatTypeKind
                | LLVMDoubleTypeKind
                | LLVMX86_FP80TypeKind
                | LLVMFP128TypeKind
        )
    }

    /// Whether it is a pointer.
    pub fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// Whether it is a pointer to ordinary memory.
    pub fn is_ordinary_pointer(self) -> bool {
        self.is_pointer() && llvm!(LLVMGetPointerAddressSpace(self.0)) == 0
    }
}

impl Block {
    /// Its instructions but those that only carry debug information.
    pub fn instructions(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstInstruction(self.0));
        std::iter::successors(optional(first), |value| optional(llvm!(LLVMGetNextInstruction(value.0))))
            .filter(|value| !llvm!(shim::suspect_is_debug(value.0)))
            .collect()
    }

    /// Its last instruction.
    pub fn terminator(self) -> Option<Value> {
        optional(llvm!(LLVMGetBasicBlockTerminator(self.0)))
    }

    /// Its function.
    pub fn function(self) -> Value {
        Value(llvm!(LLVMGetBasicBlockParent(self.0)))
    }

    /// Whether a label's address is taken.
    pub fn has_address_taken(self) -> bool {
        llvm!(shim::suspect_has_address_taken(self.0))
    }
}

impl Value {
    /// Its name.
    pub fn name(self) -> String {
        string_of(|length| llvm!(LLVMGetValueName2(self.0, length)))
    }

    /// Its type.
    pub fn kind(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    /// Its uses: each user, with the value itself as operand.
    pub fn users(self) -> Vec<Value> {
        let first = llvm!(LLVMGetFirstUse(self.0));
        std::iter::successors((!first.is_null()).then_some(first), |one| {
            let next = llvm!(LLVMGetNextUse(*one));
            (!next.is_null()).then_some(next)
        })
        .map(|one| Value(llvm!(LLVMGetUser(one))))
        .collect()
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        !llvm!(LLVMIsAInstruction(self.0)).is_null()
    }

    /// Whether it is a constant (a global's address included).
    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    /// Whether it is a parameter of its function.
    pub fn is_argument(self) -> bool {
        !llvm!(LLVMIsAArgument(self.0)).is_null()
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        !llvm!(LLVMIsAFunction(self.0)).is_null()
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        !llvm!(LLVMIsAGlobalVariable(self.0)).is_null()
    }

    /// Whether it is the null pointer.
    pub fn is_null_pointer(self) -> bool {
        !llvm!(LLVMIsAConstantPointerNull(self.0)).is_null()
    }

    /// The opcode of an instruction.
    pub fn opcode(self) -> Option<LLVMOpcode> {
        self.is_instruction().then(|| llvm!(LLVMGetInstructionOpcode(self.0)))
    }

    /// Whether it is an instruction with this opcode.
    pub fn is(self, opcode: LLVMOpcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// The opcode of a constant expression.
    pub fn constant_opcode(self) -> Option<LLVMOpcode> {
        (!llvm!(LLVMIsAConstantExpr(self.0)).is_null()).then(|| llvm!(LLVMGetConstOpcode(self.0)))
    }

    /// Number of operands.
    pub fn n_operands(self) -> u32 {
        llvm!(LLVMGetNumOperands(self.0)).max(0) as u32
    }

    /// One operand.
    pub fn operand(self, index: u32) -> Option<Value> {
        match index < self.n_operands() {
            true => optional(llvm!(LLVMGetOperand(self.0, index))),
            false => None,
        }
    }

    /// All operands.
    pub fn operands(self) -> Vec<Value> {
        (0..self.n_operands()).filter_map(|index| self.operand(index)).collect()
    }

    /// The value of an integer constant of up to 64 bits, sign-extended.
    pub fn integer(self) -> Option<i64> {
        let mut number = 0;
        (self.is_constant() && llvm!(shim::suspect_int_bits(self.0, &mut number))).then_some(number)
    }

    /// The block an instruction is in.
    pub fn block(self) -> Block {
        Block(llvm!(LLVMGetInstructionParent(self.0)))
    }

    /// The successors of a terminator.
    pub fn successors(self) -> Vec<Block> {
        (0..llvm!(LLVMGetNumSuccessors(self.0))).map(|index| Block(llvm!(LLVMGetSuccessor(self.0, index)))).collect()
    }

    /// The comparison of an `icmp`.
    pub fn int_predicate(self) -> LLVMIntPredicate {
        llvm!(LLVMGetICmpPredicate(self.0))
    }

    /// The comparison of an `fcmp`.
    pub fn real_predicate(self) -> LLVMRealPredicate {
        llvm!(LLVMGetFCmpPredicate(self.0))
    }

    /// The incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        (0..llvm!(LLVMCountIncoming(self.0)))
            .map(|index| {
                llvm!((Value(LLVMGetIncomingValue(self.0, index)), Block(LLVMGetIncomingBlock(self.0, index))))
            })
            .collect()
    }

    /// The type a `getelementptr` steps through.
    pub fn element_source(self) -> Type {
        Type(llvm!(LLVMGetGEPSourceElementType(self.0)))
    }

    /// The function called directly.
    pub fn called_function(self) -> Option<Value> {
        optional(llvm!(shim::suspect_called_function(self.0)))
    }

    /// The function that an instruction calls directly, if it is a call.
    pub fn callee(self) -> Option<Value> {
        self.is(LLVMOpcode::LLVMCall).then(|| self.called_function())?
    }

    /// Whether a load is neither volatile nor atomic.
    pub fn is_simple_access(self) -> bool {
        let atomic = inkwell::llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        llvm!(LLVMGetVolatile(self.0) == 0 && LLVMGetOrdering(self.0) == atomic)
    }

    /// The code of an inline assembly call.
    pub fn inline_assembly(self) -> Option<String> {
        bytes_of(|length| llvm!(shim::suspect_inline_asm(self.0, length)))
            .map(|code| String::from_utf8_lossy(code).into_owned())
    }

    /// Whether a call or its callee has the enum attribute `name`.
    pub fn call_has(self, name: &str) -> bool {
        llvm!(shim::suspect_call_has(self.0, attribute_kind(name)))
    }

    /// Whether it is a call that must be a tail call.
    pub fn is_musttail(self) -> bool {
        llvm!(shim::suspect_is_musttail(self.0))
    }

    /// A function's blocks.
    pub fn blocks(self) -> Vec<Block> {
        let first = llvm!(LLVMGetFirstBasicBlock(self.0));
        std::iter::successors((!first.is_null()).then_some(Block(first)), |block| {
            let next = llvm!(LLVMGetNextBasicBlock(block.0));
            (!next.is_null()).then_some(Block(next))
        })
        .collect()
    }

    /// Whether a function or variable is defined elsewhere.
    pub fn is_declaration(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0)) != 0
    }

    /// A global's linkage.
    pub fn linkage(self) -> LLVMLinkage {
        llvm!(LLVMGetLinkage(self.0))
    }

    /// Whether a global is seen in its own unit alone.
    pub fn is_local(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Whether the linker or loader may put another definition in a global's place.
    pub fn is_interposable(self) -> bool {
        llvm!(shim::suspect_is_interposable(self.0))
    }

    /// Whether a function is one of LLVM's own.
    pub fn is_intrinsic(self) -> bool {
        llvm!(shim::suspect_is_intrinsic(self.0))
    }

    /// A function's parameters.
    pub fn parameters(self) -> Vec<Value> {
        (0..llvm!(LLVMCountParams(self.0))).map(|index| Value(llvm!(LLVMGetParam(self.0, index)))).collect()
    }

    /// A function's own type.
    pub fn function_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    /// Whether a function takes variable arguments.
    pub fn is_variadic(self) -> bool {
        llvm!(LLVMIsFunctionVarArg(self.function_type().0)) != 0
    }

    /// How many parameters the function that is called has, without variable arguments.
    pub fn n_parameters(self) -> u32 {
        llvm!(LLVMCountParamTypes(LLVMGetCalledFunctionType(self.0)))
    }

    /// Whether a function has an enum attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        let kind = attribute_kind(name);
        !llvm!(LLVMGetEnumAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, kind)).is_null()
    }

    /// Gives a function an enum attribute.
    pub fn add_attribute(self, context: LLVMContextRef, name: &str, number: u64) {
        llvm!({
            let attribute = LLVMCreateEnumAttribute(context, attribute_kind(name), number);
            LLVMAddAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute);
        })
    }

    /// Gives a function a string attribute.
    pub fn add_text_attribute(self, context: LLVMContextRef, key: &str, value: &str) {
        let attribute = text_attribute(context, key, value);
        llvm!(LLVMAddAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }

    /// Gives a call a string attribute.
    pub fn add_call_text_attribute(self, context: LLVMContextRef, key: &str, value: &str) {
        let attribute = text_attribute(context, key, value);
        llvm!(LLVMAddCallSiteAttribute(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute));
    }

    /// Takes an enum attribute from a function.
    pub fn remove_attribute(self, name: &str) {
        let kind = attribute_kind(name);
        llvm!(LLVMRemoveEnumAttributeAtIndex(self.0, inkwell::llvm_sys::LLVMAttributeFunctionIndex, kind))
    }

    /// Replaces an operand.
    pub fn set_operand(self, index: u32, value: Value) {
        llvm!(LLVMSetOperand(self.0, index, value.0))
    }

    /// Replaces what a phi takes when control comes from `block`.
    pub fn set_incoming_from(self, block: Block, value: Value) {
        for (index, (_, from)) in self.incoming().into_iter().enumerate() {
            if from == block {
                self.set_operand(index as u32, value);
            }
        }
    }

    /// Puts `value` in the place of this one in all operands of `user`.
    pub fn replace_in(self, user: Value, value: Value) {
        for index in 0..user.n_operands() {
            if user.operand(index) == Some(self) {
                user.set_operand(index, value);
            }
        }
    }

    /// The instruction after this one, which is no terminator.
    pub fn next(self) -> Option<Value> {
        optional(llvm!(LLVMGetNextInstruction(self.0)))
    }

    /// Puts `value` in the place of all uses.
    pub fn replace_by(self, value: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.0, value.0))
    }

    /// Takes an instruction out of its block.
    pub fn erase(self) {
        llvm!(LLVMInstructionEraseFromParent(self.0))
    }
}

fn text_attribute(context: LLVMContextRef, key: &str, value: &str) -> inkwell::llvm_sys::prelude::LLVMAttributeRef {
    let (key_len, value_len) = (key.len() as c_uint, value.len() as c_uint);
    llvm!(LLVMCreateStringAttribute(context, key.as_ptr().cast(), key_len, value.as_ptr().cast(), value_len))
}

/// The number of the enum attribute `name`.
pub fn attribute_kind(name: &str) -> c_uint {
    llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
}

/// Debug location of an instruction: line, column, file; zeros and `None` where there is none.
pub fn debug_location(instruction: Value) -> Option<(u32, u32, LLVMMetadataRef)> {
    if !instruction.is_instruction() {
        return None;
    }
    llvm!({
        let location = LLVMInstructionGetDebugLoc(instruction.0);
        (!location.is_null()).then(|| {
            let scope = LLVMDILocationGetScope(location);
            (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), scope)
        })
    })
}

/// The name of a named structure type.
pub fn structure_name(kind: Type) -> Option<String> {
    if kind.kind() != LLVMTypeKind::LLVMStructTypeKind {
        return None;
    }
    // SAFETY: LLVM gives null or a zero-terminated string that lives as long as the context.
    unsafe {
        let name = LLVMGetStructName(kind.0);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}

/// The type of an array's elements.
pub fn element_type(array: Type) -> Type {
    Type(llvm!(LLVMGetElementType(array.0)))
}

/// A block as an operand of a terminator.
pub fn block_value(block: Block) -> Value {
    Value(llvm!(LLVMBasicBlockAsValue(block.0)))
}

/// A message that LLVM allocated.
fn message(text: *mut std::ffi::c_char) -> String {
    // SAFETY: LLVM gives a zero-terminated string that is ours to dispose of.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}

/// A type as IR text.
pub fn type_text(kind: Type) -> String {
    match kind.int_bits() {
        0 if kind.is_pointer() => "ptr".to_owned(),
        0 => message(llvm!(LLVMPrintTypeToString(kind.0))),
        bits => format!("i{bits}"),
    }
}

/// A simple constant as IR text.
pub fn value_text(value: Value) -> String {
    message(llvm!(LLVMPrintValueToString(value.0)))
}
