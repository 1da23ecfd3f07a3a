//! Messages into the inbox, wherever they come from.

use everturn_history::{HistoryEvent, InstanceId, SequenceId};
use prost::Message as _;
use rusqlite::{OptionalExtension, Row};

use super::super::failure::Failure;
use super::super::writer::Writing;
use crate::{Address, Committed, InstanceKey, Message, NewMessage, Status, Time, Visible};

/// Messages that come before all others lie in the first hour or so of time, long before any that a clock shows. Each
/// goes just before what is there, so a later one comes before an earlier one.
const FIRST_END: Time = Time::from_micros(i64::MIN + (1 << 32));

/// Who a message goes to.
pub(super) struct Receiver {
    pub(super) key: InstanceKey,
    pub(super) id: InstanceId,
    pub(super) status: Status,
}

/// What goes into the inbox of one instance.
pub(super) struct Letter<'a> {
    pub(super) event: &'a HistoryEvent,
    pub(super) visible_at: Time,
    pub(super) delayed: bool,
    pub(super) task: Option<SequenceId>,
}

/// Looks up who has this address, ended or not.
pub(super) fn receiver(writing: &Writing<'_>, to: &Address) -> Result<Option<Receiver>, Failure> {
    let read =
        |row: &Row<'_>| Ok(Receiver { key: row.get(0)?, id: row.get::<_, String>(1)?.into(), status: row.get(2)? });
    let connection = writing.connection;
    let found = match to {
        Address::Itself => None,
        Address::Key(key) => connection
            .prepare_cached("SELECT key, id, status FROM instance WHERE key = ?1")?
            .query_row([key], read)
            .optional()?,
        Address::Id { id, execution_id } => connection
            .prepare_cached("SELECT key, id, status FROM instance WHERE id = ?1 AND (?2 IS NULL OR execution_id = ?2)")?
            .query_row((id.as_str(), execution_id), read)
            .optional()?,
        Address::ParentOf(child) => connection
            .prepare_cached(
                "SELECT parent.key, parent.id, parent.status FROM instance AS child JOIN instance AS parent \
                 ON parent.id = child.parent_id AND parent.execution_id = child.parent_execution_id WHERE child.key = ?1",
            )?
            .query_row([child], read)
            .optional()?,
    };
    Ok(found)
}

/// Sends a message as turns do: if nobody is there, it is dropped. `sender` is whose turn it is; `now` tells which times have
/// come already.
pub(super) fn send_or_drop(
    writing: &mut Writing<'_>,
    sender: Option<&Receiver>,
    message: &NewMessage,
    now: Option<Time>,
    committed: &mut Committed,
) -> Result<(), Failure> {
    let found;
    let receiver = match &message.to {
        Address::Itself => sender,
        to => {
            found = receiver(writing, to)?;
            found.as_ref()
        }
    };
    match receiver {
        Some(receiver) if !receiver.status.is_ended() => deliver(writing, receiver, message, now, committed),
        _ => Ok(()),
    }
}

/// Puts a message into an inbox, whatever its address.
pub(super) fn deliver(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    message: &NewMessage,
    now: Option<Time>,
    committed: &mut Committed,
) -> Result<(), Failure> {
    let NewMessage { event, visible, task, .. } = message;
    let (visible_at, delayed) = match *visible {
        Visible::First => (before_all(writing, receiver.key)?, false),
        Visible::Now(time) => (time, false),
        Visible::Later(time) => (time, now.is_none_or(|now| time > now)),
    };
    put(writing, receiver, &Letter { event, visible_at, delayed, task: *task }, committed)
}

/// The time just before everything in an inbox.
pub(super) fn before_all(writing: &Writing<'_>, instance: InstanceKey) -> Result<Time, Failure> {
    let earliest: Option<Time> = writing
        .connection
        .prepare_cached("SELECT min(visible_at) FROM message WHERE instance = ?1")?
        .query_row([instance], |row| row.get(0))?;
    let earliest = earliest.map_or(FIRST_END, |earliest| earliest.min(FIRST_END));
    Ok(Time::from_micros(earliest.as_micros().saturating_sub(1)))
}

/// Puts a letter into an inbox. Who is held does not hear of it.
pub(super) fn put(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    letter: &Letter<'_>,
    committed: &mut Committed,
) -> Result<(), Failure> {
    let id = writing.numbers.message();
    let held = receiver.status == Status::Stalled;
    let Letter { event, visible_at, delayed, task } = *letter;
    writing
        .connection
        .prepare_cached(
            "INSERT INTO message (id, instance, visible_at, delayed, held, task, event) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute((id, receiver.key, visible_at, delayed, held, task.map(SequenceId::get), event.encode_to_vec()))?;
    if held {
        return Ok(());
    }
    if delayed {
        let earliest = committed.next_visible.map_or(visible_at, |next| next.min(visible_at));
        committed.next_visible = Some(earliest);
    } else {
        committed.messages.push(Message { id, instance: receiver.key, event: event.clone(), visible_at });
    }
    Ok(())
}

/// Brings what was sent at once into the order in which it is seen.
pub(super) fn sort(committed: &mut Committed) {
    committed.messages.sort_by_key(|message| (message.instance, message.visible_at, message.id));
}
