//! The types generated from `proto/taskhub.proto`; their documentation is there.
#![allow(
    missing_docs,
    clippy::all,
    clippy::allow_attributes_without_reason,
    clippy::needless_pass_by_value,
    clippy::uninlined_format_args,
    clippy::redundant_closure_for_method_calls,
    clippy::semicolon_if_nothing_returned,
    unused_qualifications,
    unreachable_pub,
    reason = "generated code does not follow the house rules"
)]

include!(concat!(env!("OUT_DIR"), "/_.rs"));
