//! Measures the host on this machine, beside what its disk can do, and says what is reached of what is to be reached. Run it
//! with `cargo run --release -p everturn-bench`, or with the names of what to measure; `--help` lists them.
//!
//! # Layout
//! - `arguments`: the options
//! - `workloads/`: what can be measured, one file each
//! - `figures/`: what was measured, as plain values; percentiles and targets
//! - `report/`: the same for people, for programs, and as pictures
//! - `baseline`, `machine`, `disk`: what the disk can do without us, what machine this is, and how slow its disk is made
//! - `bench`, `house`, `load`, `lateness`: what workloads share
//! - `host/`: a host as a process of its own; `worker`: a remote worker
//! - `peer`: the same workloads on another project, which `peers/` has
//! - `guest/`: the workflows, a crate of its own

mod arguments;
mod baseline;
mod bench;
mod disk;
mod figures;
mod host;
mod house;
mod lateness;
mod load;
mod machine;
mod peer;
mod report;
mod worker;
mod workloads;

use std::path::Path;

use clap::Parser;
use mimalloc::MiMalloc;

use crate::arguments::{Arguments, Format};
use crate::bench::Bench;
use crate::disk::Disk;
use crate::machine::Machine;
use crate::report::{Head, Report, json, svg, text};

/// As the command has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, directory, components, disk] = arguments.as_slice()
        && role == host::ROLE
    {
        return host::serve(Path::new(directory), Path::new(components), Disk::from_argument(disk)?);
    }
    run(&Arguments::parse())
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let directory = match &arguments.dir {
        Some(directory) => tempfile::Builder::new().prefix("everturn-bench-").tempdir_in(directory)?,
        None => tempfile::Builder::new().prefix("everturn-bench-").tempdir()?,
    };
    let disk = Disk::slower_by(arguments.slower)?;
    let bench = Bench::new(directory.path(), disk, arguments.quick)?;
    let before = baseline::measure(&bench.room("before")?, disk, arguments.quick)?;
    let head = Head::new(Machine::here(directory.path()), disk, before, arguments.quick);
    // Text comes as it is measured, since all of it takes minutes; the rest comes at the end.
    let shows = |text: String| {
        if arguments.output == Format::Text {
            print!("{text}");
        }
    };
    shows(text::head(&head));
    let mut tables = Vec::new();
    for workload in arguments.workloads() {
        eprintln!("measuring: {}", workload.about);
        let table = workload.measure(&bench)?;
        shows(text::table(&table, &before));
        tables.push(table);
    }
    let after = baseline::measure(&bench.room("after")?, disk, arguments.quick)?;
    shows(text::after(&before, &after));
    let mut report = Report { head, tables, after, peer: None };
    if arguments.peer {
        let compared = peer::compare(arguments, directory.path(), &report.tables)?;
        shows(text::peer(&compared));
        report.peer = Some(compared);
    }
    match arguments.output {
        Format::Text => {}
        Format::Json => println!("{}", json::report(&report)?),
        Format::Svg => svg::write(&report, &arguments.plots)?.iter().for_each(|file| println!("{}", file.display())),
    }
    Ok(())
}
