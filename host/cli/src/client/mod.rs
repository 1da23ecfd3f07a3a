//! Talks to a host. It sends requests and reads answers; what they mean is the commands' to say.
//!
//! - `path.rs`: paths and queries, encoded
//! - `events.rs`: server-sent events; `changes.rs`: the stream of changes

mod changes;
mod events;
mod path;

use std::io;
use std::time::Duration;

use anyhow::{Context, anyhow};
use everturn_server::model::{DeployProgress, Deployed, ProblemBody};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::request::Builder;
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

use crate::arguments::ClientOptions;
use crate::outcome::{Blame, Error};

use events::Events;

pub(crate) use changes::Changes;
pub(crate) use path::Path;

/// How long to try to reach a host.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How long to wait for the host's word before a large body is sent.
const CONTINUE_TIME: Duration = Duration::from_secs(1);
/// From this many bytes on, the host is asked before a body is sent: what it refuses it does not read, and then its answer
/// could be lost with the connection.
const LARGE_BODY: usize = 16 * 1024;
/// The type of a stream of events.
const EVENTS: &str = "text/event-stream";
/// The longest answer that is read: the history of a long-lived instance.
const ANSWER_MAX: u64 = 4 * 1024 * 1024 * 1024;

/// A host to talk to.
pub(crate) struct Client {
    agent: Agent,
    host: String,
}

impl Client {
    /// A host that is known to be at this address.
    pub(crate) fn of(url: String) -> Self {
        Self { agent: agent(), host: url }
    }

    pub(crate) fn new(options: &ClientOptions) -> Result<Self, Error> {
        let host = options.host.trim_end_matches('/').to_owned();
        let is_address = |rest: &str| !rest.is_empty() && !rest.contains('/');
        if !host.strip_prefix("http://").is_some_and(is_address) {
            let given = &options.host;
            return Err(anyhow!("`{given}` is no address of a host; write it as http://127.0.0.1:4000")).or_input();
        }
        Ok(Self { agent: agent(), host })
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, path: &Path) -> Result<T, Error> {
        self.read(self.send("GET", path, None, &[])?)
    }

    /// The answer as text, for what is JSON of another making.
    pub(crate) fn get_text(&self, path: &Path) -> Result<String, Error> {
        self.text(self.send("GET", path, None, &[])?)
    }

    /// None: there is nothing to say yet.
    pub(crate) fn get_if_any<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>, Error> {
        self.read_if_any(self.send("GET", path, None, &[])?)
    }

    /// The same.
    pub(crate) fn post_if_any<T: DeserializeOwned>(
        &self,
        path: &Path,
        body: &impl Serialize,
    ) -> Result<Option<T>, Error> {
        let body = serde_json::to_vec(body).or_internal()?;
        self.read_if_any(self.send("POST", path, Some("application/json"), &body)?)
    }

    pub(crate) fn post<T: DeserializeOwned>(&self, path: &Path, body: &impl Serialize) -> Result<T, Error> {
        let body = serde_json::to_vec(body).or_internal()?;
        self.read(self.send("POST", path, Some("application/json"), &body)?)
    }

    pub(crate) fn post_component<T: DeserializeOwned>(&self, path: &Path, wasm: &[u8]) -> Result<T, Error> {
        self.read(self.send("POST", path, Some("application/wasm"), wasm)?)
    }

    pub(crate) fn delete<T: DeserializeOwned>(&self, path: &Path) -> Result<T, Error> {
        self.read(self.send("DELETE", path, None, &[])?)
    }

