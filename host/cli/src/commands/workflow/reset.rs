//! `everturn workflow reset`: takes an open instance back in its history.

use everturn_server::model::{Reset, WasReset};

use crate::arguments::ResetOptions;
use crate::client::{Client, Path};
use crate::outcome::{Outcome, Verdict};
use crate::print;
use crate::text::{counted, shown};

pub(super) fn run(options: &ResetOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let request = Reset { to: options.to, version: options.version.clone(), reason: options.reason.clone() };
    let reset: WasReset = client.post(&Path::of_instance(&options.id, &["reset"]), &request)?;
    print::warnings(&reset.warnings);
    print::answer(options.client.output, &reset, |out| {
        let (events, version) = (counted(reset.taken_back, "event"), shown(&reset.version));
        writeln!(out, "reset {}: {events} taken back, goes on with version {version}", shown(&options.id))
    })?;
    Ok(Verdict::Done)
}
