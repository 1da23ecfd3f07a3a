//! Which hosts an activity may talk to: `api.example.com`, `*.example.com`, `localhost:8080`, and nothing else. No
//! pattern stands for an address or for everything, so what is granted can be read off.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest name of a host, as DNS has it.
const NAME_LENGTH_MAX: usize = 253;
/// The longest part between two dots, as DNS has it.
const LABEL_LENGTH_MAX: usize = 63;

/// A host that may be talked to, or all below one.
///
/// - `api.example.com`: that host, on the port of the scheme (80 or 443)
/// - `*.example.com`: every host below it, however deep, and not `example.com` itself
/// - `localhost:8080`, `*.example.com:8443`: on that port and no other
///
/// ```
/// use everturn_activity::HostPattern;
///
/// let pattern: HostPattern = "*.example.com".parse()?;
/// assert!(pattern.matches("api.example.com", 443, 443));
/// assert!(!pattern.matches("api.example.com", 8080, 443));
/// assert!("*".parse::<HostPattern>().is_err());
/// # Ok::<(), everturn_activity::InvalidHostPattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostPattern {
    below: bool,
    name: String,
    port: Option<u16>,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{pattern}` is no host that can be granted: {reason}; write a name such as api.example.com, *.example.com or \
     localhost:8080"
)]
pub struct InvalidHostPattern {
    /// The text.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl HostPattern {
    /// Whether a host and port match. `default_port` is that of the scheme, which patterns without a port mean.
    pub fn matches(&self, host: &str, port: u16, default_port: u16) -> bool {
        if port != self.port.unwrap_or(default_port) {
            return false;
        }
        let host = host.to_ascii_lowercase();
        if !self.below {
            return host == self.name;
        }
        // An address cannot end with a name, so none gets in here.
        let label = host.strip_suffix(&self.name).and_then(|rest| rest.strip_suffix('.'));
        label.is_some_and(|label| check_name(label).is_ok())
    }
}

impl FromStr for HostPattern {
    type Err = InvalidHostPattern;

    fn from_str(pattern: &str) -> Result<Self, InvalidHostPattern> {
        let invalid = |reason| InvalidHostPattern { pattern: pattern.to_owned(), reason };
        if pattern.contains("://") || pattern.contains('/') {
            return Err(invalid("schemes and paths do not belong to it"));
        }
        let (name, port) = match pattern.split_once(':') {
            Some((name, port)) => (name, Some(parse_port(port).ok_or_else(|| invalid("its port is none"))?)),
            None => (pattern, None),
        };
        let (below, name) = match name.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, name),
        };
        check_name(name).map_err(invalid)?;
        if ends_in_a_number(name) {
            return Err(invalid("addresses cannot be granted"));
        }
        Ok(Self { below, name: name.to_ascii_lowercase(), port })
    }
}

/// Digits only: `+80` reads as a number too.
fn parse_port(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port != 0)
}

fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.len() > NAME_LENGTH_MAX {
        return Err("its name is empty or too long");
    }
    let fits = |label: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=LABEL_LENGTH_MAX).contains(&label.len()) && label.bytes().all(allowed)
    };
    if name.split('.').all(fits) {
        return Ok(());
    }
    Err("its name has letters, digits and hyphens between its dots, and a star only in front, as in `*.`")
}

/// Resolvers read what ends in a number as an address, in forms that few people know: `127.1`, `0x7f000001`.
fn ends_in_a_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let hexadecimal = last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hexadecimal || last.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for HostPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.below { "*." } else { "" };
        write!(formatter, "{star}{}", self.name)?;
        self.port.map_or(Ok(()), |port| write!(formatter, ":{port}"))
    }
}

impl TryFrom<String> for HostPattern {
    type Error = InvalidHostPattern;

    fn try_from(pattern: String) -> Result<Self, InvalidHostPattern> {
        pattern.parse()
    }
}

impl From<HostPattern> for String {
    fn from(pattern: HostPattern) -> Self {
        pattern.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, host: &str, port: u16) -> bool {
        pattern.parse::<HostPattern>().unwrap().matches(host, port, 443)
    }

    #[test]
    fn a_name_is_that_host_on_the_port_of_its_scheme() {
        assert!(matches("api.example.com", "api.example.com", 443));
        assert!(matches("API.example.com", "api.EXAMPLE.com", 443));
        for (host, port) in [
            ("api.example.com", 8443),
            ("example.com", 443),
            ("x.api.example.com", 443),
            ("api.example.com.evil.org", 443),
            ("evilapi.example.com", 443),
            ("api.example.com.", 443),
            ("", 443),
        ] {
            assert!(!matches("api.example.com", host, port), "{host}:{port}");
        }
    }

    #[test]
    fn a_star_is_every_host_below() {
        assert!(matches("*.example.com", "api.example.com", 443));
        assert!(matches("*.example.com", "a.b.example.com", 443));
        for host in ["example.com", ".example.com", "a..example.com", "evilexample.com", "evil.org/.example.com"] {
            assert!(!matches("*.example.com", host, 443), "{host}");
        }
    }

    #[test]
    fn a_port_is_that_port_and_no_other() {
        assert!(matches("localhost:8080", "localhost", 8080));
        assert!(!matches("localhost:8080", "localhost", 443));
        assert!(!matches("localhost:8080", "localhost", 8081));
    }

    #[test]
    fn nothing_else_is_a_pattern() {
        for pattern in [
            "",
            "*",
            "*.",
            "*:80",
            "a.*.com",
            "*example.com",
            "**.example.com",
            "https://example.com",
            "example.com/",
            "example.com:",
            "example.com:0",
            "example.com:+80",
            "example.com:65536",
            "example.com:80:80",
            "a b.com",
            "user@example.com",
            "example.com.",
            ".example.com",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.0x1",
            "*.0.0.1",
            "[::1]",
            "::1",
            "[::1]:80",
        ] {
            assert!(pattern.parse::<HostPattern>().is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_is_written_as_it_is_read() {
        for pattern in ["api.example.com", "*.example.com", "localhost:8080", "*.example.com:8443", "1.example.com"] {
            assert_eq!(pattern.parse::<HostPattern>().unwrap().to_string(), pattern);
        }
    }
}
