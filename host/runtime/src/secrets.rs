//! Where the values of granted secrets come from. They are never stored with a deployment.

use std::collections::BTreeMap;
use std::env;
use std::fmt;

use everturn_activity::Secret;

/// The environment variable of the host that holds a secret begins like this.
const VARIABLE_PREFIX: &str = "EVERTURN_SECRET_";

/// Where the values of secrets come from.
#[derive(Clone, Default)]
pub enum SecretSource {
    /// From the host's environment: the secret `NAME` is in `EVERTURN_SECRET_NAME`.
    #[default]
    Environment,
    /// From this map; for those who embed the host.
    Given(BTreeMap<String, String>),
}

impl SecretSource {
    pub(crate) fn get(&self, name: &str) -> Option<Secret> {
        let value = match self {
            Self::Environment => env::var(format!("{VARIABLE_PREFIX}{name}")).ok(),
            Self::Given(secrets) => secrets.get(name).cloned(),
        };
        value.map(Secret::from)
    }
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Environment => "Environment",
            Self::Given(_) => "Given(..)",
        })
    }
}
