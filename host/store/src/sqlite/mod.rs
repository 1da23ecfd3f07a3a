//! The store on SQLite: one file, one thread that writes, a few that read.
//!
//! - `writer`: many steps, one transaction; `readers`: questions, beside it
//! - `steps`: what each step does; `reads`: what each question reads; `rows`: rows as values
//! - `schema`, `migrations/`: the format; `connection`: what is set on each connection; `lock`: one host at a time

mod connection;
mod contract;
mod failure;
mod lock;
mod numbers;
mod options;
mod readers;
mod reads;
mod rows;
mod schema;
mod steps;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use async_channel::Sender;
use futures::channel::oneshot;
use rusqlite::Connection;

use connection::Database;
use failure::Failure;
use lock::Lock;
pub use options::{DEFAULT_BATCH_LIMIT, DEFAULT_BUSY_TIMEOUT, DEFAULT_QUEUE_LIMIT, DEFAULT_READERS, SqliteOptions};
use readers::{Question, Reader};
use writer::{Asked, Counters, Queue, Session, Step, Writer, Writing};

use crate::StoreError;

/// A store in one file of SQLite's.
///
/// Dropping it finishes what was asked for, and waits for that, but leaves the log beside the file; [`Store::close`]
/// moves it into the file.
///
/// [`Store::close`]: crate::Store::close
pub struct SqliteStore {
    steps: Sender<Box<dyn Step>>,
    questions: Sender<Question>,
    counters: Arc<Counters>,
    threads: Mutex<Threads>,
    /// A connection that does nothing but be there. With the last one gone, SQLite would read the log anew, and find in it
    /// what a failed commit had left: steps that were refused would come back.
    _anchor: Mutex<Connection>,
}

/// The threads, until they are joined.
#[derive(Default)]
struct Threads {
    readers: Vec<JoinHandle<()>>,
    writer: Option<JoinHandle<Ended>>,
}

/// Opens a connection and has it look at the data once: only then does it count.
fn anchor(database: &Database) -> Result<Connection, Failure> {
    let connection = database.open_reader()?;
    connection.query_row("SELECT count(*) FROM next_number", [], |_| Ok(()))?;
    Ok(connection)
}

/// What is left when the thread that writes has ended. The lock is in here, so that nobody takes it while there is
/// still something to write.
struct Ended {
    writer: Writer,
    _lock: Lock,
}

/// How much was written since the store was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// How many steps, those included that were refused by themselves.
    pub steps: u64,
    /// How many transactions they took.
    pub transactions: u64,
}

impl SqliteStore {
    /// Opens a file, or makes it. An old format is brought to the newest one.
    ///
    /// [`StoreError::InUse`] if another host has it open, [`StoreError::TooNew`] if a newer version wrote it, and
    /// [`StoreError::Corrupt`] if it is not ours or cannot be read. What is in the file is not checked as a whole: damage
    /// deep inside is told when it is met.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let lock = Lock::take(path)?;
        let (queue_limit, readers, batch_limit) =
            (options.queue_limit.max(1), options.readers.max(1), options.batch_limit.max(1));
        let database = Database::new(path, options);
        let session = open_session(&database).map_err(|failure| failure.in_file(path))?;
        let anchor = anchor(&database).map_err(|failure| failure.in_file(path))?;
        let (steps, queue) = async_channel::bounded(queue_limit);
        let (questions, asked) = async_channel::bounded(queue_limit);
        let counters = Arc::new(Counters::default());
        let mut threads = Threads::default();
        for _ in 0..readers {
            let connection = database.open_reader().map_err(|failure| failure.in_file(path))?;
            let mut reader = Reader { database: database.clone(), connection: Some(connection) };
            let asked = asked.clone();
            threads.readers.push(spawn("everturn-read", move || reader.run(&asked))?);
        }
        let mut writer = Writer {
            database,
            queue: Queue::new(queue),
            batch_limit,
            session: Some(session),
            counters: Arc::clone(&counters),
        };
        threads.writer = Some(spawn("everturn-write", move || {
            writer.run();
            Ended { writer, _lock: lock }
        })?);
        Ok(Self { steps, questions, counters, threads: Mutex::new(threads), _anchor: Mutex::new(anchor) })
    }

    /// How much was written.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            steps: self.counters.steps.load(Ordering::Relaxed),
            transactions: self.counters.transactions.load(Ordering::Relaxed),
        }
    }

    /// Has a step made. It may be made twice, and undone in between.
    async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Writing<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write_until(None, work).await
    }

    /// The same, for a step that is not to be kept before this moment.
    async fn write_until<T: Send + 'static>(
        &self,
        moment: Option<Instant>,
        work: impl Fn(&mut Writing<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let step = Box::new(Asked::new(work, moment, reply));
        self.steps.send(step).await.map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Has a question answered.
    async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let question: Question = Box::new(move |reader| {
            // Who asked may have stopped waiting.
            let _ = reply.send(reader.read(question));
        });
        self.questions.send(question).await.map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Takes nothing more, and gives the threads that still do what they were asked for.
    fn shut(&self) -> Threads {
        self.questions.close();
        self.steps.close();
        std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shuts, and waits for the threads on another one: who asks may be on one that has other work.
    async fn shut_and_finish(&self) {
        let threads = self.shut();
        let (reply, answer) = oneshot::channel();
        let ended = spawn("everturn-close", move || {
            threads.end(true);
            let _ = reply.send(());
        });
        if ended.is_ok() {
            let _ = answer.await;
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.shut().end(false);
    }
}

impl Threads {
    /// Waits for their end; then moves the log into the file, if that is wanted.
    fn end(self, finish: bool) {
        for reader in self.readers {
            let _ = reader.join();
        }
        if let Some(Ok(mut ended)) = self.writer.map(JoinHandle::join)
            && finish
        {
            ended.writer.finish();
        }
    }
}

fn open_session(database: &Database) -> Result<Session, Failure> {
    let connection = database.open_bare()?;
    let kind = schema::identify(&connection, &database.path.display().to_string(), schema::MIGRATIONS.len())?;
    schema::check_length(&connection, &database.path)?;
    database.prepare_writer(&connection)?;
    schema::migrate(&connection, kind, schema::MIGRATIONS)?;
    schema::check(&connection)?;
    Session::new(connection)
}

fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, StoreError> {
    let failed = |error: std::io::Error| StoreError::Io { detail: format!("no thread: {error}") };
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(failed)
}
