//! What a number counts, and how people read it.

use serde::{Deserialize, Serialize};

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Unit {
    /// How many in a second: more is better.
    PerSecond,
    /// A time, in seconds: less is better.
    Seconds,
    /// Memory: less is better.
    Bytes,
    /// A share of one processor: less is better.
    Percent,
    /// How many times the other: 1 is the same.
    Times,
    /// How many.
    Count,
}

impl Unit {
    /// The number with its unit, in the size that reads best.
    pub(crate) fn shown(self, number: f64) -> String {
        match self {
            Self::PerSecond => format!("{} /s", rounded(number)),
            Self::Seconds => time(number),
            Self::Bytes if number.abs() < 1e6 => format!("{:.1} kB", number / 1e3),
            Self::Bytes => format!("{:.1} MB", number / 1e6),
            Self::Percent => format!("{number:.2} %"),
            Self::Times => format!("{number:.2} x"),
            Self::Count => rounded(number),
        }
    }
}

fn time(seconds: f64) -> String {
    match seconds.abs() {
        size if size < 1e-3 => format!("{:.1} us", seconds * 1e6),
        size if size < 1.0 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

fn rounded(number: f64) -> String {
    if number.abs() < 10.0 && number.fract() != 0.0 { format!("{number:.1}") } else { grouped(number.round()) }
}

/// A whole number with its thousands apart.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    if number < 0.0 { format!("-{shown}") } else { shown }
}
