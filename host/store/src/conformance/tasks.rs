//! Activity tasks and leases.

use super::scene::{Scene, at, lease, message, names, task, turn};
use crate::{
    Answer, FinishedTask, InstanceKey, Lease, NewTask, Status, StoreError, Task, TaskKey, Token, Turn, Visible,
};

/// Gives an instance these tasks and tells their numbers.
async fn schedule(scene: &Scene, key: InstanceKey, tasks: Vec<NewTask>) -> Vec<TaskKey> {
    let number = scene.state(key).await.turns;
    scene.commit(Turn { tasks, ..turn(key, number) }).await.unwrap().tasks
}

fn finished(key: TaskKey, mark: u8) -> FinishedTask {
    FinishedTask { key, token: lease(mark).token }
}

fn keys(tasks: &[Task]) -> Vec<TaskKey> {
    tasks.iter().map(|task| task.key).collect()
}

pub(super) async fn a_task_waits_until_somebody_takes_it(scene: Scene) {
    let key = scene.running("a").await;
    let new = task(3, "charge");
    let tasks = schedule(&scene, key, vec![new.clone()]).await;
    let expected = Task {
        key: tasks[0],
        instance: key,
        instance_id: "a".into(),
        execution_id: scene.state(key).await.execution_id,
        workflow: "order".to_owned(),
        remote: true,
        generation: 0,
        task: new.task,
        scheduled: new.scheduled,
        at: at(1),
        dispatches: 0,
        lease: None,
    };
    let charge = || vec!["charge".to_owned()];
    assert_eq!(scene.waiting_tasks(charge(), 10).await.unwrap(), std::slice::from_ref(&expected));
    assert_eq!(scene.waiting_tasks(vec!["ship".to_owned()], 10).await.unwrap(), []);
    let given = Lease { token: Token([7; 16]), until: Some(at(60)) };
    let leased = scene.lease(vec![(tasks[0], given), (TaskKey(99), given)]).await.unwrap();
    let expected = Task { dispatches: 1, lease: Some(given), ..expected };
    assert_eq!(leased, std::slice::from_ref(&expected));
    assert_eq!(scene.waiting_tasks(charge(), 10).await.unwrap(), []);
    assert_eq!(scene.open_work(key).await.unwrap().tasks, [expected]);
}

pub(super) async fn a_task_can_begin_with_its_turn(scene: Scene) {
    let key = scene.running("a").await;
    schedule(&scene, key, vec![NewTask { lease: Some(lease(1)), ..task(0, "charge") }]).await;
    assert_eq!(scene.waiting_activities().await.unwrap(), []);
    let tasks = scene.open_work(key).await.unwrap().tasks;
    assert_eq!((tasks[0].dispatches, tasks[0].lease), (1, Some(lease(1))));
}

pub(super) async fn a_lease_is_lost_to_the_next_one(scene: Scene) {
    let key = scene.running("a").await;
    let tasks = schedule(&scene, key, vec![task(0, "charge")]).await;
    scene.lease(vec![(tasks[0], lease(1))]).await.unwrap();
    let again = scene.lease(vec![(tasks[0], lease(2))]).await.unwrap();
    assert_eq!((again[0].dispatches, again[0].lease), (2, Some(lease(2))));
    let answer = |mark| Answer { task: finished(tasks[0], mark), message: message(key, "done", Visible::Now(at(2))) };
    let error = scene.answer(answer(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::StaleToken { task } if task == tasks[0]), "{error}");
    scene.answer(answer(2)).await.unwrap();
}

pub(super) async fn an_answer_needs_the_token(scene: Scene) {
    let key = scene.running("a").await;
    let tasks = schedule(&scene, key, vec![task(0, "charge")]).await;
    let answer = |task| Answer { task, message: message(key, "done", Visible::Now(at(2))) };
    for wrong in [finished(tasks[0], 1), finished(TaskKey(99), 1)] {
        let error = scene.answer(answer(wrong)).await.unwrap_err();
        assert!(matches!(error, StoreError::StaleToken { .. }), "{error}");
    }
    assert_eq!(scene.names(key).await, [""; 0]);
    assert_eq!(keys(&scene.open_work(key).await.unwrap().tasks), tasks);
}

