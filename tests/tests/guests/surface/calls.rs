//! Activities, children, detached workflows, events to others and the status: with all options, and with none.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    ActivityTimeouts, CreateDetachedWorkflowAction, Duration, ParentClosePolicy, SendEventAction, TaskRouter,
    Timestamp, WorkflowInstance, event, text,
};
use everturn_replay::Turn;
use everturn_test_world::histories::*;
use serde_json::{Value, json};

use super::instance::{Instance, activity, answer, asked, child, failure, only_turn};

fn sent_to(app_id: &str) -> Option<TaskRouter> {
    Some(TaskRouter { target_app_id: Some(app_id.into()), ..TaskRouter::default() })
}

fn assert_activity_with_all_options(turn: &Turn, attempt: u32) {
    let task = activity(turn, 0);
    assert_eq!((task.name.as_str(), &task.version), ("A", &Some(text("2.1"))));
    assert_eq!(task.input, Some(text(r#"{"order":7}"#)));
    assert_eq!(task.attempt, attempt);
    let timeouts = ActivityTimeouts {
        start_to_close: Some(Duration { seconds: 1, nanos: 500_000_000 }),
        schedule_to_close: Some(Duration { seconds: 60, nanos: 0 }),
        heartbeat: Some(Duration { seconds: 0, nanos: 1 }),
    };
    assert_eq!(task.timeouts, Some(timeouts));
    assert_eq!(turn.actions[0].router, sent_to("warehouse"));
}

#[test]
fn all_options_of_an_activity_are_part_of_every_attempt_and_of_history() {
    let (mut instance, first) = Instance::start("activity_with_all_options", &Value::Null);
    assert_activity_with_all_options(&first, 1);
    let recorded = instance.history.last().unwrap().clone();
    assert_eq!(recorded.router.unwrap().target_app_id.as_deref(), Some("warehouse"));
    match recorded.event_type {
        Some(EventType::TaskScheduled(task)) => {
            assert_eq!((task.timeouts, task.version), (activity(&first, 0).timeouts, Some(text("2.1"))));
        }
        other => panic!("not an activity: {other:?}"),
    }

    instance.turn(1, [task_failed(0, "E")]);
    let second = instance.turn(2, [timer_fired(1)]);
    assert_activity_with_all_options(&second, 2);
    assert_eq!(activity(&second, 0).task_execution_id, activity(&first, 0).task_execution_id);
    assert_eq!(failure(&instance.turn(3, [task_failed(2, "Last")])).error_type, "Last");
}

#[test]
fn an_activity_without_options_has_none() {
    let (mut instance, turn) = Instance::start("activity_without_options", &Value::Null);
    let task = activity(&turn, 0);
    assert_eq!((&task.timeouts, &task.version, &turn.actions[0].router), (&None, &None, &None));
    assert_eq!(task.input, Some(text("\"seven\"")));
    assert_eq!(failure(&instance.turn(1, [task_failed(0, "E")])).error_type, "E");
}

#[test]
fn all_options_of_a_child_are_part_of_every_attempt() {
    let (mut instance, first) = Instance::start("child_with_all_options", &Value::Null);
    instance.turn(1, [event::child_failed(at(1), id(0), failure_details("E"))]);
    let second = instance.turn(2, [timer_fired(1)]);

    for turn in [&first, &second] {
        let child = child(turn, 0);
        assert_eq!((child.name.as_str(), &child.version), ("C", &Some(text("2.1"))));
        assert_eq!(child.input, Some(text("[1,2]")));
        assert_eq!(child.parent_close_policy(), ParentClosePolicy::Terminate);
        assert_eq!(turn.actions[0].router, sent_to("warehouse"));
    }
    assert_eq!(child(&first, 0).instance_id, "my-child");
    assert_eq!(child(&first, 0).retry_parent_instance_info, None);
    assert_ne!(child(&second, 0).instance_id, "my-child");
    assert_eq!(child(&second, 0).retry_parent_instance_info.as_ref().unwrap().instance_id, "my-child");
    assert_eq!(answer(&instance.turn(3, [event::child_completed(at(3), id(2), "\"done\"")])), "done");
}

#[test]
fn a_child_without_options_has_an_id_of_its_parents_and_is_abandoned() {
    let (mut instance, turn) = Instance::start("child_without_options", &Value::Null);
    let created = child(&turn, 0);
    assert!(created.instance_id.starts_with("instance:"), "{}", created.instance_id);
    assert_eq!((&created.version, &turn.actions[0].router), (&None, &None));
    assert_eq!(created.parent_close_policy(), ParentClosePolicy::Abandon);
    let failed = event::child_failed(at(1), id(0), failure_details("E"));
    assert_eq!(failure(&instance.turn(1, [failed])).error_type, "E");
}

#[test]
fn a_detached_workflow_is_started_with_all_options_and_with_none() {
    let start_at = Timestamp { seconds: START_SECONDS + 60, nanos: 7 };
    let input = json!({"secs_since_epoch": start_at.seconds, "nanos_since_epoch": start_at.nanos});
    let turn = only_turn("starts_detached", &input);

    assert_eq!(asked(&turn), ["detached D", "detached E", "end"]);
    let full = CreateDetachedWorkflowAction {
        instance_id: "survey-7".into(),
        name: "D".into(),
        version: Some(text("3")),
        input: Some(text(r#"{"order":7}"#)),
        scheduled_start_timestamp: Some(start_at),
        ..CreateDetachedWorkflowAction::default()
    };
    assert_eq!(turn.actions[0].action_type, Some(ActionType::CreateDetachedWorkflow(full)));
    assert_eq!(turn.actions[0].router, sent_to("marketing"));

    let ids: (String, String) = serde_json::from_str(&result(&turn)).unwrap();
    assert_eq!(ids.0, "survey-7");
    assert!(ids.1.starts_with("instance:"), "{}", ids.1);
    let plain = CreateDetachedWorkflowAction {
        instance_id: ids.1,
        name: "E".into(),
        input: Some(text("null")),
        ..CreateDetachedWorkflowAction::default()
    };
    assert_eq!(turn.actions[1].action_type, Some(ActionType::CreateDetachedWorkflow(plain)));
    assert_eq!(turn.actions[1].router, None);
}

#[test]
fn an_event_is_raised_to_another_instance() {
    let turn = only_turn("raises_an_event", &Value::Null);
    let sent = SendEventAction {
        instance: Some(WorkflowInstance { instance_id: "order-7".into(), execution_id: None }),
        name: "Payment".into(),
        data: Some(text(r#"{"amount":12}"#)),
    };
    assert_eq!(turn.actions[0].action_type, Some(ActionType::SendEvent(sent)));
    assert_eq!(asked(&turn), ["event Payment", "end"]);
}

#[test]
fn the_last_status_of_a_turn_counts_and_a_turn_that_sets_none_changes_none() {
    let (mut instance, first) = Instance::start("sets_its_status", &Value::Null);
    assert_eq!(first.custom_status.as_deref(), Some(r#"{"waits":true}"#));
    assert_eq!(instance.turn(1, [raised("other", "1")]).custom_status, None);
    assert_eq!(instance.turn(2, [raised("go", "1")]).custom_status.as_deref(), Some("1"));
}
