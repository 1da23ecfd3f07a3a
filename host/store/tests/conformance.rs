//! The store on SQLite keeps the contract.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

use std::sync::Arc;

use everturn_store::Store;
use everturn_store::conformance::Open;
use everturn_store::sqlite::{SqliteOptions, SqliteStore};

fn open() -> Open {
    let directory = tempfile::tempdir().unwrap();
    Box::new(move || -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&directory.path().join("store.db"), SqliteOptions::default()).unwrap())
    })
}

everturn_store::conformance_tests!(open);
