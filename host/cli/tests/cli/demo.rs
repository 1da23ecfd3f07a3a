//! The first thing that people run.

use crate::room::Room;

#[test]
fn the_demo_ends_well_and_every_effect_happened_once() {
    let shown = Room::new().run(["demo"]);
    assert!(shown.starts_with("exit code 0\n"), "{shown}");
    for line in ["kill -9", "attempt 2", "timer for event collected, never", "every effect happened once"] {
        assert!(shown.contains(line), "no {line:?} in:\n{shown}");
    }
}
