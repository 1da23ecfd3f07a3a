//! Histories in words: retries are shown as one group, timers say why they exist.

use everturn_history::json;

use super::lines::{print_from, print_grouped};

/// An activity that succeeds at its third attempt while an event is waited for, and a child at its second.
const HISTORY: &str = r#"[
{"eventId": -1, "timestamp": "2026-01-01T09:00:00Z", "workflowStarted": {}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:00Z", "executionStarted": {"name": "order", "input": "{\"id\":7}"}},
{"eventId": 0, "timestamp": "2026-01-01T09:00:00Z", "taskScheduled":
  {"name": "charge", "input": "7", "taskExecutionId": "t0", "attempt": 1}},
{"eventId": 1, "timestamp": "2026-01-01T09:00:00Z", "timerCreated":
  {"fireAt": "9999-12-31T23:59:59.999999999Z", "externalEvent": {"name": "approval"}}},
{"eventId": 2, "timestamp": "2026-01-01T09:00:00Z", "timerCreated":
  {"fireAt": "2026-01-01T10:30:00Z", "name": "lunch", "createTimer": {}}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:01Z", "workflowStarted": {"version": {"patches": ["a", "b"]}}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:01Z", "taskFailed":
  {"taskScheduledId": 0, "failureDetails": {"errorType": "CardDeclined", "errorMessage": "no\u001b[2J money"}}},
{"eventId": 3, "timestamp": "2026-01-01T09:00:01Z", "timerCreated":
  {"fireAt": "2026-01-01T09:00:03Z", "activityRetry": {"taskExecutionId": "t0"}}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:02Z", "workflowStarted": {}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:02Z", "eventRaised": {"name": "approval", "input": "true"}},
{"eventId": 4, "timestamp": "2026-01-01T09:00:02Z", "childWorkflowInstanceCreated":
  {"instanceId": "c1", "name": "ship", "input": "1"}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:03Z", "timerFired": {"timerId": 3}},
{"eventId": 5, "timestamp": "2026-01-01T09:00:03Z", "taskScheduled":
  {"name": "charge", "input": "7", "taskExecutionId": "t0", "attempt": 2}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:04Z", "childWorkflowInstanceFailed":
  {"taskScheduledId": 4, "failureDetails": {"errorType": "Lost", "errorMessage": "at sea"}}},
{"eventId": 6, "timestamp": "2026-01-01T09:00:04Z", "timerCreated":
  {"fireAt": "2026-01-01T09:00:04.250Z", "childWorkflowRetry": {"instanceId": "c1"}}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:05Z", "taskCompleted": {"taskScheduledId": 5, "result": "\"paid\""}},
{"eventId": 7, "timestamp": "2026-01-01T09:00:05Z", "childWorkflowInstanceCreated":
  {"instanceId": "c2", "name": "ship", "input": "1", "retryParentInstanceInfo": {"instanceID": "c1"}}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:06Z", "childWorkflowInstanceCompleted":
  {"taskScheduledId": 7, "result": "2"}},
{"eventId": 8, "timestamp": "2026-01-01T09:00:06Z", "taskScheduled": {"name": "thank", "taskExecutionId": "t8"}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:07Z", "taskCompleted": {"taskScheduledId": 8}},
{"eventId": 9, "timestamp": "2026-01-01T09:00:07Z", "eventSent":
  {"instanceId": "other", "name": "paid", "input": "1"}},
{"eventId": -1, "timestamp": "2026-01-01T09:00:07Z", "executionCompleted":
  {"workflowStatus": "ORCHESTRATION_STATUS_COMPLETED", "result": "\"done\""}}
]"#;

fn printed(print: impl FnOnce(&mut anstream::StripStream<&mut Vec<u8>>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    print(&mut anstream::StripStream::new(&mut out)).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn attempts_are_shown_under_the_first_and_timers_with_their_origin() {
    let events = json::from_str(HISTORY).unwrap();
    insta::assert_snapshot!(printed(|out| print_grouped(&events, out)), @r#"
     1  2026-01-01T09:00:00.000Z  turn
     2  2026-01-01T09:00:00.000Z  started order with {"id":7}
     3  2026-01-01T09:00:00.000Z  #0 activity charge scheduled with 7
     7  2026-01-01T09:00:01.000Z    #0 activity charge failed: CardDeclined: no\u{1b}[2J money
     8  2026-01-01T09:00:01.000Z    #3 retry of charge, attempt 2 in 2s
    12  2026-01-01T09:00:03.000Z    #3 timer fired
    13  2026-01-01T09:00:03.000Z    #5 activity charge scheduled, attempt 2, with 7
    16  2026-01-01T09:00:05.000Z    #5 activity charge completed -> "paid"
     4  2026-01-01T09:00:00.000Z  #1 timer for event approval, never
     5  2026-01-01T09:00:00.000Z  #2 timer lunch, in 1h 30m (2026-01-01T10:30:00Z)
     6  2026-01-01T09:00:01.000Z  turn, with patches a, b
     9  2026-01-01T09:00:02.000Z  turn
    10  2026-01-01T09:00:02.000Z  event approval arrived with true
    11  2026-01-01T09:00:02.000Z  #4 child ship started as c1 with 1
    14  2026-01-01T09:00:04.000Z    #4 child ship failed: Lost: at sea
    15  2026-01-01T09:00:04.000Z    #6 retry of child ship, attempt 2 in 250ms
    17  2026-01-01T09:00:05.000Z    #7 child ship started as c2, attempt 2, with 1
    18  2026-01-01T09:00:06.000Z    #7 child ship completed -> 2
    19  2026-01-01T09:00:06.000Z  #8 activity thank scheduled with null
    20  2026-01-01T09:00:07.000Z  #8 activity thank completed -> null
    21  2026-01-01T09:00:07.000Z  #9 event paid sent to other with 1
    22  2026-01-01T09:00:07.000Z  completed -> "done"
    "#);
}

#[test]
fn while_events_come_they_are_shown_in_their_order() {
    let events = json::from_str(HISTORY).unwrap();
    insta::assert_snapshot!(printed(|out| print_from(&events, 10, out)), @r#"
    11  2026-01-01T09:00:02.000Z  #4 child ship started as c1 with 1
    12  2026-01-01T09:00:03.000Z    #3 timer fired
    13  2026-01-01T09:00:03.000Z    #5 activity charge scheduled, attempt 2, with 7
    14  2026-01-01T09:00:04.000Z    #4 child ship failed: Lost: at sea
    15  2026-01-01T09:00:04.000Z    #6 retry of child ship, attempt 2 in 250ms
    16  2026-01-01T09:00:05.000Z    #5 activity charge completed -> "paid"
    17  2026-01-01T09:00:05.000Z    #7 child ship started as c2, attempt 2, with 1
    18  2026-01-01T09:00:06.000Z    #7 child ship completed -> 2
    19  2026-01-01T09:00:06.000Z  #8 activity thank scheduled with null
    20  2026-01-01T09:00:07.000Z  #8 activity thank completed -> null
    21  2026-01-01T09:00:07.000Z  #9 event paid sent to other with 1
    22  2026-01-01T09:00:07.000Z  completed -> "done"
    "#);
}

#[test]
fn every_event_is_shown_once() {
    let events = json::from_str(HISTORY).unwrap();
    let grouped = printed(|out| print_grouped(&events, out));
    let mut numbers: Vec<usize> =
        grouped.lines().map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=events.len()).collect::<Vec<_>>());
}
