//! Looks at a component before it is compiled: is it one, does it import only what workflows and activities may have,
//! does it export what they have. It compiles and runs nothing.

use wasmparser::{Parser, Payload};

use crate::component::ComponentError;
use crate::limits::Limits;
use crate::wasi;

/// The WIT packages of workflows and of activities.
const PACKAGES: [&str; 2] = ["everturn:workflow", "everturn:activity"];
/// The version of the packages that this host speaks.
pub(crate) const VERSION: &str = "0.1.0";
/// Versions that begin like this are compatible with them.
const COMPATIBLE: &str = "0.1.";
/// The versions of WASI that standard libraries of components are built on.
const WASI_COMPATIBLE: &str = "0.2.";
/// What a component with workflows exports.
const WORKFLOWS: &str = "everturn:workflow/workflows";
/// What a component with activities exports.
pub(crate) const ACTIVITIES: &str = "everturn:activity/activities";
/// What a component whose workflows answer queries exports.
pub(crate) const QUERIES: &str = "everturn:workflow/queries";
/// What any component may import of the packages.
const IMPORTS: [&str; 4] =
    ["everturn:workflow/context", "everturn:workflow/durable", "everturn:workflow/messages", "everturn:workflow/types"];
/// What a component with activities may import of them too.
const ACTIVITY_IMPORT: &str = "everturn:activity/context";
/// What a component with activities may import of WASI too, with the versions that there are.
const NETWORK_IMPORTS: [(&str, &[&str]); 4] = [
    ("wasi:clocks/types", &["0.3."]),
    ("wasi:http/client", &["0.3."]),
    ("wasi:http/outgoing-handler", &["0.2."]),
    ("wasi:http/types", &["0.2.", "0.3."]),
];

/// What the border of a component says of its inside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inside {
    /// It exports workflows.
    pub(crate) workflows: bool,
    /// It exports activities. The list of them may still be empty.
    pub(crate) activities: bool,
    /// An import that nobody but an activity has a use for.
    pub(crate) network: Option<String>,
}

/// Refuses what cannot be a component of workflows and activities.
pub(crate) fn check(wasm: &[u8], limits: &Limits) -> Result<Inside, ComponentError> {
    let (size, limit) = (wasm.len(), limits.component_size);
    if size > limit {
        return Err(ComponentError::TooLarge { size, limit });
    }
    if Parser::is_core_wasm(wasm) {
        return Err(ComponentError::CoreModule);
    }
    if !Parser::is_component(wasm) {
        return Err(ComponentError::NotWebAssembly);
    }
    let border = border(wasm).map_err(|error| ComponentError::Invalid { detail: error.to_string() })?;
    let activities = exports(&border, ACTIVITIES)?;
    border.imports.iter().try_for_each(|import| check_import(import, activities))?;
    let workflows = exports(&border, WORKFLOWS)?;
    exports(&border, QUERIES)?;
    if !workflows && !activities {
        return Err(ComponentError::MissingExport);
    }
    let network = border.imports.iter().find(|import| is_network(import)).map(ToString::to_string);
    Ok(Inside { workflows, activities, network })
}

/// The refusal of an import that a component without activities has no use for.
pub(crate) fn useless(import: String) -> ComponentError {
    ComponentError::ForbiddenImport { import, instead: wasi::NETWORK }
}

/// The names that cross a component's border.
#[derive(Default)]
struct Border<'a> {
    imports: Vec<&'a str>,
    exports: Vec<&'a str>,
}

fn border(wasm: &[u8]) -> wasmparser::Result<Border<'_>> {
    let mut border = Border::default();
    // Components nest; only the outermost one faces the host.
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(imports) if depth == 1 => {
                for import in imports {
                    border.imports.push(import?.name.name);
                }
            }
            Payload::ComponentExportSection(exports) if depth == 1 => {
                for export in exports {
                    border.exports.push(export?.name.name);
                }
            }
            _ => {}
        }
    }
    Ok(border)
}

