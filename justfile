# Short names for what CONTRIBUTING.md spells out. Nothing requires just: each line runs as it stands.

# Lists what is here.
default:
    @just --list

# Runs all tests.
test:
    cargo test

# Runs the published SDKs of Dapr and Microsoft against a host. Needs Python and Node.js.
sdks:
    cargo test --package everturn-sdk-tests --features sdks

# Formats the code and checks it.
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# Everything that must hold before a change is merged.
ci:
    .ci/run

# Prints what a guest costs, and a host that keeps many.
bench:
    cargo run --release --package everturn-bench

# Shows the main job.
demo:
    cargo run --package everturn -- demo
