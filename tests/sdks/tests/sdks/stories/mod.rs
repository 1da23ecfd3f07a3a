//! The stories that hold with every SDK. They share one host, worker and client for each SDK: starting those takes longer
//! than all stories together.

mod basics;
mod children;
mod control;
mod events;
mod failures;
mod propagation;
mod retries;
mod wasm;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::sdk::{DAPR_1_17, DAPR_1_18, DAPR_1_19, DAPR_JAVASCRIPT, MICROSOFT_JAVASCRIPT, MICROSOFT_PYTHON, Sdk};
use crate::stage::Stage;

/// Something that must hold with an SDK.
#[derive(Clone, Copy)]
struct Story {
    /// The sentence.
    name: &'static str,
    tell: fn(&Stage),
}

/// Collects the stories of a module.
macro_rules! stories {
    ($($story:ident),* $(,)?) => {
        pub(super) const STORIES: &[super::Story] =
            &[$(super::Story { name: stringify!($story), tell: $story }),*];
    };
}
use stories;

#[test]
fn all_stories_hold_with_microsofts_sdk_for_python() {
    tell_all(&MICROSOFT_PYTHON);
}

#[test]
fn all_stories_hold_with_microsofts_sdk_for_javascript() {
    tell_all(&MICROSOFT_JAVASCRIPT);
}

#[test]
fn all_stories_hold_with_dapr_1_19() {
    tell_all(&DAPR_1_19);
}

#[test]
fn all_stories_hold_with_dapr_1_18() {
    tell_all(&DAPR_1_18);
}

#[test]
fn all_stories_hold_with_dapr_1_17() {
    tell_all(&DAPR_1_17);
}

#[test]
fn all_stories_hold_with_daprs_sdk_for_javascript() {
    tell_all(&DAPR_JAVASCRIPT);
}

/// Tells all stories, also after one that does not hold, and then names those.
fn tell_all(sdk: &'static Sdk) {
    let stage = Stage::new(sdk);
    let mut broken = Vec::new();
    for story in stories_for(sdk) {
        // A stage is only talked to: whatever a story leaves behind, the next one has ids of its own.
        match catch_unwind(AssertUnwindSafe(|| (story.tell)(&stage))) {
            Ok(()) => println!("{}: {}", sdk.name, story.name),
            Err(_) => broken.push(story.name),
        }
    }
    assert!(broken.is_empty(), "with {} it does not hold that {broken:#?}", sdk.name);
}

fn stories_for(sdk: &Sdk) -> Vec<Story> {
    let mut stories = Vec::new();
    for told_of_all in
        [basics::STORIES, children::STORIES, control::STORIES, events::STORIES, failures::STORIES, wasm::STORIES]
    {
        stories.extend_from_slice(told_of_all);
    }
    if sdk.retries {
        stories.extend_from_slice(retries::STORIES);
    }
    if sdk.propagates {
        stories.extend_from_slice(propagation::STORIES);
    }
    stories
}
