//! The one wasmtime engine of a process: how guests are compiled, what they are linked to, and the clock that
//! interrupts them.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Config, WasmBacktraceDetails};

use crate::bindings::Workflow;
use crate::bindings::interactive::Interaction;
use crate::cache::ComponentCache;
use crate::check;
use crate::compiler::Compiler;
use crate::component::{Component, ComponentError};
use crate::digest::Digest;
use crate::limits::Limits;
use crate::pool::pool;
use crate::state::State;
use crate::ticker::{Running, Ticker};
use crate::wasi;

/// Compiles components and runs their guests. One a process; cheap to clone.
#[derive(Clone)]
pub struct Engine(Arc<Parts>);

struct Parts {
    engine: wasmtime::Engine,
    linker: Linker<State>,
    ticker: Ticker,
    limits: Arc<Limits>,
    compiler: Compiler,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// This machine, or these limits, do not suit wasmtime.
    #[error("cannot set up WebAssembly here ({detail}); check the limits on stacks, and that the machine is supported")]
    Unsupported {
        /// What wasmtime says.
        detail: String,
    },
    /// The thread that interrupts guests did not start.
    #[error("cannot start the thread that interrupts guests; check the limit on threads")]
    Thread(#[from] std::io::Error),
}

impl Engine {
    /// An engine with these limits, which compiles in this process.
    pub fn new(limits: Limits) -> Result<Self, EngineError> {
        Self::with_compiler(limits, Compiler::InProcess)
    }

    /// An engine with these limits and this compiler.
    pub fn with_compiler(limits: Limits, compiler: Compiler) -> Result<Self, EngineError> {
        let engine = wasmtime::Engine::new(&config(&limits)).map_err(|error| unsupported(&error))?;
        Self::on(engine, limits, compiler)
    }

    /// The same, for many guests: room for so many of them is made now and used again and again. One more than there is room
    /// for is [`GuestFault::NoRoom`](crate::GuestFault::NoRoom).
    ///
    /// Where the machine does not give the address space, each guest has its own room, as with
    /// [`with_compiler`](Self::with_compiler).
    pub fn pooled(limits: Limits, compiler: Compiler, guests: usize) -> Result<Self, EngineError> {
        let mut config = config(&limits);
        match wasmtime::Engine::new(config.allocation_strategy(pool(&limits, guests))) {
            Ok(engine) => Self::on(engine, limits, compiler),
            Err(error) => {
                tracing::warn!(%error, guests, "no address space for so many guests: each is given its own, which is slower");
                Self::with_compiler(limits, compiler)
            }
        }
    }

    fn on(engine: wasmtime::Engine, limits: Limits, compiler: Compiler) -> Result<Self, EngineError> {
        let linker = linker(&engine).map_err(|error| unsupported(&error))?;
        let ticker = Ticker::start(engine.clone())?;
        Ok(Self(Arc::new(Parts { engine, linker, ticker, limits: Arc::new(limits), compiler })))
    }

    /// Checks a component, compiles it, links it and asks which workflows and activities are inside.
    pub fn load(&self, wasm: &[u8]) -> Result<Component, ComponentError> {
        self.load_with(wasm, None)
    }

    /// As [`load`](Self::load), but compiles only what the cache does not have.
    pub fn load_cached(&self, wasm: &[u8], cache: &ComponentCache) -> Result<Component, ComponentError> {
        self.load_with(wasm, Some(cache))
    }

    fn load_with(&self, wasm: &[u8], cache: Option<&ComponentCache>) -> Result<Component, ComponentError> {
        let border = check::check(wasm, self.limits())?;
        let digest = Digest::of(wasm);
        let compiled = match cache.and_then(|cache| cache.get(&self.0.engine, digest)) {
            Some(compiled) => compiled,
            None => self.compile(wasm, digest, cache)?,
        };
        Component::link(self, digest, compiled, border)
    }

    /// What cannot be loaded is not kept.
    fn compile(
        &self,
        wasm: &[u8],
        digest: Digest,
        cache: Option<&ComponentCache>,
    ) -> Result<wasmtime::component::Component, ComponentError> {
        let machine_code = self.0.compiler.compile(&self.0.engine, self.limits(), wasm)?;
        #[expect(unsafe_code, reason = "wasmtime loads compiled code no other way")]
        // SAFETY: this comes from `precompile_component`: of this process, or of a program that whoever set up this engine
        // trusts like this one, over a pipe that nobody else has, to its end.
        let compiled = unsafe { wasmtime::component::Component::deserialize(&self.0.engine, &machine_code) };
        let compiled = compiled.map_err(|error| ComponentError::CompilerDied {
            end: "what it compiled does not load".to_owned(),
            complaint: format!("{error:#}"),
        })?;
        if let Some(cache) = cache {
            cache.put(&self.0.engine, digest, &machine_code);
        }
        Ok(compiled)
    }

    /// The engine underneath, for who links components in another way than workflows are.
    ///
    /// Every store of it needs a deadline: its guests are interrupted by epochs.
    pub fn wasmtime(&self) -> &wasmtime::Engine {
        &self.0.engine
    }

    pub(crate) fn linker(&self) -> &Linker<State> {
        &self.0.linker
    }

    pub(crate) fn limits(&self) -> &Arc<Limits> {
        &self.0.limits
    }

    /// Says that a guest runs, until the answer is dropped: epochs advance meanwhile, every 10 ms.
    ///
    /// Hold it while a guest is polled, not while it waits: an idle process has no wake-ups.
    pub fn running(&self) -> Running<'_> {
        self.0.ticker.running()
    }
}

/// With all that a guest may import.
fn linker(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasi::add_to_linker(&mut linker)?;
    Workflow::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    Interaction::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    Ok(linker)
}

fn unsupported(error: &wasmtime::Error) -> EngineError {
    EngineError::Unsupported { detail: format!("{error:#}") }
}

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Engine").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

/// Threads, shared memory, garbage collection and exceptions are not compiled in, so guests cannot have them. What the
/// limits do not know of, and no language needs, is off.
pub(crate) fn config(limits: &Limits) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model_async(true)
        .wasm_memory64(false)
        .wasm_custom_page_sizes(false)
        .wasm_gc(false)
        .wasm_shared_everything_threads(false)
        .wasm_stack_switching(false)
        .wasm_wide_arithmetic(false)
        .epoch_interruption(true)
        // The same bits on every machine.
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .max_wasm_stack(limits.stack)
        .async_stack_size(limits.fiber_stack)
        // Function names come from the component itself; an environment variable must not change what is compiled.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable);
    config
}
