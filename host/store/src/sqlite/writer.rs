//! The one thread that writes: it takes what waits in its queue, makes it in one transaction, and answers after the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_channel::Receiver;
use futures::channel::oneshot;
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::connection::{CHECKPOINT_PAGES, Database};
use super::failure::Failure;
use super::numbers::Numbers;
use crate::StoreError;

/// How often a thread that waits for a moment looks whether anything else came.
const LOOK_EVERY: Duration = Duration::from_micros(100);

/// What a step works on.
pub(super) struct Writing<'a> {
    pub(super) connection: &'a Connection,
    pub(super) numbers: &'a mut Numbers,
}

/// A step that waits to be made.
pub(super) trait Step: Send {
    /// Makes it, inside a transaction. Made again after it was undone, it does the same.
    fn make(&mut self, writing: &mut Writing<'_>) -> Result<(), Failure>;
    /// When it may be kept, if that is not at once.
    fn moment(&self) -> Option<Instant>;
    /// It will not be kept, for this reason.
    fn refuse(&mut self, error: StoreError);
    /// Tells who asked. What was made is on disk now.
    fn answer(self: Box<Self>);
}

/// A step, its outcome, and who asked for it.
pub(super) struct Asked<T, F> {
    work: F,
    moment: Option<Instant>,
    outcome: Result<T, StoreError>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Asked<T, F> {
    pub(super) fn new(work: F, moment: Option<Instant>, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        // What nobody got to is not made.
        Self { work, moment, outcome: Err(StoreError::Closed), reply }
    }
}

impl<T: Send, F: Fn(&mut Writing<'_>) -> Result<T, Failure> + Send> Step for Asked<T, F> {
    fn make(&mut self, writing: &mut Writing<'_>) -> Result<(), Failure> {
        self.outcome = Ok((self.work)(writing)?);
        Ok(())
    }

    fn moment(&self) -> Option<Instant> {
        self.moment
    }

    fn refuse(&mut self, error: StoreError) {
        self.outcome = Err(error);
    }

    fn answer(self: Box<Self>) {
        let Self { work, outcome, reply, .. } = *self;
        // Who asked may have lent something to it, and has it back when he hears of it.
        drop(work);
        // Who asked may have stopped waiting.
        let _ = reply.send(outcome);
    }
}

/// How much was written, for people who wonder whether steps share transactions.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) steps: AtomicU64,
    pub(super) transactions: AtomicU64,
}

/// The steps that wait, in the order in which they were asked for.
pub(super) struct Queue {
    steps: Receiver<Box<dyn Step>>,
    /// The next one, if it was looked at.
    next: Option<Box<dyn Step>>,
}

impl Queue {
    pub(super) fn new(steps: Receiver<Box<dyn Step>>) -> Self {
        Self { steps, next: None }
    }

    /// The next step, when there is one. None: there will be no more.
    fn first(&mut self) -> Option<Box<dyn Step>> {
        self.next.take().or_else(|| self.steps.recv_blocking().ok())
    }

    /// The next step, if there is one and it may be kept at that moment or, if that has come or there is none, now. One that has to
    /// wait longer would have the others wait for it.
    fn join(&mut self, moment: Option<Instant>) -> Option<Box<dyn Step>> {
        if self.next.is_none() {
            self.next = self.steps.try_recv().ok();
        }
        let kept_at = moment.max(Some(Instant::now()));
        self.next.take_if(|step| step.moment() <= kept_at)
    }

    /// The same, if one comes before that moment. None: the moment has come.
    fn join_before(&mut self, moment: Instant) -> Option<Box<dyn Step>> {
        loop {
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            if let Some(step) = self.join(Some(moment)) {
                return Some(step);
            }
            std::thread::sleep(left.min(LOOK_EVERY));
        }
    }
}

/// The thread's state. Without a session there is no connection: the last one was given up, and the next batch opens
/// another.
pub(super) struct Writer {
    pub(super) database: Database,
    pub(super) queue: Queue,
    pub(super) batch_limit: usize,
    pub(super) session: Option<Session>,
    pub(super) counters: Arc<Counters>,
}

/// A connection with the numbers that it gives.
pub(super) struct Session {
    pub(super) connection: Connection,
    numbers: Numbers,
    /// How many pages the log had after the last commit.
    log: Arc<AtomicI32>,
}

/// What is undone when a step fails by itself after it changed something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undo {
    /// All of its batch, which is to be made again then.
    All,
    /// That step.
    Step,
}

