//! The SDKs that are tested, as their makers publish them.

/// A published SDK.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sdk {
    /// What the tests call it.
    pub(crate) name: &'static str,
    pub(crate) language: Language,
    pub(crate) dialect: Dialect,
    /// What is installed, by version: the SDK and what it speaks with.
    pub(crate) packages: &'static [&'static str],
    /// Whether its workflows can have activities and children retried.
    pub(crate) retries: bool,
    /// Whether its workflows can ask which patches an instance has seen.
    pub(crate) patches: bool,
    /// Whether its workflows can pass their history on to children.
    pub(crate) propagates: bool,
    /// Whether its workflows see only the first of several events of one name that come in the same turn. That is a
    /// fault of the SDK: once it has handed one out, it takes the next for awaited too, and has nobody to give it to.
    pub(crate) loses_events_that_come_together: bool,
}

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Python,
}

/// Which of the two listeners of a host an SDK talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Dapr,
    Microsoft,
}

/// Microsoft's for Python.
pub(crate) const MICROSOFT_PYTHON: Sdk = Sdk {
    name: "microsoft-python",
    language: Language::Python,
    dialect: Dialect::Microsoft,
    packages: &["durabletask==1.12.0", "grpcio==1.85.1", "protobuf==7.36.2"],
    retries: true,
    patches: false,
    propagates: false,
    loses_events_that_come_together: false,
};

/// Microsoft's for JavaScript.
pub(crate) const MICROSOFT_JAVASCRIPT: Sdk = Sdk {
    name: "microsoft-javascript",
    language: Language::JavaScript,
    dialect: Dialect::Microsoft,
    packages: &["@microsoft/durabletask-js@0.4.0", "@grpc/grpc-js@1.14.7", "google-protobuf@3.21.4"],
    retries: true,
    patches: false,
    propagates: false,
    loses_events_that_come_together: false,
};

/// Dapr's newest for Python. It is one that can keep the history of an instance from turn to turn.
pub(crate) const DAPR_1_19: Sdk = Sdk {
    name: "dapr-1.19",
    language: Language::Python,
    dialect: Dialect::Dapr,
    packages: &["dapr==1.19.0", "grpcio==1.85.1", "protobuf==7.36.2"],
    retries: true,
    patches: true,
    propagates: true,
    loses_events_that_come_together: false,
};

/// The one before it.
pub(crate) const DAPR_1_18: Sdk = Sdk {
    name: "dapr-1.18",
    language: Language::Python,
    dialect: Dialect::Dapr,
    packages: &["dapr-ext-workflow==1.18.3", "dapr==1.18.3", "grpcio==1.85.1", "protobuf==7.36.2"],
    retries: true,
    patches: true,
    propagates: true,
    loses_events_that_come_together: false,
};

/// The one that Dapr 1.17 uses: it still has the names of Microsoft's.
pub(crate) const DAPR_1_17: Sdk = Sdk {
    name: "dapr-1.17",
    language: Language::Python,
    dialect: Dialect::Dapr,
    packages: &["durabletask-dapr==0.17.4", "grpcio==1.85.1", "protobuf==6.33.6"],
    retries: true,
    patches: true,
    propagates: false,
    loses_events_that_come_together: false,
};

/// Dapr's for JavaScript: the oldest that is still published, and it knows no completion tokens.
pub(crate) const DAPR_JAVASCRIPT: Sdk = Sdk {
    name: "dapr-javascript",
    language: Language::JavaScript,
    dialect: Dialect::Dapr,
    packages: &["@dapr/durabletask-js@1.0.0", "@grpc/grpc-js@1.14.7", "google-protobuf@3.21.4"],
    retries: false,
    patches: false,
    propagates: false,
    loses_events_that_come_together: true,
};
