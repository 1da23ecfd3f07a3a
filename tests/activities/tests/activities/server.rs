//! A real HTTP server on this machine, as small as one can be: a thread for each connection, one request on each.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A server for as long as the process runs.
pub(crate) struct Server {
    pub(crate) port: u16,
    paths: Arc<Mutex<Vec<String>>>,
}

struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let paths = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&paths);
        let both = Arc::new(Barrier::new(2));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (seen, both) = (Arc::clone(&seen), Arc::clone(&both));
                thread::spawn(move || serve(&connection.unwrap(), &seen, &both));
            }
        });
        Self { port, paths }
    }

    /// The server under a name that can be granted.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// The paths that were asked for.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.paths.lock().unwrap().clone()
    }
}

fn serve(connection: &TcpStream, seen: &Mutex<Vec<String>>, both: &Barrier) {
    let Some(request) = read(connection) else { return };
    seen.lock().unwrap().push(request.path.clone());
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let (status, header, body) = match path {
        "/hello" => (200, "content-type: text/plain".to_owned(), "hello".to_owned()),
        "/echo" => (200, "content-type: application/json".to_owned(), echo(&request).to_string()),
        "/redirect" => (302, format!("location: {query}"), String::new()),
        "/broken" => (503, "x: y".to_owned(), "come back later".to_owned()),
        "/large" => (200, "x: y".to_owned(), "x".repeat(query.parse().unwrap())),
        // Nobody is answered before both are here.
        "/both" => {
            both.wait();
            (200, "x: y".to_owned(), String::new())
        }
        // More was promised than comes.
        "/cut" => {
            write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this");
            return;
        }
        _ => (404, "x: y".to_owned(), "nothing here".to_owned()),
    };
    let length = body.len();
    write(connection, &format!("HTTP/1.1 {status} X\r\n{header}\r\ncontent-length: {length}\r\n\r\n{body}"));
}

fn write(mut connection: &TcpStream, answer: &str) {
    // Who asked may be gone already.
    let _ = connection.write_all(answer.as_bytes());
}

fn read(connection: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, headers, body: String::from_utf8(body).unwrap() })
}

fn echo(request: &Request) -> Value {
    json!({ "method": request.method, "path": request.path, "headers": request.headers, "body": request.body })
}
