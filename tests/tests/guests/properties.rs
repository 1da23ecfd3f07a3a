//! Random workflows in a random world: record, cut anywhere, rebuild, go on; on the core and through a compiled guest.

use everturn_test_guests::script::{Limit, Step};
use everturn_test_world::Player;
use everturn_test_world::world::{Choices, World};
use everturn_tests::cuts::check_every_cut;
use everturn_tests::player::Compiled;
use everturn_tests::renumber::{with_ghost_timers, without_optional_timers};
use everturn_tests::script::{core_guest, random_script};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_core_goes_on_with_the_same_actions_wherever_history_is_cut(script in any::<u64>(), world in any::<u64>()) {
        let guest = core_guest(random_script(script));
        let recording = World::new(world).record(&mut guest.afresh(), "script", "null").unwrap();
        check_every_cut(&recording, || guest.afresh());
    }

    #[test]
    fn the_core_replays_what_code_without_optional_timers_recorded(script in any::<u64>(), world in any::<u64>()) {
        let guest = core_guest(random_script(script));
        let recording = World::new(world).record(&mut guest.afresh(), "script", "null").unwrap();
        guest.afresh().play(without_optional_timers(&recording.history), vec![]).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_compiled_guest_goes_on_with_the_same_actions_wherever_history_is_cut(script in any::<u64>(), world in any::<u64>()) {
        let input = serde_json::to_string(&random_script(script)).unwrap();
        let recording = World::new(world).record(&mut Compiled::new(), "script", &input).unwrap();
        check_every_cut(&recording, Compiled::new);
    }

    #[test]
    fn a_compiled_guest_replays_what_code_without_optional_timers_recorded(script in any::<u64>(), world in any::<u64>()) {
        let input = serde_json::to_string(&random_script(script)).unwrap();
        let recording = World::new(world).record(&mut Compiled::new(), "script", &input).unwrap();
        Compiled::new().play(without_optional_timers(&recording.history), vec![]).unwrap();
    }

    #[test]
    fn a_compiled_guest_replays_past_optional_timers_that_it_no_longer_creates(
        script in any::<u64>(), world in any::<u64>(), ghosts in any::<u64>(),
    ) {
        // Only where the code itself waits without limit can the two be taken for each other, and are told apart by name.
        let script: Vec<_> = random_script(script).into_iter().filter(|step| !waits_without_limit(step)).collect();
        let input = serde_json::to_string(&script).unwrap();
        let recording = World::new(world).record(&mut Compiled::new(), "script", &input).unwrap();
        Compiled::new().play(with_ghost_timers(&recording.history, &mut Choices(ghosts)), vec![]).unwrap();
    }

    #[test]
    fn core_and_compiled_guest_ask_for_the_same(script in any::<u64>(), world in any::<u64>()) {
        let script = random_script(script);
        let input = serde_json::to_string(&script).unwrap();
        let on_core = World::new(world).record(&mut core_guest(script), "script", &input).unwrap();
        let compiled = World::new(world).record(&mut Compiled::new(), "script", &input).unwrap();
        // Only what they say of themselves differs: results and failures are worded by each.
        let calls = |recording: &everturn_test_world::world::Recording| {
            let recorded = recording.history.iter().filter(|event| event.event_id >= 0);
            recorded.map(|event| (event.event_id, event.event_type.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(calls(&on_core), calls(&compiled));
        let cancelled = |recording: &everturn_test_world::world::Recording| {
            recording.turns.iter().map(|turn| turn.turn.cancelled.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(cancelled(&on_core), cancelled(&compiled));
    }
}

fn waits_without_limit(step: &Step) -> bool {
    match step {
        Step::Wait { limit, .. } => *limit == Limit::Never,
        Step::Join(steps) | Step::Patched { steps, .. } => steps.iter().any(waits_without_limit),
        Step::Select(left, right) => waits_without_limit(left) || waits_without_limit(right),
        _ => false,
    }
}
