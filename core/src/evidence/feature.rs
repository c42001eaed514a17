//! The features of a line: what its probability is computed from.

/// Declares the features, their names and their order.
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What speaks for and against a line, or the weight of each. Ranks are minus the logarithm of the line's rank among those in question,
        /// ties at their mean, so that weights carry over between programs of different sizes; all else are shares, or 0 and 1.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Features {
            $($(#[$doc])* pub $name: f64,)*
        }

        /// Number of features.
        pub const N_FEATURES: usize = [$(stringify!($name)),*].len();

        /// Names of the features, in their order.
        pub const NAMES: [&str; N_FEATURES] = [$(stringify!($name)),*];

        impl Features {
            /// Nothing.
            pub const ZERO: Features = Features { $($name: 0.0),* };

            /// In the order of [`NAMES`].
            pub fn values(&self) -> [f64; N_FEATURES] {
                [$(self.$name),*]
            }
        }
    };
}

features! {
    /// Ochiai.
    ochiai,
    /// Rank by Ochiai.
    ochiai_rank,
    /// Rank by causal likelihood (Landsberg and Barr).
    cause_rank,
    /// Share of failing tests that execute it.
    failing_share,
    /// Share of passing tests that execute it.
    passing_share,
    /// Rank by BlockRank; 0 without counts of edges.
    block_rank,
    /// How much more often failing tests execute it than passing ones: logarithm of the quotient of means, each one more, between -1 and 1.
    frequency,
    /// Rank by the share of trials of a node's values that failing tests notice, less that which passing tests do; of the node with most.
    direct_rank,
    /// Metallaxis over all candidates.
    metallaxis,
    /// Rank by it.
    metallaxis_rank,
    /// Metallaxis over changes of values.
    metallaxis_value,
    /// Metallaxis over changes of code.
    metallaxis_code,
    /// Rank by MUSE over all candidates.
    muse_rank,
    /// Whether anything flips a failing test.
    flip,
    /// The same, times minus the logarithm of the share of lines for which it holds.
    flip_rarity,
    /// Share of failing tests that its candidates together flip.
    flip_tests,
    /// Mean over failing tests of minus the logarithm of the share of lines that flip the test, 0 for those that it does not flip: a test that
    /// everything flips says little.
    flip_surprise,
    /// Most failing tests (share) that one candidate flips.
    flip_most,
    /// Most failing tests (share) that one other number or text flips.
    flip_value,
    /// ... a null pointer.
    flip_pointer,
    /// ... a condition the other way throughout.
    flip_predicate,
    /// ... a condition the other way at some executions.
    flip_switch,
    /// ... another relation or connector.
    flip_relation,
    /// ... another arithmetic, bitwise or shift operator, or one inserted.
    flip_arithmetic,
    /// ... another constant.
    flip_constant,
    /// ... another variable.
    flip_variable,
    /// ... another function that is called, or another member.
    flip_name,
    /// ... leaving out the statement.
    flip_deletion,
    /// ... leaving out the call.
    flip_call,
    /// Share of candidates that flip a failing test.
    flip_share,
    /// Ochiai's formula over the tests that the best candidate turns.
    turning,
    /// Rank by it.
    turning_rank,
    /// Share of passing tests kept by the best candidate that flips all failing tests, and that no further test refutes.
    repair,
    /// The same of changes of code, which a user could make, each by its [`super::Kind::credit`].
    repair_code,
    /// The same of other values and switched conditions.
    repair_value,
    /// Share of passing tests kept by the best last resort ([`super::Kind::is_last_resort`]) that flips all failing tests, whatever else repairs.
    last_repair,
    /// Metallaxis of the best candidate that flips.
    quiet_flip,
    /// How much further the output is right with the best candidate, as a share of the most that any candidate reaches.
    growth,
    /// Rank by it.
    growth_rank,
    /// Rank by `flip_surprise`.
    surprise_rank,
    /// Share of trials on failing tests that change what the test looks at.
    changes,
    /// Share of trials on passing tests that break the test.
    breaks,
    /// Whether it was tried and no candidate changes a failing test.
    constant,
    /// Whether nothing was tried.
    untried,
    /// Logarithm of one more than its candidates.
    candidates,
    /// Whether it holds a node.
    node,
    /// Whether it holds a condition.
    predicate,
    /// Whether it holds a call.
    call,
    /// Whether it holds a call and no node.
    only_call,
    /// Whether it returns.
    end,
    /// Share of failing tests flipped by the line of code before it.
    flip_before,
    /// Share of failing tests flipped by the line of code after it.
    flip_after,
    /// Shares of failing tests flipped by lines of its function two to four lines of code away, divided by how far.
    flip_near,
    /// Share of failing tests flipped by leaving out the line of code after it: a condition may be missing before that.
    deletion_after,
    /// Share of the other lines of its block that flip; the highest of its blocks.
    flip_block,
    /// The higher Metallaxis of the lines before and after it.
    metallaxis_beside,
    /// Share of the lines in question of its function that flip.
    flip_function,
    /// The highest `turning` of the other lines of its function.
    turning_function,
    /// The highest Metallaxis of the other lines of its function.
    metallaxis_function,
    /// Whether the compiler warns of it: the more, the fewer such warnings there are.
    warned,
    /// Whether the compiler warns of it or of something beside it, divided by how many lines of code away that is.
    warned_near,
    /// Whether the compiler warns of something in its function: the more, the fewer such warnings there are.
    warned_function,
}

impl Features {
    /// The sum of products with `other`.
    pub fn dot(&self, other: &Features) -> f64 {
        self.values().iter().zip(other.values()).map(|(a, b)| a * b).sum()
    }
}
