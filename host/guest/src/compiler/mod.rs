//! Who compiles components: this process, or a child whose memory and time are limited. A compiler may take long over, and
//! much for, what somebody made for that, and nothing can stop it in the process that it runs in.
//!
//! - `parent`: starts the child, waits for it, and judges what became of it
//! - `child`: what the child does; `bounds`: how it limits itself; `memory`: how it tells that it has none left
//! - `order`, `answer`: what they say to each other

mod answer;
mod bounds;
mod child;
mod memory;
mod order;
mod parent;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::component::ComponentError;
use crate::limits::Limits;

pub use child::compile_as_ordered;
pub use memory::TellingAllocator;

/// Threads of a compiler in a child, at most: each takes a core away from workflows and activities, and address space.
const THREADS: usize = 4;

/// Who compiles components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Compiler {
    /// This process, for components of people that are trusted: what compiling takes is not limited.
    #[default]
    InProcess,
    /// A process for each component. [`Limits`] says what it may take.
    ///
    /// What it answers is run as it is, so the program has to be as trustworthy as this one. It ends with the host, and with
    /// the thread that waits for it.
    Child {
        /// A program that calls [`compile_as_ordered`] with the arguments that come after `arguments`.
        program: PathBuf,
        /// Its first arguments.
        arguments: Vec<OsString>,
    },
}

impl Compiler {
    /// Compiles a component, to what `wasmtime::component::Component::deserialize` takes.
    pub(crate) fn compile(
        &self,
        engine: &wasmtime::Engine,
        limits: &Limits,
        wasm: &[u8],
    ) -> Result<Vec<u8>, ComponentError> {
        match self {
            Self::InProcess => {
                engine.precompile_component(wasm).map_err(|error| ComponentError::Invalid { detail: said(&error) })
            }
            Self::Child { program, arguments } => parent::compile(program, arguments, limits, wasm),
        }
    }
}

/// What wasmtime says of a component, the same in both processes.
fn said(error: &wasmtime::Error) -> String {
    format!("{error:#}")
}
