//! Text in columns, for people.

use std::io::{self, Write};

use anstyle::Style;

use crate::style::LABEL;
use crate::text::shown;

/// Space between two columns.
const GAP: &str = "  ";

/// A cell: text, and how it looks.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text from elsewhere, made safe.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self { text: shown(text.as_ref()), style: Style::new() }
    }

    pub(crate) fn styled(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// Rows under a head.
#[derive(Debug)]
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(head: &[&'static str]) -> Self {
        Self { head: head.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let widths: Vec<_> = (0..self.head.len()).map(|column| self.width(column)).collect();
        let head: Vec<_> = self.head.iter().map(|head| Cell::new(head).styled(LABEL)).collect();
        for row in std::iter::once(&head).chain(&self.rows) {
            print_row(row, &widths, out)?;
        }
        Ok(())
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width);
        cells.chain([self.head[column].chars().count()]).max().unwrap_or(0)
    }
}

/// The last cell of a row is not filled up: nobody sees the spaces, but terminals wrap them.
fn print_row(row: &[Cell], widths: &[usize], out: &mut impl Write) -> io::Result<()> {
    for (column, cell) in row.iter().enumerate() {
        let Cell { text, style } = cell;
        if column + 1 == row.len() {
            writeln!(out, "{style}{text}{style:#}")?;
        } else {
            let fill = " ".repeat(widths[column].saturating_sub(cell.width()));
            write!(out, "{style}{text}{style:#}{fill}{GAP}")?;
        }
    }
    Ok(())
}

/// The width of the labels of values that are shown one a line.
const LABEL_WIDTH: usize = 10;

/// A value with its name, in a line of its own. The value is printed as it is.
pub(crate) fn print_value(out: &mut impl Write, label: &str, value: &str) -> io::Result<()> {
    writeln!(out, "{LABEL}{label:<LABEL_WIDTH$}{LABEL:#} {value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nobody_drives_the_terminal() {
        let mut table = Table::new(&["ID", "WORKFLOW"]);
        table.row(vec![Cell::new("übung"), Cell::new("a")]);
        table.row(vec![Cell::new("x\u{1b}"), Cell::new("b")]);
        let mut out = Vec::new();
        table.print(&mut anstream::StripStream::new(&mut out)).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "ID       WORKFLOW\nübung    a\nx\\u{1b}  b\n");
    }
}
