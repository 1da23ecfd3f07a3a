//! The suite that any store must pass: the contract, sentence by sentence, as small stories.
//!
//! A store's tests call [`conformance_tests!`](crate::conformance_tests) with a function that makes an [`Open`] on empty
//! data; each case is a test of its own then. [`cases`] is the same as a list.
//!
//! - `scene`: what all stories are told with
//! - one file for each part of the contract

#![allow(clippy::unwrap_used, clippy::panic, reason = "a case fails by panicking: it is the body of a test")]

mod children;
mod concurrency;
mod deployments;
mod durability;
mod ends;
mod holds;
mod lists;
mod messages;
mod purges;
mod resets;
mod restarts;
mod scene;
mod starts;
mod tasks;
mod turns;
mod wakeups;

use std::sync::Arc;

use futures::future::BoxFuture;

pub use scene::Scene;

use crate::Store;

/// Opens a store. The first time its data is empty; later it opens the same data again, after the last one was dropped.
pub type Open = Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>;

/// A case: a sentence that must hold.
pub struct Case {
    /// The sentence.
    pub name: &'static str,
    /// Panics if it does not hold.
    pub run: fn(Scene) -> BoxFuture<'static, ()>,
}

/// Runs the case with this name and panics if it does not hold.
pub fn check(name: &str, open: Open) {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("there is no case {name}"));
    futures::executor::block_on((case.run)(Scene::new(open)));
}

/// The list of cases, and the macro that makes tests of them, from one list of names.
macro_rules! list_of_cases {
    (($dollar:tt) $($module:ident: $($name:ident)*;)*) => {
        /// All cases.
        pub fn cases() -> Vec<Case> {
            vec![$($(Case { name: stringify!($name), run: |scene| Box::pin($module::$name(scene)) },)*)*]
        }

        /// Makes a test of every case. Takes a function without arguments that gives an
        /// [`Open`]($crate::conformance::Open) on empty data.
        #[macro_export]
        macro_rules! conformance_tests {
            ($dollar open:expr) => {
                $($(
                    #[test]
                    fn $name() {
                        $dollar crate::conformance::check(stringify!($name), $dollar open());
                    }
                )*)*
            };
        }
    };
}

