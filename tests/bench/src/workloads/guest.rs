//! What one guest costs, without a host: to start, to replay a step, to resume, to keep; and what the core alone costs.

use std::time::{Duration, Instant};

use everturn_guest::{Component, Engine, Limits, LiveGuest, RunError};
use everturn_history::{HistoryEvent, SequenceId, event};
use everturn_replay::{ActivityOptions, Execution, ReplayError, Source, Step, recorded_events};
use everturn_test_world::histories::{at, raised, started_as, turn};

use crate::bench::Bench;
use crate::figures::{Figure, Spread, Table, Unit, grouped};
use crate::house::{STEP, guest};
use crate::machine::{field, kibibytes};

/// Guests, and the same when it has to be quick.
const GUESTS: (usize, usize) = (2_000, 20);
/// Sequential steps, and the same when it has to be quick; each is three events of history: a turn, an answer, and the
/// next question.
const STEPS: [(usize, usize); 4] = [(1_000, 10), (5_000, 50), (12_500, 125), (16_600, 166)];
const REPEATS: usize = 9;
/// Live guests that take turns, and the same when it has to be quick.
const ALIVE: [(usize, usize); 2] = [(20, 2), (1_000, 20)];
/// How often each of them does.
const RESUMES: usize = 10;
/// Events that are handed over at once, as a host would read them from its store.
const PAGE: usize = 500;

pub(super) fn run(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let component = Engine::new(Limits::default())?.load(&guest()?)?;
    cold_start(bench, table, &component)?;
    replayed_step(bench, table, &component)?;
    resume(bench, table, &component)?;
    parked_memory(bench, table, &component)?;
    core_step(bench, table)
}

/// How long something takes.
fn timed<T, E>(something: impl FnOnce() -> Result<T, E>) -> Result<(Duration, T), E> {
    let start = Instant::now();
    let result = something()?;
    Ok((start.elapsed(), result))
}

/// From nothing to a guest that waits.
pub(super) fn cold_start(bench: &Bench, table: &mut Table, component: &Component) -> anyhow::Result<()> {
    let starts = bench.count(GUESTS.0, GUESTS.1);
    let mut samples = Vec::with_capacity(starts);
    for _ in 0..starts {
        let (time, _guest) = timed(|| parked(component))?;
        samples.push(time);
    }
    table.push(Figure::times("guest-start", "a new guest: to its first wait", Spread::of(samples)));
    Ok(())
}

/// A history of sequential steps, replayed from its beginning by a new guest.
fn replayed_step(bench: &Bench, table: &mut Table, component: &Component) -> anyhow::Result<()> {
    for (full, quick) in STEPS {
        let steps = bench.count(full, quick);
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
                Ok::<_, RunError>(guest)
            })?;
            samples.push(time / u32::try_from(steps)?);
        }
        let name = format!("a replayed step, of {} events", grouped(history.len() as f64));
        table.push(Figure::times(format!("guest-replay-{full}"), name, Spread::of(samples)));
    }
    Ok(())
}

/// The turns of a live guest, kept as history.
fn sequential_history(component: &Component, steps: usize) -> anyhow::Result<Vec<HistoryEvent>> {
    let mut guest = LiveGuest::new(component);
    let mut history = Vec::new();
    let mut new = started_as("sequential", &calls(steps));
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

fn calls(count: usize) -> String {
    format!(r#"{{"activity":"{STEP}","count":{count}}}"#)
}

/// Guests that wait get their answers one after the other, and each runs to its next wait. How many there are matters: what one
/// needs is near the processor if the others need little.
fn resume(bench: &Bench, table: &mut Table, component: &Component) -> anyhow::Result<()> {
    for (full, quick) in ALIVE {
        let alive = bench.count(full, quick);
        let stepping = || first_turn(component, "sequential", &calls(RESUMES + 1));
        let mut guests = (0..alive).map(|_| stepping()).collect::<Result<Vec<_>, _>>()?;
        let mut samples = Vec::with_capacity(alive * RESUMES);
        for step in 0..RESUMES {
            for guest in &mut guests {
                let answer = event::task_completed(at(1), SequenceId::new(i32::try_from(step)?), "null");
                let (time, ()) = timed(|| {
                    guest.push(turn(1), Source::New);
                    guest.push(answer, Source::New);
                    guest.run()
                })?;
                samples.push(time);
                recorded_events(&guest.end_turn(), at(1))
                    .into_iter()
                    .for_each(|event| guest.push(event, Source::History));
            }
        }
        let name = format!("one of {} live guests: from an answer to the next wait", grouped(alive as f64));
        table.push(Figure::times(format!("guest-resume-{full}"), name, Spread::of(samples)));
    }
    Ok(())
}

/// What a guest that waits keeps in memory.
fn parked_memory(bench: &Bench, table: &mut Table, component: &Component) -> anyhow::Result<()> {
    let before = own_memory();
    let guests = (0..bench.count(GUESTS.0, GUESTS.1)).map(|_| parked(component)).collect::<Result<Vec<_>, _>>()?;
    let Some((before, after)) = before.zip(own_memory()) else { return Ok(()) };
    let each = after.saturating_sub(before) as f64 / guests.len() as f64;
    table.push(Figure::new("guest-memory", "a live guest: memory", Unit::Bytes, each));
    Ok(())
}

/// The memory that this process does not share with itself or others, in bytes. None where the system does not tell.
///
/// Not the resident set: that counts a page of a component's image once for every guest that maps it.
fn own_memory() -> Option<u64> {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    kibibytes(&field(&rollup, "Pss")?)
}

/// A guest that waits for an event.
fn parked(component: &Component) -> Result<LiveGuest, RunError> {
    first_turn(component, "park", "null")
}

fn first_turn(component: &Component, workflow: &str, input: &str) -> Result<LiveGuest, RunError> {
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
fn core_step(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let [.., (full, quick)] = STEPS;
    let steps = u32::try_from(bench.count(full, quick))?;
    let mut samples = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let (time, ()) = timed(|| core_steps(steps))?;
        samples.push(time / steps);
    }
    table.push(Figure::times("core-step", "a step of the core alone", Spread::of(samples)));
    Ok(())
}

fn core_steps(steps: u32) -> Result<(), ReplayError> {
    let mut execution = Execution::new();
    started_as("sequential", "null").into_iter().for_each(|event| execution.push(event, Source::New));
    execution.next_step()?;
    for step in 0..steps {
        let task = execution.call_activity(STEP.into(), step.to_string(), ActivityOptions::default());
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
