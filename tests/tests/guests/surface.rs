//! The guest SDK from one end to the other, through a compiled guest: what the author writes, and what the host and
//! history hear of it. The workflows are in `tests/guests/src/surface`, in files of the same names.

mod calls;
mod combinators;
mod events;
mod failures;
mod information;
mod instance;
mod logs;
mod restarts;
mod retries;
mod timers;
mod values;
