//! Tests of activities as compiled components; they are in `tests/`. The library only says where the components are.

/// `tests/guests/activities`: activities, well-behaved and otherwise, and two workflows.
pub const ACTIVITIES: &str = env!("EVERTURN_TEST_ACTIVITIES_WASM");

/// `tests/guests/lone-activity`: one activity and no workflow.
pub const LONE_ACTIVITY: &str = env!("EVERTURN_TEST_LONE_ACTIVITY_WASM");

/// `tests/guests/network`: a workflow that sends an HTTP request, and no activity.
pub const NETWORK: &str = env!("EVERTURN_TEST_GUEST_NETWORK_WASM");
