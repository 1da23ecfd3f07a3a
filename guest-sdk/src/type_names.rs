//! Names of Rust types as people know them, for messages: without the modules that they are in.

use std::any::type_name;

/// A type as its author would write it: `Option<String>`, not `core::option::Option<alloc::string::String>`.
pub(crate) fn short<T: ?Sized>() -> String {
    shorten(type_name::<T>())
}

/// The kind of an error, from its type. Many types are called just `Error`; those keep what says whose they are, so
/// that `std::io::error::Error` becomes `io::Error`.
pub(crate) fn kind_of_error<E: ?Sized>() -> String {
    kind(type_name::<E>())
}

fn shorten(path: &str) -> String {
    let is_part_of_path = |character: char| character.is_alphanumeric() || matches!(character, '_' | ':');
    let mut short = String::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let end = match is_part_of_path(first) {
            true => rest.find(|character| !is_part_of_path(character)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (part, after) = rest.split_at(end);
        short.push_str(part.rsplit("::").next().unwrap_or(part));
        rest = after;
    }
    short
}

fn kind(path: &str) -> String {
    let path = path.split('<').next().unwrap_or(path);
    let mut segments = path.rsplit("::").filter(|segment| *segment != "error");
    match (segments.next(), segments.next()) {
        (Some("Error"), Some(owner)) => format!("{owner}::Error"),
        (Some(name), _) => name.to_owned(),
        (None, _) => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_lose_their_modules_wherever_they_are() {
        for (path, name) in [
            ("u32", "u32"),
            ("()", "()"),
            ("shop::Order", "Order"),
            ("alloc::vec::Vec<alloc::string::String>", "Vec<String>"),
            ("(&str, core::option::Option<shop::Order>)", "(&str, Option<Order>)"),
            ("[u8; 4]", "[u8; 4]"),
            ("shop::Größe", "Größe"),
        ] {
            assert_eq!(shorten(path), name, "{path}");
        }
    }

    #[test]
    fn kinds_of_errors_are_short_and_tell_whose_they_are() {
        for (path, name) in [
            ("core::num::error::ParseIntError", "ParseIntError"),
            ("std::io::error::Error", "io::Error"),
            ("serde_json::error::Error", "serde_json::Error"),
            ("core::fmt::Error", "fmt::Error"),
            ("shop::Declined<alloc::string::String>", "Declined"),
            ("Error", "Error"),
            ("error", "error"),
        ] {
            assert_eq!(kind(path), name, "{path}");
        }
    }
}
