//! `everturn workflow wait`: waits until an instance has ended and prints its output.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::anyhow;
use everturn_server::model::{Instance, InstanceStatus};

use super::show::failure_in_words;
use crate::arguments::{Format, WaitOptions};
use crate::client::{Client, Path};
use crate::outcome::{Blame, Outcome, Verdict};
use crate::print;
use crate::progress::Progress;
use crate::style::ERROR;
use crate::text::shown;

pub(super) fn run(options: &WaitOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    until_ended(&client, &options.id, options.timeout, options.client.output)
}

/// Waits for the end of an instance, prints its output, and says whether it completed.
pub(super) fn until_ended(client: &Client, id: &str, timeout: Option<Duration>, format: Format) -> Outcome {
    let limit = timeout.map(|timeout| humantime::format_duration(timeout).to_string());
    let path = Path::of_instance(id, &["wait"]).with_some("timeout", limit.as_deref());
    let ended: Option<Instance> = {
        let _progress = Progress::new(format!("waiting for {}", shown(id)));
        client.get_if_any(&path)?
    };
    let Some(ended) = ended else {
        let limit = limit.unwrap_or_default();
        return Err(anyhow!("{} has not ended within {limit}; it goes on", shown(id))).or_refused();
    };
    print::answer(format, &ended, |out| print_end(&ended, out))?;
    Ok(if ended.status == InstanceStatus::Completed { Verdict::Done } else { Verdict::Failed })
}

/// An output is printed as it is: it is JSON, which has no control characters.
fn print_end(ended: &Instance, out: &mut dyn Write) -> io::Result<()> {
    let output = ended.output.as_ref().map_or("null", |output| output.get());
    match (ended.status, &ended.failure) {
        (InstanceStatus::Completed, _) => writeln!(out, "{output}"),
        (status, Some(failure)) => writeln!(out, "{ERROR}{status}:{ERROR:#} {}", failure_in_words(failure)),
        (status, None) if ended.output.is_some() => writeln!(out, "{ERROR}{status}:{ERROR:#} {output}"),
        (status, None) => writeln!(out, "{ERROR}{status}{ERROR:#}"),
    }
}
