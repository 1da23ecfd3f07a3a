//! Bodies that cannot be read.

use crate::client;
use crate::house::House;

#[test]
fn malformed_json_is_refused_with_line_and_column() {
    let answer = House::empty().post_text("/v1/workflows", "{\n  \"workflow\": oops\n}");
    assert_eq!(answer.code(400), "invalid_json");
    assert!(answer.message().contains("line 2 column 15"), "{answer:?}");
}

#[test]
fn an_unknown_field_is_named() {
    let house = House::empty();
    let table = [
        ("/v1/workflows", r#"{"workflow": "a", "inptu": 1}"#, "`inptu`"),
        ("/v1/workflows", r#"{"input": 1}"#, "missing field `workflow`"),
        ("/v1/workflows", r#"{"workflow": "a", "ifExists": "maybe"}"#, "`maybe`"),
        ("/v1/workflows", r#"{"workflow": "a", "startsAt": "noon"}"#, "a time such as"),
        ("/v1/workflows/i/events/go", r#"{"payload": 1}"#, "`payload`"),
        ("/v1/workflows/i/terminate", r#"{"reason": 1}"#, "`reason`"),
        ("/v1/workflows/i/suspend", r#"{"why": 1}"#, "`why`"),
        ("/v1/workflows/i/rerun", r#"{"from": "a"}"#, "line 1 column 12"),
        ("/v1/purge", r#"{"statuses": []}"#, "`statuses`"),
    ];
    for (path, body, expected) in table {
        let answer = house.post_text(path, body);
        assert_eq!(answer.code(400), "invalid_request", "{path} {body}");
        assert!(answer.message().contains(expected), "{path} {body}: {answer:?}");
    }
}

#[test]
fn a_body_of_another_type_is_refused() {
    let house = House::empty();
    for path in ["/v1/workflows", "/v1/workflows/i/terminate", "/v1/workflows/i/events/go", "/v1/purge"] {
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
            let answer = client::send(house.address, &format!("POST {path}"), &[("content-type", kind)], b"{}");
            assert_eq!(answer.code(415), "unsupported_media_type", "{path} {kind}");
        }
        let answer = client::send(house.address, &format!("POST {path}"), &[], b"{}");
        assert_eq!(answer.code(415), "unsupported_media_type", "{path}");
    }
    let parameters = [("content-type", "Application/JSON; charset=utf-8")];
    assert_eq!(client::send(house.address, "POST /v1/purge", &parameters, b"{").code(400), "invalid_json");
}

#[test]
fn a_body_that_is_too_large_is_refused_by_its_length_or_when_it_gets_there() {
    let house = House::empty();
    let announced = [("content-type", "application/json"), ("content-length", "3000000")];
    assert_eq!(client::send(house.address, "POST /v1/workflows", &announced, b"").code(413), "body_too_large");
    let chunked = [("content-type", "application/json"), ("transfer-encoding", "chunked")];
    let mut body = format!("{:x}\r\n", 3_000_000).into_bytes();
    body.extend(vec![b' '; 3_000_000]);
    assert_eq!(client::send(house.address, "POST /v1/workflows", &chunked, &body).code(413), "body_too_large");
}

#[test]
fn an_empty_body_where_one_is_needed() {
    assert_eq!(House::empty().post_text("/v1/workflows", "").code(400), "invalid_json");
}
