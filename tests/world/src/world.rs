//! A simulated world: it answers what a workflow asks for, in an order that a seed decides, and keeps the history.

use std::collections::BTreeMap;

use everturn_history::workflow_action::ActionType;
use everturn_history::{HistoryEvent, NEVER, SequenceId, Timestamp, WorkflowAction, event};
use everturn_replay::{Source, Turn, recorded_events};

use crate::Player;
use crate::histories::{START_SECONDS, failure_details};

/// All that a workflow did and all that happened to it.
#[derive(Debug, Default)]
pub struct Recording {
    pub history: Vec<HistoryEvent>,
    pub turns: Vec<RecordedTurn>,
}

/// One turn: where its events are in the history, and what it asked for.
#[derive(Debug)]
pub struct RecordedTurn {
    /// The index of the event that began it.
    pub begins: usize,
    /// The index after the last event that the guest saw in it; what it asked for is recorded from here on.
    pub heard: usize,
    pub turn: Turn,
}

/// What was asked for and has no answer yet.
#[derive(Debug)]
enum Asked {
    Activity,
    Child,
    Timer { fire_at: Timestamp },
}

/// The world outside an instance.
#[derive(Debug)]
pub struct World {
    choices: Choices,
    now: Timestamp,
    asked: BTreeMap<SequenceId, Asked>,
    answered: Vec<HistoryEvent>,
    suspended: bool,
    ended: bool,
}

/// How many turns a recording may have; an instance that is still open then is terminated.
const TURNS_MAX: usize = 30;
/// The names under which this world raises events.
pub const EVENT_NAMES: [&str; 3] = ["a", "b", "go"];

impl World {
    pub fn new(seed: u64) -> Self {
        Self {
            choices: Choices(seed),
            now: Timestamp { seconds: START_SECONDS, nanos: 0 },
            asked: BTreeMap::new(),
            answered: Vec::new(),
            suspended: false,
            ended: false,
        }
    }

    /// Plays a workflow from its start to its end, live all the time.
    pub fn record<P: Player>(mut self, player: &mut P, workflow: &str, input: &str) -> Result<Recording, P::Error> {
        let mut recording = Recording::default();
        let start = event::execution_started(self.now, &"instance".into(), workflow, input);
        self.play_turn(player, &mut recording, vec![start])?;
        while !self.ended {
            let messages = if recording.turns.len() < TURNS_MAX {
                self.messages(recording.turns.last().is_some_and(|last| last.turn.wants_turn))
            } else {
                vec![event::terminated(self.now, None)]
            };
            self.play_turn(player, &mut recording, messages)?;
        }
        Ok(recording)
    }

    fn play_turn<P: Player>(
        &mut self,
        player: &mut P,
        recording: &mut Recording,
        messages: Vec<HistoryEvent>,
    ) -> Result<(), P::Error> {
        let begins = recording.history.len();
        player.push(event::turn_started(self.now, vec![]), Source::New);
        messages.iter().for_each(|message| player.push(message.clone(), Source::New));
        player.run()?;
        let turn = player.end_turn();

        recording.history.push(event::turn_started(self.now, turn.patches.clone()));
        recording.history.extend(messages);
        let heard = recording.history.len();
        for event in recorded_events(&turn, self.now) {
            recording.history.push(event.clone());
            player.push(event, Source::History);
        }
        player.run()?;
        self.hear(&turn);
        recording.turns.push(RecordedTurn { begins, heard, turn });
        Ok(())
    }

    fn hear(&mut self, turn: &Turn) {
        for action in &turn.actions {
            self.hear_action(action);
        }
        for id in &turn.cancelled {
            // A timer that nobody needs does not fire; an activity that nobody waits for may still answer.
            if let Some(Asked::Timer { .. }) = self.asked.get(id) {
                self.asked.remove(id);
            }
        }
    }

    fn hear_action(&mut self, action: &WorkflowAction) {
        let asked = match action.action_type.as_ref() {
            Some(ActionType::ScheduleTask(_)) => Asked::Activity,
            Some(ActionType::CreateChildWorkflow(_)) => Asked::Child,
            Some(ActionType::CreateTimer(timer)) if timer.fire_at != Some(NEVER) => {
                Asked::Timer { fire_at: timer.fire_at.unwrap() }
            }
            Some(ActionType::CompleteWorkflow(_)) => {
                self.ended = true;
                return;
            }
            _ => return,
        };
        self.asked.insert(SequenceId::new(action.id), asked);
    }

    /// What arrives next: one to three messages, or none where a turn is due without any.
    fn messages(&mut self, may_be_empty: bool) -> Vec<HistoryEvent> {
        if may_be_empty {
            return vec![];
        }
        self.now.seconds += 1;
        let count = 1 + self.choices.below(3);
        let mut messages: Vec<_> = (0..count).map(|_| self.message()).collect();
        if self.suspended {
            messages.push(event::resumed(self.now));
        }
        self.suspended = !self.suspended && self.choices.below(8) == 0;
        if self.suspended {
            let place = self.choices.below(messages.len() + 1);
            messages.insert(place, event::suspended(self.now));
        }
        messages
    }

    fn message(&mut self) -> HistoryEvent {
        match self.choices.below(8) {
            0 | 1 => self.some_event(),
            2 if !self.answered.is_empty() => {
                let which = self.choices.below(self.answered.len());
                self.answered[which].clone()
            }
            _ => self.some_answer().unwrap_or_else(|| self.some_event()),
        }
    }

    fn some_event(&mut self) -> HistoryEvent {
        let name = EVENT_NAMES[self.choices.below(EVENT_NAMES.len())];
        let payload = self.choices.below(1000).to_string();
        event::event_raised(self.now, name, &payload)
    }

    fn some_answer(&mut self) -> Option<HistoryEvent> {
        if self.asked.is_empty() {
            return None;
        }
        let which = self.choices.below(self.asked.len());
        let id = *self.asked.keys().nth(which)?;
        let succeeds = self.choices.below(3) != 0;
        let result = self.choices.below(1000).to_string();
        let answer = match self.asked.remove(&id)? {
            Asked::Activity if succeeds => event::task_completed(self.now, id, &result),
            Asked::Activity => event::task_failed(self.now, id, failure_details("Unlucky")),
            Asked::Child if succeeds => event::child_completed(self.now, id, &result),
            Asked::Child => event::child_failed(self.now, id, failure_details("Unlucky")),
            Asked::Timer { fire_at } => {
                self.now.seconds = self.now.seconds.max(fire_at.seconds + 1);
                event::timer_fired(self.now, id)
            }
        };
        self.answered.push(answer.clone());
        Some(answer)
    }
}

/// Numbers from a seed (SplitMix64): the same on every machine, for ever.
#[derive(Debug)]
pub struct Choices(pub u64);

impl Choices {
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next_number() % end.max(1) as u64).unwrap()
    }
}
