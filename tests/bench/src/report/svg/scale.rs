//! From amounts to places: a scale from 0 to a round number that nothing exceeds, and where its lines are.

/// How many lines a scale has at least.
const LINES: f64 = 4.0;

/// A scale from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The last line.
    pub(super) end: f64,
    step: f64,
}

impl Scale {
    /// That holds this much, in steps of 1, 2 or 5.
    pub(super) fn to(most: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let rough = most / LINES;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [5.0, 2.0, 1.0].map(|step| step * power).into_iter().find(|step| *step <= rough).unwrap_or(power);
        Self { end: (most / step).ceil() * step, step }
    }

    /// Where an amount is, from 0 to 1.
    pub(super) fn place(self, amount: f64) -> f64 {
        (amount / self.end).clamp(0.0, 1.0)
    }

    /// The amounts that have a line.
    pub(super) fn lines(self) -> impl Iterator<Item = f64> {
        let count = (self.end / self.step).round();
        std::iter::successors(Some(0.0), |line| Some(line + 1.0))
            .take_while(move |line| *line <= count)
            .map(move |line| line * self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_a_round_number_that_nothing_exceeds() {
        let of = |most| Scale::to(most).end;
        assert_eq!([of(93.0), of(100.0), of(1.5), of(4_100.0)], [100.0, 100.0, 1.6, 5_000.0]);
        assert_eq!(of(0.0), 1.0, "nothing was measured");
        assert_eq!(of(f64::NAN), 1.0);
        assert_eq!(Scale::to(93.0).lines().collect::<Vec<_>>(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!([Scale::to(93.0).place(50.0), Scale::to(93.0).place(-1.0)], [0.5, 0.0]);
    }
}
