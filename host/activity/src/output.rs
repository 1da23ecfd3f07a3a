//! What an activity says: log calls, stdout and stderr become `tracing` events of target `everturn::activity`. The end of
//! stderr is kept, for that is where a panic leaves its message.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use tracing::{Level, event};
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use crate::call::Call;
use crate::limits::ActivityLimits;

/// The `tracing` target of all that activities say.
pub const LOG_TARGET: &str = "everturn::activity";

/// A line longer than this is cut into several.
const LINE_LENGTH: usize = 8 * 1024;
/// How many bytes a guest may write at once; it may do so again and again.
const WRITE_PERMIT: usize = 64 * 1024;

/// The output of one run. Its streams and its store share it.
pub(crate) struct Output {
    instance: String,
    activity: String,
    attempt: u32,
    log_bytes: usize,
    panic_message: usize,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    bytes: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    tail: Vec<u8>,
}

/// One of the two streams of an output.
#[derive(Clone)]
pub(crate) struct Stream {
    output: Arc<Output>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdout,
    Stderr,
}

impl Output {
    pub(crate) fn new(call: &Call, limits: &ActivityLimits) -> Arc<Self> {
        Arc::new(Self {
            instance: call.instance_id.to_string(),
            activity: call.activity.clone(),
            attempt: call.attempt,
            log_bytes: limits.log_bytes,
            panic_message: limits.panic_message,
            said: Mutex::default(),
        })
    }

    pub(crate) fn stdout(self: &Arc<Self>) -> Stream {
        Stream { output: Arc::clone(self), kind: Kind::Stdout }
    }

    pub(crate) fn stderr(self: &Arc<Self>) -> Stream {
        Stream { output: Arc::clone(self), kind: Kind::Stderr }
    }

    /// Writes a log line of the guest.
    pub(crate) fn log(&self, level: Level, message: &str, fields: &[(String, String)]) {
        let bytes = message.len() + fields.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
        if self.afford(&mut self.lock(), bytes) {
            let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={value:?}")).collect();
            self.say(level, message, &fields.join(" "));
        }
    }

    /// Writes a log line of the host about the guest.
    pub(crate) fn remark(&self, message: &str) {
        self.say(Level::WARN, message, "");
    }

    /// Says what was written without an end of line, when nothing can follow any more.
    pub(crate) fn flush(&self) {
        for kind in [Kind::Stdout, Kind::Stderr] {
            if !self.lock().buffer(kind).is_empty() {
                self.write(kind, b"\n");
            }
        }
    }

    /// What the guest wrote to stderr last.
    pub(crate) fn last_words(&self) -> String {
        String::from_utf8_lossy(&self.lock().tail).trim().to_owned()
    }

    fn write(&self, kind: Kind, bytes: &[u8]) {
        let mut said = self.lock();
        if kind == Kind::Stderr {
            said.keep(bytes, self.panic_message);
        }
        if !self.afford(&mut said, bytes.len()) {
            return;
        }
        let level = if kind == Kind::Stderr { Level::WARN } else { Level::INFO };
        for line in said.lines(kind, bytes) {
            self.say(level, &line, "");
        }
    }

    /// Whether these bytes may still be said. The first ones that may not are mentioned.
    fn afford(&self, said: &mut Said, bytes: usize) -> bool {
        let (before, limit) = (said.bytes, self.log_bytes);
        said.bytes = before.saturating_add(bytes);
        let fits = said.bytes <= limit;
        if !fits && before <= limit {
            self.remark(&format!("more than {limit} bytes of output of one run: the rest is dropped"));
        }
        fits
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, level: Level, message: &str, fields: &str) {
        let (instance, activity, attempt) = (self.instance.as_str(), self.activity.as_str(), self.attempt);
        macro_rules! say {
            ($level:expr) => {
                event!(target: LOG_TARGET, $level, instance, activity, attempt, fields, "{message}")
            };
        }
        match level {
            Level::ERROR => say!(Level::ERROR),
            Level::WARN => say!(Level::WARN),
            Level::INFO => say!(Level::INFO),
            Level::DEBUG => say!(Level::DEBUG),
            Level::TRACE => say!(Level::TRACE),
        }
    }
}

impl Said {
    fn buffer(&mut self, kind: Kind) -> &mut Vec<u8> {
        match kind {
            Kind::Stdout => &mut self.stdout,
            Kind::Stderr => &mut self.stderr,
        }
    }

    fn keep(&mut self, bytes: &[u8], limit: usize) {
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(limit)..]);
        let excess = self.tail.len().saturating_sub(limit);
        self.tail.drain(..excess);
    }

    /// The lines that are complete now.
    fn lines(&mut self, kind: Kind, bytes: &[u8]) -> Vec<String> {
        let buffer = self.buffer(kind);
        buffer.extend_from_slice(bytes);
        let mut lines = Vec::new();
        let mut begin = 0;
        while let Some((length, skip)) = next_line(&buffer[begin..]) {
            lines.push(String::from_utf8_lossy(&buffer[begin..begin + length]).into_owned());
            begin += skip;
        }
        buffer.drain(..begin);
        lines
    }
}

/// The length of the first complete line, and where the next one begins.
fn next_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let head = &bytes[..bytes.len().min(LINE_LENGTH)];
    match head.iter().position(|byte| *byte == b'\n') {
        Some(end) => Some((end, end + 1)),
        None if head.len() == LINE_LENGTH => Some((LINE_LENGTH, LINE_LENGTH)),
        None => None,
    }
}

impl IsTerminal for Stream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stream {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    // Not the usual adapter, which writes in a task of its own: the last words of a panic would come too late.
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Stream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.output.write(self.kind, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_PERMIT)
    }
}

#[async_trait]
impl Pollable for Stream {
    async fn ready(&mut self) {}
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.output.write(self.kind, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_said_when_they_are_complete_or_too_long() {
        let mut said = Said::default();
        assert_eq!(said.lines(Kind::Stdout, b"one"), [""; 0]);
        assert_eq!(said.lines(Kind::Stderr, b"other\n"), ["other"]);
        assert_eq!(said.lines(Kind::Stdout, b" line\ntwo\n\nthr"), ["one line", "two", ""]);
        assert_eq!(said.lines(Kind::Stderr, &[b'x'; LINE_LENGTH + 1]), ["x".repeat(LINE_LENGTH)]);
    }

    #[test]
    fn the_end_of_stderr_is_kept() {
        let mut said = Said::default();
        said.keep(b"from before", 5);
        said.keep(b"ab", 5);
        assert_eq!(said.tail, b"oreab");
    }
}
