//! Generates the protobuf types and their JSON form. Uses a compiler written in Rust: no `protoc` needed.

use prost::Message as _;

type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    const PROTO: &str = "proto/history.proto";
    println!("cargo::rerun-if-changed={PROTO}");

    let descriptors = protox::compile([PROTO], ["proto"])?;
    let encoded = descriptors.encode_to_vec();

    prost_build::Config::new()
        .compile_well_known_types()
        .extern_path(".google.protobuf", "::pbjson_types")
        .btree_map(["."])
        .compile_fds(descriptors)?;
    pbjson_build::Builder::new().register_descriptors(&encoded)?.btree_map(["."]).build(&[".everturn.history"])?;
    Ok(())
}
