"""The packages that are imported as `durabletask`: Microsoft's, and the older one of Dapr."""

from durabletask import client, worker
from durabletask.task import RetryPolicy, TaskFailedError, when_all, when_any

__all__ = [
    "Client", "RetryPolicy", "TaskFailedError", "call_child", "event_within", "own_workflows", "start_worker",
    "when_all",
]  # fmt: skip


def call_child(ctx, name, **options):
    return ctx.call_sub_orchestrator(name, **options)


def event_within(ctx, name, limit, otherwise):
    """These SDKs have no time limit for events: the event races a timer."""
    event = ctx.wait_for_external_event(name)
    first = yield when_any([event, ctx.create_timer(limit)])
    return event.get_result() if first is event else otherwise


def own_workflows():
    """Workflows that only this SDK can run."""
    return []


def start_worker(address, workflows, activities, connection):
    hub = worker.TaskHubGrpcWorker(host_address=address, interceptors=[connection])
    for workflow in workflows:
        hub.add_orchestrator(workflow)
    for activity in activities.values():
        hub.add_activity(activity)
    hub.start()


class Client:
    def __init__(self, address, limit):
        self.hub = client.TaskHubGrpcClient(host_address=address)
        self.limit = limit

    def start(self, workflow, input, id, start_at):
        return self.hub.schedule_new_orchestration(workflow, input=input, instance_id=id, start_at=start_at)

    def get(self, id):
        return self.hub.get_orchestration_state(id)

    def wait_for_start(self, id):
        return self.hub.wait_for_orchestration_start(id, fetch_payloads=True, timeout=self.limit)

    def wait(self, id):
        return self.hub.wait_for_orchestration_completion(id, timeout=self.limit)

    def raise_event(self, id, event, data):
        self.hub.raise_orchestration_event(id, event, data=data)

    def terminate(self, id, output):
        self.hub.terminate_orchestration(id, output=output)

    def suspend(self, id):
        self.hub.suspend_orchestration(id)

    def resume(self, id):
        self.hub.resume_orchestration(id)

    def purge(self, id):
        self.hub.purge_orchestration(id)
