//! Generates the protobuf types and their JSON form. Uses a compiler written in Rust: no `protoc` needed.

use prost::Message as _;

type AnyError = Box<dyn std::error::Error>;

/// What is large and rare. A history is moved about event by event, and an event is as large as its largest kind.
const BOXED: [&str; 11] = [
    "HistoryEvent.router",
    "HistoryEvent.event_type.execution_started",
    "HistoryEvent.event_type.task_scheduled",
    "HistoryEvent.event_type.task_failed",
    "HistoryEvent.event_type.child_workflow_instance_created",
    "HistoryEvent.event_type.child_workflow_instance_failed",
    "HistoryEvent.event_type.execution_completed",
    "HistoryEvent.event_type.update_completed",
    "HistoryEvent.event_type.version_changed",
    "HistoryEvent.event_type.workflow_reset",
    "TaskCompletedEvent.attestation",
];

fn main() -> Result<(), AnyError> {
    const PROTO: &str = "proto/history.proto";
    println!("cargo::rerun-if-changed={PROTO}");

    let descriptors = protox::compile([PROTO], ["proto"])?;
    let encoded = descriptors.encode_to_vec();

    let mut config = prost_build::Config::new();
    for path in BOXED {
        config.boxed(format!(".everturn.history.{path}"));
    }
    config
        .compile_well_known_types()
        .extern_path(".google.protobuf", "::pbjson_types")
        .extern_path(".google.protobuf.Timestamp", "crate::Timestamp")
        .btree_map(["."])
        .compile_fds(descriptors)?;
    pbjson_build::Builder::new().register_descriptors(&encoded)?.btree_map(["."]).build(&[".everturn.history"])?;
    Ok(())
}
