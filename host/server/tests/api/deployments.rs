//! Making components available.

use everturn_tests::guests::{APPROVAL, SOCKET, TEST_GUESTS};
use serde_json::json;

use crate::client;
use crate::house::House;

#[test]
fn a_component_is_deployed_and_listed_with_what_it_may_reach() {
    let house = House::empty();
    let query = "version=v1&allowHttp=api.example.com&allowHttp=localhost:8080&env=MODE=a%3Db&secret=KEY";
    let deployed = house.deploy(query, &APPROVAL.bytes().unwrap()).ok(201);
    assert_eq!((&deployed["version"], &deployed["workflows"]), (&json!("v1"), &json!(["approval"])));
    let listed = house.get("/v1/deployments").ok(200)["deployments"][0].clone();
    assert_eq!(listed["version"], "v1");
    assert_eq!(listed["digest"], deployed["digest"]);
    assert_eq!(listed["activeWorkflows"], json!(["approval"]));
    assert_eq!(listed["size"], APPROVAL.bytes().unwrap().len());
    let grants =
        json!({"http": ["api.example.com", "localhost:8080"], "environment": {"MODE": "a=b"}, "secrets": ["KEY"]});
    assert_eq!(listed["grants"], grants);
    assert_eq!(listed["openInstances"], 0);
}

#[test]
fn the_newest_is_active_and_an_older_one_may_be_asked_for() {
    let house = House::empty();
    house.deploy("version=v1", &APPROVAL.bytes().unwrap()).ok(201);
    house.deploy("", &TEST_GUESTS.bytes().unwrap()).ok(201);
    let listed = house.get("/v1/deployments").ok(200);
    let versions: Vec<_> = listed["deployments"].as_array().unwrap().iter().map(|one| one["version"].clone()).collect();
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[1], "v1");
    house.post("/v1/workflows", &json!({"workflow": "approval", "id": "i", "version": "v1"})).ok(201);
    house.end_of("i");
    assert_eq!(house.get("/v1/workflows/i").ok(200)["deployment"], "v1");
}

#[test]
fn a_label_stands_for_one_component() {
    let house = House::empty();
    house.deploy("version=v1", &APPROVAL.bytes().unwrap()).ok(201);
    house.deploy("version=v1", &APPROVAL.bytes().unwrap()).ok(201);
    assert_eq!(house.deploy("version=v1", &TEST_GUESTS.bytes().unwrap()).code(409), "label_in_use");
}

#[test]
fn what_is_no_component_is_refused_with_the_reason() {
    let house = House::empty();
    assert_eq!(house.deploy("", b"not wasm").code(422), "component_unusable");
    let answer = house.deploy("", &SOCKET.bytes().unwrap());
    assert_eq!(answer.code(422), "component_unusable");
    assert!(answer.message().contains("sockets"), "{answer:?}");
    assert_eq!(house.get("/v1/deployments").ok(200), json!({"deployments": []}));
}

#[test]
fn what_cannot_be_read_is_refused() {
    let house = House::empty();
    for query in ["allowHttp=*", "env=MODE", "env==x", "version=a&version=b", "label=v1"] {
        assert_eq!(house.deploy(query, b"").code(400), "invalid_parameter", "{query}");
    }
    for query in ["strategy=some", "gate=some", "gate=sample=", "successors=old", "ramp=0", "ramp=100", "dryRun=maybe"]
    {
        assert_eq!(house.deploy(query, b"").code(400), "invalid_parameter", "{query}");
    }
    assert_eq!(house.deploy("version=", b"").code(400), "invalid_name");
    let json = [("content-type", "application/json")];
    assert_eq!(client::send(house.address, "POST /v1/deployments", &json, b"{}").code(415), "unsupported_media_type");
}

#[test]
fn a_component_that_is_too_large_is_refused_before_it_is_read() {
    let house = House::empty();
    let headers = [("content-type", "application/wasm"), ("content-length", "67108865")];
    let answer = client::send(house.address, "POST /v1/deployments", &headers, b"");
    assert_eq!(answer.code(413), "body_too_large");
    assert!(answer.message().contains("67108864"), "{answer:?}");
}
