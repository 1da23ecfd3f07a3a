//! A host whose compiler fails: what the machine could not do is tried again, and nobody has to help.

use std::fs;
use std::path::Path;

use everturn_guest::Engine;
use everturn_runtime::store::Status;
use everturn_runtime::{Compiler, ComponentError, DeployRequest, Limits, RequestError};
use everturn_tests::guests::TEST_GUESTS;

use crate::room::{self, Room, play, wait};

/// A compiler that notes that it was tried, and answers with a file, or fails when it is not there.
fn answering_with(file: &Path, tried: &Path) -> Compiler {
    let script = "cat >/dev/null; : >\"$1\"; cat \"$0\"";
    let arguments = ["-c".into(), script.into(), file.into(), tried.into()];
    Compiler::Child { program: "/bin/sh".into(), arguments: arguments.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_whose_component_cannot_be_compiled_at_the_moment_goes_on_when_it_can() {
    let mut room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[wait("go")]).await;
    room::until(&host, "a", |instance| instance.events > 2).await;
    room::stop(host).await;

    // Given a host without its cache, and a compiler that does not work,
    let place = tempfile::tempdir().unwrap();
    let [answer, tried] = ["answer", "tried"].map(|name| place.path().join(name));
    room.options.component_cache = Some(place.path().join("cache"));
    room.options.compiler = answering_with(&answer, &tried);
    let host = room.open_empty().await;
    room::raise(&host, "a", "go", 7).await;
    room::until_true(async || tried.exists()).await;
    let wasm = TEST_GUESTS.bytes().unwrap();
    let refused = host.deploy(DeployRequest { wasm: wasm.clone(), ..DeployRequest::default() }).await.unwrap_err();
    assert!(matches!(refused, RequestError::Component(ComponentError::CompilerDied { .. })), "{refused}");

    // When it works again,
    let machine_code = Engine::new(Limits::default()).unwrap().wasmtime().precompile_component(&wasm).unwrap();
    let whole = place.path().join("whole");
    fs::write(&whole, [b"C", &machine_code[..]].concat()).unwrap();
    fs::rename(&whole, &answer).unwrap();

    // Then the instance was not held, and comes to its end.
    assert_eq!(room::end(&host, "a").await.status, Status::Completed);
    assert_eq!(host.statistics().held, 0);
    room::stop(host).await;
}
