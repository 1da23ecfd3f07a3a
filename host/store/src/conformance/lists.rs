//! Lists and counts.

use everturn_history::ParentClosePolicy::Abandon;

use super::scene::{Scene, at, child, instance};
use crate::{Filter, Instance, NewInstance, Status};

fn ids(instances: &[Instance]) -> Vec<&str> {
    instances.iter().map(|instance| instance.id.as_str()).collect()
}

pub(super) async fn lists_have_what_the_filter_says(scene: Scene) {
    scene.ended("a1", Status::Completed, at(10)).await;
    scene.ended("a2", Status::Failed, at(20)).await;
    scene.running("b1").await;
    scene.start(NewInstance { created_at: at(5), workflow: "refund".to_owned(), ..instance("b2") }).await.unwrap();
    scene.start(NewInstance { created_at: at(6), ..child("c", "b1", Abandon) }).await.unwrap();
    let any = Filter::default;
    let table = [
        (any(), vec!["c", "b2", "b1", "a2", "a1"]),
        (Filter { statuses: vec![Status::Failed], ..any() }, vec!["a2"]),
        (Filter { statuses: vec![Status::Pending, Status::Failed, Status::Pending], ..any() }, vec!["c", "b2", "a2"]),
        (Filter { statuses: vec![Status::Stalled], ..any() }, vec![]),
        (Filter { workflow: Some("refund".to_owned()), ..any() }, vec!["b2"]),
        (Filter { id_prefix: Some("a".to_owned()), ..any() }, vec!["a2", "a1"]),
        (Filter { created_from: Some(at(5)), ..any() }, vec!["c", "b2"]),
        (Filter { created_before: Some(at(6)), ..any() }, vec!["b2", "b1", "a2", "a1"]),
        (Filter { created_from: Some(at(1)), created_before: Some(at(6)), ..any() }, vec!["b2"]),
        (Filter { ended_before: Some(at(20)), ..any() }, vec!["a1"]),
        (Filter { ended_before: Some(at(21)), ..any() }, vec!["a2", "a1"]),
        (Filter { ended_from: Some(at(20)), ..any() }, vec!["a2"]),
        (Filter { ended_from: Some(at(10)), ended_before: Some(at(20)), ..any() }, vec!["a1"]),
        (Filter { remote: Some(true), id_prefix: Some("b".to_owned()), ..any() }, vec!["b2", "b1"]),
        (Filter { remote: Some(false), ..any() }, vec![]),
        (Filter { parent: Some("b1".into()), ..any() }, vec!["c"]),
        (Filter { parent: Some("a1".into()), ..any() }, vec![]),
        (Filter { statuses: vec![Status::Pending], workflow: Some("order".to_owned()), ..any() }, vec!["c"]),
    ];
    for (filter, expected) in table {
        let page = scene.list(filter.clone(), None, 10).await.unwrap();
        assert_eq!(ids(&page.instances), expected, "{filter:?}");
        assert_eq!(page.next, None, "{filter:?}");
        for listed in page.instances {
            assert_eq!(scene.find(&listed.id).await.unwrap(), Some(listed));
        }
    }
}

pub(super) async fn pages_are_stable(scene: Scene) {
    for number in 0..7 {
        scene.started(&format!("old {number}")).await;
    }
    for limit in 1..9 {
        let (mut seen, mut from) = (Vec::new(), None);
        loop {
            let page = scene.list(Filter::default(), from, limit).await.unwrap();
            assert!(page.instances.len() <= limit);
            seen.extend(page.instances.iter().map(|it| it.id.to_string()));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!(seen, (0..7).rev().map(|number| format!("old {number}")).collect::<Vec<_>>(), "pages of {limit}");
    }
    let first = scene.list(Filter::default(), None, 3).await.unwrap();
    assert_eq!(ids(&first.instances), ["old 6", "old 5", "old 4"]);
    // What is new does not push anything from one page to another, and what is gone makes no hole.
    scene.started("new").await;
    scene.purge(first.next.unwrap(), true).await.unwrap();
    let second = scene.list(Filter::default(), first.next, 3).await.unwrap();
    assert_eq!(ids(&second.instances), ["old 2", "old 1", "old 0"]);
    assert_eq!(second.next, None, "the page is full, and it is the last");
    assert_eq!(ids(&scene.list(Filter::default(), None, 1).await.unwrap().instances), ["new"]);
}

pub(super) async fn a_prefix_is_taken_as_it_is(scene: Scene) {
    for id in ["a%b", "a_b", "axb", "A", "a*", "a\u{10ffff}z", "b", "é", "éa", ""] {
        scene.started(id).await;
    }
    let table = [
        ("a%", vec!["a%b"]),
        ("a_", vec!["a_b"]),
        ("a*", vec!["a*"]),
        ("A", vec!["A"]),
        ("a\u{10ffff}", vec!["a\u{10ffff}z"]),
        ("é", vec!["éa", "é"]),
        ("a", vec!["a\u{10ffff}z", "a*", "axb", "a_b", "a%b"]),
        ("", vec!["", "éa", "é", "b", "a\u{10ffff}z", "a*", "A", "axb", "a_b", "a%b"]),
    ];
    for (prefix, expected) in table {
        let filter = Filter { id_prefix: Some(prefix.to_owned()), ..Filter::default() };
        let page = scene.list(filter, None, 100).await.unwrap();
        let mut found = ids(&page.instances);
        assert!(page.instances.is_sorted_by_key(|it| std::cmp::Reverse(it.key)), "newest first");
        let mut expected = expected;
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{prefix:?}");
    }
}

pub(super) async fn instances_are_counted_by_status(scene: Scene) {
    let zero: Vec<_> = Status::ALL.into_iter().map(|status| (status, 0)).collect();
    assert_eq!(scene.count().await.unwrap(), zero);
    scene.started("a").await;
    scene.running("b").await;
    scene.running("c").await;
    scene.ended("d", Status::Terminated, at(1)).await;
    let counted = scene.count().await.unwrap();
    for (status, expected) in [(Status::Pending, 1), (Status::Running, 2), (Status::Terminated, 1), (Status::Failed, 0)]
    {
        assert!(counted.contains(&(status, expected)), "{counted:?}");
    }
}
