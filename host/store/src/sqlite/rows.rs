//! Rows as values, and values as columns.

use everturn_history::{
    ExecutionCompletedEvent, HistoryEvent, ParentClosePolicy, SequenceId, StalledReason, TaskScheduledEvent,
};
use prost::Message as _;
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};

use super::failure::Failure;
use crate::{
    DeploymentId, Follow, Instance, InstanceKey, Lease, Message, MessageId, ParentLink, Status, Successors, Task,
    TaskKey, Time, Token,
};

/// What [`instance`] reads, in this order.
pub(super) const INSTANCE: &str = "key, id, workflow, version, deployment, execution_id, generation, status, stalled, \
    custom_status, outcome, created_at, starts_at, updated_at, ended_at, turns, events, history_bytes, wants_turn, \
    parent_id, parent_execution_id, parent_task, parent_close, tags, stalled_reason, assigned";

/// What [`task`] reads, in this order, from `task` joined with `instance`.
pub(super) const TASK: &str = "task.key, task.instance, instance.id, instance.workflow, task.generation, task.task, \
    task.scheduled, task.scheduled_at, task.dispatches, task.token, task.leased_until, instance.execution_id, \
    instance.deployment IS NULL";

/// What [`message`] reads, in this order.
pub(super) const MESSAGE: &str = "id, instance, visible_at, event";

pub(super) fn instance(row: &Row<'_>) -> Result<Instance, Failure> {
    let outcome: Option<&[u8]> = row.get_ref(10)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
    let tags = row.get_ref(23)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(Instance {
        key: row.get(0)?,
        id: row.get::<_, String>(1)?.into(),
        workflow: row.get(2)?,
        version: row.get(3)?,
        deployment: row.get(4)?,
        assigned: row.get(25)?,
        execution_id: row.get(5)?,
        generation: row.get(6)?,
        status: row.get(7)?,
        stalled: row.get(8)?,
        stalled_reason: row.get::<_, Option<i32>>(24)?.and_then(|reason| StalledReason::try_from(reason).ok()),
        custom_status: row.get(9)?,
        outcome: outcome.map(ExecutionCompletedEvent::decode).transpose()?,
        created_at: row.get(11)?,
        starts_at: row.get(12)?,
        updated_at: row.get(13)?,
        ended_at: row.get(14)?,
        turns: row.get(15)?,
        events: row.get(16)?,
        history_bytes: row.get(17)?,
        wants_turn: row.get(18)?,
        parent: parent(row)?,
        tags: serde_json::from_str(tags)?,
    })
}

fn parent(row: &Row<'_>) -> Result<Option<ParentLink>, Failure> {
    let Some(id) = row.get::<_, Option<String>>(19)? else { return Ok(None) };
    let close = ParentClosePolicy::try_from(row.get::<_, i32>(22)?)
        .map_err(|unknown| Failure::Damaged(format!("no policy for children has the number {}", unknown.0)))?;
    Ok(Some(ParentLink { instance: id.into(), execution_id: row.get(20)?, task: SequenceId::new(row.get(21)?), close }))
}

pub(super) fn task(row: &Row<'_>) -> Result<Task, Failure> {
    let scheduled = row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?;
    let token: Option<Token> = row.get(9)?;
    let until = row.get(10)?;
    Ok(Task {
        key: row.get(0)?,
        instance: row.get(1)?,
        instance_id: row.get::<_, String>(2)?.into(),
        execution_id: row.get(11)?,
        workflow: row.get(3)?,
        remote: row.get(12)?,
        generation: row.get(4)?,
        task: SequenceId::new(row.get(5)?),
        scheduled: TaskScheduledEvent::decode(scheduled)?,
        at: row.get(7)?,
        dispatches: row.get(8)?,
        lease: token.map(|token| Lease { token, until }),
    })
}

pub(super) fn message(row: &Row<'_>) -> Result<Message, Failure> {
    let event = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
    Ok(Message { id: row.get(0)?, instance: row.get(1)?, visible_at: row.get(2)?, event: HistoryEvent::decode(event)? })
}

/// The number of a status in a row. Never changed: files have them.
const fn status_number(status: Status) -> i64 {
    match status {
        Status::Pending => 0,
        Status::Running => 1,
        Status::Suspended => 2,
        Status::Stalled => 3,
        Status::Completed => 4,
        Status::Failed => 5,
        Status::Terminated => 6,
    }
}

impl ToSql for Status {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(status_number(*self).into())
    }
}

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = value.as_i64()?;
        Self::ALL.into_iter().find(|status| status_number(*status) == number).ok_or(FromSqlError::OutOfRange(number))
    }
}

/// Numbers and times are integers.
macro_rules! integer_column {
    ($($type:ident: $make:expr, $number:expr;)*) => {$(
        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok($number(*self).into())
            }
        }

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_i64().map($make)
            }
        }
    )*};
}

integer_column! {
    InstanceKey: InstanceKey, |key: InstanceKey| key.0;
    MessageId: MessageId, |id: MessageId| id.0;
    TaskKey: TaskKey, |key: TaskKey| key.0;
    DeploymentId: DeploymentId, |id: DeploymentId| id.0;
    Time: Time::from_micros, Time::as_micros;
}

impl ToSql for Successors {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i64::from(*self == Self::Same).into())
    }
}

impl FromSql for Successors {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            0 => Ok(Self::Newest),
            1 => Ok(Self::Same),
            number => Err(FromSqlError::OutOfRange(number)),
        }
    }
}

impl ToSql for Follow {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(match self {
            Self::Nobody => Value::Null,
            Self::Everybody => 0.into(),
        }))
    }
}

impl FromSql for Follow {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match Option::<i64>::column_result(value)? {
            None => Self::Nobody,
            Some(0) => Self::Everybody,
            Some(number) => return Err(FromSqlError::OutOfRange(number)),
        })
    }
}

impl ToSql for Token {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_slice().into())
    }
}

impl FromSql for Token {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 16]>::column_result(value).map(Self)
    }
}
