//! `everturn serve`: runs a host.

use crate::arguments::ServeOptions;
use crate::host;
use crate::outcome::{Outcome, Verdict};

pub(crate) fn run(options: &ServeOptions) -> Outcome {
    host::run(&options.host, |_| {})?;
    Ok(Verdict::Done)
}
