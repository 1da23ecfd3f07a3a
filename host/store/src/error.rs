//! Why a store did not do what it was asked for.

use everturn_history::InstanceId;

use crate::{Status, TaskKey, UnreadableEvents};

/// Why a store did not do what it was asked for. Then nothing of it was done.
///
/// One trap: if the disk failed while a step was being committed ([`Io`](Self::Io), [`Full`](Self::Full)), nothing of it
/// is there, but a crash right after that may bring back all of it. Who asks again and is told that it is there already has
/// met that.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else changed the instance in between, or it is gone: what was asked for has no ground any more.
    #[error("the instance has changed in the meantime")]
    Conflict,
    /// The task has another answer, or was given to somebody else.
    #[error("the answer comes too late: the task was answered, given up or given to another worker")]
    StaleToken {
        /// The task.
        task: TaskKey,
    },
    /// There is no such instance.
    #[error("there is no instance `{id}`; `everturn workflow list` shows those there are")]
    NotFound {
        /// The id.
        id: InstanceId,
    },
    /// The id of a new instance is in use.
    #[error(
        "there is an instance `{id}` already, and it is {status}; choose another id, or say what to do if it exists"
    )]
    AlreadyExists {
        /// The id.
        id: InstanceId,
        /// How that instance stands.
        status: Status,
    },
    /// The instance has ended.
    #[error("instance `{id}` has ended ({status}): nothing reaches it any more")]
    Ended {
        /// The id.
        id: InstanceId,
        /// How it ended.
        status: Status,
    },
    /// The instance has not ended.
    #[error("instance `{id}` has not ended ({status}); terminate it first")]
    Open {
        /// The id.
        id: InstanceId,
        /// How it stands.
        status: Status,
    },
    /// A version label stands for another component.
    #[error("version `{label}` is another component; a label is used once, so choose another")]
    LabelInUse {
        /// The label.
        label: String,
    },
    /// There is no such component.
    #[error("the component {digest} is not stored")]
    NoComponent {
        /// Its digest in hexadecimal.
        digest: String,
    },
    /// Open instances need a deployment.
    #[error(
        "{count} open instances run on version `{label}` or are to move to it; `everturn workflow list` shows them: \
         let them finish, move them or terminate them first"
    )]
    InstancesLeft {
        /// The version label.
        label: String,
        /// How many.
        count: u64,
    },
    /// A deployment was retired.
    #[error("version `{label}` was retired: its component is not kept any more; deploy it again first")]
    Retired {
        /// The version label.
        label: String,
    },
    /// Names lead to a deployment.
    #[error(
        "new starts or calls of {} go to version `{label}`; activate another version that has them first, or give up what \
         no other version has with --drop-names", quoted(.names)
    )]
    Active {
        /// The version label.
        label: String,
        /// The names.
        names: Vec<String>,
    },
    /// There is no room left.
    #[error("the disk that holds the data is full; make room there: what runs goes on by itself then")]
    Full,
    /// Somebody else holds the data.
    #[error("the data is locked by another process; stop that, or wait until it is done")]
    Busy,
    /// Another host has it open.
    #[error("another host uses {what}; stop that one, or give this one a data directory of its own")]
    InUse {
        /// Which file.
        what: String,
    },
    /// The disk does not do its work.
    #[error("the data cannot be read or written ({detail}); check the disk and the rights on the data directory")]
    Io {
        /// What the system says.
        detail: String,
    },
    /// The data is damaged.
    #[error("{what} is damaged ({detail}); restore it from a backup, or move it away to begin with an empty one")]
    Corrupt {
        /// Which file or record.
        what: String,
        /// In what way.
        detail: String,
    },
    /// The data was written by a newer version.
    #[error(
        "{what} has format {found}, and this version reads up to {known}; use the version that wrote it, or a newer one"
    )]
    TooNew {
        /// Which file.
        what: String,
        /// Its format.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// The store was closed.
    #[error("the store is closed: the host is stopping")]
    Closed,
}

impl StoreError {
    /// Whether the same may succeed later, without anybody changing what was asked for.
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::Full | Self::Busy | Self::Io { .. })
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl From<UnreadableEvents> for StoreError {
    fn from(error: UnreadableEvents) -> Self {
        Self::Corrupt { what: "a history".to_owned(), detail: error.to_string() }
    }
}
