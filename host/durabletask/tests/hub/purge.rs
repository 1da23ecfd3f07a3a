//! Deleting instances.

use everturn_durabletask::protocol::{
    InstanceBatch, PurgeFields, PurgeInstanceFilter, PurgeInstancesRequest, PurgeTarget,
};
use everturn_history::{OrchestrationStatus, Timestamp};
use tonic::Code;

use crate::house::{Client, House};
use crate::worker::{Worker, dapr};

fn one(id: &str) -> PurgeInstancesRequest {
    let fields = PurgeFields { target: Some(PurgeTarget::InstanceId(id.to_owned())), recursive: true };
    PurgeInstancesRequest { fields, force: false, batch: None }
}

fn matching(filter: PurgeInstanceFilter) -> PurgeInstancesRequest {
    let fields = PurgeFields { target: Some(PurgeTarget::Filter(filter)), recursive: false };
    PurgeInstancesRequest { fields, ..PurgeInstancesRequest::default() }
}

async fn count(client: &mut Client, request: PurgeInstancesRequest) -> i32 {
    let response = client.purge_instances(request).await.unwrap().into_inner();
    assert!(response.is_complete.unwrap().value);
    response.deleted_instance_count
}

/// Two that have ended and one that has not.
async fn three(house: &House) {
    let mut worker = Worker::connect(house, dapr()).await;
    for id in ["a", "b"] {
        house.start(id, "1").await;
        worker.end("2").await;
        house.end_of(id).await;
    }
    drop(worker);
    house.start("open", "1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_deleted_by_its_id() {
    let house = House::new().await;
    three(&house).await;
    let mut client = house.client().await;
    assert_eq!(count(&mut client, one("a")).await, 1);
    assert_eq!(count(&mut client, one("a")).await, 0);
    assert_eq!(count(&mut client, one("open")).await, 0);
    assert_eq!(count(&mut client, PurgeInstancesRequest { force: true, ..one("open") }).await, 1);
    assert_eq!((house.state("a").await, house.state("open").await), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_are_deleted_by_their_ids() {
    let house = House::microsoft().await;
    three(&house).await;
    let ids = ["a", "b", "open", "missing"].map(str::to_owned);
    let batch = Some(InstanceBatch { instance_ids: ids.to_vec() });
    let request = PurgeInstancesRequest { batch, ..PurgeInstancesRequest::default() };
    assert_eq!(count(&mut house.client().await, request).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_have_ended_are_deleted_by_a_filter() {
    let house = House::new().await;
    three(&house).await;
    let mut client = house.client().await;
    let status = |status: OrchestrationStatus| PurgeInstanceFilter {
        runtime_status: vec![status.into()],
        ..PurgeInstanceFilter::default()
    };
    assert_eq!(count(&mut client, matching(status(OrchestrationStatus::Failed))).await, 0);
    assert_eq!(count(&mut client, matching(status(OrchestrationStatus::Pending))).await, 0);
    let long_ago = PurgeInstanceFilter {
        created_time_to: Some(Timestamp { seconds: 1, nanos: 0 }),
        ..PurgeInstanceFilter::default()
    };
    assert_eq!(count(&mut client, matching(long_ago)).await, 0);
    assert_eq!(count(&mut client, matching(status(OrchestrationStatus::Completed))).await, 2);
    assert!(house.state("open").await.is_some());

    let refused = client.purge_instances(PurgeInstancesRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
}
