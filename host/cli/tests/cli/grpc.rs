//! The Durable Task protocol of a host: where it listens, and what is refused. What it serves is tested with real SDKs.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;

use crate::room::Room;

#[test]
fn a_host_says_where_workers_connect() {
    let room = Room::new();
    let data = room.path().join("data");
    let ports = ["--http", "127.0.0.1:0", "--grpc", "localhost:0", "--grpc-microsoft", "127.0.0.1:0"];
    let mut command = room.everturn(["serve", "--data", data.to_str().unwrap()]);
    let mut child = command.args(ports).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let parts: Vec<_> = line.trim_end().strip_prefix("everturn listens on ").unwrap().split(", ").collect();
    let address = |part: &str| -> SocketAddr { part.strip_prefix("grpc://").unwrap().parse().unwrap() };
    let dapr = address(parts[1]);
    let microsoft = address(parts[2].strip_suffix(" (Microsoft)").unwrap());
    assert_eq!((parts.len(), dapr == microsoft), (4, false), "{line}");
    for address in [dapr, microsoft] {
        TcpStream::connect(address).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_it_cannot_listen_on_is_told_before_anything_begins() {
    let room = Room::new();
    let data = room.path().join("data");
    let serve = |arguments: &[&str]| {
        let common = ["serve", "--http", "127.0.0.1:0", "--data", data.to_str().unwrap()];
        room.run(common.iter().chain(arguments))
    };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    insta::assert_snapshot!(serve(&["--grpc", &address]).replace(&address, "ADDRESS"), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: --grpc: ADDRESS is in use; stop what listens there, or choose another port, or do without it: --grpc none
    ");
    insta::assert_snapshot!(serve(&["--grpc-microsoft", "0.0.0.0:4002"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: --grpc-microsoft: 0.0.0.0:4002 can be reached from other machines, and what is sent there is not encrypted; use a loopback address such as 127.0.0.1:4002
    ");
    insta::assert_snapshot!(serve(&["--grpc", "off"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: invalid value 'off' for '--grpc <ADDRESS>': write it as ADDRESS:PORT, such as 127.0.0.1:4000, or as none

    For more information, try '--help'.
    ");
    assert!(!data.exists());
}

#[test]
fn an_empty_token_is_refused() {
    let room = Room::new();
    let data = room.path().join("data");
    let mut command = room.everturn(["serve", "--http", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
    insta::assert_snapshot!(room.show(command.env("EVERTURN_GRPC_TOKEN", "")), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: EVERTURN_GRPC_TOKEN is empty: give it a value, or unset it to ask for no token
    ");
}
