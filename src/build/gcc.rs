//! What a caller who expects gcc may ask for and clang would refuse.
//!
//! Only options that tune gcc's optimiser, its debug information or its messages: leaving them out changes no program.
//! Options that change the meaning or the binary interface of a program go through, so that clang can refuse them.

/// Parts of `-f` options (after `-f` or `-fno-`) that begin the name of an option to leave out.
const LEFT_OUT_PREFIXES: &str = "\
    analyzer callgraph-info diagnostics-generate-patch diagnostics-path-format diagnostics-plain-output \
    diagnostics-show-caret diagnostics-show-cwe diagnostics-show-labels dump- gcse- graphite ipa- ira- loop- lra- \
    lto- modulo-sched profile-partial-training sched sel-sched selective-sched shrink-wrap simd-cost-model split- \
    tree- var-tracking var-tracking-assignments vect-cost-model";

/// Names of such options, after `-f` or `-fno-`.
const LEFT_OUT: &str = "\
    aggressive-loop-optimizations allocation-dce allow-store-data-races auto-inc-dec bit-tests \
    branch-target-load-optimize branch-target-load-optimize2 canonical-system-headers check-data-deps checking \
    code-hoisting combine-stack-adjustments compare-elim conserve-stack cprop-registers crossjumping \
    cse-follow-jumps cse-skip-blocks dce debug-cpp delayed-branch delete-dead-exceptions devirtualize-at-ltrans \
    diagnostics-show-path-depths dse early-inlining eliminate-dwarf2-dups emit-struct-debug-baseonly \
    emit-struct-debug-reduced expensive-optimizations fat-lto-objects force-addr forward-propagate function-cse \
    guess-branch-probability harden-compares harden-conditional-branches hoist-adjacent-loads if-conversion \
    if-conversion2 indirect-inlining isolate-erroneous-paths-attribute isolate-erroneous-paths-dereference \
    jump-tables-cost lifetime-dse limit-function-alignment live-patching live-range-shrinkage mem-report \
    merge-debug-strings move-loop-invariants move-loop-stores opt-info optimize-register-move optimize-strlen \
    partial-inlining peel-loops peephole peephole2 post-ipa-mem-report pre-ipa-mem-report predictive-commoning \
    prefetch-loop-arrays printf-return-value profile-reorder-functions random-seed ree regmove rename-registers \
    reorder-blocks reorder-blocks-algorithm reorder-blocks-and-partition reorder-functions report-bug \
    rerun-cse-after-loop rerun-loop-opt reschedule-modulo-scheduled-loops section-anchors ssa-backprop ssa-phiopt \
    stack-protector-explicit stack-usage store-merging sync-libcalls thread-jumps toplevel-reorder \
    track-macro-expansion unconstrained-commons unroll-all-loops unroll-completely-grow-size \
    unsafe-loop-optimizations unswitch-loops use-linker-plugin variable-expansion-in-unroller \
    version-loops-for-strides vpt web whole-program zee";

/// `-f` options whose name begins like one to leave out but which clang knows, or which mean something.
const KEPT: &[&str] = &[
    "lto-jobs",
    "lto-unit",
    "split-dwarf-inlining",
    "split-lto-unit",
    "split-machine-functions",
    "split-stack",
    "tree-slp-vectorize",
    "tree-vectorize",
];

/// What gcc only warns about and clang, without being asked, refuses.
pub const LENIENT: &[&str] = &[
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// Clang warns about other things than gcc: under a name of gcc's its warnings stop no build.
pub const NO_NEW_ERRORS: &[&str] = &["-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument", "-Wno-error"];

/// Whether to leave `option` out of clang's command line.
pub fn is_left_out(option: &[u8]) -> bool {
    let Ok(option) = std::str::from_utf8(option) else { return false };
    if option.starts_with("-specs=") || option.starts_with("-mpreferred-stack-boundary=") {
        return true;
    }
    let Some(name) = option.strip_prefix("-f") else { return false };
    let name = name.strip_prefix("no-").unwrap_or(name);
    let name = name.split('=').next().unwrap_or(name);
    if KEPT.contains(&name) {
        return false;
    }
    LEFT_OUT.split_whitespace().any(|word| word == name)
        || LEFT_OUT_PREFIXES.split_whitespace().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuning_is_left_out_and_meaning_is_kept() {
        for option in [
            "-fno-tree-vrp",
            "-fvar-tracking",
            "-fno-ipa-sra",
            "-fconserve-stack",
            "-frandom-seed=1",
            "-flto-partition=none",
        ] {
            assert!(is_left_out(option.as_bytes()), "{option}");
        }
        for option in [
            "-O2",
            "-flto",
            "-flto=auto",
            "-ftree-vectorize",
            "-fPIC",
            "-fsigned-char",
            "-fno-strict-aliasing",
            "-fpack-struct",
        ] {
            assert!(!is_left_out(option.as_bytes()), "{option}");
        }
    }
}
