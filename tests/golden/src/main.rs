//! Records the stories that have no history yet, and adds all histories without a digest to the list of digests. What is
//! there already is never touched.
#![allow(clippy::unwrap_used, reason = "a recorder fails by panicking, as a test does")]

use std::fs;

use everturn_golden::files::{self, DIGESTS};
use everturn_golden::stories::{STORIES, Story};
use everturn_history::json;
use futures::future::join_all;

fn main() {
    let missing: Vec<_> =
        STORIES.iter().filter(|story| !files::root().join(files::of_story(story.name)).exists()).collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Some of them wait for a minute, so all do at once.
    runtime.block_on(join_all(missing.into_iter().map(record)));

    let mut digests = files::recorded();
    for (path, digest) in files::found() {
        digests.entry(path).or_insert(digest);
    }
    fs::write(files::root().join(DIGESTS), files::lines(&digests)).unwrap();
}

async fn record(story: &Story) {
    let history = (story.play)().await;
    let path = files::of_story(story.name);
    fs::write(files::root().join(&path), format!("{}\n", json::to_string(&history).unwrap())).unwrap();
    println!("recorded {path}");
}
