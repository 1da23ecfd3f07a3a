//! Compiles workflow crates to WebAssembly components. It runs cargo and finds what cargo made; what a component must
//! import and export is checked where it is loaded, in `everturn-guest`.
//!
//! # Layout
//! - [`Build`] (`build.rs`): one call of `cargo build`, from the crates asked for to their components.
//! - `cargo.rs`: a cargo that knows nothing of the cargo around it.
//! - `metadata.rs`: which packages there are, and which of them can become components.
//! - `target.rs`: is the WebAssembly target installed, and if not, installs it.
//! - [`for_build_script`] (`script.rs`): the same from within a build script.
//! - `dependencies.rs`: the source files that a component was made of.

mod build;
mod cargo;
mod dependencies;
mod error;
mod metadata;
mod script;
mod target;

pub use build::{Artifact, Build};
pub use error::BuildError;
pub use script::{environment_variable, for_build_script};
pub use target::TARGET;
