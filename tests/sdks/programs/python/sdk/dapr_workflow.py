"""The packages that are imported as `dapr.ext.workflow`."""

from dapr.ext import workflow as dapr
from dapr.ext.workflow import PropagationScope, RetryPolicy, TaskFailedError, when_all

__all__ = [
    "Client", "RetryPolicy", "TaskFailedError", "call_child", "event_within", "own_workflows", "start_worker",
    "when_all",
]  # fmt: skip


def call_child(ctx, name, **options):
    return ctx.call_child_workflow(name, **options)


def event_within(ctx, name, limit, otherwise):
    try:
        return (yield ctx.wait_for_external_event(name, timeout=limit))
    except TimeoutError:
        return otherwise


def ancestor(ctx, name):
    """Greets, and has a child that is told about it by the host alone."""
    yield ctx.call_activity("greet", input=name)
    return (yield ctx.call_child_workflow("heir", input=None, propagation=PropagationScope.OWN_HISTORY))


def heir(ctx, _):
    """Tells what its parent's history says about the greeting."""
    history = ctx.get_propagated_history()
    if history is None:
        return "nothing was passed on"
    parent = history.get_last_workflow_by_name("ancestor")
    greeting = parent.get_last_activity_by_name("greet")
    return {"input": greeting.input, "output": greeting.output, "completed": greeting.completed}


def own_workflows():
    """Workflows that only this SDK can run."""
    return [ancestor, heir]


def start_worker(address, workflows, activities, connection):
    host, port = address.rsplit(":", 1)
    runtime = dapr.WorkflowRuntime(host=host, port=port, interceptors=[connection])
    for workflow in workflows:
        runtime.register_workflow(unmarked(workflow), name=workflow.__name__)
    for name, activity in activities.items():
        runtime.register_activity(unmarked(activity), name=name)
    runtime.start()


def unmarked(function):
    """The SDK marks what it has registered, and refuses it to the next worker of the same process."""

    def call(ctx, input=None):
        return function(ctx, input)

    return call


class Client:
    def __init__(self, address, limit):
        host, port = address.rsplit(":", 1)
        self.dapr = dapr.DaprWorkflowClient(host=host, port=port)
        self.limit = limit

    def start(self, workflow, input, id, start_at):
        return self.dapr.schedule_new_workflow(workflow, input=input, instance_id=id, start_at=start_at)

    def get(self, id):
        return self.dapr.get_workflow_state(id)

    def wait_for_start(self, id):
        return self.dapr.wait_for_workflow_start(id, fetch_payloads=True, timeout_in_seconds=self.limit)

    def wait(self, id):
        return self.dapr.wait_for_workflow_completion(id, timeout_in_seconds=self.limit)

    def raise_event(self, id, event, data):
        self.dapr.raise_workflow_event(id, event, data=data)

    def terminate(self, id, output):
        self.dapr.terminate_workflow(id, output=output)

    def suspend(self, id):
        self.dapr.pause_workflow(id)

    def resume(self, id):
        self.dapr.resume_workflow(id)

    def purge(self, id):
        self.dapr.purge_workflow(id)
