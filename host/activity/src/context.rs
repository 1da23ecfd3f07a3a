//! The interface `context`: what an activity may ask or say while it runs.

use tracing::Level;
use wasmtime::Result;

use crate::bindings::everturn::activity::context::{ActivityInfo, Host, LogLevel};
use crate::bindings::everturn::workflow::types;
use crate::convert;
use crate::run::Stopped;
use crate::state::State;

impl Host for State {
    fn info(&mut self) -> Result<ActivityInfo> {
        Ok(convert::info(&self.call))
    }

    fn heartbeat(&mut self, details: Option<String>) -> Result<bool> {
        let (size, limit) = (details.as_ref().map_or(0, String::len), self.limits.payload_size);
        if size > limit {
            return Err(Stopped::HeartbeatTooLarge { size, limit }.into());
        }
        Ok(self.heartbeat.beat(details))
    }

    fn secret(&mut self, name: String) -> Result<Option<String>> {
        Ok(self.secrets.get(&name).map(|secret| secret.expose().to_owned()))
    }

    fn log(&mut self, level: LogLevel, message: String, fields: Vec<(String, String)>) -> Result<()> {
        let level = match level {
            LogLevel::Trace => Level::TRACE,
            LogLevel::Debug => Level::DEBUG,
            LogLevel::Info => Level::INFO,
            LogLevel::Warn => Level::WARN,
            LogLevel::Error => Level::ERROR,
        };
        self.output.log(level, &message, &fields);
        Ok(())
    }
}

/// The types that both packages share; there is nothing to call.
impl types::Host for State {}
