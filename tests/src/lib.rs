//! Tests across crates, on real compiled guests; they are in `tests/`. The library gives them the guests, a player for
//! them, and what is checked of core and guest alike.

pub mod cuts;
pub mod guests;
pub mod player;
pub mod renumber;
pub mod script;
