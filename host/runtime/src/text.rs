//! Words for messages.

/// How many names a message lists.
const NAMES_LISTED: usize = 20;

/// Names in a sentence.
pub(crate) fn listed(names: &[String]) -> String {
    let listed: Vec<_> = names.iter().take(NAMES_LISTED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(NAMES_LISTED) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}
