//! Measures what running and replaying a guest costs, and a host that keeps many, and prints it. It judges nothing: machines are noisy, and what is
//! a good figure is for people to say. Run it with
//! `cargo run --release -p everturn-bench`, or with the names of what to measure.

mod guests;
mod host;
mod measure;

use everturn_guest::{Component, Engine, Limits};
use everturn_tests::guests::TEST_GUESTS;

use crate::measure::Report;

/// Measures one thing of a component and reports it.
type Measure = fn(&mut Report, &Component) -> anyhow::Result<()>;

/// The measurements by name, in the order in which they run.
const MEASUREMENTS: [(&str, Measure); 9] = [
    ("start", guests::cold_start),
    ("replay", guests::replayed_step),
    ("resume", guests::resume),
    ("parked", guests::parked_memory),
    ("core", guests::core_step),
    ("startup", host::startup),
    ("idle", host::idle),
    ("timers", host::timers),
    ("gate", host::gate),
];

fn main() -> anyhow::Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let [role, directory] = wanted.as_slice()
        && role == host::ROLE
    {
        return host::serve(directory.as_ref());
    }
    let names = MEASUREMENTS.map(|(name, _)| name);
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        anyhow::bail!("there is no measurement \"{unknown}\"; there are {}", names.join(", "));
    }
    let engine = Engine::new(Limits::default())?;
    let component = engine.load(&TEST_GUESTS.bytes()?)?;
    let mut report = Report::new();
    for (name, measure) in MEASUREMENTS {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            measure(&mut report, &component)?;
        }
    }
    Ok(())
}
