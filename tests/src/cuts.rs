//! The property that makes replay trustworthy: wherever a history is cut, a player made anew from the part before the
//! cut goes on with the same actions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use everturn_history::HistoryEvent;
use everturn_replay::{Source, Turn};
use everturn_test_world::Player;
use everturn_test_world::world::{RecordedTurn, Recording};

/// Cuts a recording at every event, rebuilds, goes on to the end of the turn that was cut, and compares.
pub fn check_every_cut<P: Player>(recording: &Recording, mut rebuilt: impl FnMut() -> P) {
    for turn in &recording.turns {
        for cut in turn.begins..=turn.heard {
            check_cut_before_actions(recording, turn, cut, rebuilt());
        }
        let end = turn.heard + recorded_count(recording, turn);
        for cut in turn.heard + 1..=end {
            check_cut_among_actions(recording, turn, cut, rebuilt());
        }
    }
}

/// The part after the cut is new to the player: it must ask for all that the recorded turn asked for.
fn check_cut_before_actions<P: Player>(recording: &Recording, turn: &RecordedTurn, cut: usize, mut player: P) {
    push(&mut player, &recording.history[..cut], Source::History);
    player.run().unwrap();
    push(&mut player, &recording.history[cut..turn.heard], Source::New);
    player.run().unwrap();
    let replayed = player.end_turn();
    let shown = |turn: &Turn| (turn.actions.clone(), turn.cancelled.clone());
    assert_eq!(shown(&replayed), shown(&turn.turn), "cut at {cut} of {:#?}", recording.history);
    if cut < turn.heard {
        assert_eq!(replayed.custom_status, turn.turn.custom_status, "cut at {cut} of {:#?}", recording.history);
    }
}

/// Some of the turn's actions are on record: it must ask for the others.
fn check_cut_among_actions<P: Player>(recording: &Recording, turn: &RecordedTurn, cut: usize, mut player: P) {
    push(&mut player, &recording.history[..cut], Source::History);
    player.run().unwrap();
    let on_record = &recording.history[turn.heard..cut];
    let is_on_record = |id: i32| on_record.iter().any(|event| event.event_id == id);
    let rest: Vec<_> = turn.turn.actions.iter().filter(|action| !is_on_record(action.id)).cloned().collect();
    assert_eq!(player.end_turn().actions, rest, "cut at {cut} of {:#?}", recording.history);
}

fn recorded_count(recording: &Recording, turn: &RecordedTurn) -> usize {
    recording.history[turn.heard..].iter().take_while(|event| event.event_id >= 0).count()
}

fn push<P: Player>(player: &mut P, events: &[HistoryEvent], source: Source) {
    events.iter().for_each(|event| player.push(event.clone(), source));
}
