//! The threads that read: each has a connection of its own, and sleeps while nobody asks.

use async_channel::Receiver;
use rusqlite::Connection;

use super::connection::Database;
use super::failure::Failure;
use crate::StoreError;

/// A question that waits to be answered, and answers itself.
pub(super) type Question = Box<dyn FnOnce(&mut Reader) + Send>;

/// One thread's state. Without a connection the last one was given up, and the next question opens another.
pub(super) struct Reader {
    pub(super) database: Database,
    pub(super) connection: Option<Connection>,
}

impl Reader {
    /// Works until the queue is closed and empty.
    pub(super) fn run(&mut self, queue: &Receiver<Question>) {
        while let Ok(question) = queue.recv_blocking() {
            question(self);
        }
    }

    /// Answers a question from one state of the data, however many statements it takes.
    pub(super) fn read<T>(
        &mut self,
        question: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let answer = self.try_read(question).map_err(|failure| failure.in_file(&self.database.path));
        if matches!(answer, Err(StoreError::Io { .. } | StoreError::Corrupt { .. })) {
            self.connection = None;
        }
        answer
    }

    fn try_read<T>(&mut self, question: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let connection = match self.connection.take() {
            Some(connection) => self.connection.insert(connection),
            None => self.connection.insert(self.database.open_reader()?),
        };
        // Undone when it is dropped, which for a question is as good as a commit.
        let transaction = connection.unchecked_transaction()?;
        question(&transaction)
    }
}
