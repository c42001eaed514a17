//! What a caller who expects gcc may ask for and clang would refuse.
//!
//! Only options that tune gcc's optimiser, its debug information or its messages: leaving them out changes no program.
//! Options that change the meaning or the binary interface of a program go through, so that clang can refuse them.

/// Parts of `-f` options (after `-f` or `-fno-`) that begin the name of an option to leave out.
const LEFT_OUT_PREFIXES: &[&str] = &[
    "analyzer",
    "callgraph-info",
    "diagnostics-show-caret",
    "diagnostics-generate-patch",
    "diagnostics-path-format",
    "diagnostics-plain-output",
    "diagnostics-show-labels",
    "diagnostics-show-cwe",
    "dump-",
    "gcse-",
    "graphite",
    "ipa-",
    "ira-",
    "loop-",
    "lra-",
    "lto-",
    "modulo-sched",
    "profile-partial-training",
    "sched",
    "sel-sched",
    "selective-sched",
    "shrink-wrap",
    "split-",
    "tree-",
    "var-tracking",
    "vect-cost-model",
    "simd-cost-model",
    "var-tracking-assignments",
];

/// Names of such options, after `-f` or `-fno-`.
const LEFT_OUT: &[&str] = &[
    "aggressive-loop-optimizations",
    "allow-store-data-races",
    "auto-inc-dec",
    "bit-tests",
    "branch-target-load-optimize",
    "code-hoisting",
    "combine-stack-adjustments",
    "compare-elim",
    "conserve-stack",
    "cprop-registers",
    "crossjumping",
    "cse-follow-jumps",
    "cse-skip-blocks",
    "dce",
    "delayed-branch",
    "dse",
    "early-inlining",
    "expensive-optimizations",
    "forward-propagate",
    "function-cse",
    "guess-branch-probability",
    "hoist-adjacent-loads",
    "if-conversion",
    "if-conversion2",
    "indirect-inlining",
    "isolate-erroneous-paths-dereference",
    "isolate-erroneous-paths-attribute",
    "jump-tables-cost",
    "lifetime-dse",
    "limit-function-alignment",
    "live-range-shrinkage",
    "move-loop-invariants",
    "move-loop-stores",
    "partial-inlining",
    "peel-loops",
    "peephole",
    "peephole2",
    "predictive-commoning",
    "prefetch-loop-arrays",
    "printf-return-value",
    "ree",
    "rename-registers",
    "reorder-blocks",
    "reorder-blocks-and-partition",
    "reorder-blocks-algorithm",
    "reorder-functions",
    "rerun-cse-after-loop",
    "reschedule-modulo-scheduled-loops",
    "section-anchors",
    "ssa-backprop",
    "ssa-phiopt",
    "store-merging",
    "thread-jumps",
    "toplevel-reorder",
    "track-macro-expansion",
    "unconstrained-commons",
    "unroll-all-loops",
    "unroll-completely-grow-size",
    "unsafe-loop-optimizations",
    "unswitch-loops",
    "use-linker-plugin",
    "variable-expansion-in-unroller",
    "version-loops-for-strides",
    "vpt",
    "web",
    "whole-program",
    "canonical-system-headers",
    "debug-cpp",
    "stack-usage",
    "fat-lto-objects",
    "report-bug",
    "mem-report",
    "pre-ipa-mem-report",
];

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
    LEFT_OUT.contains(&name) || LEFT_OUT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuning_is_left_out_and_meaning_is_kept() {
        for option in ["-fno-tree-vrp", "-fvar-tracking", "-fno-ipa-sra", "-fconserve-stack", "-flto-partition=none"] {
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
