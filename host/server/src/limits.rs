//! How much a server takes on. What is beyond a limit is refused with an error that names it.

use std::time::Duration;

use everturn_runtime::Options;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Bytes of a JSON body around its payload.
const AROUND_PAYLOAD: usize = 256 * KIB;

/// How much a server takes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's JSON body. Default: 2.25 MiB, room for one payload of the usual limit and what is around it.
    pub json_body: usize,
    /// Bytes of a component. Default: 64 MiB.
    pub component: usize,
    /// Requests at the same time; those that wait on purpose are not among them. Default: 1,024.
    pub requests: usize,
    /// Requests that wait on purpose: for the end of an instance, or for changes. Default: 1,024.
    pub waiting: usize,
    /// Components that are received at the same time. Default: 2.
    pub deployments: usize,
    /// Connections at the same time; more wait to be accepted. Default: 4,096.
    pub connections: usize,
    /// How long a client may take to send the head of a request. Default: 10 s.
    pub head_time: Duration,
    /// How long a client may take to send the body of a request. Default: 60 s.
    pub body_time: Duration,
    /// How long requests that are on their way may take when the server stops. Default: 5 s.
    pub grace: Duration,
    /// How long at least from one word on how far a deploy is to the next. Default: 100 ms.
    pub progress_pause: Duration,
    /// How long at least from one count of who is to move to the next. Default: 200 ms.
    pub recount_pause: Duration,
    /// How often a stream of events without events says that it is alive. Default: 15 s.
    pub sign_of_life: Duration,
}

impl Limits {
    /// The defaults, with room for what this runtime takes.
    pub fn fitting(options: &Options) -> Self {
        Self {
            json_body: options.limits.payload_size + AROUND_PAYLOAD,
            component: options.limits.component_size,
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            json_body: 2 * MIB + AROUND_PAYLOAD,
            component: 64 * MIB,
            requests: 1_024,
            waiting: 1_024,
            deployments: 2,
            connections: 4_096,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(60),
            grace: Duration::from_secs(5),
            progress_pause: Duration::from_millis(100),
            recount_pause: Duration::from_millis(200),
            sign_of_life: Duration::from_secs(15),
        }
    }
}
