//! The activities of a component: linked to what activities have, and run one at a time each in a guest of its own.

use std::fmt;
use std::sync::Arc;

use everturn_guest::{ActivityDescription, Component, forbid};
use futures::future::{Either, ready};
use wasmtime::component::{HasSelf, InstancePre, Linker};

use crate::bindings::{Activity, ActivityPre};
use crate::call::{Call, Heartbeat, Outcome};
use crate::grants::Grants;
use crate::limits::ActivityLimits;
use crate::native::unknown;
use crate::run::{Run, Stopped};
use crate::state::State;

/// A component's activities. Cheap to clone.
#[derive(Clone)]
pub struct ActivityComponent(Arc<Loaded>);

struct Loaded {
    component: Component,
    linked: ActivityPre<State>,
    limits: Arc<ActivityLimits>,
}

/// Why a component's activities cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Its imports or exports have other types than the package says.
    #[error("the component does not fit everturn:activity@0.1.0 ({detail}); build it with the SDK of that version")]
    Unfit {
        /// What does not fit.
        detail: String,
    },
}

impl ActivityComponent {
    /// The activities of a component, under the default limits; None when it has none.
    ///
    /// # Errors
    /// When the component does not fit the package.
    pub fn load(component: &Component) -> Result<Option<Self>, LoadError> {
        Self::load_limited(component, ActivityLimits::default())
    }

    /// As [`load`](Self::load), under these limits.
    ///
    /// # Errors
    /// When the component does not fit the package.
    pub fn load_limited(component: &Component, limits: ActivityLimits) -> Result<Option<Self>, LoadError> {
        if component.activities().is_empty() {
            return Ok(None);
        }
        let linked = link(component)
            .and_then(ActivityPre::new)
            .map_err(|error| LoadError::Unfit { detail: format!("{error:#}") })?;
        Ok(Some(Self(Arc::new(Loaded { component: component.clone(), linked, limits: Arc::new(limits) }))))
    }

    /// The activities inside.
    pub fn activities(&self) -> &[ActivityDescription] {
        self.0.component.activities()
    }

    /// Runs one of them. It begins when the future is first polled, and stops when the future is dropped.
    ///
    /// The future has to be polled on a tokio runtime with time and I/O. A guest that computes without end yields every
    /// 10 ms; it is never stopped for it, that is for the caller to do.
    pub fn run(
        &self,
        call: Call,
        grants: &Grants,
        heartbeat: Arc<dyn Heartbeat>,
    ) -> impl Future<Output = Outcome> + Send + 'static {
        let names = || self.activities().iter().map(|activity| activity.name.as_str());
        if !names().any(|name| name == call.activity) {
            return Either::Left(ready(Err(unknown("this component", &call.activity, names()))));
        }
        let state = State::new(call, grants.clone(), heartbeat, Arc::clone(&self.0.limits));
        Either::Right(Run::new(self.0.component.engine().clone(), self.0.linked.clone(), state))
    }
}

impl fmt::Debug for ActivityComponent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ActivityComponent({})", self.0.component.digest())
    }
}

fn link(component: &Component) -> wasmtime::Result<InstancePre<State>> {
    let mut linker = Linker::new(component.engine().wasmtime());
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    Activity::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
    let compiled = component.compiled();
    // Nothing but types: those of the times in `wasi:http`.
    for prefix in ["everturn:workflow/", "wasi:clocks/types@"] {
        forbid(&mut linker, compiled, prefix, |function| Stopped::OnlyForWorkflows { function }.into())?;
    }
    linker.instantiate_pre(compiled)
}
