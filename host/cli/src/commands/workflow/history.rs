//! `everturn workflow history`: what happened to an instance, a line each.
//!
//! - `chains.rs`: which events belong to one call and its retries
//! - `words.rs`: an event in words
//! - `lines.rs`: prints them

mod chains;
mod lines;
#[cfg(test)]
mod tests;
mod words;

use std::io::Write;

use anyhow::Context;
use everturn_history::{HistoryEvent, json};
use everturn_server::model::Instance;

use self::chains::Chains;
use self::lines::{print_from, print_grouped};
use self::words::describe;
use crate::arguments::{Format, HistoryOptions};
use crate::client::{Client, Path};
use crate::outcome::{Blame, Error, Outcome, Verdict};
use crate::print;

pub(super) fn run(options: &HistoryOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    if options.follow {
        return follow(&client, options);
    }
    let text = client.get_text(&Path::of_instance(&options.id, &["history"]))?;
    let mut stdout = anstream::stdout().lock();
    match options.client.output {
        Format::Json => writeln!(stdout, "{}", text.trim_end()).or_internal()?,
        Format::Text => print_grouped(&events_of(&text)?, &mut stdout).or_internal()?,
    }
    Ok(Verdict::Done)
}

/// Each event in words.
pub(crate) fn described(events: &[HistoryEvent]) -> Vec<String> {
    let chains = Chains::of(events);
    events.iter().enumerate().map(|(index, event)| describe(index, event, &chains)).collect()
}

fn events_of(text: &str) -> Result<Vec<HistoryEvent>, Error> {
    json::from_str(text).context("the host sent what is no history").or_refused()
}

/// Prints what is there, and then what comes, until the instance has ended.
fn follow(client: &Client, options: &HistoryOptions) -> Outcome {
    // Looks on before it looks, so that nothing falls between the two.
    let mut changes = client.changes(&options.id)?;
    let mut generation = None;
    let mut events = Vec::new();
    loop {
        let before: Instance = client.get(&Path::of_instance(&options.id, &[]))?;
        if generation.replace(before.generation).is_some_and(|known| known != before.generation) {
            events.clear();
            print::note(&format!("continued as new: generation {}", before.generation));
        }
        let shown = events.len();
        // The last one that is known comes with it: if it is another one, the history was taken back in between.
        let path = Path::of_instance(&options.id, &["history"]).with("from", shown.saturating_sub(1).to_string());
        let new = events_of(&client.get_text(&path)?)?;
        let after: Instance = client.get(&Path::of_instance(&options.id, &[]))?;
        if after.generation != before.generation {
            continue;
        }
        if shown > 0 && new.first() != events.last() {
            events.clear();
            print::note("reset: from its first event on");
            continue;
        }
        events.extend(new.into_iter().skip(shown.min(1)));
        print_new(&events, shown, options.client.output)?;
        if before.status.is_ended() {
            return Ok(Verdict::Done);
        }
        changes.next()?;
    }
}

fn print_new(events: &[HistoryEvent], shown: usize, format: Format) -> Result<(), Error> {
    let mut stdout = anstream::stdout().lock();
    match format {
        Format::Text => print_from(events, shown, &mut stdout).or_internal()?,
        // One a line: an array would have no end yet.
        Format::Json => {
            for event in &events[shown..] {
                serde_json::to_writer(&mut stdout, event).or_internal()?;
                writeln!(stdout).or_internal()?;
            }
        }
    }
    stdout.flush().or_internal()
}
