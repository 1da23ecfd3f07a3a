//! Tasks that wait for a worker.

use rusqlite::{Connection, Row};

use super::super::failure::Failure;
use super::super::rows;
use crate::Task;

pub(in super::super) fn waiting(
    connection: &Connection,
    activities: &[String],
    limit: usize,
) -> Result<Vec<Task>, Failure> {
    // CROSS JOIN fixes the order of the loops: SQLite must not begin with all instances.
    let sql = format!(
        "SELECT {} FROM task CROSS JOIN instance ON instance.key = task.instance \
         WHERE task.activity = ?1 AND task.token IS NULL ORDER BY task.key LIMIT ?2",
        rows::TASK
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut tasks = Vec::new();
    for activity in activities {
        for task in statement.query_and_then((activity, super::limit(limit)), rows::task)? {
            tasks.push(task?);
        }
    }
    // A name may have been given twice.
    tasks.sort_by_key(|task: &Task| task.key);
    tasks.dedup_by_key(|task| task.key);
    tasks.truncate(limit);
    Ok(tasks)
}

pub(in super::super) fn activities(connection: &Connection) -> Result<Vec<(String, u64)>, Failure> {
    let sql = "SELECT activity, count(*) FROM task WHERE token IS NULL GROUP BY activity ORDER BY activity";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row: &Row<'_>| row.try_into())?;
    Ok(rows.collect::<Result<_, _>>()?)
}
