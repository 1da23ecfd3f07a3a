//! Which HTTP requests go out, and what an activity sees of those that do not.

use std::sync::Arc;

use everturn_activity::{ActivityLimits, Grants, Outcome};
use everturn_replay::Failure;
use serde_json::{Value, json};

use crate::fixture::*;
use crate::logs::heard;
use crate::server::Server;

fn granting(hosts: &[String]) -> Grants {
    Grants { http: hosts.iter().map(|host| host.parse().unwrap()).collect(), ..Grants::default() }
}

fn ask(server: &Server, activity: &str, input: &Value) -> Outcome {
    run_granted(activity, input, &granting(&[format!("localhost:{}", server.port)]))
}

fn assert_not_granted(failure: &Failure, host: &str) {
    assert_eq!((failure.error_type.as_str(), failure.retriable), ("HttpNotGranted", false), "{failure:?}");
    let advice = format!("`everturn deploy --allow-http {host}`");
    assert!(failure.message.contains(&advice), "{}", failure.message);
}

#[test]
fn a_granted_host_answers() {
    let server = Server::start();
    let answer = json(ask(&server, "fetch", &json!(server.url("/hello"))));
    assert_eq!(answer, json!({ "status": 200, "kind": "text/plain", "location": null, "body": "hello" }));
}

#[test]
fn all_of_a_request_arrives() {
    let server = Server::start();
    let url = server.url("/echo?a=b#c");
    let sent = json!({ "method": "PATCH", "url": url, "headers": [["x-key", "7"], ["x-key", "8"]], "body": "Grüße" });
    let answer = json(ask(&server, "send", &sent));
    let echo: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    assert_eq!((&echo["method"], &echo["path"]), (&json!("PATCH"), &json!("/echo?a=b")));
    assert_eq!(echo["body"], "Grüße");
    let headers = echo["headers"].as_array().unwrap();
    let host = format!("localhost:{}", server.port);
    for header in [json!(["x-key", "7"]), json!(["x-key", "8"]), json!(["content-length", "7"]), json!(["host", host])]
    {
        assert!(headers.contains(&header), "{header} in {headers:?}");
    }
}

#[test]
fn a_request_without_a_body_says_so() {
    let server = Server::start();
    for method in ["POST", "PUT", "PATCH"] {
        let sent = json!({ "method": method, "url": server.url("/echo"), "headers": [], "body": "" });
        let answer = json(ask(&server, "send", &sent));
        let echo: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
        let headers = echo["headers"].as_array().unwrap();
        assert!(headers.contains(&json!(["content-length", "0"])), "{method}: {headers:?}");
        assert!(!headers.iter().any(|header| header[0] == "transfer-encoding"), "{method}: {headers:?}");
    }
}

#[test]
fn large_bodies_go_both_ways() {
    let server = Server::start();
    let bytes = 3 * 1024 * 1024;
    let back = json(ask(&server, "sends_a_lot", &json!([server.url("/echo"), bytes])));
    assert!(back.as_u64().unwrap() > bytes, "{back}");
}

#[test]
fn several_requests_are_under_way_at_the_same_time() {
    let server = Server::start();
    let both = json!([server.url("/both"), server.url("/both")]);
    assert_eq!(json(ask(&server, "fetch_both", &both)), json!([200, 200]));
}

