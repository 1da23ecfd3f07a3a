//! Components that a host does not load, and why.

use everturn_guest::{ComponentError, Engine, Limits};
use everturn_tests::guests::{SOCKET, TEST_GUESTS};

fn refused(bytes: &[u8]) -> ComponentError {
    match Engine::new(Limits::default()).unwrap().load(bytes) {
        Err(error) => error,
        Ok(component) => panic!("loaded {}", component.digest()),
    }
}

#[test]
fn a_guest_that_opens_a_socket_is_refused_by_the_import() {
    match refused(&SOCKET.bytes().unwrap()) {
        ComponentError::ForbiddenImport { import, .. } => assert!(import.starts_with("wasi:sockets/"), "{import}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_component_that_imports_an_unknown_interface_is_refused_by_name() {
    let component =
        wat::parse_str(r#"(component (import "acme:bank/transfers@1.0.0" (instance (export "pay" (func)))))"#);
    match refused(&component.unwrap()) {
        ComponentError::ForbiddenImport { import, .. } => assert_eq!(import, "acme:bank/transfers@1.0.0"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_a_component_is_refused() {
    assert!(matches!(refused(b"not wasm"), ComponentError::NotWebAssembly));
    assert!(matches!(refused(b""), ComponentError::NotWebAssembly));
    assert!(matches!(refused(&wat::parse_str("(module)").unwrap()), ComponentError::CoreModule));
    assert!(matches!(refused(&wat::parse_str("(component)").unwrap()), ComponentError::MissingExport));
}

#[test]
fn a_truncated_component_is_refused_wherever_it_is_cut() {
    let bytes = TEST_GUESTS.bytes().unwrap();
    for tenth in 1..10 {
        assert!(matches!(
            refused(&bytes[..bytes.len() * tenth / 10]),
            ComponentError::Invalid { .. } | ComponentError::MissingExport
        ));
    }
}
