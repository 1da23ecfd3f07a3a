//! New instances: from outside, from a turn, and with the past of another.

use everturn_history::{InstanceId, SequenceId};
use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::writer::Writing;
use super::messages::{self, Receiver};
use super::{activate, commit, purge, tasks};
use crate::{
    Address, Beginning, Committed, IfExists, InstanceKey, NewInstance, NewMessage, ParentLink, Past, Started, Status,
    StoreError, Time, Visible,
};

pub(in super::super) fn start(
    writing: &mut Writing<'_>,
    instance: NewInstance,
) -> Result<(Started, Committed), Failure> {
    let mut committed = Committed::default();
    let started = make(writing, instance, &mut committed)?;
    messages::sort(&mut committed);
    Ok((started, committed))
}

/// Makes an instance, or does what is wanted if its id is in use.
pub(super) fn make(
    writing: &mut Writing<'_>,
    mut instance: NewInstance,
    committed: &mut Committed,
) -> Result<Started, Failure> {
    let to = Address::Id { id: instance.id.clone(), execution_id: None };
    let Some(there) = messages::receiver(writing, &to)? else {
        return Ok(Started::Made { instance: insert(writing, instance, committed)?, replaced: None });
    };
    match std::mem::take(&mut instance.if_exists) {
        IfExists::ReplaceEnded | IfExists::ReplaceEndedOrTell(_) if there.status.is_ended() => {
            purge::delete(writing, there.key)?;
            Ok(Started::Made { instance: insert(writing, instance, committed)?, replaced: Some(there.key) })
        }
        IfExists::Fail | IfExists::ReplaceEnded => {
            Err(StoreError::AlreadyExists { id: there.id, status: there.status }.into())
        }
        IfExists::Tell(message) | IfExists::ReplaceEndedOrTell(message) => {
            messages::send_or_drop(writing, *message, Some(instance.created_at), committed)?;
            Ok(Started::Kept(there.key))
        }
        IfExists::Keep | IfExists::Drop => Ok(Started::Kept(there.key)),
    }
}

fn insert(writing: &mut Writing<'_>, instance: NewInstance, committed: &mut Committed) -> Result<InstanceKey, Failure> {
    if let Some(deployment) = instance.deployment {
        activate::require_usable(writing, deployment)?;
    }
    let key = writing.numbers.instance();
    let turns = match &instance.beginning {
        Beginning::Start(_) => 0,
        Beginning::History(past) => past.turns.len(),
    };
    let status = if turns == 0 { Status::Pending } else { Status::Running };
    insert_row(writing, key, &instance, status)?;
    let (starts_at, created_at) = (instance.starts_at, instance.created_at);
    let receiver = Receiver { key, id: instance.id, status };
    match instance.beginning {
        Beginning::Start(event) => {
            let visible = if starts_at > created_at { Visible::Later(starts_at) } else { Visible::Now(created_at) };
            let message = NewMessage { to: Address::Key(key), event, visible, task: None };
            messages::deliver(writing, &receiver, message, Some(created_at), committed)?;
        }
        Beginning::History(past) => insert_past(writing, &receiver, *past, created_at, committed)?,
    }
    Ok(key)
}

fn insert_row(writing: &Writing<'_>, key: InstanceKey, instance: &NewInstance, status: Status) -> Result<(), Failure> {
    let parent = instance.parent.as_ref();
    let parent_key = parent.map(|parent| key_of(writing, &parent.instance)).transpose()?.flatten();
    writing
        .connection
        .prepare_cached(
            "INSERT INTO instance (key, id, workflow, version, deployment, execution_id, generation, status, created_at, \
             starts_at, updated_at, turns, events, history_bytes, wants_turn, parent_key, parent_id, \
             parent_execution_id, parent_task, parent_close, tags) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?8, 0, 0, 0, 0, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute((
            key,
            instance.id.as_str(),
            &instance.workflow,
            &instance.version,
            instance.deployment,
            &instance.execution_id,
            status,
            instance.created_at,
            instance.starts_at,
            parent_key,
            parent.map(|parent| parent.instance.as_str()),
            parent.map(|parent| &parent.execution_id),
            parent.map(|parent: &ParentLink| SequenceId::get(parent.task)),
            parent.map(|parent| parent.close as i32),
            serde_json::to_string(&instance.tags)?,
        ))?;
    if instance.deployment.is_none() {
        let sql = "INSERT OR IGNORE INTO remote_workflow (name) VALUES (?1)";
        writing.connection.prepare_cached(sql)?.execute([&instance.workflow])?;
    }
    Ok(())
}

fn insert_past(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    past: Past,
    now: Time,
    committed: &mut Committed,
) -> Result<(), Failure> {
    let (mut number, mut events, mut bytes) = (0_u64, 0, 0);
    for turn in &past.turns {
        commit::append(writing, receiver.key, number, turn)?;
        number += 1;
        events += turn.count;
        bytes += turn.bytes.len() as u64;
    }
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET turns = ?2, events = ?3, history_bytes = ?4, wants_turn = ?5 WHERE key = ?1",
        )?
        .execute((receiver.key, number, events, bytes, past.wants_turn))?;
    for task in &past.tasks {
        committed.tasks.push(tasks::make(writing, receiver.key, 0, task)?);
    }
    for child in past.children {
        make(writing, child, committed)?;
    }
    for message in past.messages {
        messages::deliver(writing, receiver, message, Some(now), committed)?;
    }
    Ok(())
}

fn key_of(writing: &Writing<'_>, id: &InstanceId) -> Result<Option<InstanceKey>, Failure> {
    let sql = "SELECT key FROM instance WHERE id = ?1";
    Ok(writing.connection.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?)
}
