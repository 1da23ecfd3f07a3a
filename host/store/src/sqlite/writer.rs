//! The one thread that writes: it takes what waits in its queue, makes it in one transaction, and answers after the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_channel::Receiver;
use futures::channel::oneshot;
use rusqlite::Connection;

use super::connection::Database;
use super::failure::Failure;
use super::numbers::Numbers;
use crate::StoreError;

/// What a step works on.
pub(super) struct Writing<'a> {
    pub(super) connection: &'a Connection,
    pub(super) numbers: &'a mut Numbers,
}

/// A step that waits to be made.
pub(super) trait Step: Send {
    /// Makes it, inside a transaction.
    fn make(&mut self, writing: &mut Writing<'_>) -> Result<(), Failure>;
    /// It will not be kept, for this reason.
    fn refuse(&mut self, error: StoreError);
    /// Tells who asked. What was made is on disk now.
    fn answer(self: Box<Self>);
}

/// A step, its outcome, and who asked for it.
pub(super) struct Asked<T, F> {
    work: Option<F>,
    outcome: Result<T, StoreError>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Asked<T, F> {
    pub(super) fn new(work: F, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        // What nobody got to is not made.
        Self { work: Some(work), outcome: Err(StoreError::Closed), reply }
    }
}

impl<T: Send, F: FnOnce(&mut Writing<'_>) -> Result<T, Failure> + Send> Step for Asked<T, F> {
    fn make(&mut self, writing: &mut Writing<'_>) -> Result<(), Failure> {
        if let Some(work) = self.work.take() {
            self.outcome = Ok(work(writing)?);
        }
        Ok(())
    }

    fn refuse(&mut self, error: StoreError) {
        self.outcome = Err(error);
    }

    fn answer(self: Box<Self>) {
        // Who asked may have stopped waiting.
        let _ = self.reply.send(self.outcome);
    }
}

/// How much was written, for people who wonder whether steps share transactions.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) steps: AtomicU64,
    pub(super) transactions: AtomicU64,
}

/// The thread's state. Without a session there is no connection: the last one was given up, and the next batch opens
/// another.
pub(super) struct Writer {
    pub(super) database: Database,
    pub(super) queue: Receiver<Box<dyn Step>>,
    pub(super) batch_limit: usize,
    pub(super) session: Option<Session>,
    pub(super) counters: Arc<Counters>,
}

/// A connection with the numbers that it gives.
pub(super) struct Session {
    pub(super) connection: Connection,
    pub(super) numbers: Numbers,
}

impl Session {
    fn open(database: &Database) -> Result<Self, Failure> {
        let connection = database.open_writer()?;
        let numbers = Numbers::load(&connection)?;
        Ok(Self { connection, numbers })
    }
}

impl Writer {
    /// Works until the queue is closed and empty, and sleeps while there is nothing to do.
    pub(super) fn run(&mut self) {
        while let Ok(first) = self.queue.recv_blocking() {
            let mut batch = vec![first];
            while batch.len() < self.batch_limit {
                let Ok(step) = self.queue.try_recv() else { break };
                batch.push(step);
            }
            self.make(batch);
        }
    }

    /// Moves the log into the file. What cannot be moved stays in the log, where the next opening finds it.
    pub(super) fn finish(&mut self) {
        if let Some(session) = self.session.take() {
            let _ = session.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    /// Makes a batch. What hits the whole transaction refuses all of it, the steps that failed by themselves included:
    /// they may have seen what a neighbour did that is undone now.
    fn make(&mut self, mut batch: Vec<Box<dyn Step>>) {
        if let Err(failure) = self.transaction(&mut batch) {
            let error = failure.in_file(&self.database.path);
            self.recover(&error);
            for step in &mut batch {
                step.refuse(error.clone());
            }
        } else {
            self.counters.transactions.fetch_add(1, Ordering::Relaxed);
            self.counters.steps.fetch_add(batch.len() as u64, Ordering::Relaxed);
        }
        for step in batch {
            step.answer();
        }
    }

    fn transaction(&mut self, batch: &mut [Box<dyn Step>]) -> Result<(), Failure> {
        let session = match self.session.take() {
            Some(session) => self.session.insert(session),
            None => self.session.insert(Session::open(&self.database)?),
        };
        execute(&session.connection, "BEGIN IMMEDIATE")?;
        for step in batch {
            execute(&session.connection, "SAVEPOINT step")?;
            let mut writing = Writing { connection: &session.connection, numbers: &mut session.numbers };
            if let Err(failure) = step.make(&mut writing) {
                let error = failure.in_file(&self.database.path);
                if error.is_temporary() || session.connection.is_autocommit() {
                    return Err(error.into());
                }
                execute(&session.connection, "ROLLBACK TO step")?;
                step.refuse(error);
            }
            execute(&session.connection, "RELEASE step")?;
        }
        session.numbers.store(&session.connection)?;
        execute(&session.connection, "COMMIT")?;
        session.numbers.stored();
        Ok(())
    }

    /// After a transaction that failed: the next one begins clean.
    fn recover(&mut self, error: &StoreError) {
        let Some(session) = &self.session else { return };
        let clean = session.connection.is_autocommit() || execute(&session.connection, "ROLLBACK").is_ok();
        // A connection that saw the disk fail is not trusted with what it has in memory.
        if !clean || matches!(error, StoreError::Io { .. } | StoreError::Corrupt { .. }) {
            self.session = None;
        }
    }
}

fn execute(connection: &Connection, sql: &str) -> Result<(), rusqlite::Error> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}
