//! How much a listener takes on. What is beyond a limit is refused with an error that names it.

use std::time::Duration;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// How much a listener takes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one message from a peer. Default: 16 MiB.
    pub inbound_message: usize,
    /// Bytes of one message to a peer. Default: 4 MiB less 64 KiB, since SDKs take 4 MiB.
    pub outbound_message: usize,
    /// Bytes of one piece of a history that is sent in pieces. Default: 1 MiB less 64 KiB.
    pub history_chunk: usize,
    /// Workers that are connected at the same time. Default: 1,024.
    pub streams: usize,
    /// Turns, and activities, that a worker has at the same time if it does not say how many. Default: 200.
    pub usual_capacity: usize,
    /// Turns, and activities, that a worker may have at the same time. Default: 10,000.
    pub capacity: usize,
    /// Calls that wait for an instance at the same time. Default: 10,000.
    pub waiting: usize,
    /// Things that one turn may ask for. Default: 10,000.
    pub actions: usize,
    /// Bytes of one answer that comes in pieces. Default: 64 MiB.
    pub answer: usize,
    /// Bytes of all answers that are not complete yet. Default: 256 MiB.
    pub unfinished_answers: usize,
    /// Instances on one page of a list. Default: 1,000.
    pub page: usize,
    /// Connections at the same time; more wait to be accepted. Default: 4,096.
    pub connections: usize,
    /// Calls at the same time on one connection; more wait in the client. Default: 10,000.
    pub calls_per_connection: u32,
    /// Bytes of the head of a call. Default: 16 KiB.
    pub head: u32,
    /// How long a peer may take to greet. Default: 10 s.
    pub greeting_time: Duration,
    /// How long a worker without work is left without a sign of life, and a connection without a ping. Default: 30 s.
    pub ping_interval: Duration,
    /// How long a peer may take to answer a ping of its connection. Default: 20 s.
    pub ping_time: Duration,
    /// How long to wait until what was asked for, and is on disk, has had its effect. Default: 5 s.
    pub effect_time: Duration,
    /// How long calls that are on their way may take when the server stops. Default: 5 s.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inbound_message: 16 * MIB,
            outbound_message: 4 * MIB - 64 * KIB,
            history_chunk: MIB - 64 * KIB,
            streams: 1_024,
            usual_capacity: 200,
            capacity: 10_000,
            waiting: 10_000,
            actions: 10_000,
            answer: 64 * MIB,
            unfinished_answers: 256 * MIB,
            page: 1_000,
            connections: 4_096,
            calls_per_connection: 10_000,
            head: 16 * 1024,
            greeting_time: Duration::from_secs(10),
            ping_interval: Duration::from_secs(30),
            ping_time: Duration::from_secs(20),
            effect_time: Duration::from_secs(5),
            grace: Duration::from_secs(5),
        }
    }
}
