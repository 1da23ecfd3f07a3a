//! Hosts that say no, that are not there, or that are none.

use std::io::{BufRead, BufReader, Write};

use everturn_tests::guests::{APPROVAL, SOCKET};

use crate::room::Room;
use crate::serving::Serving;

#[test]
fn what_the_host_refuses_is_told_with_exit_code_1() {
    let host = Serving::empty();
    insta::assert_snapshot!(host.run(&["workflow", "show", "nobody"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: there is no instance `nobody`; `everturn workflow list` shows those there are
    ");
    insta::assert_snapshot!(host.run(&["workflow", "start", "nothing"]), @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: no deployment has a workflow `nothing`; deploy a component that has it, connect a worker, or start another
    ");
    for (arguments, expected) in [
        (&["deploy", SOCKET.path][..], "wasi:sockets"),
        (&["deploy", APPROVAL.path, "--allow-http", "*"], "`*` is no host that can be granted"),
    ] {
        let shown = host.run(arguments);
        assert!(shown.starts_with("exit code 1\n-- stdout --\n-- stderr --\nerror: "), "{shown}");
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn no_host() {
    let room = Room::new();
    // A port that was free a moment ago.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let host = format!("http://{address}");
    let shown = room.run(["workflow", "list", "--host", &host]).replace(&host, "HOST");
    insta::assert_snapshot!(shown, @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: no host at HOST; start one with `everturn serve` or `everturn dev`
    ");
    insta::assert_snapshot!(room.run(["workflow", "list", "--host", "127.0.0.1:4000"]), @r"
    exit code 2
    -- stdout --
    -- stderr --
    error: `127.0.0.1:4000` is no address of a host; write it as http://127.0.0.1:4000
    ");
}

#[test]
fn something_else_answers() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = BufReader::new(stream.try_clone().unwrap()).lines();
        while head.next().is_some_and(|line| !line.unwrap().is_empty()) {}
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").unwrap();
    });
    let shown = Room::new().run(["workflow", "list", "--host", &host]).replace(&host, "HOST");
    other.join().unwrap();
    insta::assert_snapshot!(shown, @r"
    exit code 1
    -- stdout --
    -- stderr --
    error: what answers at HOST is no Everturn host of this version: expected value at line 1 column 1
    ");
}
