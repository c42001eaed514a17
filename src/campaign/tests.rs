//! Campaigns over a simulated lab: order, budget, interruption, shards.
