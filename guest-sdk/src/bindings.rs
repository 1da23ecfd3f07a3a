//! The contract in `wit/` as generated Rust. Nothing of it is public: the rest of the crate is its only user.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "generated code follows the rules of its generator"
)]

wit_bindgen::generate!({
    path: "../wit",
    world: "workflow",
});
