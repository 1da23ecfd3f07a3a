//! Components that export activities and no workflows at all, which the SDK for Rust never makes.

use everturn_guest::{Component, ComponentError, RunError};

use crate::guest::{engine, started_guest};

const LISTS: &str = r#"
    (field "signals" (list string)) (field "updates" (list string)) (field "queries" (list string))"#;

/// The component with workflows, told as activities. `fields` is what a description has beside name and summary.
fn load(fields: &str) -> Result<Component, ComponentError> {
    let text = include_str!("workflow.wat");
    let exported = text
        .replace("everturn:workflow/workflows@", "everturn:activity/activities@")
        .replace("workflow-description", "activity-description")
        .replace("      (field \"signals\"", "    (field \"signals\"")
        .replace(&LISTS[1..], fields);
    engine().load(&wat::parse_str(exported).unwrap())
}

#[test]
fn activities_are_described_where_there_are_no_workflows() {
    let component = load("").unwrap();
    assert_eq!(component.workflows(), []);
    let names: Vec<_> = component.activities().iter().map(|activity| activity.name.as_str()).collect();
    assert_eq!(names, ["w"]);

    let error = started_guest(&component, "w").run().unwrap_err();
    assert!(matches!(error, RunError::UnknownWorkflow { .. }), "{error:?}");
}

#[test]
fn activities_of_another_shape_are_refused() {
    let error = load(LISTS).err();
    assert!(matches!(error, Some(ComponentError::Unfit { .. })), "{error:?}");
}
