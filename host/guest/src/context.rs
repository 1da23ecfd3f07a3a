//! The interface `context`: what a guest may ask or say without waiting.

use everturn_replay::Execution;
use tracing::Level;
use wasmtime::Result;

use crate::bindings::everturn::workflow::context::{ContinueOptions, DetachedOptions, Host, InstanceInfo, LogLevel};
use crate::bindings::everturn::workflow::types::Instant;
use crate::convert;
use crate::fault::GuestFault;
use crate::state::State;

impl Host for State {
    fn now(&mut self) -> Result<Instant> {
        Ok(self.context("context.now", |execution| convert::instant(execution.now()))?)
    }

    fn random_bytes(&mut self, length: u32) -> Result<Vec<u8>> {
        self.context("context.random-bytes", |_| ())?;
        Ok(self.random(u64::from(length))?)
    }

    fn uuid(&mut self) -> Result<String> {
        Ok(self.context("context.uuid", Execution::uuid)?)
    }

    fn info(&mut self) -> Result<InstanceInfo> {
        let info = self.context("context.info", |execution| execution.start().map(convert::instance_info))?;
        info.ok_or_else(|| GuestFault::Host { detail: "the guest runs before its execution started".to_owned() }.into())
    }

    fn history_length(&mut self) -> Result<u64> {
        Ok(self.context("context.history-length", |execution| execution.history_length())?)
    }

    fn is_replaying(&mut self) -> Result<bool> {
        Ok(self.context("context.is-replaying", |execution| execution.is_replaying())?)
    }

    fn log(&mut self, level: LogLevel, message: String, fields: Vec<(String, String)>) -> Result<()> {
        self.context("context.log", |_| ())?;
        let level = match level {
            LogLevel::Trace => Level::TRACE,
            LogLevel::Debug => Level::DEBUG,
            LogLevel::Info => Level::INFO,
            LogLevel::Warn => Level::WARN,
            LogLevel::Error => Level::ERROR,
        };
        State::log(self, level, &message, &fields);
        Ok(())
    }

    fn set_custom_status(&mut self, status: String) -> Result<()> {
        self.payload("custom status", &status)?;
        self.change("context.set-custom-status", |execution| execution.set_custom_status(status))?;
        Ok(())
    }

    fn raise_event(&mut self, instance_id: String, name: String, data: String) -> Result<()> {
        let names = self.name("instance id", &instance_id)? + self.name("event's name", &name)?;
        let bytes = names + self.payload("event's data", &data)?;
        self.command("context.raise-event", bytes, |linked| {
            linked.execution.raise_event(instance_id.into(), name, data);
        })?;
        Ok(())
    }

    fn start_detached(&mut self, workflow: String, input: String, options: DetachedOptions) -> Result<String> {
        let bytes = self.name("workflow's name", &workflow)?
            + self.payload("workflow's input", &input)?
            + self.names([
                ("workflow's instance id", &options.instance_id),
                ("target app id", &options.target_app_id),
                ("workflow's version", &options.version),
            ])?;
        let options = convert::detached_options(options)?;
        let id = self.command("context.start-detached", bytes, |linked| {
            linked.execution.start_detached(workflow, input, options)
        })?;
        Ok(id.to_string())
    }

    fn continue_as_new(&mut self, input: String, options: ContinueOptions) -> Result<()> {
        self.payload("next generation's input", &input)?;
        self.names([("next generation's version", &options.version)])?;
        let options = convert::continue_options(options);
        self.change("context.continue-as-new", |execution| execution.continue_as_new(input, options))?;
        Ok(())
    }

    fn patched(&mut self, id: String) -> Result<bool> {
        let bytes = self.name("patch's id", &id)?;
        Ok(self.command("context.patched", bytes, |linked| linked.execution.patched(&id))?)
    }
}
