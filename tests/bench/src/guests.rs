//! What one guest costs: to start, to replay a step, to resume, to keep; and what the core alone costs.

use everturn_guest::{Component, LiveGuest};
use everturn_history::{HistoryEvent, SequenceId, event};
use everturn_replay::{ActivityOptions, Execution, Source, Step, recorded_events};
use everturn_test_world::histories::{at, raised, started_as, turn};

use crate::measure::{Report, micros, own_memory_kib, timed};

const STARTS: usize = 2_000;
const RESUMES: usize = 2_000;
const PARKED: usize = 2_000;
/// Sequential steps; each is three events of history: a turn, an answer, and the next question.
const STEPS: [u64; 4] = [1_000, 5_000, 12_500, 16_600];
const REPEATS: usize = 9;
/// Events that are handed over at once, as a host would read them from its store.
const PAGE: usize = 500;

/// From nothing to a guest that waits.
pub(crate) fn cold_start(report: &mut Report, component: &Component) -> anyhow::Result<()> {
    let mut samples = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let (time, _guest) = timed(|| parked(component))?;
        samples.push(time);
    }
    report.times("cold start: new guest to its first wait", samples);
    Ok(())
}

/// A history of n sequential steps, replayed from its beginning by a new guest.
pub(crate) fn replayed_step(report: &mut Report, component: &Component) -> anyhow::Result<()> {
    for steps in STEPS {
        let history = sequential_history(component, steps)?;
        let mut samples = Vec::with_capacity(REPEATS);
        for _ in 0..REPEATS {
            let mut events = history.clone().into_iter();
            let (time, _guest) = timed(|| {
                let mut guest = LiveGuest::new(component);
                while !events.as_slice().is_empty() {
                    events.by_ref().take(PAGE).for_each(|event| guest.push(event, Source::History));
                    guest.run()?;
                }
                Ok::<_, everturn_guest::RunError>(guest)
            })?;
            samples.push(time / u32::try_from(steps)?);
        }
        let total = samples.iter().min().map_or(0.0, |best| micros(*best)) * steps as f64 / 1000.0;
        report.times(&format!("replayed step, {} events ({total:.0} ms)", history.len()), samples);
    }
    Ok(())
}

/// The turns of a live guest, kept as history.
fn sequential_history(component: &Component, steps: u64) -> anyhow::Result<Vec<HistoryEvent>> {
    let mut guest = LiveGuest::new(component);
    let mut history = Vec::new();
    let mut new = started_as("sequential", &steps.to_string());
    for step in 0..=steps {
        for event in new {
            history.push(event.clone());
            guest.push(event, Source::New);
        }
        guest.run()?;
        for event in recorded_events(&guest.end_turn(), at(0)) {
            history.push(event.clone());
            guest.push(event, Source::History);
        }
        guest.run()?;
        new = vec![turn(0), event::task_completed(at(0), SequenceId::new(i32::try_from(step)?), "null")];
    }
    Ok(history)
}

/// A parked guest gets its event and runs to its end.
pub(crate) fn resume(report: &mut Report, component: &Component) -> anyhow::Result<()> {
    let mut guests = Vec::with_capacity(RESUMES);
    for _ in 0..RESUMES {
        guests.push(stepping(component)?);
    }
    let mut samples = Vec::with_capacity(RESUMES);
    for guest in &mut guests {
        let (time, ()) = timed(|| {
            guest.push(turn(1), Source::New);
            guest.push(event::task_completed(at(1), SequenceId::FIRST, "null"), Source::New);
            guest.run()
        })?;
        samples.push(time);
    }
    report.times("resume: answer to the next wait", samples);
    Ok(())
}

/// What a guest that waits keeps in memory.
pub(crate) fn parked_memory(report: &mut Report, component: &Component) -> anyhow::Result<()> {
    let before = own_memory_kib();
    let guests = (0..PARKED).map(|_| parked(component)).collect::<Result<Vec<_>, _>>()?;
    let each = before.zip(own_memory_kib()).map(|(before, after)| after.saturating_sub(before) / PARKED as u64);
    let shown = each.map_or_else(|| "unknown".to_owned(), |each| format!("{each} KiB"));
    report.value(&format!("memory a parked guest ({} of them)", guests.len()), &shown);
    Ok(())
}

/// A guest that waits for an event.
fn parked(component: &Component) -> Result<LiveGuest, everturn_guest::RunError> {
    first_turn(component, "park", "null")
}

/// A guest that waits for the first of many answers.
fn stepping(component: &Component) -> Result<LiveGuest, everturn_guest::RunError> {
    first_turn(component, "sequential", "1000")
}

fn first_turn(component: &Component, workflow: &str, input: &str) -> Result<LiveGuest, everturn_guest::RunError> {
    let mut guest = LiveGuest::new(component);
    started_as(workflow, input).into_iter().for_each(|event| guest.push(event, Source::New));
    guest.run()?;
    for event in recorded_events(&guest.end_turn(), at(0)) {
        guest.push(event, Source::History);
    }
    guest.run()?;
    // An event that nobody waits for: the guest must stay where it is.
    guest.push(raised("unrelated", "1"), Source::New);
    guest.run()?;
    Ok(guest)
}

/// The same sequential steps on the core, without WebAssembly.
pub(crate) fn core_step(report: &mut Report, _: &Component) -> anyhow::Result<()> {
    const STEPS: u32 = 16_600;
    let mut samples = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let (time, ()) = timed(|| core_steps(STEPS))?;
        samples.push(time / STEPS);
    }
    report.times("step of the core alone", samples);
    Ok(())
}

fn core_steps(steps: u32) -> Result<(), everturn_replay::ReplayError> {
    let mut execution = Execution::new();
    started_as("sequential", "null").into_iter().for_each(|event| execution.push(event, Source::New));
    execution.next_step()?;
    for step in 0..steps {
        let task = execution.call_activity("step".into(), step.to_string(), ActivityOptions::default());
        execution.next_step()?;
        for event in recorded_events(&execution.end_turn(), at(0)) {
            execution.push(event, Source::History);
        }
        execution.push(turn(0), Source::New);
        let id = SequenceId::new(i32::try_from(step).unwrap_or(i32::MAX));
        execution.push(event::task_completed(at(0), id, "null"), Source::New);
        while execution.next_step()? != Step::Resolved(task) {}
        execution.take(task);
    }
    Ok(())
}