fn split(name: &str) -> (&str, &str) {
    name.split_once('@').unwrap_or((name, ""))
}

fn is_network(import: &str) -> bool {
    let (interface, version) = split(import);
    let found = NETWORK_IMPORTS.iter().find(|(name, _)| *name == interface);
    found.is_some_and(|(_, versions)| versions.iter().any(|compatible| version.starts_with(compatible)))
}

fn check_import(import: &str, activities: bool) -> Result<(), ComponentError> {
    let (interface, version) = split(import);
    if IMPORTS.contains(&interface) || (activities && interface == ACTIVITY_IMPORT) {
        return check_version(import, version);
    }
    if activities && is_network(import) {
        return Ok(());
    }
    if wasi::INTERFACES.contains(&interface) && version.starts_with(WASI_COMPATIBLE) {
        return Ok(());
    }
    Err(ComponentError::ForbiddenImport { import: import.to_owned(), instead: instead_of(interface, activities) })
}

fn check_version(name: &str, version: &str) -> Result<(), ComponentError> {
    if version.starts_with(COMPATIBLE) {
        return Ok(());
    }
    Err(ComponentError::WrongVersion { interface: name.to_owned() })
}

fn instead_of(interface: &str, activities: bool) -> &'static str {
    let package = interface.split('/').next().unwrap_or(interface);
    match package {
        _ if interface == ACTIVITY_IMPORT => {
            "only activities have that context, and the component exports none: export `everturn:activity/activities`"
        }
        package if PACKAGES.contains(&package) => {
            "this host does not offer that interface: build against the worlds `interactive-workflow` and `activity`"
        }
        "wasi:sockets" | "wasi:http" if activities => {
            "activities have no sockets, and of wasi:http only the client: use `everturn_sdk::http`, for example"
        }
        "wasi:sockets" | "wasi:http" => wasi::NETWORK,
        "wasi:clocks" | "wasi:io" | "wasi:random" | "wasi:cli" | "wasi:filesystem" => {
            "build for WASI 0.2, for example with the Rust target wasm32-wasip2, and without unstable interfaces"
        }
        _ => "remove the dependency that imports it, and do what it is for in an activity",
    }
}

