//! What can be measured: a list of names and functions, and a file for each.

mod gate;
mod guest;
mod latency;
mod parked;
mod replay;
mod startup;
mod throughput;
mod timers;

use crate::bench::Bench;
use crate::figures::Table;

/// Something that can be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// What it measures, in one line.
    pub(crate) about: &'static str,
    run: fn(&Bench, &mut Table) -> anyhow::Result<()>,
}

/// All workloads, in the order in which they run.
pub(crate) const WORKLOADS: [Workload; 8] = [
    Workload { name: "throughput", about: "a backlog of workflows, and wide ones", run: throughput::run },
    Workload { name: "latency", about: "one workflow at a time, and events", run: latency::run },
    Workload { name: "timers", about: "how late timers are while many are pending", run: timers::run },
    Workload { name: "replay", about: "long workflows, live and from their history", run: replay::run },
    Workload { name: "parked", about: "what instances cost that wait", run: parked::run },
    Workload { name: "startup", about: "a host that finds data, and a guest that begins", run: startup::run },
    Workload { name: "gate", about: "how fast a deploy checks what is open", run: gate::run },
    Workload { name: "guest", about: "what one guest costs, without a host", run: guest::run },
];

impl Workload {
    /// Measures.
    pub(crate) fn measure(&self, bench: &Bench) -> anyhow::Result<Table> {
        let mut table = Table::new(self.name);
        (self.run)(bench, &mut table)?;
        Ok(table)
    }
}