/// What became of a batch.
enum Made {
    /// It is on disk.
    Kept,
    /// It was undone as a whole, and is to be made again.
    Undone,
}

impl Session {
    /// On a connection that is set to write.
    pub(super) fn new(mut connection: Connection) -> Result<Self, Failure> {
        let numbers = Numbers::load(&connection)?;
        let log = Arc::new(AtomicI32::default());
        let pages = Arc::clone(&log);
        connection.wal_hook(Some(move |_: &mut Wal, count| {
            pages.store(count, Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { connection, numbers, log })
    }
}

impl Writer {
    /// Works until the queue is closed and empty, and sleeps while there is nothing to do.
    pub(super) fn run(&mut self) {
        while let Some(first) = self.queue.first() {
            let moment = first.moment();
            let mut batch = vec![first];
            while batch.len() < self.batch_limit {
                let Some(step) = self.queue.join(moment) else { break };
                batch.push(step);
            }
            self.make(batch, moment);
            self.shorten_log();
        }
    }

    /// Moves the log into the file when it is long, but keeps its place on disk. What cannot be moved stays in the log.
    fn shorten_log(&self) {
        if let Some(session) = &self.session
            && session.log.load(Ordering::Relaxed) >= CHECKPOINT_PAGES
        {
            session.log.store(0, Ordering::Relaxed);
            let _ = session.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    }

    /// Moves the log into the file. What cannot be moved stays in the log, where the next opening finds it.
    pub(super) fn finish(&mut self) {
        if let Some(session) = self.session.take() {
            let _ = session.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    /// Makes a batch, which is kept at that moment. What hits the whole transaction refuses all of it, the steps that failed by
    /// themselves included: they may have seen what a neighbour did that is undone now.
    fn make(&mut self, mut batch: Vec<Box<dyn Step>>, moment: Option<Instant>) {
        // Most batches have no step that has to be undone, and a savepoint for each costs a fifth of the time.
        let mut made = self.transaction(&mut batch, moment, Undo::All);
        if let Ok(Made::Undone) = made {
            made = self.transaction(&mut batch, moment, Undo::Step);
        }
        if let Err(failure) = made {
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

    fn transaction(
        &mut self,
        batch: &mut Vec<Box<dyn Step>>,
        moment: Option<Instant>,
        undo: Undo,
    ) -> Result<Made, Failure> {
        let session = match self.session.take() {
            Some(session) => self.session.insert(session),
            None => self.session.insert(Session::new(self.database.open_writer()?)?),
        };
        let Session { connection, numbers, .. } = session;
        execute(connection, "BEGIN IMMEDIATE")?;
        let mut made = 0;
        loop {
            while let Some(step) = batch.get_mut(made) {
                if undo == Undo::Step {
                    execute(connection, "SAVEPOINT step")?;
                }
                let changes = connection.total_changes();
                if let Err(failure) = step.make(&mut Writing { connection, numbers }) {
                    let error = failure.in_file(&self.database.path);
                    if error.is_temporary() || connection.is_autocommit() {
                        return Err(error.into());
                    }
                    match undo {
                        // It refused before it changed anything: most that do, do so.
                        _ if connection.total_changes() == changes => {}
                        Undo::All => {
                            execute(connection, "ROLLBACK")?;
                            return Ok(Made::Undone);
                        }
                        Undo::Step => execute(connection, "ROLLBACK TO step")?,
                    }
                    step.refuse(error);
                }
                if undo == Undo::Step {
                    execute(connection, "RELEASE step")?;
                }
                made += 1;
            }
            // While it is open anyway, others need not wait for the next one.
            let Some(step) = moment.and_then(|moment| self.queue.join_before(moment)) else { break };
            batch.push(step);
        }
        numbers.store(connection)?;
        execute(connection, "COMMIT")?;
        numbers.stored();
        Ok(Made::Kept)
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
