//! Who does activities, and how long they take.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use everturn_test::{Activities, ActivityError, Context, Failure, Grants, MockCall, TestHost};
use serde_json::{Value, json};

use crate::{activity_guests, guests, order};

#[test]
fn a_mock_may_keep_what_it_was_given() {
    let heard = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&heard);
    let host = TestHost::new(guests()).activity("A", move |input: String| {
        kept.borrow_mut().push(input);
        Ok(kept.borrow().len())
    });
    assert_eq!(host.start("activity_without_options", &()).result(), Ok(1));
    assert_eq!(host.start("activity_without_options", &()).result(), Ok(2));
    assert_eq!(heard.take(), ["seven", "seven"]);
}

#[test]
fn a_mock_knows_its_call() {
    let host = TestHost::new(guests()).instance_id("mine").activity("A", |call: MockCall, _: Value| {
        assert_eq!((call.name.as_str(), call.instance_id.as_str()), ("A", "mine"));
        Ok((call.attempt, call.count))
    });
    let mut run = host.start("activity_without_options", &());
    assert_eq!(run.result(), Ok((1, 1)));
}

#[test]
fn an_activity_that_takes_time_answers_later() {
    let host = TestHost::new(guests()).activity_returns("A", 7).takes("A", Duration::from_secs(30));
    let mut run = host.start("activity_without_options", &());
    run.skip(Duration::from_secs(29));
    run.assert_called("A", 1);
    assert!(!run.status().is_ended());
    run.skip(Duration::from_secs(1));
    assert!(run.status().is_ended());
}

#[test]
fn an_activity_that_takes_too_long_times_out() {
    let table = [("start_to_close", "StartToCloseTimeout"), ("schedule_to_close", "ScheduleToCloseTimeout")];
    for (limit, error_type) in table {
        for takes in [Duration::from_secs(2), Duration::MAX] {
            let host = TestHost::new(guests()).activity_returns("A", 7).takes("A", takes);
            let mut run = host.start("activity_with_limits", &json!({limit: 1_000}));
            let began = run.now();
            assert_eq!(run.result(), Ok(error_type.to_owned()));
            assert_eq!(run.now().duration_since(began).unwrap(), Duration::from_secs(1));
        }
    }
}

#[test]
fn activities_of_the_component_run_for_real_if_they_may() {
    let host = TestHost::new(order()).with_real_activities();
    let mut run = host.start("order", &json!({"customer": "ann", "items": [], "amount": 120}));
    assert_eq!(run.result::<Value>().unwrap_err().error_type, "NoShop");
    assert_eq!(run.all_calls().len(), 1);
}

#[test]
fn real_activities_have_what_they_are_granted() {
    let mut grants = Grants::default();
    grants.environment.insert("SHOP_URL".to_owned(), "http://shop.invalid".to_owned());
    let host = TestHost::new(order()).grant(grants).activity_returns("charge", "paid");
    let mut run = host.start("order", &json!({"customer": "ann", "items": ["chair"], "amount": 120}));
    let failure = run.result::<Value>().unwrap_err();
    // It knows the shop now, and may not go there.
    assert_ne!(failure.error_type, "NoShop");
    run.assert_called("reserve", 1);
}

#[test]
fn native_functions_can_be_activities() {
    async fn charge(ctx: Context, order: Value) -> Result<String, ActivityError> {
        assert_eq!(ctx.call().workflow, "order");
        Err(ActivityError::new("Declined", format!("no credit for {}", order["customer"])).not_retriable())
    }
    let host = TestHost::new(order()).with_native_activities(Activities::new().with("charge", charge));
    let mut run = host.start("order", &json!({"customer": "ann", "items": [], "amount": 120}));
    assert_eq!(run.result::<Value>(), Err(Failure::new("Declined", "no credit for \"ann\"").not_retriable()));
}

#[test]
fn a_component_with_activities_and_workflows_runs_as_a_whole() {
    let component = activity_guests();
    let host = TestHost::new(component).with_real_activities();
    let mut run = host.start("asks_for_info", &());
    let told: Value = run.result().unwrap();
    assert_eq!(told["name"], "info");
}

#[test]
fn a_wide_fan_out_is_answered_one_by_one() {
    let call = |number: u32| json!({"activity": {"name": "square", "input": number, "retry": null}});
    let script = json!([{"join": (0..500).map(call).collect::<Vec<_>>()}]);
    let host = TestHost::new(guests()).activity("square", |number: u64| Ok(number * number));
    let mut run = host.start("script", &script);
    run.result::<Value>().unwrap();
    run.assert_called("square", 500);
}

#[test]
fn nobody_waits_for_what_was_given_up() {
    let timer = json!({"timer": {"milliseconds": 3_600_000}});
    let call = json!({"activity": {"name": "quick", "input": null, "retry": null}});
    let end = json!({"wait": {"event": "end", "limit": "never"}});
    let host = TestHost::new(guests()).activity_returns("quick", ()).takes("quick", Duration::from_secs(1));
    let mut run = host.start("script", &json!([{"select": [timer, call]}, end]));
    let began = run.now();
    run.skip(Duration::from_secs(1));
    run.assert_no_pending_timers();
    run.at(Duration::from_secs(1), |run| run.raise_event("end", &()));
    run.result::<Value>().unwrap();
    assert_eq!(run.now().duration_since(began).unwrap(), Duration::from_secs(2));
}
