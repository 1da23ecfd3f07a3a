//! Activity tasks: made, given to workers, taken back, answered.

use everturn_history::SequenceId;
use prost::Message as _;

use super::super::failure::Failure;
use super::super::rows;
use super::super::writer::Writing;
use crate::{FinishedTask, InstanceKey, Lease, NewTask, StoreError, Task, TaskKey, Token};

/// Makes a task. One that somebody begins with at once has been dispatched once.
pub(super) fn make(
    writing: &mut Writing<'_>,
    instance: InstanceKey,
    generation: u32,
    task: &NewTask,
) -> Result<TaskKey, Failure> {
    let key = writing.numbers.task();
    let token = task.lease.map(|lease| lease.token);
    writing
        .connection
        .prepare_cached(
            "INSERT INTO task (key, instance, generation, task, activity, scheduled, scheduled_at, dispatches, token, \
             leased_until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute((
            key,
            instance,
            generation,
            task.task.get(),
            &task.scheduled.name,
            task.scheduled.encode_to_vec(),
            task.at,
            u32::from(token.is_some()),
            token,
            task.lease.and_then(|lease| lease.until),
        ))?;
    Ok(key)
}

/// Deletes a task that has its answer, if it is there with this token and belongs to this instance.
pub(super) fn finish(writing: &Writing<'_>, task: FinishedTask, instance: Option<InstanceKey>) -> Result<(), Failure> {
    let deleted = writing
        .connection
        .prepare_cached("DELETE FROM task WHERE key = ?1 AND token = ?2 AND (?3 IS NULL OR instance = ?3)")?
        .execute((task.key, task.token, instance))?;
    if deleted == 1 { Ok(()) } else { Err(StoreError::StaleToken { task: task.key }.into()) }
}

/// Deletes the tasks of this number that nobody waits for, or all; adds those that somebody works on to `abandoned`.
pub(super) fn abandon(
    writing: &Writing<'_>,
    instance: InstanceKey,
    number: Option<SequenceId>,
    abandoned: &mut Vec<TaskKey>,
) -> Result<(), Failure> {
    // Most find none. What a DELETE returns would go through a table of its own, found or not.
    let mut select = writing.connection.prepare_cached(match number {
        Some(_) => "SELECT key, token FROM task WHERE instance = ?1 AND task = ?2",
        None => "SELECT key, token FROM task WHERE instance = ?1",
    })?;
    let found = match number {
        Some(number) => select.query((instance, number.get()))?,
        None => select.query([instance])?,
    };
    let tasks: Vec<(TaskKey, Option<Token>)> = found.mapped(|row| row.try_into()).collect::<Result<_, _>>()?;
    for (key, token) in tasks {
        writing.connection.prepare_cached("DELETE FROM task WHERE key = ?1")?.execute([key])?;
        abandoned.extend(token.map(|_| key));
    }
    Ok(())
}

pub(in super::super) fn lease(writing: &Writing<'_>, leases: &[(TaskKey, Lease)]) -> Result<Vec<Task>, Failure> {
    let mut update = writing
        .connection
        .prepare_cached("UPDATE task SET token = ?2, leased_until = ?3, dispatches = dispatches + 1 WHERE key = ?1")?;
    let sql =
        format!("SELECT {} FROM task JOIN instance ON instance.key = task.instance WHERE task.key = ?1", rows::TASK);
    let mut select = writing.connection.prepare_cached(&sql)?;
    let mut tasks = Vec::with_capacity(leases.len());
    for (key, lease) in leases {
        if update.execute((key, lease.token, lease.until))? == 1 {
            tasks.push(select.query_row([key], |row| Ok(rows::task(row)))??);
        }
    }
    Ok(tasks)
}

pub(in super::super) fn release_leases(writing: &Writing<'_>, tasks: &[FinishedTask]) -> Result<(), Failure> {
    let mut update = writing
        .connection
        .prepare_cached("UPDATE task SET token = NULL, leased_until = NULL WHERE key = ?1 AND token = ?2")?;
    for task in tasks {
        update.execute((task.key, task.token))?;
    }
    Ok(())
}
