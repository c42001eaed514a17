//! The object that ends the section of words, last on the link line: with it the section is whole pages.
#![no_std]

core::arch::global_asm!(
    ".pushsection suspect_data,\"awR\",@progbits",
    ".p2align 12",
    ".zero {page}",
    ".popsection",
    page = const suspect_format::abi::PAGE,
);
