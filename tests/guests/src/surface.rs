//! Workflows that use the SDK from one end to the other, so that tests can prove that all of it reaches the host as it
//! is documented. One file for each part; what a workflow returns is what it saw.

mod calls;
mod combinators;
mod conditions;
mod deadlines;
mod events;
mod failures;
mod handlers;
mod information;
mod logs;
mod patterns;
mod registered;
mod restarts;
mod sizes;
mod timers;
mod values;
