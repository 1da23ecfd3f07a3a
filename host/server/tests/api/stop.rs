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
    // The one that looks below may be in the room first: then this one tries again.
    let waiting = thread::spawn(move || {
        loop {
            let answer = client::send(address, "GET /v1/workflows/i/wait", &[], &[]);
            if answer.code(503) != "overloaded" {
                return answer;
            }
        }
    });
    // It waits once there is no room for a third. One that is answered has given its room back.
    while house.get("/v1/workflows/i/wait?timeout=0s").status == 204 {}
    house.begin_to_stop();
    assert_eq!(waiting.join().unwrap().code(503), "stopping");
    while changes.next().unwrap().0 != "end" {}
    assert_eq!(changes.next(), None);
    house.await_stop();
    assert!(TcpStream::connect(address).is_err());
}
