//! Peers that do what they should not. The host goes on, and nobody else notices.

use everturn_durabletask::protocol::workflow_action::ActionType;
use everturn_durabletask::protocol::{WorkflowAction, WorkflowResponse};
use everturn_history::{CreateTimerAction, OrchestrationStatus, Timestamp, text};
use everturn_runtime::Until;
use everturn_runtime::store::Status;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::Code;

use crate::house::{House, start, until};
use crate::worker::{Worker, call, completed, dapr, ended, response};

#[tokio::test(flavor = "multi_thread")]
async fn garbage_on_the_port_ends_its_connection_and_nothing_else() {
    let house = House::new().await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let after_preface: Vec<u8> = preface.iter().copied().chain([0xff; 64]).collect();
    let table: [&[u8]; 4] = [b"GET / HTTP/1.1\r\n\r\n", &[0; 64], &[0xff; 1_024], &after_preface];
    for garbage in table {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        stream.write_all(garbage).await.unwrap();
        let mut answer = Vec::new();
        // The host may reset it or end it in order.
        let _ = stream.read_to_end(&mut answer).await;
    }
    house.start("i", "1").await;
    assert_eq!(house.status("i").await, Some(OrchestrationStatus::Pending));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_is_a_matter_of_resources() {
    let house = House::new().await;
    let mut client = house.client().await;
    let refused = client.start_instance(start("i", &"x".repeat(17 * 1024 * 1024))).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
    client.hello(pbjson_types::Empty {}).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_makes_no_sense_leaves_the_turn_with_its_worker() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let nonsense = CreateTimerAction {
        fire_at: Some(Timestamp { seconds: i64::MAX, nanos: i32::MAX }),
        ..CreateTimerAction::default()
    };
    let timer = WorkflowAction { id: 1, action_type: Some(ActionType::CreateTimer(nonsense)), router_or_rewind: None };
    let table = [
        (vec![call(1, "x"), call(1, "y")], Code::InvalidArgument),
        (vec![WorkflowAction::default()], Code::InvalidArgument),
        (vec![timer], Code::InvalidArgument),
        (vec![ended(1, OrchestrationStatus::Running, "x")], Code::InvalidArgument),
        (vec![call(1, &"x".repeat(3_000_000))], Code::ResourceExhausted),
        ((1..=10_001).map(|id| call(id, "x")).collect(), Code::ResourceExhausted),
    ];
    for (actions, code) in table {
        let refused = worker.answer(&turn, actions).await.unwrap_err();
        assert_eq!(refused.code(), code, "{refused}");
    }
    worker.answer(&turn, vec![completed(1, "2")]).await.unwrap();
    assert_eq!(house.end_of("i").await.output, Some(text("2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_calls_entities_is_held_and_says_why() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let entity =
        WorkflowAction { id: 1, action_type: Some(ActionType::SendEntityMessage(vec![])), router_or_rewind: None };
    let refused = worker.answer(&turn, vec![entity]).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let held = house.runtime.wait_until(&"i".into(), Until::Suspended).await.unwrap();
    assert_eq!((held.status, held.stalled.as_deref()), (Status::Stalled, Some(refused.message())));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_for_instances_of_others_change_nothing() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let mut stranger = house.client().await;
    for (instance, token) in [("i", "f".repeat(32)), ("missing", "f".repeat(32))] {
        let answer = WorkflowResponse {
            instance_id: instance.to_owned(),
            completion_token: token,
            actions: vec![completed(1, "stolen")],
            ..WorkflowResponse::default()
        };
        stranger.complete_orchestrator_task(answer).await.unwrap();
    }
    let answer = WorkflowResponse { instance_id: "other".to_owned(), ..response(&turn, vec![]) };
    assert_eq!(stranger.complete_orchestrator_task(answer).await.unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(house.status("i").await, Some(OrchestrationStatus::Pending));
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_come_and_go_leave_nothing_behind_and_lose_nothing() {
    let house = House::new().await;
    house.start("i", "1").await;
    house.start("j", "1").await;
    for round in 0..20 {
        let mut worker = Worker::connect(&house, dapr()).await;
        if round % 2 == 0 {
            worker.turn().await;
        }
    }
    until(|| house.usage.streams() == 0).await;
    assert_eq!(house.usage.items(), 0);

    let mut worker = Worker::connect(&house, dapr()).await;
    for _ in 0..2 {
        let turn = worker.turn().await;
        worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    }
    let lost = worker.activity().await;
    drop(worker);
    let mut worker = Worker::connect(&house, dapr()).await;
    let activities = [worker.activity().await, worker.activity().await];
    worker.done(&lost, "late").await.unwrap();
    for activity in &activities {
        worker.done(activity, "y").await.unwrap();
    }
    for _ in 0..2 {
        worker.end("z").await;
    }
    for id in ["i", "j"] {
        assert_eq!(house.end_of(id).await.output, Some(text("z")));
    }
    drop(worker);
    until(|| house.usage.streams() == 0 && house.usage.items() == 0).await;
}
