//! Stopping without cutting anybody off.

use std::net::TcpStream;
use std::thread;

use everturn_server::Limits;
use serde_json::json;

use crate::changes::watch;
use crate::client;
use crate::house::House;

#[test]
fn those_who_wait_are_told_that_the_host_stops() {
    let mut house = House::with_limits(Limits { waiting: 2, ..Limits::default() });
    house.deploy_guests();
    house.start("park", "i", &json!(null));
    let mut changes = watch(&house, "");
    let address = house.address;
    let waiting = thread::spawn(move || client::send(address, "GET /v1/workflows/i/wait", &[], &[]));
    // It waits once there is no room for a third.
    while client::open(address, "GET /v1/events", &[], &[]).0.status == 200 {}
    house.begin_to_stop();
    assert_eq!(waiting.join().unwrap().code(503), "stopping");
    while changes.next().unwrap().0 != "end" {}
    assert_eq!(changes.next(), None);
    house.await_stop();
    assert!(TcpStream::connect(address).is_err());
}
