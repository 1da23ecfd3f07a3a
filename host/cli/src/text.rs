//! Text from elsewhere on its way to a terminal.

/// The longest text shown in a line; `-o json` shows all of it.
const MAX_CHARACTERS: usize = 400;

/// Makes text safe and short enough for a line: control characters are escaped, so that nobody's data drives the
/// terminal, and what is too long is cut.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_CHARACTERS).flat_map(escaped).collect();
    let left = text.chars().skip(MAX_CHARACTERS).count();
    if left > 0 {
        shown += &format!("... ({left} characters more)");
    }
    shown
}

fn escaped(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

/// Several lines, each made safe by itself and none of them cut: for messages.
pub(crate) fn shown_lines(text: &str) -> String {
    let safe = |line: &str| line.chars().flat_map(escaped).collect::<String>();
    text.lines().map(safe).collect::<Vec<_>>().join("\n")
}

/// Text made safe and cut to at most so many characters.
pub(crate) fn shortened(text: &str, characters: usize) -> String {
    let text = shown(text);
    if text.chars().count() <= characters {
        return text;
    }
    let kept: String = text.chars().take(characters.saturating_sub(3)).collect();
    kept + "..."
}

/// A number of things.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn nobody_drives_the_terminal() {
        assert_eq!(shown("{\"a\":\"ü\u{1b}[2J\"}\n"), "{\"a\":\"ü\\u{1b}[2J\"}\\n");
    }

    #[test]
    fn long_text_is_cut() {
        assert!(shown(&"x".repeat(410)).ends_with("xxx... (10 characters more)"));
    }
}