pub(super) async fn an_answer_becomes_a_message(scene: Scene) {
    let key = scene.running("a").await;
    let tasks = schedule(&scene, key, vec![NewTask { lease: Some(lease(1)), ..task(0, "charge") }]).await;
    let answer = Answer { task: finished(tasks[0], 1), message: message(key, "done", Visible::Now(at(2))) };
    let committed = scene.answer(answer.clone()).await.unwrap();
    assert_eq!(names(&committed.messages), ["done"]);
    assert_eq!(scene.everything(key).await, committed.messages);
    assert_eq!(scene.open_work(key).await.unwrap().tasks, []);
    let error = scene.answer(answer).await.unwrap_err();
    assert!(matches!(error, StoreError::StaleToken { .. }), "{error}");
    assert_eq!(scene.names(key).await, ["done"]);
}

pub(super) async fn a_turn_takes_answers_by_their_token(scene: Scene) {
    let (key, other) = (scene.running("a").await, scene.running("b").await);
    let leased = |number, mark| NewTask { lease: Some(lease(mark)), ..task(number, "charge") };
    let tasks = schedule(&scene, key, vec![leased(0, 1), leased(1, 2), task(2, "charge")]).await;
    let theirs = schedule(&scene, other, vec![leased(0, 3)]).await;
    let wrong = [finished(tasks[0], 2), finished(tasks[2], 1), finished(theirs[0], 3), finished(TaskKey(99), 1)];
    for wrong in wrong {
        let error =
            scene.commit(Turn { finished: vec![finished(tasks[1], 2), wrong], ..turn(key, 2) }).await.unwrap_err();
        assert!(matches!(error, StoreError::StaleToken { task } if task == wrong.key), "{error}");
    }
    let right = vec![finished(tasks[0], 1), finished(tasks[1], 2)];
    let committed = scene.commit(Turn { finished: right, ..turn(key, 2) }).await.unwrap();
    assert_eq!(committed.abandoned, []);
    assert_eq!(keys(&scene.open_work(key).await.unwrap().tasks), [tasks[2]]);
    assert_eq!(keys(&scene.open_work(other).await.unwrap().tasks), theirs);
}

pub(super) async fn a_lease_is_taken_back_from_who_has_it(scene: Scene) {
    let key = scene.running("a").await;
    let leased = |number, mark| NewTask { lease: Some(lease(mark)), ..task(number, "charge") };
    let tasks = schedule(&scene, key, vec![leased(0, 1), leased(1, 2)]).await;
    scene.release_leases(vec![finished(tasks[0], 1), finished(tasks[1], 1), finished(TaskKey(99), 1)]).await.unwrap();
    let waiting = scene.waiting_tasks(vec!["charge".to_owned()], 10).await.unwrap();
    assert_eq!(keys(&waiting), [tasks[0]]);
    assert_eq!((waiting[0].dispatches, waiting[0].lease), (1, None));
    let late = Answer { task: finished(tasks[0], 1), message: message(key, "late", Visible::Now(at(2))) };
    assert!(matches!(scene.answer(late).await.unwrap_err(), StoreError::StaleToken { .. }));
}

pub(super) async fn those_that_wait_longest_come_first(scene: Scene) {
    let (key, other) = (scene.running("a").await, scene.running("b").await);
    let mut tasks = schedule(&scene, key, vec![task(0, "charge"), task(1, "pack"), task(2, "ship")]).await;
    tasks.extend(schedule(&scene, other, vec![task(0, "ship"), task(1, "charge")]).await);
    let asked = || vec!["ship".to_owned(), "charge".to_owned(), "ship".to_owned(), "nothing".to_owned()];
    let all = scene.waiting_tasks(asked(), 10).await.unwrap();
    assert_eq!(keys(&all), [tasks[0], tasks[2], tasks[3], tasks[4]]);
    assert_eq!(keys(&scene.waiting_tasks(asked(), 2).await.unwrap()), [tasks[0], tasks[2]]);
    assert_eq!(scene.waiting_tasks(vec![], 10).await.unwrap(), []);
}

pub(super) async fn waiting_tasks_are_counted_by_activity(scene: Scene) {
    let key = scene.running("a").await;
    let leased = NewTask { lease: Some(lease(1)), ..task(3, "pack") };
    let tasks = schedule(&scene, key, vec![task(0, "ship"), task(1, "charge"), task(2, "ship"), leased]).await;
    let mut counted = scene.waiting_activities().await.unwrap();
    counted.sort();
    assert_eq!(counted, [("charge".to_owned(), 1), ("ship".to_owned(), 2)]);
    scene.lease(vec![(tasks[0], lease(1))]).await.unwrap();
    scene.commit(super::scene::end(scene.running("b").await, 1, Status::Completed)).await.unwrap();
    let mut counted = scene.waiting_activities().await.unwrap();
    counted.sort();
    assert_eq!(counted, [("charge".to_owned(), 1), ("ship".to_owned(), 1)]);
}