list_of_cases! { ($)
    starts:
        a_start_makes_an_instance_with_its_first_message
        a_start_may_come_with_its_first_turn
        an_instance_may_end_with_its_first_turn
        a_start_for_later_is_not_seen_before
        the_workflows_of_remote_workers_are_remembered
        a_turn_takes_the_place_of_what_has_ended_and_tells_otherwise
        an_id_in_use_is_refused
        an_instance_that_is_there_can_be_kept
        only_an_instance_that_has_ended_is_replaced
        a_message_can_take_the_place_of_a_start
        a_start_can_be_dropped
        an_instance_can_begin_with_a_past
        a_start_on_a_deployment_that_is_not_there_is_refused;
    messages:
        messages_are_seen_by_time_and_then_by_number
        a_message_for_later_is_not_seen_before
        a_message_can_go_before_all_that_are_there
        only_so_many_messages_are_read
        many_instances_are_awoken_at_once
        only_so_many_bytes_are_read
        what_is_visible_at_once_stays_so_when_the_clock_goes_back
        from_outside_a_message_to_nobody_is_refused
        a_message_for_one_run_reaches_no_other;
    turns:
        the_opening_of_a_history_is_its_first_turn
        a_turn_changes_all_that_it_says
        history_is_what_the_turns_added
        a_turn_that_fails_leaves_nothing
        a_turn_with_another_number_is_refused
        a_turn_ahead_of_its_time_is_kept_when_that_has_come
        a_turn_ahead_of_its_time_is_refused_if_anything_came_meanwhile
        a_message_is_consumed_once_and_by_its_instance_only
        messages_of_a_turn_to_nobody_are_dropped
        a_time_that_has_come_is_not_waited_for
        what_is_settled_goes
        a_turn_can_begin_an_instance_and_tell_it_something
        a_turn_is_undone_by_an_id_only_if_it_says_so
        messages_are_reported_in_the_order_in_which_they_are_seen;
    ends:
        an_instance_that_ended_keeps_nothing_but_its_history
        an_instance_that_ended_has_no_more_turns
        tasks_of_the_last_turn_are_not_kept_either
        an_instance_that_ended_wants_no_turn;
    restarts:
        a_restart_begins_anew_and_keeps_what_was_not_consumed
        a_new_generation_begins_with_its_opening
        a_restart_gives_up_what_was_open
        what_was_for_the_old_generation_does_not_reach_the_new_one;
    resets:
        a_reset_cuts_history_and_gives_up_what_was_asked_for_since
        all_of_a_history_can_be_taken_back
        what_comes_again_is_seen_before_all_that_waits
        what_is_waited_for_is_made_again_unless_it_is_there
        children_that_stay_answer_to_the_new_run_and_others_to_nobody
        a_reset_needs_the_number_of_turns_and_whole_turns
        an_instance_that_is_held_goes_on_with_a_reset
        a_version_that_was_chosen_with_a_reset_stays;
    children:
        children_are_told_as_they_were_made
        all_children_are_told_if_all_are_meant
        children_of_every_generation_are_told
        children_of_another_with_the_same_id_are_not_told
        a_child_of_the_last_turn_is_told_too;
    tasks:
        a_task_waits_until_somebody_takes_it
        a_task_can_begin_with_its_turn
        a_lease_is_lost_to_the_next_one
        an_answer_needs_the_token
        an_answer_becomes_a_message
        a_turn_takes_answers_by_their_token
        a_lease_is_taken_back_from_who_has_it
        those_that_wait_longest_come_first
        waiting_tasks_are_counted_by_activity;
    holds:
        an_instance_that_is_held_has_no_turn_and_keeps_its_messages
        messages_to_an_instance_that_is_held_are_quiet
        a_hold_needs_the_number_of_the_turn
        an_instance_that_is_let_go_goes_on
        an_instance_without_a_turn_is_pending_again
        one_that_is_not_held_is_not_let_go
        a_child_that_is_held_is_told_quietly;
    wakeups:
        after_an_opening_everybody_with_a_turn_due_is_known
        after_an_opening_no_lease_is_left
        those_whose_time_has_come_are_known
        in_small_steps_nobody_is_skipped
        the_next_time_is_known;
    lists:
        lists_have_what_the_filter_says
        pages_are_stable
        a_prefix_is_taken_as_it_is
        instances_are_counted_by_status;
    purges:
        what_is_purged_leaves_nothing
        an_open_instance_is_purged_by_force_only
        those_that_ended_first_are_purged_first
        numbers_are_not_used_again;
    deployments:
        the_last_activation_counts
        the_same_again_is_the_same_deployment
        a_label_stands_for_one_component
        a_component_under_two_labels_is_one_component
        a_component_that_is_not_there_is_told
        open_instances_are_counted_by_deployment
        a_trial_gets_a_share_and_ends_with_the_next_activation
        an_activation_is_undone_and_then_the_one_before_it
        what_changes_nothing_is_not_undone
        only_those_who_moved_move_back
        nothing_goes_back_to_what_is_retired
        what_was_activated_is_there_after_a_crash
        an_instance_moves_with_a_turn
        a_deployment_is_retired_when_nobody_needs_it
        names_that_only_a_retired_deployment_has_are_given_up
        reports_are_kept_newest_first_and_not_for_ever
        reports_are_given_of_one_version_and_no_more_than_asked_for;
    durability:
        what_was_acknowledged_is_there_after_a_crash
        numbers_go_on_after_a_crash
        a_store_that_was_closed_does_nothing
        what_was_asked_for_is_done_before_the_close;
    concurrency:
        turns_of_an_instance_come_one_after_the_other
        one_that_fails_does_not_fail_its_neighbours
        what_was_acknowledged_is_seen_at_once;
}
