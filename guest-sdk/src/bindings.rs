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
    path: ["../wit/workflow", "../wit/activity"],
    // A component holds workflows, activities or both; what it has none of, it describes with an empty list. Handlers and
    // queries are part of every one: who has none says so when asked.
    inline: "
        package everturn:sdk;

        world component {
          include everturn:workflow/interactive-workflow@0.1.0;
          include everturn:activity/activity@0.1.0;
        }
    ",
    world: "everturn:sdk/component",
    generate_all,
});
