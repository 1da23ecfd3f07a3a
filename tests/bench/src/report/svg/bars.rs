//! Amounts beside each other, as bars that lie, so that there is room for their names.

use super::canvas::{Anchor, Canvas, WIDTH};
use super::scale::Scale;
use crate::figures::{Bar, Unit};

/// Where the first bar begins.
const TOP: f64 = 48.0;
/// From one bar to the next.
const PITCH: f64 = 28.0;
const THICKNESS: f64 = 18.0;
/// Room for names.
const LEFT: f64 = 330.0;
/// Room for amounts.
const RIGHT: f64 = 100.0;
const BOTTOM: f64 = 16.0;

pub(super) fn draw(title: &str, unit: Unit, bars: &[Bar]) -> String {
    let bottom = TOP + bars.len() as f64 * PITCH;
    let mut canvas = Canvas::new(title, bottom + BOTTOM);
    let scale = Scale::to(bars.iter().map(|bar| bar.value).fold(0.0, f64::max));
    let length = WIDTH - LEFT - RIGHT;
    for line in scale.lines() {
        let x = LEFT + scale.place(line) * length;
        canvas.grid_line((x, TOP - 6.0), (x, bottom));
    }
    for (place, bar) in bars.iter().enumerate() {
        let y = TOP + place as f64 * PITCH;
        let (end, base) = (scale.place(bar.value) * length, y + THICKNESS - 4.0);
        canvas.text((LEFT - 10.0, base), Anchor::End, "", &bar.label);
        canvas.rectangle((LEFT, y), (end, THICKNESS), 0);
        canvas.text((LEFT + end + 8.0, base), Anchor::Start, "quiet", &unit.shown(bar.value));
    }
    canvas.finish()
}
