//! The workloads of `everturn-bench` on duroxide, with its SQLite provider on a file and its own settings. It prints
//! JSON, with the same keys. `everturn-bench --peer` builds and runs it; alone it is run with
//! `cargo run --release --manifest-path tests/bench/peers/Cargo.toml -- [WORKLOAD...] [--quick | --full] [--dir DIR]`.
//!
//! - `arguments`: what to do and how much; `house`: the peer, opened; `process`: what this process takes
//! - `workloads/`: one file each

mod arguments;
mod figure;
mod house;
mod process;
mod workloads;

use serde_json::json;

use crate::arguments::Arguments;
use crate::house::House;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // It would write a line to stdout for each thing that it does: that would cost it time, and us the JSON.
    tracing::subscriber::set_global_default(tracing::subscriber::NoSubscriber::new())?;
    let arguments = Arguments::of(std::env::args().skip(1))?;
    let directory = match &arguments.directory {
        Some(directory) => tempfile::tempdir_in(directory)?,
        None => tempfile::tempdir()?,
    };
    let house = House::open(directory.path(), "durability").await?;
    let durability = house.durability().await?;
    house.close().await;
    let mut figures = Vec::new();
    for (name, run) in workloads::WORKLOADS {
        if arguments.wants(name) {
            eprintln!("measuring the peer: {name}");
            run(directory.path().to_owned(), arguments.size, &mut figures).await?;
        }
    }
    println!("{}", json!({ "peer": "duroxide 0.1.32", "durability": durability, "figures": figures }));
    Ok(())
}
