//! Signals, updates and queries. `registry` knows the handlers, `register` and `methods` fill it, `desk` hands messages to
//! them, `beside` runs that next to the main function, and `ask` answers queries.

mod ask;
mod beside;
mod desk;
mod message;
mod methods;
mod register;
mod registry;

pub(crate) use ask::{QueryError, ask};
pub(crate) use beside::beside_handlers;
pub use methods::Methods;
pub(crate) use registry::Registry;

#[cfg(test)]
mod tests;
