//! Why a component is refused. Each refusal says what to do about it.

use std::time::Duration;

use crate::check::VERSION;
use crate::fault::GuestFault;

/// Why a component cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// It has more bytes than a component may have.
    #[error(
        "the component has {size} bytes, and the limit is {limit}; build it optimised and without debug information"
    )]
    TooLarge {
        /// Its bytes.
        size: usize,
        /// The limit, `component_size`.
        limit: usize,
    },
    /// It does not begin like WebAssembly.
    #[error("this is no WebAssembly; give the .wasm file of a component, for example from a build for wasm32-wasip2")]
    NotWebAssembly,
    /// It is WebAssembly without the component layer.
    #[error("this is a core module, not a component; build it for the target wasm32-wasip2, which makes components")]
    CoreModule,
    /// It is broken, or uses what this host does not have.
    #[error("the component is not valid ({detail}); build it again with a current toolchain")]
    Invalid {
        /// What is wrong.
        detail: String,
    },
    /// Compiling it took too long.
    #[error(
        "compiling the component took longer than {limit:?}; split its largest functions, leave out what it does not need, \
         or give its host more time (`everturn serve --compile-time`)"
    )]
    CompileTime {
        /// The limit, `compile_time`.
        limit: Duration,
    },
    /// Compiling it took too much memory.
    #[error(
        "compiling the component needed more memory than {}; split its largest functions, leave out what it does not \
         need, or give its host more (`everturn serve --compile-memory`)",
        mebibytes(*limit)
    )]
    CompileMemory {
        /// The limit, `compile_memory`.
        limit: usize,
    },
    /// There is too much of it when it is compiled.
    #[error("the compiled component has more than {}; leave out what it does not need, or split it", mebibytes(*limit))]
    CompiledTooLarge {
        /// The limit, `compiled_size`.
        limit: usize,
    },
    /// The compiler crashed, or was ended from outside.
    #[error(
        "the compiler ended without an answer ({end}; {complaint}); try it once more, and if it comes again, build the \
         component with another version of its toolchain"
    )]
    CompilerDied {
        /// How it ended.
        end: String,
        /// What it said before.
        complaint: String,
    },
    /// There is no compiler: it is the host's fault, and not the component's.
    #[error(
        "the compiler `{program}` cannot be run ({detail}); check the limits on processes and threads of the host, and \
         that its program is there"
    )]
    CompilerNotStarted {
        /// The program.
        program: String,
        /// What the system says.
        detail: String,
    },
    /// It imports something that workflows do not have.
    #[error("the component imports `{import}`, which workflows may not: {instead}")]
    ForbiddenImport {
        /// The import.
        import: String,
        /// What to do about it.
        instead: &'static str,
    },
    /// It speaks another version of the package.
    #[error(
        "the component uses `{interface}`, and this host speaks version {VERSION} of that package; build it with the SDK \
         of that version"
    )]
    WrongVersion {
        /// The interface with its version.
        interface: String,
    },
    /// It exports neither workflows nor activities.
    #[error(
        "the component exports neither `everturn:workflow/workflows` nor `everturn:activity/activities`; build it for \
         the world `everturn:workflow/workflow@{VERSION}` or `everturn:activity/activity@{VERSION}`, which the SDK does \
         when the crate is a cdylib"
    )]
    MissingExport,
    /// Its imports or exports have other types than the package says.
    #[error(
        "the component does not fit version {VERSION} of Everturn's packages ({detail}); build it with the SDK of that version"
    )]
    Unfit {
        /// What does not fit.
        detail: String,
    },
    /// It has more memories or tables than a guest may have.
    #[error("the component has {count} {what}, and the limit is {limit}; link its modules into fewer")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many it has.
        count: u32,
        /// The limit, `memories` or `tables`.
        limit: usize,
    },
    /// It could not tell which workflows and activities are inside.
    #[error("the component could not describe its workflows and activities: {0}")]
    Describe(#[source] GuestFault),
    /// It has no workflow and no activity.
    #[error("the component has neither a workflow nor an activity; give it at least one")]
    NothingInside,
    /// It has more workflows or activities than a component may have.
    #[error("the component has {count} {what}, and the limit is {limit}; split it")]
    TooManyInside {
        /// Of what.
        what: &'static str,
        /// How many it has.
        count: usize,
        /// The limit, `workflows`.
        limit: usize,
    },
    /// A workflow, activity, signal, update or query has no usable name.
    #[error("the component has a {what} with a name of {length} bytes; names have 1 to {limit}")]
    InvalidName {
        /// Of what.
        what: &'static str,
        /// The bytes of the name.
        length: usize,
        /// The limit, `name_length`.
        limit: usize,
    },
    /// Two workflows or two activities have the same name.
    #[error("the component has two {what} named `{name}`; rename one")]
    DuplicateName {
        /// Two of what.
        what: &'static str,
        /// The name.
        name: String,
    },
}

impl ComponentError {
    /// Whether the same component is refused again: what depends on the machine, and on what else it does, may not.
    pub const fn is_deterministic(&self) -> bool {
        match self {
            Self::CompileTime { .. } | Self::CompilerDied { .. } | Self::CompilerNotStarted { .. } => false,
            Self::Describe(fault) => fault.is_deterministic(),
            _ => true,
        }
    }
}

fn mebibytes(limit: usize) -> String {
    const MIB: usize = 1024 * 1024;
    if limit.is_multiple_of(MIB) { format!("{} MiB", limit / MIB) } else { format!("{limit} bytes") }
}
