# Short names for what CONTRIBUTING.md spells out. Nothing requires just: each line runs as it stands.

# Lists what is here.
default:
    @just --list

# Runs all tests.
test:
    cargo test

# Formats the code and checks it.
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings

# Everything that must hold before a change is merged.
ci:
    .ci/run

# Prints what a guest costs, and a host that keeps many.
bench:
    cargo run --release --package everturn-bench

# Shows the main job.
demo:
    cargo run --package everturn -- demo
