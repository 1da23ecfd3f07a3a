//! Who may ask, and for what.

use std::net::{IpAddr, Ipv4Addr};

use everturn_server::{BindError, Server};

use crate::client;
use crate::house::House;

#[test]
fn a_name_that_is_not_of_this_machine_is_refused() {
    let house = House::empty();
    for host in ["example.com", "localhost.example.com:4000", "10.0.0.1"] {
        let answer = client::send(house.address, "GET /healthz", &[("host", host)], &[]);
        assert_eq!(answer.code(403), "foreign_host", "{host}");
    }
    for host in ["localhost", "127.0.0.1:4000", "[::1]:4000"] {
        assert_eq!(client::send(house.address, "GET /healthz", &[("host", host)], &[]).status, 200, "{host}");
    }
}

#[test]
fn a_web_page_of_elsewhere_is_refused() {
    let house = House::empty();
    for origin in ["https://example.com", "null", "http://localhost.example.com", "file://"] {
        let answer = client::send(house.address, "GET /v1/workflows", &[("origin", origin)], &[]);
        assert_eq!(answer.code(403), "foreign_origin", "{origin}");
    }
    let local = [("origin", "http://localhost:5173")];
    assert_eq!(client::send(house.address, "GET /v1/workflows", &local, &[]).status, 200);
}

#[test]
fn unknown_paths_and_methods_are_told() {
    let house = House::empty();
    let answer = house.get("/v2/workflows");
    assert_eq!(answer.code(404), "no_such_route");
    assert!(answer.message().contains("/v2/workflows"), "{answer:?}");
    let answer = client::send(house.address, "PUT /v1/workflows", &[], &[]);
    assert_eq!(answer.code(405), "method_not_allowed");
    assert!(answer.headers["allow"].contains("POST"), "{answer:?}");
}

#[test]
fn only_loopback_addresses_are_listened_on() {
    let house = House::empty();
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bind = |address: IpAddr, port| tokio.block_on(Server::bind((address, port).into(), house.runtime.clone()));
    for address in ["0.0.0.0", "::", "192.168.1.1"] {
        let error = bind(address.parse().unwrap(), 0).err().unwrap();
        assert!(matches!(error, BindError::NotLoopback { .. }), "{error}");
    }
    let error = bind(Ipv4Addr::LOCALHOST.into(), house.address.port()).err().unwrap();
    assert!(matches!(error, BindError::InUse { .. }), "{error}");
}
