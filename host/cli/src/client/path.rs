//! Paths and queries, encoded so that ids and names may hold anything.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is encoded in a path: all but letters, digits and what no reader of URLs touches.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');

/// A path with a query.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    path: String,
    query: String,
}

impl Path {
    /// From its parts.
    pub(crate) fn new(parts: &[&str]) -> Self {
        let encoded = parts.iter().map(|part| format!("/{}", utf8_percent_encode(part, ENCODED)));
        Self { path: encoded.collect(), query: String::new() }
    }

    /// An instance, or something of it.
    pub(crate) fn of_instance(id: &str, rest: &[&str]) -> Self {
        Self::new(&[&["v1", "workflows", id], rest].concat())
    }

    /// With a parameter.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let query = std::mem::take(&mut self.query);
        // It goes on where the text ends, and separates what it adds.
        self.query = form_urlencoded::Serializer::new(query).append_pair(name, value.as_ref()).finish();
        self
    }

    /// With a parameter, if there is a value.
    pub(crate) fn with_some(self, name: &str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, query } = self;
        if query.is_empty() { formatter.write_str(path) } else { write!(formatter, "{path}?{query}") }
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn ids_may_hold_anything() {
        let path = Path::of_instance("a/b c?#%ü..", &["wait"]).with("timeout", "1h 30m").with_some("x", None::<&str>);
        assert_eq!(path.to_string(), "/v1/workflows/a%2Fb%20c%3F%23%25%C3%BC%2E%2E/wait?timeout=1h+30m");
    }
}
