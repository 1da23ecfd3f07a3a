//! Closures that stand in for activities and children.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::complaint::Complaint;
use crate::failure::Failure;
use crate::payload;

/// Which call a mock answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MockCall {
    /// The name of the activity or child.
    pub name: String,
    /// The instance whose workflow called.
    pub instance_id: String,
    /// Which attempt of its call this is, from 1. A child has a new call, and a new id, for every attempt.
    pub attempt: u32,
    /// How often this name has been called in this run, this time included.
    pub count: usize,
    /// The time on the virtual clock.
    pub now: SystemTime,
}

/// A closure that stands in for an activity or a child: `|input: In| -> Result<Out, Failure>`, or with the call before the
/// input: `|call: MockCall, input: In| -> Result<Out, Failure>`. Types of arguments have to be written out.
pub trait Mock<Arguments> {
    /// The closure with its types forgotten.
    fn into_function(self) -> MockFunction;
}

type Answer = Result<Result<String, Failure>, Complaint>;
type Function = Rc<RefCell<dyn FnMut(MockCall, &str) -> Answer>>;

/// A mock with its types forgotten.
#[derive(Clone)]
pub struct MockFunction(Function);

impl MockFunction {
    pub(crate) fn call(&self, call: MockCall, input: &str) -> Answer {
        (self.0.borrow_mut())(call, input)
    }

    fn new<I, O>(mut function: impl FnMut(MockCall, I) -> Result<O, Failure> + 'static) -> Self
    where
        I: DeserializeOwned,
        O: Serialize,
    {
        Self(Rc::new(RefCell::new(move |call: MockCall, input: &str| {
            let name = call.name.clone();
            let input = payload::read(&format!("the input of `{name}`, as the workflow gave it to the mock,"), input)?;
            match function(call, input) {
                Ok(output) => payload::write(&format!("what the mock of `{name}` returned"), &output).map(Ok),
                Err(failure) => Ok(Err(failure)),
            }
        })))
    }
}

impl fmt::Debug for MockFunction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MockFunction")
    }
}

impl<F, I, O> Mock<(I,)> for F
where
    F: FnMut(I) -> Result<O, Failure> + 'static,
    I: DeserializeOwned,
    O: Serialize,
{
    fn into_function(mut self) -> MockFunction {
        MockFunction::new(move |_: MockCall, input: I| self(input))
    }
}

impl<F, I, O> Mock<(MockCall, I)> for F
where
    F: FnMut(MockCall, I) -> Result<O, Failure> + 'static,
    I: DeserializeOwned,
    O: Serialize,
{
    fn into_function(self) -> MockFunction {
        MockFunction::new(self)
    }
}
