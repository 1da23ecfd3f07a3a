//! An instance that goes on from an earlier point of its history.

use everturn_history::{ParentClosePolicy, SequenceId};
use rusqlite::OptionalExtension;

use super::super::failure::Failure;
use super::super::reads::deployments::WORKFLOW;
use super::super::writer::Writing;
use super::messages::{self, Letter, Receiver};
use super::{activate, commit, hold, tasks};
use crate::{Awaited, Committed, DeploymentId, InstanceKey, Reset, Status, StoreError};

/// What is there before the reset.
struct Before {
    receiver: Receiver,
    generation: u32,
    execution_id: String,
}

pub(in super::super) fn reset(writing: &mut Writing<'_>, reset: &Reset) -> Result<Committed, Failure> {
    let mut committed = Committed::default();
    let before = before(writing, reset)?;
    activate::require_usable(writing, reset.deployment)?;
    cut(writing, reset.instance, reset.kept)?;
    commit::settle(writing, reset.instance, &reset.given_up, &mut committed)?;
    update(writing, reset)?;
    hold::set_held(writing, reset.instance, false)?;
    let after = Receiver { status: reset.status, ..before.receiver };
    tell_children(writing, &after, &before.execution_id, reset, &mut committed)?;
    // One time for all of them: their numbers keep their order.
    let visible_at = messages::before_all(writing, after.key)?;
    for (event, task) in &reset.opening {
        messages::put(writing, &after, &Letter { event, visible_at, delayed: false, task: *task }, &mut committed)?;
    }
    for awaited in &reset.awaited {
        if !is_there(writing, after.key, awaited.number)? {
            make(writing, &after, before.generation, awaited, reset.at, &mut committed)?;
        }
    }
    messages::sort(&mut committed);
    Ok(committed)
}

/// Checks that nobody else changed it.
fn before(writing: &Writing<'_>, reset: &Reset) -> Result<Before, Failure> {
    let found: Option<(String, Status, u64, u32, Option<DeploymentId>, String)> = writing
        .connection
        .prepare_cached("SELECT id, status, turns, generation, assigned, execution_id FROM instance WHERE key = ?1")?
        .query_row([reset.instance], |row| row.try_into())
        .optional()?;
    match found {
        Some((id, status, turns, generation, assigned, execution_id))
            if turns == reset.number && !status.is_ended() && assigned == reset.assigned =>
        {
            let receiver = Receiver { key: reset.instance, id: id.into(), status };
            Ok(Before { receiver, generation, execution_id })
        }
        _ => Err(StoreError::Conflict.into()),
    }
}

/// Deletes the turns behind so many events.
fn cut(writing: &Writing<'_>, instance: InstanceKey, kept: u64) -> Result<(), Failure> {
    let turns: Vec<(u64, u64, u64)> = {
        let sql = "SELECT number, events, length(bytes) FROM turn WHERE instance = ?1 ORDER BY number";
        let mut statement = writing.connection.prepare_cached(sql)?;
        statement.query_map([instance], |row| row.try_into())?.collect::<Result<_, _>>()?
    };
    let (mut events, mut bytes) = (0, 0);
    for (number, of_turn, size) in turns {
        if events >= kept {
            let sql = "DELETE FROM turn WHERE instance = ?1 AND number >= ?2";
            writing.connection.prepare_cached(sql)?.execute((instance, number))?;
            break;
        }
        events += of_turn;
        bytes += size;
    }
    if events != kept {
        return Err(StoreError::Conflict.into());
    }
    let sql = "UPDATE instance SET events = ?2, history_bytes = ?3 WHERE key = ?1";
    writing.connection.prepare_cached(sql)?.execute((instance, events, bytes))?;
    Ok(())
}

fn update(writing: &Writing<'_>, reset: &Reset) -> Result<(), Failure> {
    writing
        .connection
        .prepare_cached(
            "UPDATE instance SET turns = turns + 1, execution_id = ?2, deployment = ?3, assigned = NULL, status = ?4, \
             stalled = NULL, stalled_reason = NULL, custom_status = ?5, updated_at = ?6, wants_turn = 0, \
             version = CASE WHEN NOT ?7 THEN version \
             WHEN ?3 = (SELECT deployment FROM route WHERE kind = ?8 AND name = workflow) THEN NULL \
             ELSE (SELECT label FROM deployment WHERE id = ?3) END WHERE key = ?1",
        )?
        .execute((
            reset.instance,
            &reset.execution_id,
            reset.deployment,
            reset.status,
            &reset.custom_status,
            reset.at,
            reset.by_hand,
            WORKFLOW,
        ))?;
    Ok(())
}

/// Ties children to the new run, except for those that were given up: they hear of it as they would of an end.
fn tell_children(
    writing: &mut Writing<'_>,
    parent: &Receiver,
    execution_id: &str,
    reset: &Reset,
    committed: &mut Committed,
) -> Result<(), Failure> {
    let children: Vec<(Receiver, i32, bool)> = {
        let mut statement = writing.connection.prepare_cached(
            "SELECT key, id, status, parent_task, parent_close = ?4 FROM instance \
             WHERE parent_id = ?1 AND parent_key = ?2 AND parent_execution_id = ?3 ORDER BY key",
        )?;
        let policy = ParentClosePolicy::Terminate as i32;
        let rows = statement.query_map((parent.id.as_str(), parent.key, execution_id, policy), |row| {
            let child = Receiver { key: row.get(0)?, id: row.get::<_, String>(1)?.into(), status: row.get(2)? };
            Ok((child, row.get(3)?, row.get(4)?))
        })?;
        rows.collect::<Result<_, _>>()?
    };
    for (child, task, is_terminated) in children {
        if !reset.given_up.contains(&SequenceId::new(task)) {
            let sql = "UPDATE instance SET parent_execution_id = ?2 WHERE key = ?1";
            writing.connection.prepare_cached(sql)?.execute((child.key, &reset.execution_id))?;
        } else if is_terminated && !child.status.is_ended() {
            let letter = Letter { event: &reset.close, visible_at: reset.at, delayed: false, task: None };
            messages::put(writing, &child, &letter, committed)?;
        }
    }
    Ok(())
}

fn is_there(writing: &Writing<'_>, instance: InstanceKey, number: SequenceId) -> Result<bool, Failure> {
    let sql = "SELECT EXISTS (SELECT 1 FROM message WHERE instance = ?1 AND task = ?2) \
               OR EXISTS (SELECT 1 FROM task WHERE instance = ?1 AND task = ?2)";
    Ok(writing.connection.prepare_cached(sql)?.query_row((instance, number.get()), |row| row.get(0))?)
}

fn make(
    writing: &mut Writing<'_>,
    receiver: &Receiver,
    generation: u32,
    awaited: &Awaited,
    now: crate::Time,
    committed: &mut Committed,
) -> Result<(), Failure> {
    if let Some(task) = &awaited.task {
        committed.tasks.push(tasks::make(writing, receiver.key, generation, task)?);
    }
    if let Some(message) = &awaited.message {
        messages::deliver(writing, receiver, message, Some(now), committed)?;
    }
    Ok(())
}
