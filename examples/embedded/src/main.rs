//! A program that has the durable host inside it. Its own functions are the activities of the workflow `approval`: they go
//! before those that the component brings along.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::{
    Activities, ActivityContext, ActivityError, DeployRequest, ExistingInstance, Options, Runtime, StartRequest,
};
use serde_json::{Value, json};

/// Where everything is kept that must not be lost. Run the program twice: the second time the answer is there already.
const DATA: &str = "approvals.db";

/// Tells the approver.
async fn notify(_context: ActivityContext, request: Value) -> Result<(), ActivityError> {
    println!("to {}: please approve {}", request["approver"], request["purpose"]);
    Ok(())
}

/// Writes down what was decided. The context names the call, for example to do something once however often it is tried.
async fn record(context: ActivityContext, (request, status): (Value, Value)) -> Result<String, ActivityError> {
    println!("recorded: {} for {}", status, request["purpose"]);
    Ok(context.call().id())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let store = SqliteStore::open(Path::new(DATA), SqliteOptions::default())?;
    let activities = Activities::new().with("notify", notify).with("record", record);
    let host = Runtime::open(Arc::new(store), Options { activities, ..Options::default() }).await?;
    let wasm = std::fs::read(env!("APPROVAL_WASM"))?;
    host.deploy(DeployRequest { wasm, ..DeployRequest::default() }).await?;

    let request = json!({"purpose": "a new loom", "approver": "Grace", "deadline": "2099-12-31T00:00:00Z"});
    let started = host
        .start(StartRequest {
            workflow: "approval".to_owned(),
            id: Some("loom".into()),
            input: Some(request.to_string()),
            if_exists: ExistingInstance::Use,
            ..StartRequest::default()
        })
        .await?;
    if started.is_new {
        host.signal(&started.id, "approve", Some(json!("Grace").to_string())).await?;
    }

    let ended = host.wait(&started.id).await?;
    let result = ended.outcome.and_then(|outcome| outcome.result).map(|result| result.value);
    println!("{}: {}", ended.id, result.unwrap_or_default());
    host.stop(Duration::from_secs(10)).await;
    Ok(())
}
