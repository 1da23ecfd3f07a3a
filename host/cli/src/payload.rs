//! Payloads as arguments: JSON, a file of JSON, or JSON from stdin.

use std::fs;
use std::io;

use anyhow::{Context, anyhow};
use everturn_server::model::Payload;
use serde_json::value::RawValue;

use crate::outcome::{Blame, Error};

/// Reads the payload that an option gives.
pub(crate) fn read(option: &str, given: Option<&str>) -> Result<Option<Payload>, Error> {
    let Some(given) = given else { return Ok(None) };
    let (text, place) = match (given, given.strip_prefix('@')) {
        ("-", _) => {
            let text = io::read_to_string(io::stdin()).with_context(|| format!("{option}: failed to read stdin"));
            (text.or_input()?, "stdin".to_owned())
        }
        (_, Some(file)) => {
            let text = fs::read_to_string(file).with_context(|| format!("{option}: failed to read {file}"));
            (text.or_input()?, file.to_owned())
        }
        (json, None) => (json.to_owned(), "it".to_owned()),
    };
    // What it says is the workflow's business; that it is JSON is ours.
    RawValue::from_string(text).map(Some).map_err(|error| anyhow!("{option}: {place} is not JSON: {error}")).or_input()
}
