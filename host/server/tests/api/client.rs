//! A small HTTP client that can also send what a decent one would not.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json", "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of an error, after its status was checked.
    pub(crate) fn code(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        let error = &self.json()["error"];
        assert!(!error["message"].as_str().unwrap().is_empty(), "{self:?}");
        error["code"].as_str().unwrap().to_owned()
    }

    /// The message of an error.
    pub(crate) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }

    /// The body of what went well.
    pub(crate) fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.json()
    }
}

/// Sends a request and reads the head of the answer.
pub(crate) fn open(
    address: SocketAddr,
    line: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> (Answer, BufReader<TcpStream>) {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut request = format!("{line} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request += &format!("host: {address}\r\n");
    }
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    let chunked = headers.iter().any(|(name, _)| *name == "transfer-encoding");
    if !body.is_empty() && !chunked && !headers.iter().any(|(name, _)| *name == "content-length") {
        request += &format!("content-length: {}\r\n", body.len());
    }
    request += "\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    // A server that refuses by length does not read the rest.
    let _ = stream.write_all(body);
    let mut reader = BufReader::new(stream);
    (head(&mut reader), reader)
}

/// Sends a request and reads the whole answer.
pub(crate) fn send(address: SocketAddr, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let (mut answer, mut reader) = open(address, line, headers, body);
    let length = answer.headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    answer.body = String::from_utf8(body).unwrap();
    answer
}

fn head(reader: &mut BufReader<TcpStream>) -> Answer {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {line:?}")).parse().unwrap();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    Answer { status, headers, body: String::new() }
}
