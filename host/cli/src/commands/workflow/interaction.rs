//! `everturn workflow query`, `update`: asks a workflow while it goes on.

use anyhow::anyhow;
use everturn_server::model::{Answer, Ask, Update, Updated};

use super::show::failure_in_words;
use crate::arguments::{QueryOptions, UpdateOptions};
use crate::client::{Client, Path};
use crate::outcome::{Blame, Outcome, Verdict};
use crate::progress::Progress;
use crate::style::ERROR;
use crate::text::shown;
use crate::{payload, print};

/// An answer is printed as it is: it is JSON, which has no control characters.
pub(super) fn query(options: &QueryOptions) -> Outcome {
    let request = Ask { input: payload::read("--input", options.input.as_deref())? };
    let path = Path::of_instance(&options.id, &["queries", &options.name]);
    let answer: Answer = Client::new(&options.client)?.post(&path, &request)?;
    print::answer(options.client.output, &answer, |out| writeln!(out, "{}", answer.result.get()))?;
    Ok(Verdict::Done)
}

pub(super) fn update(options: &UpdateOptions) -> Outcome {
    let input = payload::read("--input", options.input.as_deref())?;
    let request = Update { input, id: options.update_id.clone() };
    let limit = options.timeout.map(|timeout| humantime::format_duration(timeout).to_string());
    let path = Path::of_instance(&options.id, &["updates", &options.name]).with_some("timeout", limit.as_deref());
    let client = Client::new(&options.client)?;
    let updated: Option<Updated> = {
        let _progress = Progress::new(format!("waiting for {}", shown(&options.id)));
        client.post_if_any(&path, &request)?
    };
    let Some(updated) = updated else {
        let (id, limit) = (shown(&options.id), limit.unwrap_or_default());
        return Err(anyhow!("{id} has not answered within {limit}; the same command asks for the answer again"))
            .or_refused();
    };
    print::answer(options.client.output, &updated, |out| match &updated.failure {
        None => writeln!(out, "{}", updated.result.as_ref().map_or("null", |result| result.get())),
        Some(failure) => {
            let what = if updated.accepted { "failed" } else { "refused" };
            writeln!(out, "{ERROR}{what}:{ERROR:#} {}", failure_in_words(failure))
        }
    })?;
    Ok(if updated.failure.is_none() { Verdict::Done } else { Verdict::Failed })
}
