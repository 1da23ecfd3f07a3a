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

# Measures the host beside what the disk can do: `just bench latency timers`. Without names: everything, which takes minutes.
bench *arguments:
    cargo run --release --package everturn-bench -- {{arguments}}

# The same, and a peer on the same workloads.
peers *arguments:
    cargo run --release --package everturn-bench -- --peer {{arguments}}

# Shows the main job.
demo:
    cargo run --package everturn -- demo
