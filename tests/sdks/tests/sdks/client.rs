//! The client of an SDK, as a process that is told what to do.

use std::path::Path;
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::host::Host;
use crate::install::program;
use crate::process::Process;
use crate::sdk::Sdk;

/// A client that is connected to a host.
pub(crate) struct Client(Mutex<Process>);

/// What a client sees of an instance.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct State {
    pub(crate) status: String,
    /// As the SDK hands it out: text that is JSON.
    output: Option<String>,
    custom_status: Option<String>,
    pub(crate) failure: Option<Failure>,
}

/// How an instance failed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Failure {
    #[serde(rename = "type")]
    pub(crate) error_type: String,
    pub(crate) message: String,
}

/// Why a host did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Refusal {
    /// The code of gRPC, in capitals.
    pub(crate) code: String,
    pub(crate) message: String,
}

/// What a client prints.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Answer(Value),
    Error(Refusal),
}

impl State {
    /// What it returned.
    pub(crate) fn output(&self) -> Value {
        self.output.as_deref().map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
    }

    /// The status that it gave itself. Some SDKs send it as JSON, others as it is.
    pub(crate) fn custom_status(&self) -> Value {
        self.custom_status
            .as_deref()
            .map_or(Value::Null, |text| serde_json::from_str(text).unwrap_or_else(|_| text.into()))
    }
}

impl Client {
    pub(crate) fn start(sdk: &Sdk, host: &Host, directory: &Path) -> Self {
        let mut command = program(sdk);
        command.args(["client", host.address(sdk.dialect)]);
        Self(Mutex::new(Process::start("client", &mut command, directory)))
    }

    /// Asks, whatever comes of it.
    pub(crate) fn ask(&self, request: &Value) -> Result<Value, Refusal> {
        let mut process = self.0.lock().unwrap();
        process.say(&request.to_string());
        match serde_json::from_str(&process.line()).unwrap() {
            Answer::Answer(answer) => Ok(answer),
            Answer::Error(refusal) => Err(refusal),
        }
    }

    /// Asks what must be answered.
    fn done(&self, request: &Value) -> Value {
        self.ask(request).unwrap_or_else(|refusal| panic!("{request}: {refusal:?}"))
    }

    pub(crate) fn start_workflow(&self, workflow: &str, id: &str, input: &Value) {
        self.done(&json!({"do": "start", "workflow": workflow, "id": id, "input": input}));
    }

    /// Starts it not before this moment, in milliseconds since 1970.
    pub(crate) fn start_at(&self, workflow: &str, id: &str, moment: u64) {
        self.done(&json!({"do": "start", "workflow": workflow, "id": id, "start_at": moment}));
    }

    /// Starts it and waits for its end.
    pub(crate) fn run(&self, workflow: &str, id: &str, input: &Value) -> State {
        self.start_workflow(workflow, id, input);
        self.wait(id)
    }

    /// The state of an instance, if there is one.
    pub(crate) fn get(&self, id: &str) -> Option<State> {
        serde_json::from_value(self.done(&json!({"do": "get", "id": id}))).unwrap()
    }

    /// The state of an instance as soon as it runs.
    pub(crate) fn wait_for_start(&self, id: &str) -> State {
        serde_json::from_value(self.done(&json!({"do": "wait_for_start", "id": id}))).unwrap()
    }

    /// The state of an instance when it has ended.
    pub(crate) fn wait(&self, id: &str) -> State {
        serde_json::from_value(self.done(&json!({"do": "wait", "id": id}))).unwrap()
    }

    pub(crate) fn raise_event(&self, id: &str, event: &str, data: &Value) {
        self.done(&json!({"do": "raise_event", "id": id, "event": event, "data": data}));
    }

    pub(crate) fn terminate(&self, id: &str, output: &Value) {
        self.done(&json!({"do": "terminate", "id": id, "output": output}));
    }

    pub(crate) fn suspend(&self, id: &str) {
        self.done(&json!({"do": "suspend", "id": id}));
    }

    pub(crate) fn resume(&self, id: &str) {
        self.done(&json!({"do": "resume", "id": id}));
    }

    pub(crate) fn purge(&self, id: &str) {
        self.done(&json!({"do": "purge", "id": id}));
    }
}
