//! The world outside: it counts effects by the key that comes with each.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Effects, by key, with how often each was asked for.
pub(crate) type Effects = BTreeMap<String, usize>;

/// A small HTTP server that notes every path it is asked for.
pub(crate) struct World {
    port: u16,
    effects: Arc<Mutex<Effects>>,
}

impl World {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let effects = Arc::new(Mutex::new(Effects::new()));
        let noted = Arc::clone(&effects);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A host that was killed hangs up in the middle of a sentence.
                let _ = note(stream, &noted);
            }
        });
        Self { port, effects }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    pub(crate) fn effects(&self) -> Effects {
        self.effects.lock().unwrap().clone()
    }
}

fn note(stream: TcpStream, effects: &Mutex<Effects>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    if let Some(key) = request.split(' ').nth(1) {
        *effects.lock().unwrap().entry(key.trim_start_matches('/').to_owned()).or_default() += 1;
    }
    reader.into_inner().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}
