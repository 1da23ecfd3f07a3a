//! New instances: from outside, from a turn, and with the past of another.

use everturn_history::{InstanceId, SequenceId};
use rusqlite::{OptionalExtension, params};

use super::super::failure::Failure;
use super::super::writer::Writing;
use super::messages::{self, Letter, Receiver};
use super::{activate, commit, purge, tasks};
use crate::{
    Address, Beginning, Committed, EncodedEvents, IfExists, InstanceKey, NewInstance, ParentLink, Past, Started,
    Status, StoreError, Time,
};

pub(in super::super) fn start(
    writing: &mut Writing<'_>,
    instance: &NewInstance,
) -> Result<(Started, Committed), Failure> {
    let mut committed = Committed::default();
    let started = make(writing, None, instance, &mut committed)?;
    messages::sort(&mut committed);
    Ok((started, committed))
}

/// Makes an instance, or does what is wanted if its id is in use. `maker` is whose turn it is.
pub(super) fn make(
    writing: &mut Writing<'_>,
    maker: Option<&Receiver>,
    instance: &NewInstance,
    committed: &mut Committed,
) -> Result<Started, Failure> {
    let to = Address::Id { id: instance.id.clone(), execution_id: None };
    let Some(there) = messages::receiver(writing, &to)? else {
        return Ok(Started::Made { instance: insert(writing, instance, committed)?, replaced: None });
    };
    match &instance.if_exists {
        IfExists::ReplaceEnded | IfExists::ReplaceEndedOrTell(_) if there.status.is_ended() => {
            purge::delete(writing, there.key)?;
            Ok(Started::Made { instance: insert(writing, instance, committed)?, replaced: Some(there.key) })
        }
        IfExists::Fail | IfExists::ReplaceEnded => {
            Err(StoreError::AlreadyExists { id: there.id, status: there.status }.into())
        }
        IfExists::Tell(message) | IfExists::ReplaceEndedOrTell(message) => {
            messages::send_or_drop(writing, maker, message, Some(instance.created_at), committed)?;
            Ok(Started::Kept(there.key))
        }
        IfExists::Keep | IfExists::Drop => Ok(Started::Kept(there.key)),
    }
}

fn insert(
    writing: &mut Writing<'_>,
    instance: &NewInstance,
    committed: &mut Committed,
) -> Result<InstanceKey, Failure> {
    if let Some(deployment) = instance.deployment {
        activate::require_usable(writing, deployment)?;
    }
    let key = writing.numbers.instance();
    let standing = Standing::of(instance);
    insert_row(writing, key, instance, &standing)?;
    let (starts_at, created_at) = (instance.starts_at, instance.created_at);
    let receiver = Receiver { key, id: instance.id.clone(), status: standing.status };
    match &instance.beginning {
        Beginning::Start(event) => {
            let delayed = starts_at > created_at;
            let letter = Letter { event, visible_at: starts_at.max(created_at), delayed, task: None };
            messages::put(writing, &receiver, &letter, committed)?;
        }
        Beginning::Turn(turn) => commit::begin(writing, &receiver, turn, committed)?,
        Beginning::History(past) => insert_past(writing, &receiver, past, created_at, committed)?,
    }
    Ok(key)
}

/// How a new instance stands when it is stored.
struct Standing {
    status: Status,
    turns: u64,
    events: u64,
    bytes: u64,
    updated_at: Time,
    ended_at: Option<Time>,
    wants_turn: bool,
    custom_status: Option<String>,
    outcome: Option<Vec<u8>>,
}

impl Standing {
    fn of(instance: &NewInstance) -> Self {
        let pending = Self {
            status: Status::Pending,
            turns: 0,
            events: 0,
            bytes: 0,
            updated_at: instance.created_at,
            ended_at: None,
            wants_turn: false,
            custom_status: None,
            outcome: None,
        };
        let bytes = |turn: &EncodedEvents| turn.bytes.len() as u64;
        match &instance.beginning {
            Beginning::Start(_) => pending,
            Beginning::Turn(turn) => Self {
                status: turn.status,
                turns: 1,
                events: turn.events.count,
                bytes: bytes(&turn.events),
                updated_at: turn.at,
                ended_at: turn.status.is_ended().then_some(turn.at),
                wants_turn: turn.wants_turn && !turn.status.is_ended(),
                custom_status: turn.custom_status.clone(),
                outcome: turn.outcome.as_ref().map(prost::Message::encode_to_vec),
            },
            Beginning::History(past) => Self {
                status: if past.turns.is_empty() { Status::Pending } else { Status::Running },
                turns: past.turns.len() as u64,
                events: past.turns.iter().map(|turn| turn.count).sum(),
                bytes: past.turns.iter().map(bytes).sum(),
                wants_turn: past.wants_turn,
                ..pending
            },
        }
    }
}

fn insert_row(
    writing: &Writing<'_>,
    key: InstanceKey,
    instance: &NewInstance,
    standing: &Standing,
) -> Result<(), Failure> {
    let parent = instance.parent.as_ref();
    let parent_key = parent.map(|parent| key_of(writing, &parent.instance)).transpose()?.flatten();
    let row = params![
        key,
        instance.id.as_str(),
        &instance.workflow,
        &instance.version,
        instance.deployment,
        &instance.execution_id,
        standing.status,
        &standing.custom_status,
        &standing.outcome,
        instance.created_at,
        instance.starts_at,
        standing.updated_at,
        standing.ended_at,
        standing.turns,
        standing.events,
        standing.bytes,
        standing.wants_turn,
        parent_key,
        parent.map(|parent| parent.instance.as_str()),
        parent.map(|parent| &parent.execution_id),
        parent.map(|parent: &ParentLink| SequenceId::get(parent.task)),
        parent.map(|parent| parent.close as i32),
        serde_json::to_string(&instance.tags)?,
    ];
    writing
        .connection
        .prepare_cached(
            "INSERT INTO instance (key, id, workflow, version, deployment, execution_id, generation, status, \
             custom_status, outcome, created_at, starts_at, updated_at, ended_at, turns, events, history_bytes, \
             wants_turn, parent_key, parent_id, parent_execution_id, parent_task, parent_close, tags) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, \
             ?21, ?22, ?23)",
        )?
        .execute(row)?;
    if instance.deployment.is_none() {
        let sql = "INSERT OR IGNORE INTO remote_workflow (name) VALUES (?1)";
        writing.connection.prepare_cached(sql)?.execute([&instance.workflow])?;
    }
    Ok(())
}

fn insert_past(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    past: &Past,
    now: Time,
    committed: &mut Committed,
) -> Result<(), Failure> {
    for (number, turn) in (0..).zip(&past.turns) {
        commit::append(writing, receiver.key, number, turn)?;
    }
    for task in &past.tasks {
        committed.tasks.push(tasks::make(writing, receiver.key, 0, task)?);
    }
    for child in &past.children {
        make(writing, Some(receiver), child, committed)?;
    }
    for message in &past.messages {
        messages::deliver(writing, receiver, message, Some(now), committed)?;
    }
    Ok(())
}

fn key_of(writing: &Writing<'_>, id: &InstanceId) -> Result<Option<InstanceKey>, Failure> {
    let sql = "SELECT key FROM instance WHERE id = ?1";
    Ok(writing.connection.prepare_cached(sql)?.query_row([id.as_str()], |row| row.get(0)).optional()?)
}
