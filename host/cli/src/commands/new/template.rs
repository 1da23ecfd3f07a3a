//! The templates: the crates under `examples/`, which the build script puts into the command.

/// All of them: the one to begin with, and the others by name.
pub(crate) static TEMPLATES: &[Template] = &include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// A crate to begin with.
#[derive(Debug)]
pub(crate) struct Template {
    /// That of the package, and of its directory under `examples/`.
    pub(crate) name: &'static str,
    pub(super) description: &'static str,
    pub(super) dependencies: &'static [Dependency],
    /// All files but the manifest: where in the crate, and what is in them.
    pub(super) files: &'static [(&'static str, &'static str)],
}

/// A crate that a template uses.
#[derive(Debug)]
pub(super) struct Dependency {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) source: Source,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Dev,
}

/// Where a dependency comes from.
#[derive(Debug)]
pub(super) enum Source {
    /// A directory of the checkout.
    InCheckout(&'static str),
    /// A registry: version and features, as a manifest has them.
    Registry(&'static str),
}

impl Template {
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TEMPLATES.iter().find(|template| template.name == name)
    }

    /// A line for a list.
    pub(crate) fn summary(&self) -> &'static str {
        self.description.trim_end_matches('.')
    }
}
