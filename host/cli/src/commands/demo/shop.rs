//! The world outside: a shop that is asked over HTTP to do things, does each once per idempotency key, and counts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The longest body that it reads.
const BODY_MAX: u64 = 64 * 1024;

/// How often something was asked for, and how often it was done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) requests: usize,
    pub(super) refused: usize,
    pub(super) effects: usize,
}

#[derive(Debug, Default)]
struct Books {
    counts: BTreeMap<String, Count>,
    done: BTreeSet<String>,
}

/// A shop that is open until the program ends.
pub(super) struct Shop {
    port: u16,
    books: Arc<Mutex<Books>>,
}

impl Shop {
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let books = Arc::new(Mutex::new(Books::default()));
        let kept = Arc::clone(&books);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A host that is killed hangs up in the middle of a sentence.
                let _ = serve(stream, &kept);
            }
        });
        Ok(Self { port, books })
    }

    /// Its name and port: activities are granted names, not addresses.
    pub(super) fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    pub(super) fn tally(&self) -> BTreeMap<String, Count> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner).counts.clone()
    }

    pub(super) fn effects(&self, name: &str) -> usize {
        self.tally().get(name).map_or(0, |count| count.effects)
    }
}

impl Books {
    /// Does it, or not: the number of what was done, or why not.
    fn ask(&mut self, name: &str, key: &str) -> Result<String, &'static str> {
        let count = self.counts.entry(name.to_owned()).or_default();
        count.requests += 1;
        if name == "charge" && count.requests == 1 {
            count.refused += 1;
            return Err("the bank is down");
        }
        if self.done.insert(key.to_owned()) {
            count.effects += 1;
        }
        Ok(format!("{name}-{}", key.split('-').next().unwrap_or_default()))
    }
}

fn serve(stream: TcpStream, books: &Mutex<Books>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let (mut key, mut length) = (String::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        match header.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("idempotency-key") => key = value.to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().unwrap_or(0),
            Some(_) => {}
            None => break,
        }
    }
    io::copy(&mut (&mut reader).take(length.min(BODY_MAX)), &mut io::sink())?;
    let name = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let answer = books.lock().unwrap_or_else(PoisonError::into_inner).ask(name, &key);
    let (status, body) = match &answer {
        Ok(number) => ("200 OK", number.as_str()),
        Err(why) => ("503 Service Unavailable", *why),
    };
    let length = body.len();
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    reader.into_inner().write_all(answer.as_bytes())
}