#[test]
fn a_host_that_was_not_granted_hears_nothing() {
    let server = Server::start();
    let host = format!("localhost:{}", server.port);
    let lines = heard(|| assert_not_granted(&failure(run("fetch", &json!(server.url("/hello")))), &host));
    assert_eq!(server.seen(), [""; 0]);
    let expected = format!(
        "an HTTP request to `{host}` was refused: it was not granted; grant it with `everturn deploy --allow-http {host}`"
    );
    assert_eq!(lines.iter().map(|line| line.message.clone()).collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_grant_means_its_name_and_its_port_and_no_other() {
    let server = Server::start();
    let port = server.port;
    let granted = [format!("other.example.com:{port}"), "localhost".to_owned(), "localhost:1".to_owned()];
    let table = [
        format!("localhost:{port}"),
        format!("LOCALHOST:{port}"),
        format!("127.0.0.1:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("[::1]:{port}"),
        format!("localhost.:{port}"),
        format!("other.example.com:{port}@localhost:{port}"),
        "localhost:2".to_owned(),
    ];
    for authority in table {
        let url = format!("http://{authority}/hello");
        let failure = failure(run_granted("fetch", &json!(url), &granting(&granted)));
        assert_eq!(failure.error_type, "HttpNotGranted", "{authority}: {failure:?}");
    }
    assert_eq!(server.seen(), [""; 0]);
}

#[test]
fn an_address_is_refused_where_its_name_is_granted() {
    let server = Server::start();
    let url = format!("http://127.0.0.1:{}/hello", server.port);
    assert_not_granted(&failure(ask(&server, "fetch", &json!(url))), &format!("127.0.0.1:{}", server.port));
    assert_eq!(server.seen(), [""; 0]);
}

#[test]
fn a_redirect_is_an_answer_and_opens_no_other_host() {
    let (server, other) = (Server::start(), Server::start());
    let away = server.url(&format!("/redirect?{}", other.url("/hello")));
    let answer = json(ask(&server, "fetch", &json!(away)));
    assert_eq!((&answer["status"], &answer["location"]), (&json!(302), &json!(other.url("/hello"))));

    assert_not_granted(&failure(ask(&server, "follow", &json!(away))), &format!("localhost:{}", other.port));
    assert_eq!(other.seen(), [""; 0]);

    let here = server.url(&format!("/redirect?{}", server.url("/hello")));
    assert_eq!(json(ask(&server, "follow", &json!(here)))["body"], "hello");
}

#[test]
fn the_older_wasi_is_held_to_the_same() {
    let server = Server::start();
    let host = format!("localhost:{}", server.port);
    assert_eq!(json(ask(&server, "fetch_in_the_older_way", &json!([host, "/hello"]))), json!(200));
    assert_eq!(server.seen(), ["/hello"]);

    for authority in [host, format!("127.0.0.1:{}", server.port)] {
        let refused = failure(run("fetch_in_the_older_way", &json!([authority, "/hello"])));
        assert_eq!(refused.message, "ErrorCode::HttpRequestDenied", "{authority}");
    }
    assert_eq!(server.seen(), ["/hello"]);
}

#[test]
fn a_server_without_a_certificate_is_not_talked_to_in_secret() {
    let server = Server::start();
    let url = server.url("/hello").replace("http:", "https:");
    let failure = failure(ask(&server, "fetch", &json!(url)));
    assert_eq!((failure.error_type.as_str(), failure.retriable), ("HttpFailed", true), "{failure:?}");
    assert!(failure.message.contains("Tls"), "{failure:?}");
}

#[test]
fn a_header_cannot_send_a_request_elsewhere() {
    let server = Server::start();
    let sent =
        json!({ "method": "GET", "url": server.url("/hello"), "headers": [["host", "example.com"]], "body": "" });
    let failure = failure(ask(&server, "send", &sent));
    assert_eq!((failure.error_type.as_str(), failure.retriable), ("HttpInvalidRequest", false), "{failure:?}");
    assert_eq!(server.seen(), [""; 0]);
}

#[test]
fn what_is_no_request_is_refused_for_good() {
    let server = Server::start();
    for url in ["", "localhost", "ftp://localhost/", "http://local host/", "http://localhost/a b"] {
        let failure = failure(ask(&server, "fetch", &json!(url)));
        assert_eq!(
            (failure.error_type.as_str(), failure.retriable),
            ("HttpInvalidRequest", false),
            "{url}: {failure:?}"
        );
    }
}

#[test]
fn a_request_without_an_answer_may_be_tried_again() {
    let server = Server::start();
    let closed = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.local_addr().unwrap().port()
    };
    let grants = granting(&[format!("localhost:{closed}"), format!("localhost:{}", server.port)]);
    for url in [format!("http://localhost:{closed}/"), server.url("/cut")] {
        let failure = failure(run_granted("fetch", &json!(url), &grants));
        assert_eq!((failure.error_type.as_str(), failure.retriable), ("HttpFailed", true), "{failure:?}");
    }
}

#[test]
fn a_status_that_says_no_can_be_an_error() {
    let server = Server::start();
    assert_eq!(json(ask(&server, "fetch", &json!(server.url("/nothing"))))["status"], 404);
    let final_failure = failure(ask(&server, "fetch_or_fail", &json!(server.url("/nothing"))));
    assert_eq!((final_failure.error_type.as_str(), final_failure.retriable), ("HttpStatus", false));
    let passing = failure(ask(&server, "fetch_or_fail", &json!(server.url("/broken"))));
    assert_eq!((passing.error_type.as_str(), passing.retriable), ("HttpStatus", true));
    assert_eq!(passing.details.as_deref(), Some("come back later"));
}

#[test]
fn an_answer_may_be_limited() {
    let server = Server::start();
    let url = server.url("/large?1000");
    assert_eq!(json(ask(&server, "fetch_at_most", &json!([url, 1000]))), json!(1000));
    let failure = failure(ask(&server, "fetch_at_most", &json!([url, 999])));
    assert_eq!((failure.error_type.as_str(), failure.retriable), ("HttpTooLarge", false));
}

#[test]
fn requests_at_the_same_time_are_limited() {
    let server = Server::start();
    let limits = ActivityLimits { http_requests: 1, ..ActivityLimits::default() };
    let grants = granting(&[format!("localhost:{}", server.port)]);
    let both = json!([server.url("/hello"), server.url("/hello")]);
    let failure = failure(block_on(limited(limits).run(call("fetch_both", &both), &grants, Arc::new(()))));
    assert_eq!(failure.error_type, "HttpFailed");
    assert!(failure.message.contains("ConnectionLimitReached"), "{}", failure.message);
}
