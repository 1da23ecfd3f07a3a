//! Lists of instances, page by page.

use rusqlite::types::ToSql;
use rusqlite::{Connection, params_from_iter};

use super::super::failure::Failure;
use super::super::rows;
use crate::{Filter, InstanceKey, Page, Status};

pub(in super::super) fn list(
    connection: &Connection,
    filter: &Filter,
    from: Option<InstanceKey>,
    limit: usize,
) -> Result<Page, Failure> {
    let mut conditions = Conditions::of(filter, from);
    // One more than asked for tells where the next page begins.
    let limit = limit.max(1);
    conditions.values.push(Box::new(super::limit(limit).saturating_add(1)));
    // Keys first: where SQLite has to sort, it sorts those, and reads the rows of this page only.
    let sql = format!(
        "SELECT {} FROM instance WHERE key IN (SELECT key FROM instance WHERE {} ORDER BY key DESC LIMIT ?) \
         ORDER BY key DESC",
        rows::INSTANCE,
        conditions.text
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let values = params_from_iter(conditions.values.iter());
    let mut instances: Vec<_> = statement.query_and_then(values, rows::instance)?.collect::<Result<_, _>>()?;
    let next = if instances.len() > limit { instances.pop().map(|instance| instance.key) } else { None };
    Ok(Page { instances, next })
}

/// What must hold, as SQL with its values.
struct Conditions {
    text: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    fn of(filter: &Filter, from: Option<InstanceKey>) -> Self {
        let mut conditions = Self { text: "TRUE".to_owned(), values: Vec::new() };
        conditions.add("key <= ?", from);
        conditions.add("workflow = ?", filter.workflow.clone());
        conditions.add("parent_id = ?", filter.parent.as_ref().map(|id| id.as_str().to_owned()));
        conditions.add("created_at >= ?", filter.created_from);
        conditions.add("created_at < ?", filter.created_before);
        conditions.add("ended_at >= ?", filter.ended_from);
        conditions.add("ended_at < ?", filter.ended_before);
        conditions.add("(deployment IS NULL) = ?", filter.remote);
        conditions.add("id >= ?", filter.id_prefix.clone());
        conditions.add("id < ?", filter.id_prefix.as_deref().and_then(after_prefix));
        conditions.add_statuses(&filter.statuses);
        conditions
    }

    fn add<T: ToSql + 'static>(&mut self, condition: &str, value: Option<T>) {
        if let Some(value) = value {
            self.text.push_str(" AND ");
            self.text.push_str(condition);
            self.values.push(Box::new(value));
        }
    }

    fn add_statuses(&mut self, statuses: &[Status]) {
        // Sorted and without repetition, so that few different statements come about.
        let mut statuses = statuses.to_vec();
        statuses.sort_unstable();
        statuses.dedup();
        if !statuses.is_empty() {
            let places = vec!["?"; statuses.len()].join(", ");
            self.text.push_str(&format!(" AND status IN ({places})"));
            self.values.extend(statuses.into_iter().map(|status| Box::new(status) as Box<dyn ToSql>));
        }
    }
}

/// The first text after all that begin with this prefix. None: all that come after the prefix begin with it.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // The iterator knows the gap in the middle of all characters.
        if let Some(next) = (last..=char::MAX).nth(1) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_a_prefix_is_found_at_the_edges_too() {
        let table = [
            ("ab", Some("ac")),
            ("a\u{d7ff}", Some("a\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}", None),
            ("", None),
        ];
        for (prefix, after) in table {
            assert_eq!(after_prefix(prefix).as_deref(), after, "{prefix:?}");
        }
    }
}
