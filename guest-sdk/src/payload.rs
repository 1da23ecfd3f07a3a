//! Values as JSON text and back, with errors that say whose value it was. Retrying cannot mend any of them.

use std::any::TypeId;
use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::{error_types, type_names};

/// What is sent when there is nothing to say.
pub(crate) const NULL: &str = "null";

/// Writes what a callee is given. `whose` reads like "activity `charge`".
pub(crate) fn encode_input<T: Serialize + ?Sized>(input: &T, whose: impl Display) -> Result<String> {
    encode(input, error_types::INVALID_INPUT, format_args!("the input of {whose}"))
}

/// Reads what a workflow or activity was given.
pub(crate) fn decode_input<T: DeserializeOwned + 'static>(input: &str, whose: impl Display) -> Result<T> {
    decode(input, error_types::INVALID_INPUT, format_args!("the input of {whose}"))
}

/// Writes what a workflow or activity answers.
pub(crate) fn encode_output<T: Serialize + ?Sized>(output: &T, whose: impl Display) -> Result<String> {
    encode(output, error_types::INVALID_OUTPUT, format_args!("the result of {whose}"))
}

/// Reads what a callee answered.
pub(crate) fn decode_output<T: DeserializeOwned + 'static>(output: &str, whose: impl Display) -> Result<T> {
    decode(output, error_types::INVALID_OUTPUT, format_args!("the result of {whose}"))
}

/// Writes what an event carries.
pub(crate) fn encode_event<T: Serialize + ?Sized>(data: &T, name: &str) -> Result<String> {
    encode(data, error_types::INVALID_EVENT, format_args!("event `{name}`"))
}

/// Writes a status.
pub(crate) fn encode_status<T: Serialize + ?Sized>(status: &T) -> Result<String> {
    encode(status, error_types::INVALID_STATUS, "the custom status")
}

/// Writes how far an activity is.
pub(crate) fn encode_heartbeat<T: Serialize + ?Sized>(details: &T) -> Result<String> {
    encode(details, error_types::INVALID_HEARTBEAT, "the details of a heartbeat")
}

/// Reads what an event carries.
pub(crate) fn decode_event<T: DeserializeOwned + 'static>(data: &str, name: &str) -> Result<T> {
    decode(data, error_types::INVALID_EVENT, format_args!("event `{name}`"))
}

/// Writes a value. `what` begins the sentence that says that it cannot be written.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T, error_type: &str, what: impl Display) -> Result<String> {
    serde_json::to_string(value).map_err(|error| {
        let message = format!("{what}, a `{}`, cannot be written as JSON: {error}", type_names::short::<T>());
        Error::new(error_type, message).not_retriable()
    })
}

/// Reads a value. `what` begins the sentence that says that it cannot be read.
pub(crate) fn decode<T: DeserializeOwned + 'static>(text: &str, error_type: &str, what: impl Display) -> Result<T> {
    // Who expects `()` says that the value does not matter, whatever it is.
    let text = if TypeId::of::<T>() == TypeId::of::<()>() { NULL } else { text };
    serde_json::from_str(text).map_err(|error| {
        let message = format!("{what} cannot be read as a `{}`: {error}", type_names::short::<T>());
        Error::new(error_type, message).not_retriable()
    })
}
