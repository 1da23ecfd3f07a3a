//! `everturn workflow rerun`: runs an instance again from some point of its history.

use everturn_server::model::{Rerun, Started};

use crate::arguments::RerunOptions;
use crate::client::{Client, Path};
use crate::outcome::{Outcome, Verdict};
use crate::text::shown;
use crate::{payload, print};

pub(super) fn run(options: &RerunOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let request = Rerun {
        from: options.from,
        new_id: options.new_id.clone(),
        input: payload::read("--input", options.input.as_deref())?,
    };
    let started: Started = client.post(&Path::of_instance(&options.id, &["rerun"]), &request)?;
    print::warnings(&started.warnings);
    print::answer(options.client.output, &started, |out| writeln!(out, "{}", shown(&started.id)))?;
    Ok(Verdict::Done)
}
