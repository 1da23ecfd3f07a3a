//! Clients of a host that is killed under them. What it acknowledged is noted; what got no answer may have happened or
//! not.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

use crate::ledger::{Asked, Ledger};

/// The number that ends the collecting of an instance.
const LAST: u64 = u64::MAX;
/// How many events each instance gets.
const EVENTS: u64 = 4;
/// How long to wait before a host that was just killed is asked again.
const PAUSE: Duration = Duration::from_millis(20);
/// How often it is asked before the test fails: a host that never comes back must not make the test wait for ever.
const PATIENCE: usize = 3_000;
/// How long it may think about an answer, for the same reason.
const LONGEST_ANSWER: Duration = Duration::from_secs(120);

/// Speaks to the host.
pub(crate) struct Client {
    agent: Agent,
    url: String,
}

/// What the host said.
pub(crate) enum Answer {
    /// It did it.
    Yes,
    /// It refused, with this code.
    No(u16, String),
    /// It said nothing: it may have done it or not.
    Silence,
}

impl Client {
    pub(crate) fn new(url: String) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(LONGEST_ANSWER));
        let agent = config.build().into();
        Self { agent, url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Deploys a component whose activities talk to the world.
    pub(crate) fn deploy(&self, component: &Path, world: &str) {
        let host = world.trim_start_matches("http://");
        self.deploy_with(component, &["--allow-http", host, "--env", &format!("WORLD_URL={world}")]);
    }

    /// Deploys a component that is granted nothing.
    pub(crate) fn deploy_as_it_is(&self, component: &Path) {
        self.deploy_with(component, &[]);
    }

    fn deploy_with(&self, component: &Path, grants: &[&str]) {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_everturn"));
        let output = command.args(["deploy", "--host", &self.url]).args(grants).arg(component).output().unwrap();
        assert!(output.status.success(), "the component could not be deployed: {output:?}");
    }

    /// What the host answers to something that it does.
    pub(crate) fn ask(&self, path: &str, body: &Value) -> Value {
        let (status, text) = self.send(path, body).unwrap();
        assert!((200..300).contains(&status), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The status with which the host refuses something.
    pub(crate) fn refused(&self, path: &str, body: &Value) -> u16 {
        let (status, text) = self.send(path, body).unwrap();
        assert!(!(200..300).contains(&status), "{path}: {text}");
        status
    }

    fn send(&self, path: &str, body: &Value) -> Option<(u16, String)> {
        let url = format!("{}{path}", self.url);
        let request = self.agent.post(url).header("content-type", "application/json");
        let mut response = request.send(body.to_string()).ok()?;
        Some((response.status().as_u16(), response.body_mut().read_to_string().ok()?))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        match self.send(path, body) {
            Some((200..300, _)) => Answer::Yes,
            Some((status, text)) => Answer::No(status, text),
            None => Answer::Silence,
        }
    }

    pub(crate) fn start(&self, workflow: &str, id: &str, input: &Value) {
        let body = json!({"workflow": workflow, "id": id, "input": input});
        require(self.post("/v1/workflows", &body), &format!("{id} did not start"));
    }

    pub(crate) fn terminate(&self, id: &str) {
        require(self.post(&format!("/v1/workflows/{id}/terminate"), &json!({})), &format!("{id} was not terminated"));
    }

    /// The task execution ids of the activities that an instance called.
    pub(crate) fn calls(&self, id: &str) -> Vec<String> {
        let history = self.get(&format!("/v1/workflows/{id}/history"));
        let called = |event: &Value| Some(event.get("taskScheduled")?.get("taskExecutionId")?.as_str()?.to_owned());
        history.as_array().unwrap().iter().filter_map(called).collect()
    }

    /// Asks until there is an answer: the host must be up.
    pub(crate) fn get(&self, path: &str) -> Value {
        let mut response = self.agent.get(format!("{}{path}", self.url)).call().unwrap();
        let text = response.body_mut().with_config().limit(u64::MAX).read_to_string().unwrap();
        assert!(response.status().is_success(), "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }
}

fn require(answer: Answer, problem: &str) {
    match answer {
        Answer::Yes => {}
        Answer::No(status, why) => panic!("{problem}: {status} {why}"),
        Answer::Silence => panic!("{problem}: there was no answer"),
    }
}

/// Starts instances and raises events to them for as long as the host is killed, and then ends them all.
pub(crate) fn use_the_host(client: &Client, number: usize, finished: &AtomicBool, started: &AtomicUsize) -> Ledger {
    let mut ledger = Ledger::default();
    let mut instances = Vec::new();
    while !finished.load(SeqCst) {
        let id = format!("instance-{number}-{}", instances.len());
        let restarts = u64::from(instances.len() % 5 == 0);
        start(client, &id, restarts);
        started.fetch_add(1, SeqCst);
        ledger.started(&id, restarts);
        instances.push(id);
        // Old ones get something too, wherever they are by now.
        for event in 1..=EVENTS {
            if let Some(position) = instances.len().checked_sub(usize::try_from(event * 3 - 2).unwrap()) {
                raise(client, &mut ledger, &instances[position], event);
            }
        }
    }
    for id in &instances {
        end(client, id);
    }
    ledger
}

/// Started is what the host says is started, or refuses to start twice.
fn start(client: &Client, id: &str, restarts: u64) {
    let task = json!({"milliseconds": 50, "restarts": restarts, "seen": [], "timers": [], "calls": []});
    insist(client, "/v1/workflows", &json!({"workflow": "everything", "id": id, "input": task}));
}

fn raise(client: &Client, ledger: &mut Ledger, id: &str, number: u64) {
    match client.post(&format!("/v1/workflows/{id}/events/number"), &json!({"data": number})) {
        Answer::Yes => ledger.raised(id, number, Asked::Acknowledged),
        Answer::No(503, _) => {}
        Answer::Silence => {
            ledger.raised(id, number, Asked::Unanswered);
            thread::sleep(PAUSE);
        }
        Answer::No(status, problem) => panic!("{status}: {problem}"),
    }
}

fn end(client: &Client, id: &str) {
    insist(client, &format!("/v1/workflows/{id}/events/number"), &json!({"data": LAST}));
}

/// Asks until the host says that it is done, now or when it was asked before.
fn insist(client: &Client, path: &str, body: &Value) {
    for _ in 0..PATIENCE {
        match client.post(path, body) {
            Answer::Yes | Answer::No(409, _) => return,
            Answer::No(503, _) | Answer::Silence => thread::sleep(PAUSE),
            Answer::No(status, problem) => panic!("{path}: {status} {problem}"),
        }
    }
    panic!("{path}: the host does not come back");
}
