//! `everturn workflow start`: starts a workflow and prints the id of the instance.

use everturn_server::model::{IfExists, Start, Started};

use super::wait;
use crate::arguments::{Existing, StartOptions};
use crate::client::{Client, Path};
use crate::outcome::{Outcome, Verdict};
use crate::text::shown;
use crate::{payload, print};

pub(super) fn run(options: &StartOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let request = Start {
        workflow: options.name.clone(),
        id: options.id.clone(),
        input: payload::read("--input", options.input.as_deref())?,
        version: options.version.clone(),
        starts_at: options.at.or(options.delay),
        tags: options.tag.iter().cloned().collect(),
        if_exists: match options.if_exists {
            Existing::Fail => IfExists::Fail,
            Existing::Use => IfExists::Use,
            Existing::ReplaceEnded => IfExists::ReplaceEnded,
            Existing::Replace => IfExists::Replace,
        },
    };
    let started: Started = client.post(&Path::new(&["v1", "workflows"]), &request)?;
    print::warnings(&started.warnings);
    if !started.is_new {
        print::note(&format!("{} was there before", shown(&started.id)));
    }
    if options.wait {
        return wait::until_ended(&client, &started.id, None, options.client.output);
    }
    print::answer(options.client.output, &started, |out| writeln!(out, "{}", shown(&started.id)))?;
    Ok(Verdict::Done)
}
