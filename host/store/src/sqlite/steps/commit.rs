//! A turn: all that it changes.

use everturn_history::{HistoryEvent, ParentClosePolicy, SequenceId};
use rusqlite::{OptionalExtension, params};

use super::super::failure::Failure;
use super::super::reads::deployments::WORKFLOW;
use super::super::writer::Writing;
use super::messages::{self, Letter, Receiver};
use super::{activate, start, tasks};
use crate::{
    CloseChildren, Committed, DeploymentId, EncodedEvents, InstanceKey, MessageId, Restart, Status, StoreError, Time,
    Turn,
};

/// What is there before the turn.
struct Before {
    receiver: Receiver,
    generation: u32,
}

pub(in super::super) fn commit(writing: &mut Writing<'_>, turn: &Turn) -> Result<Committed, Failure> {
    let mut committed = Committed::default();
    let before = before(writing, turn)?;
    take(writing, turn, &mut committed)?;
    if turn.restart.is_some() {
        forget(writing, turn.instance, &mut committed)?;
    }
    append(writing, turn.instance, turn.number, &turn.events)?;
    update(writing, &before, turn)?;
    change_version(writing, turn)?;
    let after = Receiver { status: turn.status, ..before.receiver };
    let generation = turn.restart.as_ref().map_or(before.generation, |restart| restart.generation);
    if let Some(restart) = &turn.restart {
        if let Some(deployment) = restart.deployment {
            activate::require_usable(writing, deployment)?;
        }
        open(writing, &after, restart, &mut committed)?;
    }
    ask(writing, &after, generation, turn, &mut committed)?;
    messages::sort(&mut committed);
    Ok(committed)
}

/// A turn that was taken before its time. An instance may have many timers that are for later: they are not looked at.
pub(in super::super) fn commit_ahead(writing: &mut Writing<'_>, turn: &Turn) -> Result<Committed, Failure> {
    let sql = "SELECT count(*) FROM message WHERE instance = ?1 AND visible_at <= ?2";
    let visible: usize =
        writing.connection.prepare_cached(sql)?.query_row((turn.instance, turn.at), |row| row.get(0))?;
    if visible > turn.consumed.len() {
        return Err(StoreError::Conflict.into());
    }
    commit(writing, turn)
}

/// The first turn of an instance whose row says already that it was.
pub(super) fn begin(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    turn: &Turn,
    committed: &mut Committed,
) -> Result<(), Failure> {
    append(writing, receiver.key, 0, &turn.events)?;
    ask(writing, receiver, 0, turn, committed)
}

/// Makes what a turn asks for.
fn ask(
    writing: &mut Writing<'_>,
    after: &Receiver,
    generation: u32,
    turn: &Turn,
    committed: &mut Committed,
) -> Result<(), Failure> {
    for task in &turn.tasks {
        committed.tasks.push(tasks::make(writing, after.key, generation, task)?);
    }
    // Before the messages: a turn may begin a child and tell it something.
    for instance in &turn.instances {
        start::make(writing, Some(after), instance, committed)?;
    }
    for message in &turn.messages {
        messages::send_or_drop(writing, Some(after), message, Some(turn.at), committed)?;
    }
    match &turn.children {
        CloseChildren::Keep => {}
        CloseChildren::ByPolicy(event) => close(writing, after, event, turn.at, false, committed)?,
        CloseChildren::All(event) => close(writing, after, event, turn.at, true, committed)?,
    }
    if turn.status.is_ended() {
        let sql = "DELETE FROM message WHERE instance = ?1";
        writing.connection.prepare_cached(sql)?.execute([after.key])?;
        tasks::abandon(writing, after.key, None, &mut committed.abandoned)?;
    }
    Ok(())
}

/// Checks that it is this turn's turn.
fn before(writing: &Writing<'_>, turn: &Turn) -> Result<Before, Failure> {
    let found: Option<(String, Status, u64, u32, Option<DeploymentId>)> = writing
        .connection
        .prepare_cached("SELECT id, status, turns, generation, assigned FROM instance WHERE key = ?1")?
        .query_row([turn.instance], |row| row.try_into())
        .optional()?;
    match found {
        Some((id, status, turns, generation, assigned))
            if turns == turn.number && status != Status::Stalled && !status.is_ended() && assigned == turn.assigned =>
        {
            Ok(Before { receiver: Receiver { key: turn.instance, id: id.into(), status }, generation })
        }
        _ => Err(StoreError::Conflict.into()),
    }
}

/// Takes away what the turn took, and what is settled by it.
fn take(writing: &Writing<'_>, turn: &Turn, committed: &mut Committed) -> Result<(), Failure> {
    for task in &turn.finished {
        tasks::finish(writing, *task, Some(turn.instance))?;
    }
    for message in &turn.consumed {
        consume(writing, turn.instance, *message)?;
    }
    settle(writing, turn.instance, &turn.settled, committed)
}

/// Deletes the messages and tasks of these numbers.
pub(super) fn settle(
    writing: &Writing<'_>,
    instance: InstanceKey,
    numbers: &[SequenceId],
    committed: &mut Committed,
) -> Result<(), Failure> {
    for number in numbers {
        let sql = "DELETE FROM message WHERE instance = ?1 AND task = ?2";
        writing.connection.prepare_cached(sql)?.execute((instance, number.get()))?;
        tasks::abandon(writing, instance, Some(*number), &mut committed.abandoned)?;
    }
    Ok(())
}

