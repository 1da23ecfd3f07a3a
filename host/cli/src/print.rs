//! Where commands print: the answer to stdout, what to mind to stderr.

use std::io::Write;

use serde::Serialize;

use crate::arguments::Format;
use crate::outcome::{Blame, Error};
use crate::style::WARNING;
use crate::text::shown_lines;

/// Prints an answer: as JSON, or in words.
pub(crate) fn answer<T: Serialize>(
    format: Format,
    answer: &T,
    in_words: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Error> {
    let mut stdout = anstream::stdout().lock();
    match format {
        Format::Json => json(&mut stdout, answer),
        Format::Text => in_words(&mut stdout),
    }
    .or_internal()
}

/// Prints an answer as JSON.
fn json<T: Serialize>(out: &mut impl Write, answer: &T) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, answer)?;
    writeln!(out)
}

/// Prints what to mind.
pub(crate) fn warnings(warnings: &[String]) {
    for warning in warnings {
        // Without a stderr there is no place left to warn.
        let _ = writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {}", shown_lines(warning));
    }
}

/// Prints a remark that is no part of the answer.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}
