//! Measures what running and replaying a guest costs, and prints it. It judges nothing: machines are noisy, and what is
//! a good figure is for people to say. Run it with `cargo run --release -p everturn-bench`.

mod guests;
mod measure;

use everturn_guest::{Engine, Limits};
use everturn_tests::guests::TEST_GUESTS;

use crate::measure::Report;

fn main() -> anyhow::Result<()> {
    let engine = Engine::new(Limits::default())?;
    let component = engine.load(&TEST_GUESTS.bytes()?)?;
    let mut report = Report::new();
    guests::cold_start(&mut report, &component)?;
    guests::replayed_step(&mut report, &component)?;
    guests::resume(&mut report, &component)?;
    guests::parked_memory(&mut report, &component)?;
    guests::core_step(&mut report)?;
    Ok(())
}
