//! How long it takes until there is something that works: a host on an empty disk, a host that finds many instances, and a
//! guest.

use std::path::Path;
use std::time::Instant;

use everturn_guest::{Engine, Limits};

use super::guest::cold_start;
use crate::bench::Bench;
use crate::disk::Disk;
use crate::figures::{Chart, Figure, Table, Unit, grouped};
use crate::host::Process;
use crate::house::guest;

/// Instances that a host finds when it starts, and the same when it has to be quick.
const PARKED: (usize, usize) = (100_000, 200);

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let room = bench.room("startup")?;
    let mut host = Process::start(&room, &room.join("components"), bench.disk)?;
    let opened = host.opened_in.as_secs_f64();
    table.push(Figure::new("open-empty", "a host without data: opens in", Unit::Seconds, opened));
    host.ask("deploy")?;
    host.ask("run 1 first")?;
    let (key, name) = ("first-empty", "  compiles a guest, and has run a workflow after");
    table.push(Figure::new(key, name, Unit::Seconds, host.age().as_secs_f64()));
    let parked = bench.count(PARKED.0, PARKED.1);
    let began = Instant::now();
    host.ask(&format!("park {parked} parked"))?;
    let rate = parked as f64 / began.elapsed().as_secs_f64();
    table.push(Figure::new("parks", "starts to the first wait", Unit::PerSecond, rate));
    host.stop()?;
    again(&room, bench.disk, parked, table)?;
    let component = Engine::new(Limits::default())?.load(&guest()?)?;
    cold_start(bench, table, &component)?;
    table.draw(Chart::of_figures("startup", "Time until it works", Unit::Seconds, &table.figures));
    Ok(())
}

/// A host that finds what another one left.
fn again(room: &Path, disk: Disk, parked: usize, table: &mut Table) -> anyhow::Result<()> {
    let mut host = Process::start(room, &room.join("components"), disk)?;
    let name = format!("a host with {} parked: opens in", grouped(parked as f64));
    table.push(Figure::new("open-parked", name, Unit::Seconds, host.opened_in.as_secs_f64()));
    host.ask("run 1 again")?;
    let name = "  and has run a workflow after";
    table.push(Figure::new("first-parked", name, Unit::Seconds, host.age().as_secs_f64()));
    table.push(Figure::new("memory-parked", "  and takes", Unit::Bytes, host.own_memory()?));
    host.stop()
}
