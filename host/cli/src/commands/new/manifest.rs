//! The Cargo.toml of a new crate: that of the template, without what it inherits from our workspace.

use std::path::Path;

use super::checkout::Checkout;
use super::place::Place;
use super::template::{Dependency, Kind, Source, Template};

pub(super) fn of_crate(template: &Template, place: &Place, checkout: &Checkout) -> String {
    let sdk = checkout.seen_from(&place.directory());
    let (normal, dev) = (listed(template, Kind::Normal, &sdk), listed(template, Kind::Dev, &sdk));
    format!(
        "[package]
name = {package}
version = \"0.1.0\"
edition = \"2024\"
publish = false

[lib]
# cdylib: what becomes the component. rlib: so that tests can use its types.
crate-type = [\"cdylib\", \"rlib\"]

[dependencies]
{normal}
[dev-dependencies]
{dev}
# A workspace of its own, also when it lies inside of another.
[workspace]
",
        package = text(place.package()),
    )
}

/// A line for each dependency of a kind.
fn listed(template: &Template, kind: Kind, sdk: &str) -> String {
    let line = |dependency: &Dependency| match dependency.source {
        Source::InCheckout(inside) => {
            let path = Path::new(sdk).join(inside).display().to_string().replace('\\', "/");
            format!("{} = {{ path = {} }}\n", dependency.name, text(&path))
        }
        Source::Registry(wanted) => format!("{} = {wanted}\n", dependency.name),
    };
    template.dependencies.iter().filter(|dependency| dependency.kind == kind).map(line).collect()
}

/// Text as TOML writes it: as JSON does.
fn text(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}
