//! What a guest says: log calls, stdout and stderr become `tracing` events of target `everturn::guest`, silent while
//! replaying. The end of stderr is kept, for that is where a panic leaves its message.

use everturn_replay::Execution;
use tracing::{Level, event};

use crate::link::Linked;
use crate::state::State;

/// The `tracing` target of all that guests say.
pub const LOG_TARGET: &str = "everturn::guest";

/// A line longer than this is cut into several.
const LINE_LENGTH: usize = 8 * 1024;

/// The standard streams of a guest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// Output that waits for the end of its line, and the end of stderr.
#[derive(Default)]
pub(crate) struct Output {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    tail: Vec<u8>,
    tail_stretch: u64,
}

impl State {
    /// Takes what the guest writes to a stream.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let mut linked = self.link.lock();
        if stream == Stream::Stderr {
            self.output.keep(bytes, linked.stretch.number, self.limits.panic_message);
        }
        if linked.execution.is_replaying() || !afford(&mut linked, bytes.len(), self.limits.log_bytes) {
            return;
        }
        for line in self.output.lines(stream, bytes) {
            say(&linked.execution, level_of(stream), &line, "");
        }
    }

    /// Writes a log line.
    pub(crate) fn log(&self, level: Level, message: &str, fields: &[(String, String)]) {
        let mut linked = self.link.lock();
        let bytes = message.len() + fields.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
        if linked.execution.is_replaying() || !afford(&mut linked, bytes, self.limits.log_bytes) {
            return;
        }
        let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={value:?}")).collect();
        say(&linked.execution, level, message, &fields.join(" "));
    }

    /// Says what was written without an end of line, when nothing can follow any more.
    pub(crate) fn flush(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            if !self.output.buffer(stream).is_empty() {
                self.write(stream, b"\n");
            }
        }
    }

    /// What the guest wrote to stderr last, in this stretch.
    pub(crate) fn last_words(&self) -> String {
        if self.output.tail_stretch != self.link.lock().stretch.number {
            return String::new();
        }
        String::from_utf8_lossy(&self.output.tail).trim().to_owned()
    }
}

impl Output {
    fn buffer(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn keep(&mut self, bytes: &[u8], stretch: u64, limit: usize) {
        if self.tail_stretch != stretch {
            self.tail.clear();
            self.tail_stretch = stretch;
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(limit)..]);
        let excess = self.tail.len().saturating_sub(limit);
        self.tail.drain(..excess);
    }

    /// The lines that are complete now.
    fn lines(&mut self, stream: Stream, bytes: &[u8]) -> Vec<String> {
        let buffer = self.buffer(stream);
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

/// Whether these bytes may still be said in this stretch. The first ones that may not are mentioned.
fn afford(linked: &mut Linked, bytes: usize, limit: usize) -> bool {
    let before = linked.stretch.log_bytes;
    linked.stretch.log_bytes = before.saturating_add(bytes);
    let fits = linked.stretch.log_bytes <= limit;
    if !fits && before <= limit {
        let message = format!("more than {limit} bytes of output without waiting in between: the rest is dropped");
        say(&linked.execution, Level::WARN, &message, "");
    }
    fits
}

const fn level_of(stream: Stream) -> Level {
    match stream {
        Stream::Stdout => Level::INFO,
        Stream::Stderr => Level::WARN,
    }
}

fn say(execution: &Execution, level: Level, message: &str, fields: &str) {
    let start = execution.start();
    let instance = start.map_or("", |start| start.instance_id.as_str());
    let workflow = start.map_or("", |start| &start.workflow);
    match level {
        Level::ERROR => event!(target: LOG_TARGET, Level::ERROR, instance, workflow, fields, "{message}"),
        Level::WARN => event!(target: LOG_TARGET, Level::WARN, instance, workflow, fields, "{message}"),
        Level::INFO => event!(target: LOG_TARGET, Level::INFO, instance, workflow, fields, "{message}"),
        Level::DEBUG => event!(target: LOG_TARGET, Level::DEBUG, instance, workflow, fields, "{message}"),
        Level::TRACE => event!(target: LOG_TARGET, Level::TRACE, instance, workflow, fields, "{message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_said_when_they_are_complete() {
        let mut output = Output::default();
        assert_eq!(output.lines(Stream::Stdout, b"one"), [""; 0]);
        assert_eq!(output.lines(Stream::Stderr, b"other\n"), ["other"]);
        assert_eq!(output.lines(Stream::Stdout, b" line\ntwo\n\nthr"), ["one line", "two", ""]);
        assert_eq!(output.lines(Stream::Stdout, b"ee\n"), ["three"]);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut output = Output::default();
        let lines = output.lines(Stream::Stdout, &[b'x'; 2 * LINE_LENGTH + 1]);
        assert_eq!(lines, ["x".repeat(LINE_LENGTH), "x".repeat(LINE_LENGTH)]);
        assert_eq!(output.stdout, b"x");
    }

    #[test]
    fn the_end_of_stderr_is_kept_and_belongs_to_its_stretch() {
        let mut output = Output::default();
        output.keep(b"from before", 1, 5);
        assert_eq!(output.tail, b"efore");
        output.keep(b"abc", 2, 5);
        assert_eq!(output.tail, b"abc");
        output.keep(b"defg", 2, 5);
        assert_eq!(output.tail, b"cdefg");
    }
}
