//! Amounts that change with something, as lines.

use super::canvas::{Anchor, Canvas, WIDTH};
use super::scale::Scale;
use crate::figures::{Series, Unit, grouped};

const HEIGHT: f64 = 380.0;
/// Where the plot is.
const TOP: f64 = 76.0;
const BOTTOM: f64 = 320.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = WIDTH - 32.0;
/// From one name of a series to the next.
const LEGEND: f64 = 170.0;

pub(super) fn draw(title: &str, unit: Unit, across: &str, series: &[Series]) -> String {
    let mut canvas = Canvas::new(title, HEIGHT);
    let points = || series.iter().flat_map(|series| &series.points);
    let horizontal = Scale::to(points().map(|(x, _)| *x).fold(0.0, f64::max));
    let vertical = Scale::to(points().map(|(_, y)| *y).fold(0.0, f64::max));
    let x = |amount: f64| LEFT + horizontal.place(amount) * (RIGHT - LEFT);
    let y = |amount: f64| BOTTOM - vertical.place(amount) * (BOTTOM - TOP);
    for line in vertical.lines() {
        canvas.grid_line((LEFT, y(line)), (RIGHT, y(line)));
        canvas.text((LEFT - 8.0, y(line) + 4.0), Anchor::End, "quiet", &unit.shown(line));
    }
    for line in horizontal.lines() {
        canvas.text((x(line), BOTTOM + 20.0), Anchor::Middle, "quiet", &grouped(line));
    }
    canvas.text((f64::midpoint(LEFT, RIGHT), BOTTOM + 44.0), Anchor::Middle, "quiet", across);
    for (place, series) in series.iter().enumerate() {
        let points: Vec<_> = series.points.iter().map(|(across, amount)| (x(*across), y(*amount))).collect();
        canvas.line(&points, place);
        let legend = LEFT + place as f64 * LEGEND;
        canvas.rectangle((legend, 46.0), (14.0, 4.0), place);
        canvas.text((legend + 20.0, 52.0), Anchor::Start, "", &series.label);
    }
    canvas.finish()
}
