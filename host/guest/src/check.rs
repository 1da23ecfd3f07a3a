//! Looks at a component before it is compiled: is it one, does it import only what a workflow may have, does it
//! export what a workflow has. It compiles and runs nothing.

use wasmparser::{Parser, Payload};

use crate::component::ComponentError;
use crate::limits::Limits;
use crate::wasi;

/// The WIT package of workflows.
const PACKAGE: &str = "everturn:workflow";
/// The version of the package that this host speaks.
pub(crate) const VERSION: &str = "0.1.0";
/// Versions that begin like this are compatible with it.
const COMPATIBLE: &str = "0.1.";
/// The versions of WASI that standard libraries of components are built on.
const WASI_COMPATIBLE: &str = "0.2.";
/// What a workflow component must export.
const EXPORT: &str = "everturn:workflow/workflows";
/// What it may import of the package.
const IMPORTS: [&str; 3] = ["everturn:workflow/context", "everturn:workflow/durable", "everturn:workflow/types"];

/// Refuses what cannot be a workflow component.
pub(crate) fn check(wasm: &[u8], limits: &Limits) -> Result<(), ComponentError> {
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
    border.imports.iter().try_for_each(|import| check_import(import))?;
    check_exports(&border.exports)
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

fn check_import(import: &str) -> Result<(), ComponentError> {
    let (interface, version) = import.split_once('@').unwrap_or((import, ""));
    if IMPORTS.contains(&interface) {
        return check_version(import, version);
    }
    if wasi::INTERFACES.contains(&interface) && version.starts_with(WASI_COMPATIBLE) {
        return Ok(());
    }
    Err(ComponentError::ForbiddenImport { import: import.to_owned(), instead: instead_of(interface) })
}

fn check_version(name: &str, version: &str) -> Result<(), ComponentError> {
    if version.starts_with(COMPATIBLE) {
        return Ok(());
    }
    Err(ComponentError::WrongVersion { interface: name.to_owned() })
}

fn instead_of(interface: &str) -> &'static str {
    let package = interface.split('/').next().unwrap_or(interface);
    match package {
        PACKAGE => {
            "this host does not offer that interface: build against the world `workflow`, without signals, updates and \
             queries"
        }
        "wasi:sockets" | "wasi:http" => "workflows have no network: call an activity that talks to the network",
        "wasi:clocks" | "wasi:io" | "wasi:random" | "wasi:cli" | "wasi:filesystem" => {
            "build for WASI 0.2, for example with the Rust target wasm32-wasip2, and without unstable interfaces"
        }
        _ => "remove the dependency that imports it, and do what it is for in an activity",
    }
}

fn check_exports(exports: &[&str]) -> Result<(), ComponentError> {
    let workflows = exports.iter().find_map(|export| {
        let (interface, version) = export.split_once('@')?;
        (interface == EXPORT).then_some((*export, version))
    });
    match workflows {
        Some((export, version)) => check_version(export, version),
        None => Err(ComponentError::MissingExport),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKFLOWS: &str = r#"(export "everturn:workflow/workflows@0.1.0" (instance $i))"#;

    /// A component with an empty instance to export.
    fn component(border: &str) -> Vec<u8> {
        wat::parse_str(format!("(component (instance $i) {border})")).unwrap()
    }

    fn import(name: &str) -> String {
        format!(r#"(import "{name}" (instance)) {WORKFLOWS}"#)
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
        assert_eq!(check(&component(&(border + WORKFLOWS)), &Limits::default()), Ok(()));
    }

    #[test]
    fn other_imports_are_refused_by_name() {
        let table = [
            "wasi:sockets/tcp@0.2.6",
            "wasi:http/outgoing-handler@0.2.6",
            "wasi:clocks/wall-clock@0.3.0",
            "wasi:clocks/timezone@0.2.6",
            "everturn:workflow/messages@0.1.0",
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
        assert_eq!(check(&component(&inner), &Limits::default()), Ok(()));
    }

    #[test]
    fn another_version_of_the_package_is_refused_by_version() {
        let table = [
            (import("everturn:workflow/durable@0.2.0"), "everturn:workflow/durable@0.2.0"),
            (WORKFLOWS.replace("0.1.0", "1.0.0"), "everturn:workflow/workflows@1.0.0"),
        ];
        for (border, interface) in table {
            let expected = ComponentError::WrongVersion { interface: interface.to_owned() };
            assert_eq!(refusal(&component(&border)), expected);
        }
    }

    #[test]
    fn a_component_without_workflows_is_refused() {
        assert_eq!(refusal(&component("")), ComponentError::MissingExport);
        let queries = WORKFLOWS.replace("workflows", "queries");
        assert_eq!(refusal(&component(&queries)), ComponentError::MissingExport);
    }
}