/// Whether the component exports an interface in a version that this host speaks.
fn exports(border: &Border<'_>, interface: &str) -> Result<bool, ComponentError> {
    match border.exports.iter().find(|export| split(export).0 == interface) {
        Some(export) => check_version(export, split(export).1).map(|()| true),
        None => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKFLOWS: &str = r#"(export "everturn:workflow/workflows@0.1.0" (instance $i))"#;
    const ACTIVITIES: &str = r#"(export "everturn:activity/activities@0.1.0" (instance $i))"#;

    /// A component with an empty instance to export.
    fn component(border: &str) -> Vec<u8> {
        wat::parse_str(format!("(component (instance $i) {border})")).unwrap()
    }

    fn import(name: &str) -> String {
        format!(r#"(import "{name}" (instance)) {WORKFLOWS}"#)
    }

    fn inside(border: &str) -> Result<Inside, ComponentError> {
        check(&component(border), &Limits::default())
    }

    fn refusal(wasm: &[u8]) -> ComponentError {
        check(wasm, &Limits::default()).unwrap_err()
    }

    #[test]
    fn what_is_no_component_is_refused_by_its_kind() {
        assert_eq!(refusal(b""), ComponentError::NotWebAssembly);
        assert_eq!(refusal(b"garbage that is long enough"), ComponentError::NotWebAssembly);
        assert_eq!(refusal(&wat::parse_str("(module)").unwrap()), ComponentError::CoreModule);
    }

    #[test]
    fn a_broken_component_is_refused() {
        let whole = component(WORKFLOWS);
        let cut = &whole[..whole.len() - 1];
        assert!(matches!(refusal(cut), ComponentError::Invalid { .. }));
    }

    #[test]
    fn a_large_component_is_refused_before_it_is_looked_at() {
        let limits = Limits { component_size: 10, ..Limits::default() };
        assert_eq!(check(&[0; 11], &limits), Err(ComponentError::TooLarge { size: 11, limit: 10 }));
    }

    #[test]
    fn a_workflow_with_what_the_standard_library_needs_is_let_in() {
        let mut border = String::new();
        for interface in wasi::INTERFACES {
            border += &format!(r#"(import "{interface}@0.2.6" (instance))"#);
        }
        for interface in IMPORTS {
            border += &format!(r#"(import "{interface}@0.1.0" (instance))"#);
        }
        assert_eq!(inside(&(border + WORKFLOWS)), Ok(Inside { workflows: true, activities: false, network: None }));
    }

    #[test]
    fn what_activities_need_is_let_in_only_where_there_are_some() {
        let table = [
            ("everturn:activity/context@0.1.0", None),
            ("wasi:http/types@0.2.6", Some("wasi:http/types@0.2.6")),
            ("wasi:http/outgoing-handler@0.2.6", Some("wasi:http/outgoing-handler@0.2.6")),
            ("wasi:http/client@0.3.0", Some("wasi:http/client@0.3.0")),
        ];
        for (name, network) in table {
            let network = network.map(str::to_owned);
            let mixed = import(name) + ACTIVITIES;
            assert_eq!(inside(&mixed), Ok(Inside { workflows: true, activities: true, network: network.clone() }));
            let alone = mixed.replace(WORKFLOWS, "");
            assert_eq!(inside(&alone), Ok(Inside { workflows: false, activities: true, network }));
            let refused = inside(&import(name)).unwrap_err();
            assert!(matches!(refused, ComponentError::ForbiddenImport { import, .. } if import == name), "{name}");
        }
    }

    #[test]
    fn activities_have_no_sockets_and_serve_nothing() {
        for name in ["wasi:sockets/tcp@0.2.6", "wasi:http/incoming-handler@0.2.6", "wasi:http/client@0.2.6"] {
            let refused = inside(&(import(name) + ACTIVITIES)).unwrap_err();
            assert!(matches!(refused, ComponentError::ForbiddenImport { import, .. } if import == name), "{name}");
        }
    }

    #[test]
    fn other_imports_are_refused_by_name() {
        let table = [
            "wasi:sockets/tcp@0.2.6",
            "wasi:http/outgoing-handler@0.2.6",
            "wasi:clocks/wall-clock@0.3.0",
            "wasi:clocks/timezone@0.2.6",
            "everturn:workflow/schedules@0.1.0",
            "acme:database/query@1.0.0",
            "plain-name",
        ];
        for name in table {
            let ComponentError::ForbiddenImport { import, .. } = refusal(&component(&import(name))) else {
                panic!("{name} is let in");
            };
            assert_eq!(import, name);
        }
    }

    #[test]
    fn imports_of_inner_components_are_not_the_hosts_business() {
        let inner = format!(r#"(component (import "acme:inner/thing@1.0.0" (instance))) {WORKFLOWS}"#);
        assert!(inside(&inner).is_ok());
    }

    #[test]
    fn another_version_of_the_package_is_refused_by_version() {
        let table = [
            (import("everturn:workflow/durable@0.2.0"), "everturn:workflow/durable@0.2.0"),
            (WORKFLOWS.replace("0.1.0", "1.0.0"), "everturn:workflow/workflows@1.0.0"),
            (ACTIVITIES.replace("0.1.0", "0.2.0"), "everturn:activity/activities@0.2.0"),
        ];
        for (border, interface) in table {
            let expected = ComponentError::WrongVersion { interface: interface.to_owned() };
            assert_eq!(refusal(&component(&border)), expected);
        }
    }

    #[test]
    fn a_component_without_workflows_and_activities_is_refused() {
        assert_eq!(refusal(&component("")), ComponentError::MissingExport);
        let queries = WORKFLOWS.replace("workflows", "queries");
        assert_eq!(refusal(&component(&queries)), ComponentError::MissingExport);
    }
}
