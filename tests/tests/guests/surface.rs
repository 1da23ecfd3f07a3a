//! The guest SDK from one end to the other, through a compiled guest: what the author writes, and what the host and
//! history hear of it. The workflows are in `tests/guests/src/surface`, in files of the same names.

mod calls;
mod combinators;
mod conditions;
mod deadlines;
mod events;
mod failures;
mod handlers;
mod information;
mod instance;
mod logs;
mod patterns;
mod queries;
mod registered;
mod restarts;
mod retries;
mod sizes;
mod timers;
mod updates;
mod values;
