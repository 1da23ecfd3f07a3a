//! The history of one run of `tests/guests/approval`, event by event, for tests to cut and to falsify.

/// The input of the run: JSON text inside JSON.
const REQUEST: &str =
    r#"{\"requester\":\"ann\",\"approver\":\"bob\",\"manager\":\"eve\",\"purpose\":\"desk\",\"amount\":42}"#;

/// Everything that happened: bob is notified, says yes, and that is recorded.
pub(crate) fn events() -> Vec<String> {
    let turn = |time: &str| format!(r#"{{"eventId": -1, "timestamp": "{time}", "workflowStarted": {{}}}}"#);
    let event = |time: &str, id: i32, kind: &str, rest: &str| {
        format!(r#"{{"eventId": {id}, "timestamp": "{time}", "{kind}": {{{rest}}}}}"#)
    };
    let start = format!(r#""name": "approval", "input": "{REQUEST}", "workflowInstance": {{"instanceId": "desk-1"}}"#);
    let wait = r#""fireAt": "2026-01-04T09:01:00Z", "externalEvent": {"name": "decision"}"#;
    let decision = r#""name": "decision", "input": "{\"approved\":true,\"by\":\"bob\"}""#;
    let completed =
        r#""workflowStatus": "ORCHESTRATION_STATUS_COMPLETED", "result": "{\"approved\":true,\"by\":\"bob\"}""#;
    vec![
        turn("2026-01-01T09:00:00Z"),
        event("2026-01-01T09:00:00Z", -1, "executionStarted", &start),
        event("2026-01-01T09:00:00Z", 0, "taskScheduled", r#""name": "notify""#),
        turn("2026-01-01T09:01:00Z"),
        event("2026-01-01T09:01:00Z", -1, "taskCompleted", r#""taskScheduledId": 0, "result": "null""#),
        event("2026-01-01T09:01:00Z", 1, "timerCreated", wait),
        turn("2026-01-02T09:00:00Z"),
        event("2026-01-02T09:00:00Z", -1, "eventRaised", decision),
        event("2026-01-02T09:00:00Z", 2, "taskScheduled", r#""name": "record""#),
        turn("2026-01-02T09:01:00Z"),
        event("2026-01-02T09:01:00Z", -1, "taskCompleted", r#""taskScheduledId": 2, "result": "null""#),
        event("2026-01-02T09:01:00Z", -1, "executionCompleted", completed),
    ]
}

/// The beginning of it, as a history file.
pub(crate) fn first(count: usize) -> String {
    file(&events()[..count])
}

/// Events as a history file, one a line.
pub(crate) fn file(events: &[String]) -> String {
    format!("[\n{}\n]\n", events.join(",\n"))
}

/// All of it with one event replaced, counted from 1.
pub(crate) fn falsified(number: usize, event: &str) -> String {
    let mut events = events();
    events[number - 1] = event.to_owned();
    file(&events)
}
