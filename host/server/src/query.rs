//! From the query of a URL to values. A parameter that is not known is refused, like an unknown field of a body.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use everturn_store::Time;

use crate::app::App;
use crate::model::read_moment;
use crate::refusal::Refusal;

/// The parameters in the query of a URL.
pub(crate) struct Query(Vec<(String, String)>);

impl FromRequestParts<App> for Query {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, Refusal> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

impl Query {
    fn parse(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Refuses every other parameter.
    pub(crate) fn only(self, known: &[&str]) -> Result<Self, Refusal> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(self),
            Some((name, _)) if known.is_empty() => {
                Err(invalid(format!("there is no parameter `{name}` here, nor any")))
            }
            Some((name, _)) => Err(invalid(format!("there is no parameter `{name}` here, only {}", known.join(", ")))),
        }
    }

    /// All values of a parameter that may be repeated.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(invalid(format!("the parameter `{name}` is given twice"))),
        }
    }

    /// Whether a parameter is there: `recursive`, `recursive=true`.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.one(name)? {
            None | Some("false") => Ok(false),
            Some("" | "true") => Ok(true),
            Some(other) => Err(invalid(format!("`{name}` is true or false, not `{other}`"))),
        }
    }

    /// The value of a parameter, read.
    pub(crate) fn read<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, Refusal> {
        self.read_with(name, str::parse)
    }

    /// All values of a parameter that may be repeated, read.
    pub(crate) fn read_all<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Vec<T>, Refusal> {
        self.all(name).map(|value| value.parse().map_err(|error| unreadable(name, error))).collect()
    }

    /// A moment: RFC 3339.
    pub(crate) fn time(&self, name: &str) -> Result<Option<Time>, Refusal> {
        self.read_with(name, |text| read_moment(text).map(Time::at_or_after))
    }

    /// A length of time: `90s`, `5m`, `1h 30m`, `7d`.
    pub(crate) fn duration(&self, name: &str) -> Result<Option<Duration>, Refusal> {
        self.read_with(name, humantime::parse_duration)
    }

    fn read_with<T, E: Display>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Refusal> {
        self.one(name)?.map(read).transpose().map_err(|error| unreadable(name, error))
    }
}

fn unreadable(name: &str, error: impl Display) -> Refusal {
    invalid(format!("the parameter `{name}` cannot be read: {error}"))
}

pub(crate) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::bad_request("invalid_parameter", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_may_be_repeated() {
        let query = Query::parse("status=a%2Cb&status=c+d&x");
        assert_eq!(query.all("status").collect::<Vec<_>>(), ["a,b", "c d"]);
        assert!(query.flag("x").unwrap());
        assert!(!query.flag("y").unwrap());
        assert!(query.one("status").is_err());
    }
}
