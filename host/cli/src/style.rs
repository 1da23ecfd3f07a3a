//! Colours. They are written always and taken out where they do not belong: `anstream` knows terminals and `NO_COLOR`.

use anstyle::{AnsiColor, Style};
use clap::builder::Styles;

/// What went wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What went right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What to mind.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What to type.
pub(crate) const COMMAND: Style = AnsiColor::Cyan.on_default();
/// The name of a value.
pub(crate) const LABEL: Style = Style::new().dimmed();

/// How `--help` looks.
pub(crate) const HELP: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(COMMAND)
    .placeholder(Style::new().dimmed());
