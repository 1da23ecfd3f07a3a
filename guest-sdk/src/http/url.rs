//! A URL taken apart as far as a request needs it. Whether each part is well-formed is for the host to say.

/// The parts of an `http` or `https` URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url<'a> {
    pub(super) secure: bool,
    pub(super) authority: &'a str,
    pub(super) path_with_query: String,
}

impl<'a> Url<'a> {
    /// None: it is no such URL.
    pub(super) fn parse(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        // What follows a `#` stays with who asks.
        let rest = rest.split('#').next().unwrap_or(rest);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let path_with_query = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        (!authority.is_empty()).then_some(Self { secure, authority, path_with_query })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart() {
        for (url, secure, authority, path_with_query) in [
            ("https://example.com", true, "example.com", "/"),
            ("HTTP://example.com/", false, "example.com", "/"),
            ("http://example.com:8080/a/b?c=d/e#f", false, "example.com:8080", "/a/b?c=d/e"),
            ("https://example.com?a=b", true, "example.com", "/?a=b"),
            ("https://example.com#a/b", true, "example.com", "/"),
            ("https://user@example.com/", true, "user@example.com", "/"),
        ] {
            let path_with_query = path_with_query.to_owned();
            assert_eq!(Url::parse(url), Some(Url { secure, authority, path_with_query }), "{url}");
        }
    }

    #[test]
    fn what_is_no_url_is_none() {
        for url in ["", "example.com", "ftp://example.com", "https://", "https:///path", "/path"] {
            assert_eq!(Url::parse(url), None, "{url}");
        }
    }
}
