//! Ids as types of their own, so that one cannot stand in for another.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Names one run of a workflow; chosen by the caller or generated.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(String);

impl InstanceId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as text, for fields that take text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<String> for InstanceId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl From<&str> for InstanceId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

/// Numbers what an instance schedules, in the order in which its code does so: from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SequenceId(i32);

impl SequenceId {
    /// Of the first thing that an instance schedules.
    pub const FIRST: Self = Self(0);

    /// The id of an event or action in its protobuf form.
    pub const fn new(id: i32) -> Self {
        Self(id)
    }

    /// The id in its protobuf form.
    pub const fn get(self) -> i32 {
        self.0
    }

    /// The id after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The id before this one.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0 - 1)
    }
}

impl fmt::Display for SequenceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
