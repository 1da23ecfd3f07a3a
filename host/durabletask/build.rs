//! Generates the messages of the protocol, its service and its client. Uses a compiler written in Rust: no `protoc`
//! needed.

use std::path::PathBuf;

use prost::Message as _;

type AnyError = Box<dyn std::error::Error>;

/// Messages that cannot be generated: a field has two wire types, one for each dialect. They are written by hand.
const BY_HAND: [&str; 3] = ["CreateInstanceRequest", "PurgeInstancesRequest", "CreateChildWorkflowAction"];

fn main() -> Result<(), AnyError> {
    const PROTO: &str = "proto/taskhub.proto";
    const HISTORY: &str = "../history/proto";
    println!("cargo::rerun-if-changed={PROTO}");
    println!("cargo::rerun-if-changed={HISTORY}");

    let descriptors = protox::compile([PROTO], ["proto", HISTORY])?;
    let directory = PathBuf::from(std::env::var("OUT_DIR")?);
    // For reflection: what the host speaks, as it was compiled.
    std::fs::write(directory.join("descriptors.bin"), descriptors.encode_to_vec())?;

    let mut builder = tonic_prost_build::configure()
        .build_transport(false)
        .compile_well_known_types(true)
        .extern_path(".google.protobuf", "::pbjson_types")
        .extern_path(".google.protobuf.Timestamp", "::everturn_history::Timestamp")
        .extern_path(".everturn.history", "::everturn_history")
        .btree_map(".");
    for message in BY_HAND {
        builder = builder.extern_path(format!(".{message}"), format!("crate::protocol::{message}"));
    }
    builder.compile_fds(descriptors)?;
    Ok(())
}
