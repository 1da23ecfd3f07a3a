//! What is around a workflow in a test: who does its activities, and what time it is.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use everturn_activity::{Activities, Grants};
use serde::Serialize;
use serde_json::Value;

use crate::component::TestComponent;
use crate::failure::Failure;
use crate::mock::{Mock, MockFunction};
use crate::run::Run;
use crate::time::Time;

/// A host for tests: the real engine, no server, no database, and a clock that only goes when it is told to.
///
/// ```no_run
/// use std::time::Duration;
///
/// use everturn_test::{Failure, MockCall, TestHost};
///
/// let host = TestHost::new(everturn_test::component!())
///     .activity("notify", |person: String| Ok(format!("wrote to {person}")))
///     .activity("charge", |call: MockCall, cents: u64| match call.attempt {
///         1 => Err(Failure::new("BankUnavailable", "try later")),
///         _ => Ok(cents),
///     })
///     .activity_fails("refund", Failure::new("Closed", "no refunds").not_retriable())
///     .takes("notify", Duration::from_secs(2));
/// let mut run = host.start("order", &"a chair");
/// assert_eq!(run.result(), Ok("delivered".to_owned()));
/// ```
#[derive(Clone, Debug)]
#[must_use = "a host does nothing until a workflow is started on it"]
pub struct TestHost(pub(crate) Settings);

/// All that a host was told.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) component: TestComponent,
    pub(crate) activities: BTreeMap<String, MockFunction>,
    pub(crate) children: BTreeMap<String, MockFunction>,
    pub(crate) native: Activities,
    /// What the activities of the component may reach. None: they are not run.
    pub(crate) real: Option<Grants>,
    pub(crate) takes: BTreeMap<String, Duration>,
    pub(crate) start_time: Time,
    pub(crate) instance_id: Option<String>,
    /// Whether every turn is played again from history.
    pub(crate) replays: bool,
}

impl TestHost {
    /// A host with this component, and nothing else.
    pub fn new(component: TestComponent) -> Self {
        Self(Settings {
            component,
            activities: BTreeMap::new(),
            children: BTreeMap::new(),
            native: Activities::new(),
            real: None,
            takes: BTreeMap::new(),
            start_time: Time::DEFAULT,
            instance_id: None,
            replays: true,
        })
    }

    /// Lets a closure stand in for an activity; see [`Mock`] for its forms. It is called once for every attempt.
    pub fn activity<Arguments>(mut self, name: &str, mock: impl Mock<Arguments>) -> Self {
        self.0.activities.insert(name.to_owned(), mock.into_function());
        self
    }

    /// Lets an activity always return the same.
    pub fn activity_returns<T: Serialize + Clone + 'static>(self, name: &str, output: T) -> Self {
        self.activity(name, move |_: Value| Ok(output.clone()))
    }

    /// Lets an activity always fail. A retry policy of the workflow tries it again, unless the failure says not to.
    pub fn activity_fails(self, name: &str, failure: Failure) -> Self {
        self.activity(name, move |_: Value| Err::<Value, _>(failure.clone()))
    }

    /// Lets a closure stand in for a child workflow, whether or not the component has one of that name. The children that
    /// the component has run for real otherwise, in the same world.
    pub fn child<Arguments>(mut self, name: &str, mock: impl Mock<Arguments>) -> Self {
        self.0.children.insert(name.to_owned(), mock.into_function());
        self
    }

    /// Lets this much virtual time pass between each call of an activity, or of a child that is mocked, and its answer.
    /// Without it they answer at once. One that takes longer than the workflow allows fails with the timeout, as on a host;
    /// `Duration::MAX` never answers.
    pub fn takes(mut self, name: &str, time: Duration) -> Self {
        self.0.takes.insert(name.to_owned(), time);
        self
    }

    /// Runs those activities of the component that are not mocked for real. They reach nothing outside, unless it is
    /// [granted](Self::grant).
    pub fn with_real_activities(mut self) -> Self {
        self.0.real.get_or_insert_default();
        self
    }

    /// Runs the activities of the component for real, and lets them reach these hosts, variables and secrets.
    pub fn grant(mut self, grants: Grants) -> Self {
        self.0.real = Some(grants);
        self
    }

    /// Runs native functions for activities that are not mocked: those that a program which embeds the host gives it.
    pub fn with_native_activities(mut self, activities: Activities) -> Self {
        self.0.native = activities;
        self
    }

    /// When runs begin. Default: 2026-01-01T09:00:00Z.
    pub fn start_time(mut self, time: SystemTime) -> Self {
        self.0.start_time = time.into();
        self
    }

    /// The id of the instance that is started. Default: the name of its workflow.
    pub fn instance_id(mut self, id: &str) -> Self {
        self.0.instance_id = Some(id.to_owned());
        self
    }

    /// Does not replay runs while they go on. By default each is played again from its history in a fresh guest after its
    /// turns, and a workflow that does something else then fails the test.
    pub fn without_replays(mut self) -> Self {
        self.0.replays = false;
        self
    }

    /// Starts a workflow. Nothing runs before it is asked for: signals that are sent at once are there early.
    ///
    /// # Panics
    /// When the component has no workflow of that name, or the input cannot be written as JSON.
    #[track_caller]
    pub fn start(&self, workflow: &str, input: &(impl Serialize + ?Sized)) -> Run {
        Run::start(self.0.clone(), workflow, input)
    }
}