    /// Deploys this component, or activates the version in the path, and tells how far that is.
    pub(crate) fn deploy(
        &self,
        path: &Path,
        wasm: Option<&[u8]>,
        on_progress: impl FnMut(DeployProgress),
    ) -> Result<Deployed, Error> {
        let request = self.request("POST", path).header("accept", EVENTS);
        let response = match wasm {
            Some(wasm) => self.run(request, Some("application/wasm"), wasm)?,
            None => self.run(request, Some("application/json"), b"{}")?,
        };
        let response = self.require_success(response)?;
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with(EVENTS)) {
            return self.read(response);
        }
        self.until_done(Events::new(response.into_body()), on_progress)
    }

    fn until_done(&self, mut events: Events, mut on_progress: impl FnMut(DeployProgress)) -> Result<Deployed, Error> {
        while let Some((name, data)) = events.next() {
            match name.as_str() {
                DeployProgress::EVENT => on_progress(self.parse(&data)?),
                DeployProgress::DONE => return self.parse(&data),
                DeployProgress::PROBLEM => return Err(in_words(self.parse(&data)?)).or_refused(),
                _ => {}
            }
        }
        let host = &self.host;
        let what = "broke off before it said how this ended; `everturn deployment list` shows what is active";
        Err(anyhow!("the host at {host} {what}")).or_refused()
    }

    /// Looks on while an instance changes.
    pub(crate) fn changes(&self, id: &str) -> Result<Changes, Error> {
        let response = self.send("GET", &Path::new(&["v1", "events"]).with("id", id), None, &[])?;
        Ok(Changes::new(self.require_success(response)?.into_body()))
    }

    fn send(&self, method: &str, path: &Path, kind: Option<&str>, body: &[u8]) -> Result<Response<Body>, Error> {
        self.run(self.request(method, path), kind, body)
    }

    fn request(&self, method: &str, path: &Path) -> Builder {
        Request::builder().method(method).uri(format!("{}{path}", self.host))
    }

    fn run(&self, mut request: Builder, kind: Option<&str>, body: &[u8]) -> Result<Response<Body>, Error> {
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        if body.len() > LARGE_BODY {
            request = request.header("expect", "100-continue");
        }
        // A request without a body has no length either.
        let sent = match kind {
            None => request.body(()).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
            Some(_) => request.body(body).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
        };
        sent.map_err(|error| self.unreachable(error)).or_refused()
    }

    fn unreachable(&self, error: ureq::Error) -> anyhow::Error {
        let host = &self.host;
        let absent = match &error {
            ureq::Error::Io(error) => error.kind() == io::ErrorKind::ConnectionRefused,
            ureq::Error::ConnectionFailed => true,
            _ => false,
        };
        if absent {
            return anyhow!("no host at {host}; start one with `everturn serve` or `everturn dev`");
        }
        anyhow::Error::new(error).context(format!("cannot talk to the host at {host}"))
    }

    fn read<T: DeserializeOwned>(&self, response: Response<Body>) -> Result<T, Error> {
        self.parse(&self.text(response)?)
    }

    fn parse<T: DeserializeOwned>(&self, text: &str) -> Result<T, Error> {
        serde_json::from_str(text).with_context(|| self.not_ours()).or_refused()
    }

    fn read_if_any<T: DeserializeOwned>(&self, response: Response<Body>) -> Result<Option<T>, Error> {
        if response.status().as_u16() == 204 { Ok(None) } else { self.read(response).map(Some) }
    }

    fn text(&self, response: Response<Body>) -> Result<String, Error> {
        self.body(self.require_success(response)?)
    }

    fn body(&self, response: Response<Body>) -> Result<String, Error> {
        let read = response.into_body().into_with_config().limit(ANSWER_MAX).read_to_string();
        read.with_context(|| format!("the answer of the host at {} broke off", self.host)).or_refused()
    }

    fn require_success(&self, response: Response<Body>) -> Result<Response<Body>, Error> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let text = self.body(response)?;
        let problem: ProblemBody =
            serde_json::from_str(&text).with_context(|| format!("{} ({status})", self.not_ours())).or_refused()?;
        Err(in_words(problem)).or_refused()
    }

    fn not_ours(&self) -> String {
        format!("what answers at {} is no Everturn host of this version", self.host)
    }
}

fn in_words(problem: ProblemBody) -> anyhow::Error {
    let help = problem.error.help.map_or_else(String::new, |help| format!("; {help}"));
    anyhow!("{}{help}", crate::text::shown_lines(&problem.error.message))
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        // Hosts are on this machine.
        .proxy(None)
        .timeout_connect(Some(CONNECT_TIME))
        .timeout_await_100(Some(CONTINUE_TIME))
        .build();
    config.into()
}
