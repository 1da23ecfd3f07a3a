//! What the disk can do without us, in the directory and in the run in which everything else is measured.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::disk::Disk;
use crate::figures::Baseline;

/// How the store has SQLite write: nothing is acknowledged before it is on disk.
pub(crate) const DURABILITY: &str = "synchronous=FULL, journal_mode=WAL";

/// Rounds of each measurement; the median counts.
const ROUNDS: usize = 5;
/// How long a round takes.
const ROUND: Duration = Duration::from_millis(600);
/// The same when it has to be quick.
const QUICK_ROUND: Duration = Duration::from_millis(60);
/// What is written before an fsync, in bytes: a page.
const PAGE: usize = 4_096;
/// A row, in bytes.
const ROW: usize = 100;
/// Rows of a transaction, for R.
const BATCH: usize = 100;

/// Measures.
pub(crate) fn measure(directory: &Path, disk: Disk, quick: bool) -> anyhow::Result<Baseline> {
    let round = if quick { QUICK_ROUND } else { ROUND };
    let mut file = File::create(directory.join("syncs"))?;
    let syncs = median_rate(round, || sync(&mut file, disk))?;
    let mut database = open(&directory.join("baseline.db"), disk)?;
    let commits = median_rate(round, || insert(&mut database, 1))?;
    let rows = median_rate(round, || insert(&mut database, BATCH))? * BATCH as f64;
    Ok(Baseline { syncs, commits, rows })
}

/// How often something is done in a second, again and again for that long: the median of some rounds.
fn median_rate(round: Duration, mut something: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let mut rates = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let (began, mut count) = (Instant::now(), 0_u32);
        while began.elapsed() < round {
            something()?;
            count += 1;
        }
        rates.push(f64::from(count) / began.elapsed().as_secs_f64());
    }
    rates.sort_unstable_by(f64::total_cmp);
    Ok(rates[ROUNDS / 2])
}

/// Writes a page where it was written before, as SQLite does with its log, and waits until it is on disk.
fn sync(file: &mut File, disk: Disk) -> anyhow::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&[7; PAGE])?;
    disk.sync(file)
}

fn open(path: &Path, disk: Disk) -> anyhow::Result<Connection> {
    let connection = match disk.vfs() {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, OpenFlags::default(), vfs)?,
        None => Connection::open(path)?,
    };
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, content BLOB NOT NULL)")?;
    Ok(connection)
}

fn insert(database: &mut Connection, rows: usize) -> anyhow::Result<()> {
    let transaction = database.transaction()?;
    for _ in 0..rows {
        transaction.prepare_cached("INSERT INTO rows (content) VALUES (?1)")?.execute([&[7_u8; ROW][..]])?;
    }
    Ok(transaction.commit()?)
}
