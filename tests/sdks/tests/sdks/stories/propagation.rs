//! History that a parent passes on to its child.

use serde_json::json;

use super::stories;
use crate::stage::Stage;

stories![a_child_sees_what_its_parent_did_before];

fn a_child_sees_what_its_parent_did_before(stage: &Stage) {
    let state = stage.client.run("ancestor", "ancestor", &json!("Alan"));
    assert_eq!(state.status, "COMPLETED", "{state:?}");
    assert_eq!(state.output(), json!({"input": "\"Alan\"", "output": "\"Hello, Alan!\"", "completed": true}));
}
