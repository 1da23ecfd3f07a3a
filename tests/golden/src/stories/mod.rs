//! What is recorded: a story for each feature, by its name. A feature that is new in history gets a story here.

mod calls;
mod events;
mod life;
mod patterns;
mod timers;

use everturn_history::HistoryEvent;
use futures::future::BoxFuture;

/// Something that happens to an instance on a host.
#[derive(Debug)]
pub struct Story {
    /// The feature.
    pub name: &'static str,
    /// Plays it, and gives the history.
    pub play: fn() -> BoxFuture<'static, Vec<HistoryEvent>>,
}

macro_rules! stories {
    ($($module:ident { $($name:ident),+ $(,)? })+) => {
        &[$($(Story { name: stringify!($name), play: || Box::pin($module::$name()) }),+),+]
    };
}

/// All stories.
pub const STORIES: &[Story] = stories! {
    calls {
        activity, activity_failure, activity_retry, activity_time_limit, child, child_failure, child_retry,
        custom_status, detached_workflow, join, random_and_time, sent_event,
    }
    events {
        event, event_before_the_wait, event_in_another_case, event_in_time, event_too_late, event_without_wait,
        registered_handlers, signals, updates, wait_until,
    }
    life {
        continue_as_new, deprecated_patch, failure, patch, reset, suspension, termination, version_changed,
    }
    patterns {
        debounce, fan_out, rate_limiter, saga, scope, timeout, timeout_kept,
    }
    timers {
        select_losers, timer, timer_cancelled, updatable_timer,
    }
};
