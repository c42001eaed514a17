//! The functions of `shim/`, which all.cpp makes one unit.

use std::ffi::{c_char, c_int, c_uint, c_void};

use inkwell::llvm_sys::prelude::*;

/// LLVM's pass builder: only ever passed on.
pub type Registrar = c_void;
/// The analyses of the running pass manager: only ever passed on.
pub type Analyses = c_void;

unsafe extern "C" {
    pub fn suspect_register(builder: *mut Registrar);
    pub fn suspect_option_modes(length: *mut usize) -> *const c_char;
    pub fn suspect_error(module: LLVMModuleRef, message: *const c_char, length: usize);
    pub fn suspect_verify(module: LLVMModuleRef) -> bool;

    pub fn suspect_is_interposable(global: LLVMValueRef) -> bool;
    pub fn suspect_is_thread_local(global: LLVMValueRef) -> bool;
    pub fn suspect_is_intrinsic(function: LLVMValueRef) -> bool;
    pub fn suspect_set_no_sanitize(global: LLVMValueRef);
    pub fn suspect_keep(module: LLVMModuleRef, global: LLVMValueRef, linker_too: bool);
    pub fn suspect_drop_named_metadata(module: LLVMModuleRef, name: *const c_char);

    pub fn suspect_take_body(function: LLVMValueRef, name: *const c_char, length: usize) -> LLVMValueRef;
    pub fn suspect_clone(function: LLVMValueRef, name: *const c_char, length: usize) -> LLVMValueRef;
    pub fn suspect_clone_table(
        global: LLVMValueRef,
        source: LLVMValueRef,
        copy: LLVMValueRef,
        name: *const c_char,
        length: usize,
    ) -> LLVMValueRef;
    pub fn suspect_replace_in(function: LLVMValueRef, from: LLVMValueRef, to: LLVMValueRef);
    pub fn suspect_has_address_taken(block: LLVMBasicBlockRef) -> bool;
    pub fn suspect_label_tables(function: LLVMValueRef, tables: *mut LLVMValueRef, capacity: usize) -> c_int;

    pub fn suspect_block_frequency(analyses: *mut Analyses, block: LLVMBasicBlockRef) -> u64;
    pub fn suspect_edge_frequency(analyses: *mut Analyses, from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) -> u64;
    pub fn suspect_split_indirect_edges(function: LLVMValueRef);
    pub fn suspect_split_edge(terminator: LLVMValueRef, successors: *const c_uint, count: usize) -> LLVMBasicBlockRef;

    pub fn suspect_replace_after(value: LLVMValueRef, new: LLVMValueRef, instruction: LLVMValueRef);
    pub fn suspect_tolerate(function: LLVMValueRef, fill: LLVMValueRef, gate: LLVMValueRef, zero_gate: u8);

    pub fn suspect_is_debug(instruction: LLVMValueRef) -> bool;
    pub fn suspect_is_musttail(call: LLVMValueRef) -> bool;
    pub fn suspect_set_musttail(call: LLVMValueRef);
    pub fn suspect_set_notail(call: LLVMValueRef);
    pub fn suspect_takes_copies(function: LLVMValueRef) -> bool;
    pub fn suspect_call_has(call: LLVMValueRef, kind: c_uint) -> bool;
    pub fn suspect_call_no_duplicate(call: LLVMValueRef) -> bool;
    pub fn suspect_called_function(call: LLVMValueRef) -> LLVMValueRef;
    pub fn suspect_set_called(call: LLVMValueRef, callee: LLVMValueRef) -> bool;
    pub fn suspect_forget_memory(call: LLVMValueRef);
    pub fn suspect_set_likely(branch: LLVMValueRef);
    pub fn suspect_inline_asm(call: LLVMValueRef, length: *mut usize) -> *const c_char;
    pub fn suspect_forward_attributes(call: LLVMValueRef, function: LLVMValueRef);
    pub fn suspect_int_bits(constant: LLVMValueRef, value: *mut i64) -> bool;
    pub fn suspect_constant_bits(constant: LLVMValueRef, bits: *mut u64) -> bool;
    pub fn suspect_no_signed_wrap(instruction: LLVMValueRef) -> bool;
    pub fn suspect_returns_in_memory(call: LLVMValueRef) -> bool;
    pub fn suspect_divert(condition: LLVMValueRef, before: LLVMValueRef) -> LLVMBasicBlockRef;
    pub fn suspect_burn(before: LLVMValueRef, fuel: LLVMValueRef, refuel: LLVMValueRef);
    pub fn suspect_redirect(end: LLVMValueRef, successor: c_uint, target: LLVMBasicBlockRef);
    pub fn suspect_choose(
        choice: LLVMValueRef,
        first: LLVMValueRef,
        end: LLVMValueRef,
        copies: LLVMValueRef,
        table: LLVMValueRef,
        numbers: *const u32,
        bits: u32,
    );
    pub fn suspect_returns_a_number(function: LLVMValueRef) -> bool;
    pub fn suspect_exits(
        slot: LLVMValueRef,
        targets: *mut LLVMBasicBlockRef,
        count: usize,
        bits: u32,
    ) -> LLVMBasicBlockRef;
    pub fn suspect_leave(
        choice: LLVMValueRef,
        before: LLVMValueRef,
        bits: u32,
        slot: LLVMValueRef,
        exits: LLVMBasicBlockRef,
    );
    pub fn suspect_copies(
        function: LLVMValueRef,
        name: *const c_char,
        length: usize,
        firsts: *const LLVMValueRef,
        ends: *const LLVMValueRef,
        count: usize,
        uses: *const LLVMValueRef,
        numbers: *const usize,
        n_uses: *const usize,
    ) -> LLVMValueRef;
    pub fn suspect_repeat(choice: LLVMValueRef, first: LLVMValueRef, jump: LLVMValueRef) -> LLVMBasicBlockRef;
    pub fn suspect_rmw_operation(instruction: LLVMValueRef) -> c_int;
    pub fn suspect_no_sanitize_instruction(instruction: LLVMValueRef);
    pub fn suspect_is_sanitizer_code(instruction: LLVMValueRef) -> bool;
    pub fn suspect_float_text(constant: LLVMValueRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub fn suspect_string_bytes(value: LLVMValueRef, length: *mut usize) -> *const c_char;

    pub fn suspect_variable_of(storage: LLVMValueRef) -> LLVMMetadataRef;
    pub fn suspect_di_name(node: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    pub fn suspect_di_type(node: LLVMMetadataRef) -> LLVMMetadataRef;
    pub fn suspect_di_artificial(node: LLVMMetadataRef) -> bool;
    pub fn suspect_di_argument(node: LLVMMetadataRef) -> c_uint;
    pub fn suspect_di_tag(node: LLVMMetadataRef) -> c_uint;
    pub fn suspect_di_encoding(node: LLVMMetadataRef) -> c_uint;
    pub fn suspect_di_bit_field(node: LLVMMetadataRef) -> bool;
    pub fn suspect_di_elements(node: LLVMMetadataRef) -> usize;
    pub fn suspect_di_element(node: LLVMMetadataRef, index: usize) -> LLVMMetadataRef;
    pub fn suspect_di_count(node: LLVMMetadataRef) -> i64;
    pub fn suspect_di_subroutine(subprogram: LLVMMetadataRef) -> LLVMMetadataRef;
    pub fn suspect_di_parent(scope: LLVMMetadataRef) -> LLVMMetadataRef;
    pub fn suspect_di_is_local(scope: LLVMMetadataRef) -> bool;
    pub fn suspect_compile_unit(module: LLVMModuleRef) -> LLVMMetadataRef;

    pub fn suspect_record_part(instruction: LLVMValueRef) -> c_uint;
    pub fn suspect_record_is_wide(kind: LLVMTypeRef) -> bool;
    pub fn suspect_record_known(module: LLVMModuleRef, globals: *mut LLVMValueRef, capacity: usize) -> usize;
    pub fn suspect_record_canonicalise(function: LLVMValueRef, known: *mut LLVMValueRef, n_known: usize);
    pub fn suspect_record_known_slots(
        function: LLVMValueRef,
        known: *mut LLVMValueRef,
        n_known: usize,
        slots: *mut LLVMValueRef,
        answers: *mut bool,
        count: usize,
    );
    pub fn suspect_record_base(address: LLVMValueRef) -> LLVMValueRef;
    pub fn suspect_record_is_constant_data(value: LLVMValueRef) -> bool;
    pub fn suspect_record_address(
        address: LLVMValueRef,
        base: *mut LLVMValueRef,
        offset: *mut i64,
        indices: *mut LLVMValueRef,
        factors: *mut i64,
        capacity: usize,
    ) -> c_int;
    pub fn suspect_record_constant(constant: LLVMValueRef, bits: *mut u64) -> bool;
    pub fn suspect_record_symbol(module: LLVMModuleRef, address: LLVMValueRef, offset: *mut i64) -> LLVMValueRef;
    pub fn suspect_record_size(module: LLVMModuleRef, kind: LLVMTypeRef, stored: bool) -> u64;
    pub fn suspect_record_slot_size(slot: LLVMValueRef, align: *mut u64) -> u64;
    pub fn suspect_record_dynamic(object: LLVMValueRef, count: *mut LLVMValueRef) -> u64;
    pub fn suspect_record_move_before(instruction: LLVMValueRef, before: LLVMValueRef);
    pub fn suspect_record_n_arguments(call: LLVMValueRef) -> c_uint;
    pub fn suspect_record_copied(call: LLVMValueRef, argument: c_uint) -> LLVMTypeRef;
    pub fn suspect_record_copied_parameter(argument: LLVMValueRef) -> LLVMTypeRef;
    pub fn suspect_record_callee(call: LLVMValueRef) -> LLVMValueRef;
    pub fn suspect_record_field(module: LLVMModuleRef, field: LLVMValueRef, offset: *mut u64) -> bool;
    pub fn suspect_record_copy_locations(original: LLVMValueRef, copy: LLVMValueRef);
    pub fn suspect_record_drop_locations(function: LLVMValueRef);
    pub fn suspect_record_addresses(
        function: LLVMValueRef,
        words: *const u64,
        n_words: usize,
        symbols: *mut LLVMValueRef,
        n_symbols: usize,
        section: *const c_char,
        length: usize,
    ) -> LLVMValueRef;
    pub fn suspect_record_frame(
        function: LLVMValueRef,
        slots: *mut LLVMValueRef,
        offsets: *const u64,
        count: usize,
        size: u64,
        align: u64,
    ) -> LLVMValueRef;
}