fn consume(writing: &Writing<'_>, instance: InstanceKey, message: MessageId) -> Result<(), Failure> {
    let sql = "DELETE FROM message WHERE id = ?1 AND instance = ?2";
    let deleted = writing.connection.prepare_cached(sql)?.execute((message, instance))?;
    if deleted == 1 { Ok(()) } else { Err(StoreError::Conflict.into()) }
}

/// Deletes what belongs to the generation that ends.
fn forget(writing: &Writing<'_>, instance: InstanceKey, committed: &mut Committed) -> Result<(), Failure> {
    for sql in [
        "DELETE FROM turn WHERE instance = ?1",
        "DELETE FROM message WHERE instance = ?1 AND task IS NOT NULL",
        "UPDATE instance SET events = 0, history_bytes = 0 WHERE key = ?1",
    ] {
        writing.connection.prepare_cached(sql)?.execute([instance])?;
    }
    tasks::abandon(writing, instance, None, &mut committed.abandoned)
}

/// Adds a turn to history. One without events has no row.
pub(super) fn append(
    writing: &Writing<'_>,
    instance: InstanceKey,
    number: u64,
    events: &EncodedEvents,
) -> Result<(), Failure> {
    if !events.is_empty() {
        writing
            .connection
            .prepare_cached("INSERT INTO turn (instance, number, events, bytes) VALUES (?1, ?2, ?3, ?4)")?
            .execute((instance, number, events.count, &events.bytes))?;
    }
    Ok(())
}

fn update(writing: &Writing<'_>, before: &Before, turn: &Turn) -> Result<(), Failure> {
    // A status is in indexes, which SQLite would write every time.
    let sql = if turn.status == before.receiver.status {
        "UPDATE instance SET turns = turns + 1, events = events + ?2, history_bytes = history_bytes + ?3, \
         updated_at = ?4, wants_turn = ?5, custom_status = coalesce(?6, custom_status) WHERE key = ?1"
    } else {
        "UPDATE instance SET turns = turns + 1, events = events + ?2, history_bytes = history_bytes + ?3, \
         updated_at = ?4, wants_turn = ?5, custom_status = coalesce(?6, custom_status), \
         status = ?7, ended_at = ?8, outcome = ?9 WHERE key = ?1"
    };
    let mut update = writing.connection.prepare_cached(sql)?;
    let wants_turn = turn.wants_turn && !turn.status.is_ended();
    let bytes = turn.events.bytes.len() as u64;
    let always = params![turn.instance, turn.events.count, bytes, turn.at, wants_turn, turn.custom_status];
    if turn.status == before.receiver.status {
        update.execute(always)?;
    } else {
        let ended_at = turn.status.is_ended().then_some(turn.at);
        let outcome = turn.outcome.as_ref().map(prost::Message::encode_to_vec);
        update.execute(&[always, params![turn.status, ended_at, outcome]].concat()[..])?;
    }
    Ok(())
}

/// What was moved by hand stays there, like one that was started with that version, unless that is where all others go.
fn change_version(writing: &Writing<'_>, turn: &Turn) -> Result<(), Failure> {
    if turn.assigned.is_none() && turn.moved.is_none() {
        return Ok(());
    }
    if let Some(moved) = turn.moved {
        activate::require_usable(writing, moved)?;
    }
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET deployment = coalesce(?2, deployment), assigned = NULL, \
             version = CASE WHEN ?2 IS NULL OR assigned IS NULL THEN version \
             WHEN ?2 = (SELECT deployment FROM route WHERE kind = ?3 AND name = workflow) THEN NULL \
             ELSE (SELECT label FROM deployment WHERE id = ?2) END WHERE key = ?1",
        )?
        .execute((turn.instance, turn.moved, WORKFLOW))?;
    Ok(())
}

/// Begins a generation.
fn open(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    restart: &Restart,
    committed: &mut Committed,
) -> Result<(), Failure> {
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET execution_id = ?2, generation = ?3, version = ?4, \
             deployment = coalesce(?5, deployment) WHERE key = ?1",
        )?
        .execute((receiver.key, &restart.execution_id, restart.generation, &restart.version, restart.deployment))?;
    // One time for all of them: their numbers keep their order.
    let visible_at = messages::before_all(writing, receiver.key)?;
    for event in &restart.opening {
        let letter = Letter { event, visible_at, delayed: false, task: None };
        messages::put(writing, receiver, &letter, committed)?;
    }
    Ok(())
}

/// Tells open children that their parent has ended. Those of all its generations are meant, so its number counts.
fn close(
    writing: &mut Writing<'_>,
    parent: &Receiver,
    event: &HistoryEvent,
    at: Time,
    all: bool,
    committed: &mut Committed,
) -> Result<(), Failure> {
    let children: Vec<Receiver> = {
        let mut statement = writing.connection.prepare_cached(
            "SELECT key, id, status FROM instance \
             WHERE parent_id = ?1 AND parent_key = ?2 AND ended_at IS NULL AND (?3 OR parent_close = ?4) ORDER BY key",
        )?;
        let policy = ParentClosePolicy::Terminate as i32;
        let rows = statement.query_map((parent.id.as_str(), parent.key, all, policy), |row| {
            Ok(Receiver { key: row.get(0)?, id: row.get::<_, String>(1)?.into(), status: row.get(2)? })
        })?;
        rows.collect::<Result<_, _>>()?
    };
    for child in children {
        let letter = Letter { event, visible_at: at, delayed: false, task: None };
        messages::put(writing, &child, &letter, committed)?;
    }
    Ok(())
}
