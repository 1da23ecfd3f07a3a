//! What a component may reach: named when it is deployed ([`Permissions`]), and put together with the values of its
//! secrets when it runs ([`Grants`]). Values of secrets are never stored or shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::host_pattern::HostPattern;

/// What a component is allowed, as it is stored with a deployment: secrets by name only. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Permissions {
    /// The hosts that its activities may send HTTP requests to.
    pub http: Vec<HostPattern>,
    /// The environment variables that its activities see.
    pub environment: BTreeMap<String, String>,
    /// The names of the secrets that its activities may ask for.
    pub secrets: BTreeSet<String>,
}

/// What an activity gets when it runs. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// The hosts that it may send HTTP requests to.
    pub http: Vec<HostPattern>,
    /// The environment variables that it sees.
    pub environment: BTreeMap<String, String>,
    /// The secrets that it may ask for.
    pub secrets: BTreeMap<String, Secret>,
}

/// Secrets that were allowed and are not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this host has no secret {}; give it the value, or deploy the component without it", listed(.names))]
pub struct MissingSecrets {
    /// Their names.
    pub names: Vec<String>,
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Permissions {
    /// Adds the values of the secrets, which `find` knows by name.
    ///
    /// # Errors
    /// When it does not know one of them.
    pub fn grants(&self, find: impl Fn(&str) -> Option<Secret>) -> Result<Grants, MissingSecrets> {
        let mut secrets = BTreeMap::new();
        let mut names = Vec::new();
        for name in &self.secrets {
            match find(name) {
                Some(secret) => drop(secrets.insert(name.clone(), secret)),
                None => names.push(name.clone()),
            }
        }
        if !names.is_empty() {
            return Err(MissingSecrets { names });
        }
        Ok(Grants { http: self.http.clone(), environment: self.environment.clone(), secrets })
    }
}

/// A value that nobody is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value. Keep it out of logs, errors and results.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self(value.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions() -> Permissions {
        Permissions {
            http: vec!["api.example.com".parse().unwrap()],
            environment: BTreeMap::from([("REGION".to_owned(), "north".to_owned())]),
            secrets: BTreeSet::from(["API_KEY".to_owned()]),
        }
    }

    #[test]
    fn permissions_are_stored_with_the_names_of_secrets() {
        let json = serde_json::to_value(permissions()).unwrap();
        let expected = serde_json::json!({
            "http": ["api.example.com"], "environment": {"REGION": "north"}, "secrets": ["API_KEY"],
        });
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Permissions>(json).unwrap(), permissions());
        assert_eq!(serde_json::from_str::<Permissions>("{}").unwrap(), Permissions::default());
    }

    #[test]
    fn a_permission_that_is_none_is_refused() {
        assert!(serde_json::from_str::<Permissions>(r#"{"http": ["*"]}"#).is_err());
        assert!(serde_json::from_str::<Permissions>(r#"{"filesystem": ["/"]}"#).is_err());
    }

    #[test]
    fn grants_have_the_values_and_do_not_show_them() {
        let grants = permissions().grants(|name| (name == "API_KEY").then(|| "sesame".into())).unwrap();
        assert_eq!(grants.secrets["API_KEY"].expose(), "sesame");
        assert!(!format!("{grants:?}").contains("sesame"));
    }

    #[test]
    fn a_secret_that_is_not_there_is_named() {
        let error = permissions().grants(|_| None).unwrap_err();
        let expected = "this host has no secret `API_KEY`; give it the value, or deploy the component without it";
        assert_eq!(error.to_string(), expected);
    }
}
