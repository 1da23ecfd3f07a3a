//! Log lines for people, with fields. Silent while replaying, and never part of history.

use crate::bindings::everturn::activity::context as activity;
use crate::bindings::everturn::workflow::context;
use crate::role::{self, Role};

#[doc(hidden)]
pub use crate::bindings::everturn::workflow::context::LogLevel;

/// Where the macros end.
#[doc(hidden)]
pub fn write(level: LogLevel, message: &str, fields: &[(String, String)]) {
    match role::current() {
        Role::Workflow => context::log(level, message, fields),
        Role::Activity => activity::log(activity_level(level), message, fields),
    }
}

/// The same level in the words of the other package.
fn activity_level(level: LogLevel) -> activity::LogLevel {
    match level {
        LogLevel::Trace => activity::LogLevel::Trace,
        LogLevel::Debug => activity::LogLevel::Debug,
        LogLevel::Info => activity::LogLevel::Info,
        LogLevel::Warn => activity::LogLevel::Warn,
        LogLevel::Error => activity::LogLevel::Error,
    }
}

/// A field as the host takes it. A name that needs a mark to be no keyword loses it.
#[doc(hidden)]
pub fn field(name: &str, value: String) -> (String, String) {
    (name.strip_prefix("r#").unwrap_or(name).to_owned(), value)
}

/// Writes a log line that matters to nobody but who follows every step. See [`info!`](crate::info) for the form.
///
/// ```no_run
/// # let item = 7;
/// everturn_sdk::trace!(item, "looked at one more item");
/// ```
#[macro_export]
macro_rules! trace {
    ($($line:tt)+) => { $crate::__log!(Trace, $($line)+) };
}

/// Writes a log line for who looks for a mistake. See [`info!`](crate::info) for the form.
///
/// ```no_run
/// # let total = 7;
/// everturn_sdk::debug!(total, "added up");
/// ```
#[macro_export]
macro_rules! debug {
    ($($line:tt)+) => { $crate::__log!(Debug, $($line)+) };
}

/// Writes a log line about what goes as it should.
///
/// Fields come first and the message last, as for [`format!`]. A field is `name = value` or `name = %value` (as
/// [`Display`](std::fmt::Display) shows it), `name = ?value` (as [`Debug`](std::fmt::Debug) shows it), or just a
/// variable's name, with or without `%` or `?`.
///
/// What is written while replaying goes nowhere, but is still computed: so that a line that uses
/// [`Ctx::uuid`](crate::Ctx::uuid), say, leaves the same traces every time.
///
/// ```no_run
/// use everturn_sdk::info;
///
/// let (order, customer, attempts) = (7, Some("Ada"), 2);
/// info!("charged");
/// info!(order, ?customer, "charged after {attempts} attempts");
/// info!(order = %order, customer = ?customer, amount = 3 * 5, "charged after {} attempts", attempts);
/// ```
#[macro_export]
macro_rules! info {
    ($($line:tt)+) => { $crate::__log!(Info, $($line)+) };
}

/// Writes a log line about what should not be so, but does no harm yet. See [`info!`](crate::info) for the form.
///
/// ```no_run
/// # let days = 7;
/// everturn_sdk::warn!(days, "nobody has answered");
/// ```
#[macro_export]
macro_rules! warn {
    ($($line:tt)+) => { $crate::__log!(Warn, $($line)+) };
}

/// Writes a log line about what went wrong. See [`info!`](crate::info) for the form.
///
/// ```no_run
/// # let error = everturn_sdk::Error::new("CardDeclined", "no");
/// everturn_sdk::error!(%error, "the order is lost");
/// ```
#[macro_export]
macro_rules! error {
    ($($line:tt)+) => { $crate::__log!(Error, $($line)+) };
}

/// Takes one field after another off the front, until a message is left.
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($level:ident, $($line:tt)+) => { $crate::__log_fields!($level, [] $($line)+) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_fields {
    ($level:ident, [$($field:tt)*] $name:ident = % $value:expr, $($rest:tt)+) => {
        $crate::__log_fields!($level, [$($field)* ($name, "{}", $value)] $($rest)+)
    };
    ($level:ident, [$($field:tt)*] $name:ident = ? $value:expr, $($rest:tt)+) => {
        $crate::__log_fields!($level, [$($field)* ($name, "{:?}", $value)] $($rest)+)
    };
    ($level:ident, [$($field:tt)*] $name:ident = $value:expr, $($rest:tt)+) => {
        $crate::__log_fields!($level, [$($field)* ($name, "{}", $value)] $($rest)+)
    };
    ($level:ident, [$($field:tt)*] % $name:ident, $($rest:tt)+) => {
        $crate::__log_fields!($level, [$($field)* ($name, "{}", $name)] $($rest)+)
    };
    ($level:ident, [$($field:tt)*] ? $name:ident, $($rest:tt)+) => {
        $crate::__log_fields!($level, [$($field)* ($name, "{:?}", $name)] $($rest)+)
    };
    ($level:ident, [$($field:tt)*] $name:ident, $($rest:tt)+) => {
        $crate::__log_fields!($level, [$($field)* ($name, "{}", $name)] $($rest)+)
    };
    ($level:ident, [$(($name:ident, $form:literal, $value:expr))*] $($message:tt)+) => {
        $crate::__private::write(
            $crate::__private::LogLevel::$level,
            &::std::format!($($message)+),
            &[$($crate::__private::field(::std::stringify!($name), ::std::format!($form, $value))),*],
        )
    };
}
