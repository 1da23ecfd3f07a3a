//! Who has a turn due, and when the next one will.

use std::collections::HashSet;

use rusqlite::Connection;

use super::super::failure::Failure;
use crate::{InstanceKey, Time, Wakeups};

/// Everybody who has a turn due. Who wants one without a message has waited since its last.
pub(in super::super) fn all(connection: &Connection, now: Time) -> Result<Wakeups, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT instance FROM ( \
           SELECT instance, min(visible_at) AS since FROM message \
           WHERE (delayed = 0 OR visible_at <= ?1) AND held = 0 GROUP BY instance \
           UNION ALL \
           SELECT key, updated_at FROM instance WHERE wants_turn = 1 AND status != ?2 \
         ) GROUP BY instance ORDER BY min(since), instance",
    )?;
    let rows = statement.query_map((now, crate::Status::Stalled), |row| row.get(0))?;
    Ok(Wakeups { instances: rows.collect::<Result<_, _>>()?, next: next(connection, now)? })
}

/// Those whose delayed messages became visible in between. Who has the same time as the last one comes along.
pub(in super::super) fn due(connection: &Connection, since: Time, now: Time, limit: usize) -> Result<Wakeups, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT visible_at, instance FROM message \
         WHERE delayed = 1 AND held = 0 AND visible_at > ?1 AND visible_at <= ?2 ORDER BY visible_at, instance",
    )?;
    let mut rows = statement.query((since, now))?;
    let (mut seen, mut instances) = (HashSet::new(), Vec::new());
    let mut reached = since;
    while let Some(row) = rows.next()? {
        let visible_at: Time = row.get(0)?;
        if instances.len() >= limit.max(1) && visible_at > reached {
            return Ok(Wakeups { instances, next: Some(visible_at) });
        }
        reached = visible_at;
        let instance: InstanceKey = row.get(1)?;
        if seen.insert(instance) {
            instances.push(instance);
        }
    }
    Ok(Wakeups { instances, next: next(connection, now)? })
}

fn next(connection: &Connection, now: Time) -> Result<Option<Time>, Failure> {
    let sql = "SELECT min(visible_at) FROM message WHERE delayed = 1 AND held = 0 AND visible_at > ?1";
    Ok(connection.prepare_cached(sql)?.query_row([now], |row| row.get(0))?)
}
