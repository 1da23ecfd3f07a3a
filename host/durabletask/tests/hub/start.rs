//! Starts, and ids that are in use.

use std::collections::BTreeMap;

use everturn_durabletask::protocol::{
    CreateInstanceRequest, CreateOrchestrationAction, InstanceFields, OrchestrationIdReusePolicy,
};
use everturn_history::{OrchestrationStatus, Timestamp, text};
use tonic::Code;

use crate::house::{Client, House, start};
use crate::worker::{Worker, dapr, long_timer};

async fn code(client: &mut Client, request: CreateInstanceRequest) -> Code {
    client.start_instance(request).await.map_or_else(|status| status.code(), |_| Code::Ok)
}

fn with_policy(statuses: &[OrchestrationStatus], action: Option<CreateOrchestrationAction>) -> CreateInstanceRequest {
    let mut request = start("i", "2");
    request.fields.orchestration_id_reuse_policy = Some(OrchestrationIdReusePolicy {
        operation_status: statuses.iter().map(|status| (*status).into()).collect(),
        action: action.map(Into::into),
    });
    request
}

/// Ends whatever runs under id `i`.
async fn end(house: &House) {
    let mut worker = Worker::connect(house, dapr()).await;
    worker.end("0").await;
    house.end_of("i").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_waits_for_no_worker_and_keeps_what_it_was_given() {
    let house = House::new().await;
    let request = CreateInstanceRequest {
        fields: InstanceFields {
            instance_id: String::new(),
            name: "w".to_owned(),
            version: Some(text("")),
            input: None,
            // What JavaScript's clients send when nobody chose a time.
            scheduled_start_timestamp: Some(Timestamp { seconds: 0, nanos: 0 }),
            tags: BTreeMap::from([("k".to_owned(), "v".to_owned())]),
            execution_id: Some(text("run")),
            ..InstanceFields::default()
        },
        ..CreateInstanceRequest::default()
    };
    let id = house.client().await.start_instance(request).await.unwrap().into_inner().instance_id;
    assert!(!id.is_empty());

    let state = house.state(&id).await.unwrap();
    assert_eq!((state.workflow_status(), state.version), (OrchestrationStatus::Pending, None));
    assert_eq!((state.execution_id, state.tags.get("k").map(String::as_str)), (Some(text("run")), Some("v")));
    assert!(state.scheduled_start_timestamp.unwrap().seconds > 1_000_000_000);
    let mut worker = Worker::connect(&house, dapr()).await;
    assert_eq!(worker.turn().await.request.instance_id, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_refused() {
    let house = House::new().await;
    let mut client = house.client().await;
    let mut nameless = start("i", "1");
    nameless.fields.name.clear();
    let mut timeless = start("i", "1");
    timeless.fields.scheduled_start_timestamp = Some(Timestamp { seconds: 0, nanos: i32::MAX });
    for request in [nameless, timeless, start("a\nb", "1"), start(&"x".repeat(1_000), "1")] {
        assert_eq!(code(&mut client, request).await, Code::InvalidArgument);
    }
    assert_eq!(code(&mut client, start("i", &"x".repeat(3_000_000))).await, Code::ResourceExhausted);
    assert_eq!(house.state("i").await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn daprs_clients_take_the_place_of_what_has_ended() {
    let house = House::new().await;
    let mut client = house.client().await;
    assert_eq!(code(&mut client, start("i", "1")).await, Code::Ok);
    assert_eq!(code(&mut client, start("i", "1")).await, Code::AlreadyExists);
    end(&house).await;
    let unique = CreateInstanceRequest { enforce_unique_instance_id: true, ..start("i", "2") };
    assert_eq!(code(&mut client, unique).await, Code::AlreadyExists);
    assert_eq!(code(&mut client, start("i", "2")).await, Code::Ok);
    assert_eq!(house.state("i").await.unwrap().input, Some(text("2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn microsofts_clients_say_whose_place_they_take() {
    use OrchestrationStatus::{Completed, Failed, Pending};
    let house = House::microsoft().await;
    let mut client = house.client().await;
    assert_eq!(code(&mut client, start("i", "1")).await, Code::Ok);
    end(&house).await;
    assert_eq!(code(&mut client, start("i", "2")).await, Code::AlreadyExists);
    assert_eq!(code(&mut client, with_policy(&[Failed], None)).await, Code::AlreadyExists);
    assert_eq!(code(&mut client, with_policy(&[Failed, Completed], None)).await, Code::Ok);
    assert_eq!(code(&mut client, with_policy(&[Completed], None)).await, Code::AlreadyExists);
    assert_eq!(code(&mut client, with_policy(&[Pending], None)).await, Code::Ok);
}

#[tokio::test(flavor = "multi_thread")]
async fn older_clients_of_dapr_say_what_to_do() {
    use CreateOrchestrationAction::{Ignore, Terminate};
    let house = House::new().await;
    let mut client = house.client().await;
    assert_eq!(code(&mut client, start("i", "1")).await, Code::Ok);
    let mut worker = Worker::connect(&house, dapr()).await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![long_timer(1)]).await.unwrap();
    let running = &[OrchestrationStatus::Running];
    assert_eq!(code(&mut client, with_policy(running, Some(Ignore))).await, Code::Ok);
    assert_eq!(house.state("i").await.unwrap().input, Some(text("1")), "it was left alone");
    assert_eq!(code(&mut client, with_policy(running, None)).await, Code::AlreadyExists);
    assert_eq!(code(&mut client, with_policy(running, Some(Terminate))).await, Code::Ok);
    assert_eq!(house.state("i").await.unwrap().input, Some(text("2")));
}
