//! One instance: what is kept of it, its history, its inbox, what it has open. And all of them, counted.

use everturn_history::{HistoryEvent, InstanceId};
use prost::Message as _;
use rusqlite::{Connection, Row};

use super::super::failure::Failure;
use super::super::rows;
use crate::{
    Awoken, INBOX_BYTES, Instance, InstanceKey, Loaded, Message, OpenWork, SHORT_HISTORY_BYTES, Status, Time,
    decode_events,
};

pub(in super::super) fn find(connection: &Connection, id: &InstanceId) -> Result<Option<Instance>, Failure> {
    let sql = format!("SELECT {} FROM instance WHERE id = ?1", rows::INSTANCE);
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query([id.as_str()])?.next()?.map(rows::instance).transpose()
}

pub(in super::super) fn load(connection: &Connection, key: InstanceKey) -> Result<Option<Loaded>, Failure> {
    load_up_to(u64::MAX, connection, key)
}

pub(in super::super) fn wake(
    connection: &Connection,
    key: InstanceKey,
    now: Time,
    limit: usize,
) -> Result<Awoken, Failure> {
    let messages = inbox(connection, key, now, limit)?;
    let loaded = if messages.is_empty() { None } else { load_up_to(SHORT_HISTORY_BYTES, connection, key)? };
    Ok(Awoken { messages, loaded })
}

/// Loads an instance whose history has no more than so many bytes.
fn load_up_to(bytes: u64, connection: &Connection, key: InstanceKey) -> Result<Option<Loaded>, Failure> {
    let sql = format!("SELECT {} FROM instance WHERE key = ?1", rows::INSTANCE);
    let mut statement = connection.prepare_cached(&sql)?;
    let Some(instance) = statement.query([key])?.next()?.map(rows::instance).transpose()? else { return Ok(None) };
    if instance.history_bytes > bytes {
        return Ok(None);
    }
    let mut history = Vec::with_capacity(usize::try_from(instance.events).unwrap_or(0).min(MAX_RESERVED));
    let mut statement = connection.prepare_cached("SELECT bytes FROM turn WHERE instance = ?1 ORDER BY number")?;
    let mut turns = statement.query([key])?;
    while let Some(row) = turns.next()? {
        decode_events(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?, &mut history)?;
    }
    if history.len() as u64 != instance.events {
        let (id, found, expected) = (&instance.id, history.len(), instance.events);
        return Err(Failure::Damaged(format!("the history of `{id}` has {found} of {expected} events")));
    }
    Ok(Some(Loaded { instance, history }))
}

pub(in super::super) fn opening(connection: &Connection, key: InstanceKey) -> Result<Vec<HistoryEvent>, Failure> {
    let sql = "SELECT bytes FROM turn WHERE instance = ?1 ORDER BY number LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([key])?;
    let mut events = Vec::new();
    if let Some(row) = rows.next()? {
        decode_events(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?, &mut events)?;
    }
    Ok(events)
}

/// How many events there is room for before any is read. A damaged count must not take all memory.
const MAX_RESERVED: usize = 65_536;

pub(in super::super) fn inbox(
    connection: &Connection,
    instance: InstanceKey,
    now: Time,
    limit: usize,
) -> Result<Vec<Message>, Failure> {
    let sql = format!(
        "SELECT {} FROM message WHERE instance = ?1 AND (delayed = 0 OR visible_at <= ?2) AND held = 0 ORDER BY visible_at, id LIMIT ?3",
        rows::MESSAGE
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_and_then((instance, now, super::limit(limit)), rows::message)?;
    let (mut messages, mut bytes) = (Vec::new(), 0);
    for message in rows {
        let message: Message = message?;
        bytes += message.event.encoded_len();
        messages.push(message);
        if bytes >= INBOX_BYTES {
            break;
        }
    }
    Ok(messages)
}

pub(in super::super) fn open_work(connection: &Connection, instance: InstanceKey) -> Result<OpenWork, Failure> {
    let messages = connection
        .prepare_cached("SELECT count(*) FROM message WHERE instance = ?1")?
        .query_row([instance], |row| row.get(0))?;
    let sql = format!(
        "SELECT {} FROM task JOIN instance ON instance.key = task.instance WHERE task.instance = ?1 ORDER BY task.key",
        rows::TASK
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let tasks = statement.query_and_then([instance], rows::task)?.collect::<Result<_, _>>()?;
    Ok(OpenWork { messages, tasks })
}

pub(in super::super) fn count(connection: &Connection) -> Result<Vec<(Status, u64)>, Failure> {
    let mut statement = connection.prepare_cached("SELECT status, count(*) FROM instance GROUP BY status")?;
    let found: Vec<(Status, u64)> =
        statement.query_map([], |row: &Row<'_>| row.try_into())?.collect::<Result<_, _>>()?;
    let of = |status| found.iter().find(|(other, _)| *other == status).map_or(0, |(_, count)| *count);
    Ok(Status::ALL.into_iter().map(|status| (status, of(status))).collect())
}

pub(in super::super) fn oldest_ended(connection: &Connection, status: Status) -> Result<Option<Time>, Failure> {
    let sql = "SELECT min(ended_at) FROM instance WHERE status = ?1 AND ended_at IS NOT NULL";
    Ok(connection.prepare_cached(sql)?.query_row([status], |row| row.get(0))?)
}
