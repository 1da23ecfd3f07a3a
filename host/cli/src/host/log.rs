//! The log of a host, on stderr: readable lines, or JSON.

use std::env;
use std::io::{self, IsTerminal};

use anyhow::{Context, anyhow};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

use crate::arguments::LogFormat;
use crate::outcome::{Blame, Error};

/// Says what to log: `info`, `debug`, `info,everturn_runtime=debug`.
const VARIABLE: &str = "EVERTURN_LOG";
/// What is logged if nobody says.
const DEFAULT: &str = "info";

/// Begins to log.
pub(super) fn begin(format: LogFormat) -> Result<(), Error> {
    let wanted = env::var(VARIABLE).ok().filter(|wanted| !wanted.is_empty());
    let filter: Targets = wanted
        .as_deref()
        .unwrap_or(DEFAULT)
        .parse()
        .with_context(|| format!("{VARIABLE}: write it as info, debug or info,everturn_runtime=debug"))
        .or_input()?;
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let registry = tracing_subscriber::registry();
    let begun = match format {
        LogFormat::Json => registry.with(layer.json().flatten_event(true).with_filter(filter)).try_init(),
        LogFormat::Text => {
            let colours = io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
            let layer = layer.compact().with_ansi(colours).with_target(false);
            registry.with(layer.with_filter(filter)).try_init()
        }
    };
    begun.map_err(|error| anyhow!("the log cannot be begun: {error}")).or_internal()
}
