//! What the files of a template become in the new crate, and those that it has besides.

use super::checkout::Checkout;
use super::manifest;
use super::place::{Place, in_code};
use super::template::Template;
use crate::outcome::Error;

const IGNORED: &str = "/target\n/.everturn\n";

/// All files of a new crate: where in it, and what is in them.
pub(super) fn of_crate(
    template: &Template,
    place: &Place,
    checkout: &Checkout,
) -> Result<Vec<(String, String)>, Error> {
    let own = [
        ("Cargo.toml", manifest::of_crate(template, place, checkout)),
        ("Cargo.lock", checkout.lock()?),
        ("rust-toolchain.toml", checkout.toolchain()?),
        (".cargo/config.toml", checkout.profile()?),
        (".gitignore", IGNORED.to_owned()),
    ];
    let copied = template.files.iter().map(|(path, content)| {
        let content = match *path {
            "README.md" => readme(content, template, place, checkout),
            path if path.starts_with("tests/") && path.ends_with(".rs") => {
                with_crate_renamed(content, &in_code(template.name), &in_code(place.package()))
            }
            _ => (*content).to_owned(),
        };
        (*path, content)
    });
    Ok(own.into_iter().chain(copied).map(|(path, content)| (path.to_owned(), content)).collect())
}

/// The page of a template, for somebody who is in the new crate and not in our repository.
fn readme(content: &str, template: &Template, place: &Place, checkout: &Checkout) -> String {
    let (name, sdk) = (template.name, checkout.seen_from(&place.directory()));
    content
        .replacen(&format!("# {name}\n"), &format!("# {}\n", place.package()), 1)
        .replace("cargo run -p everturn -- ", "everturn ")
        .replace(&format!("cargo test -p {name}"), "cargo test")
        .replace(&format!("everturn dev examples/{name}"), "everturn dev")
        .replace(&format!("examples/{name}/"), "")
        .replace(&format!("examples/{name}"), ".")
        .replace("](../../", &format!("]({sdk}/"))
        .replace("](../", &format!("]({sdk}/examples/"))
}

/// Names a crate otherwise wherever code names it: `old::`, and not `older::`, `mold::` or `crate::old::`.
fn with_crate_renamed(code: &str, old: &str, new: &str) -> String {
    let path = format!("{old}::");
    let mut renamed = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(&path) {
        let (before, found) = rest.split_at(at);
        let is_inside = before.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | ':'));
        renamed += before;
        renamed += if is_inside { old } else { new };
        rest = &found[old.len()..];
    }
    renamed + rest
}

#[cfg(test)]
mod tests {
    use super::with_crate_renamed;

    #[test]
    fn a_crate_is_renamed_where_code_names_it() {
        let code = "use old::Order;\nuse older::X;\nlet a = old::f(crate::old::g(), mold::h(), \"old\");\n";
        let expected = "use new::Order;\nuse older::X;\nlet a = new::f(crate::old::g(), mold::h(), \"old\");\n";
        assert_eq!(with_crate_renamed(code, "old", "new"), expected);
    }
}
