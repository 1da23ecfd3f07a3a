//! The client side of `wasi:http` as generated Rust. A component that never sends a request imports none of it.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "generated code follows the rules of its generator"
)]

wit_bindgen::generate!({
    path: "wit",
    world: "http-client",
    generate_all,
});
