//! The OpenAPI document says what there is: no more and no less.

use serde_json::Value;

use crate::client;
use crate::house::House;

#[test]
fn the_document_is_served_and_describes_every_route() {
    let document = House::empty().get("/openapi.json").ok(200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            operations.push(format!("{} {path}", method.to_uppercase()));
        }
    }
    operations.sort();
    let expected = [
        "DELETE /v1/workflows/{id}",
        "GET /healthz",
        "GET /v1/deployments",
        "GET /v1/deployments/{version}",
        "GET /v1/deployments/{version}/moving",
        "GET /v1/events",
        "GET /v1/gate-reports",
        "GET /v1/status",
        "GET /v1/workflows",
        "GET /v1/workflows/{id}",
        "GET /v1/workflows/{id}/history",
        "GET /v1/workflows/{id}/wait",
        "POST /v1/deployments",
        "POST /v1/deployments/{version}/activate",
        "POST /v1/deployments/{version}/retire",
        "POST /v1/purge",
        "POST /v1/rollback",
        "POST /v1/workflows",
        "POST /v1/workflows/{id}/events/{name}",
        "POST /v1/workflows/{id}/move",
        "POST /v1/workflows/{id}/queries/{name}",
        "POST /v1/workflows/{id}/rerun",
        "POST /v1/workflows/{id}/reset",
        "POST /v1/workflows/{id}/resume",
        "POST /v1/workflows/{id}/signals/{name}",
        "POST /v1/workflows/{id}/suspend",
        "POST /v1/workflows/{id}/terminate",
        "POST /v1/workflows/{id}/updates/{name}",
    ];
    assert_eq!(operations, expected);
}

#[test]
fn a_deploy_is_answered_by_one_answer_or_by_events() {
    let document = House::empty().get("/openapi.json").ok(200);
    for path in ["/v1/deployments", "/v1/deployments/{version}/activate"] {
        let content = &document["paths"][path]["post"]["responses"]["200"]["content"];
        let kinds: Vec<_> = content.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(kinds, ["application/json", "text/event-stream"], "{path}");
    }
}

#[test]
fn every_route_of_the_document_is_there() {
    let house = House::empty();
    let document = house.get("/openapi.json").ok(200);
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys().filter(|_| path != "/v1/events") {
            let path = path.replace("{id}", "i").replace("{name}", "go").replace("{version}", "v");
            let answer = client::send(house.address, &format!("{} {path}", method.to_uppercase()), &[], &[]);
            assert!(!answer.body.contains("no_such_route") && answer.status != 405, "{method} {path}: {answer:?}");
        }
    }
}

#[test]
fn every_reference_in_the_document_leads_somewhere() {
    let document = House::empty().get("/openapi.json").ok(200);
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 20, "{references:?}");
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}
