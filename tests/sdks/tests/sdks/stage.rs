//! Where a story takes place: a host, and a worker and a client of one SDK.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::client::Client;
use crate::host::Host;
use crate::sdk::Sdk;
use crate::worker::Worker;

/// A host with a worker and a client.
pub(crate) struct Stage {
    pub(crate) sdk: &'static Sdk,
    pub(crate) client: Client,
    _worker: Worker,
    pub(crate) host: Host,
    directory: TempDir,
}

impl Stage {
    pub(crate) fn new(sdk: &'static Sdk) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let host = Host::start(directory.path());
        let worker = Worker::start(sdk, &host, directory.path(), "worker");
        let client = Client::start(sdk, &host, directory.path());
        Self { sdk, client, _worker: worker, host, directory }
    }

    /// A file of this name, which is not there yet.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}
