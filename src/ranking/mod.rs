//! Rankings as they are kept, with the claims that they make.

mod claims;
mod entries;
mod kept;

pub use claims::{Claimant, Claims, KeptClaim, effect, end_words};
pub use entries::{entries, line_owners};
pub use kept::{KeptRanking, keep, last_ranking};
