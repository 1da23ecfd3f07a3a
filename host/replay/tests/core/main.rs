//! Tests of the replay core: workflows as async functions against crafted histories. Random ones, on the core and
//! through compiled guests, are in the crate `everturn-tests`.

mod answers;
mod lifecycle;
mod matching;
mod optional_timers;
mod origins;
