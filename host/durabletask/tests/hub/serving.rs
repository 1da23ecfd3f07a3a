//! The token, health, reflection, and how a server stops.

use std::net::{Ipv4Addr, TcpListener};

use everturn_durabletask::GrpcOptions;
use everturn_history::text;
use everturn_server::{BindError, Listener};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use crate::house::{House, look};
use crate::worker::{Worker, completed, dapr};

async fn health(house: &House, service: &str) -> Result<ServingStatus, tonic::Status> {
    let request = HealthCheckRequest { service: service.to_owned() };
    let response = HealthClient::new(house.channel().await).check(request).await?;
    Ok(response.into_inner().status())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_show_the_token_may_ask_for_health_and_nothing_else() {
    let house = House::with(GrpcOptions { token: Some("secret".to_owned()), ..GrpcOptions::default() }).await;
    let mut client = house.client().await;
    let with = |token: &'static str| {
        let mut request = Request::new(look("i"));
        request.metadata_mut().insert("dapr-api-token", token.parse().unwrap());
        request
    };
    assert!(client.get_instance(with("secret")).await.is_ok());
    assert_eq!(client.get_instance(with("wrong")).await.unwrap_err().code(), Code::Unauthenticated);
    assert_eq!(client.get_instance(look("i")).await.unwrap_err().code(), Code::Unauthenticated);
    assert_eq!(client.get_work_items(dapr()).await.unwrap_err().code(), Code::Unauthenticated);
    assert_eq!(health(&house, "").await.unwrap(), ServingStatus::Serving);
    assert_eq!(services(&house).await.unwrap_err().code(), Code::Unauthenticated);
}

/// The head of a frame of HTTP/2: how long, which kind, which flags. None of ours belongs to a call.
fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0, 0, u8::try_from(payload.len()).unwrap(), kind, flags, 0, 0, 0, 0];
    frame.extend_from_slice(payload);
    frame
}

#[tokio::test(flavor = "multi_thread")]
async fn pings_without_calls_are_answered_however_many_come() {
    const SETTINGS: u8 = 4;
    const PING: u8 = 6;
    const GOODBYE: u8 = 7;
    const ACKNOWLEDGED: u8 = 1;
    let house = House::new().await;
    let mut peer = TcpStream::connect(house.address).await.unwrap();
    peer.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await.unwrap();
    peer.write_all(&frame(SETTINGS, 0, &[])).await.unwrap();
    for number in 0..300_u64 {
        peer.write_all(&frame(PING, 0, &number.to_be_bytes())).await.unwrap();
        loop {
            let mut head = [0; 9];
            peer.read_exact(&mut head).await.unwrap();
            let mut payload = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
            peer.read_exact(&mut payload).await.unwrap();
            match (head[3], head[4]) {
                (PING, ACKNOWLEDGED) => break assert_eq!(payload, number.to_be_bytes()),
                (GOODBYE, _) => panic!("after {number} pings the connection was closed"),
                _ => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_healthy_under_both_names() {
    let house = House::new().await;
    for service in ["", "TaskHubSidecarService"] {
        assert_eq!(health(&house, service).await.unwrap(), ServingStatus::Serving, "{service}");
    }
    assert_eq!(health(&house, "other").await.unwrap_err().code(), Code::NotFound);
}

async fn services(house: &House) -> Result<Vec<String>, tonic::Status> {
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(house.channel().await);
    let requests = futures::stream::iter([request]);
    let response = client.server_reflection_info(requests).await?.into_inner().message().await?.unwrap();
    match response.message_response.unwrap() {
        MessageResponse::ListServicesResponse(list) => Ok(list.service.into_iter().map(|it| it.name).collect()),
        other => panic!("{other:?} is no list"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_shows_what_can_be_called() {
    let services = services(&House::new().await).await.unwrap();
    for service in ["TaskHubSidecarService", "grpc.health.v1.Health"] {
        assert!(services.iter().any(|name| name == service), "{services:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_let_go_in_order_when_the_server_stops() {
    let mut house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    // One that has said nothing yet does not keep it.
    let silent = TcpStream::connect(house.address).await.unwrap();
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![completed(1, "2")]).await.unwrap();
    house.stop().await;
    assert!(worker.items.message().await.unwrap().is_none(), "the stream ends without an error");
    assert_eq!((house.usage.streams(), house.usage.items()), (0, 0));
    assert!(TcpStream::connect(house.address).await.is_err());
    drop(silent);
    let view = house.runtime.instance(&"i".into()).await.unwrap();
    assert_eq!(view.instance.outcome.unwrap().result, Some(text("2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_loopback_addresses_that_are_free_are_taken() {
    let everywhere = Listener::bind((Ipv4Addr::UNSPECIFIED, 0).into()).await.unwrap_err();
    assert!(matches!(everywhere, BindError::NotLoopback { .. }), "{everywhere}");
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let error = Listener::bind(taken.local_addr().unwrap()).await.unwrap_err();
    assert!(matches!(error, BindError::InUse { .. }), "{error}");
}
