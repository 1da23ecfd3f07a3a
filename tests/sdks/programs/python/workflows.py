"""Workflows that every SDK in Python runs. Each does one thing, and returns what it saw."""

from datetime import timedelta, timezone

import sdk
from activities import Refused

# How often a collector continues as new.
RESTARTS = 5
RETRY_INTERVAL = timedelta(milliseconds=10)


def now(ctx):
    """The time as the workflow sees it, in milliseconds since 1970."""
    moment = ctx.current_utc_datetime
    return int(moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp() * 1000)


def sequence(ctx, names):
    """Greets one after the other."""
    greetings = []
    for name in names:
        greetings.append((yield ctx.call_activity("greet", input=name)))
    return greetings


def sleeper(ctx, milliseconds):
    """Sleeps, and says for how long it did."""
    began = now(ctx)
    yield ctx.create_timer(timedelta(milliseconds=milliseconds))
    return now(ctx) - began


def clock(ctx, _):
    """Says when it began."""
    return now(ctx)


def listener(ctx, event):
    """Waits for an event for as long as it takes."""
    return (yield ctx.wait_for_external_event(event))


def patient(ctx, milliseconds):
    """Waits for event `answer`, but not longer than this."""
    return (yield from sdk.event_within(ctx, "answer", timedelta(milliseconds=milliseconds), "nothing came"))


def fan(ctx, count):
    """Doubles so many numbers at once, and adds the results."""
    doubled = yield sdk.when_all([ctx.call_activity("double", input=number) for number in range(1, count + 1)])
    return sum(doubled)


def calls_activity(ctx, call):
    return (yield ctx.call_activity(call["activity"], input=call["input"]))


def calls_child(ctx, call):
    return (yield sdk.call_child(ctx, call["workflow"], input=call["input"], instance_id=call["id"]))


def persistent(ctx, task):
    """Calls an activity until it succeeds or the attempts are used up."""
    return (yield ctx.call_activity("flaky", input=task, retry_policy=policy(task)))


def persistent_parent(ctx, task):
    """Calls a child until it succeeds or the attempts are used up."""
    return (yield sdk.call_child(ctx, "brittle", input=task, retry_policy=policy(task)))


def brittle(ctx, task):
    """Calls an activity once."""
    return (yield ctx.call_activity("flaky", input=task))


def policy(task):
    return sdk.RetryPolicy(first_retry_interval=RETRY_INTERVAL, max_number_of_attempts=task["attempts"])


def collector(ctx, so_far):
    """Takes one number in each of its lives, and returns them all in the last."""
    so_far = so_far + [(yield ctx.wait_for_external_event("number"))]
    if len(so_far) > RESTARTS:
        return so_far
    ctx.continue_as_new(so_far, save_events=True)


def announcer(ctx, _):
    """Tells by its status how far it is."""
    ctx.set_custom_status("waits")
    yield ctx.wait_for_external_event("go")
    ctx.set_custom_status("went")
    return "done"


def raising(ctx, message):
    """Fails by itself."""
    raise Refused(message)


def witness(ctx, message):
    """Tells how an activity failed."""
    try:
        return (yield ctx.call_activity("refuse", input=message))
    except sdk.TaskFailedError as error:
        return {"type": error.details.error_type, "message": error.details.message}


def journey(ctx, ledger):
    """Does a bit of everything, and returns all that it saw on the way."""
    line = {"ledger": ledger, "line": f"{ctx.instance_id} first"}
    first = yield ctx.call_activity("record", input=line)
    yield ctx.create_timer(timedelta(milliseconds=20))
    event = yield ctx.wait_for_external_event("go")
    child = yield sdk.call_child(ctx, "detour", input=ledger, instance_id=f"{ctx.instance_id}-detour")
    line = {"ledger": ledger, "line": f"{ctx.instance_id} last"}
    last = yield ctx.call_activity("record", input=line)
    return [first, event, child, last]


def detour(ctx, ledger):
    """The child of a journey."""
    return (yield ctx.call_activity("record", input={"ledger": ledger, "line": f"{ctx.instance_id} only"}))


def pair(ctx, ledger):
    """Two steps, one after the other."""
    first = yield ctx.call_activity("step", input={"ledger": ledger, "line": f"{ctx.instance_id} 1"})
    second = yield ctx.call_activity("step", input={"ledger": ledger, "line": f"{ctx.instance_id} 2"})
    return [first, second]


WORKFLOWS = [
    sequence, sleeper, clock, listener, patient, fan, calls_activity, calls_child, persistent, persistent_parent,
    brittle, collector, announcer, raising, witness, journey, detour, pair,
]  # fmt: skip


def patched(knows_the_patch):
    """A workflow before or after a change of its code; it asks the SDK which of the two an instance has seen."""

    def evolving(ctx, name):
        louder = knows_the_patch and ctx.is_patched("louder")
        greeting = yield ctx.call_activity("greet", input=name.upper() if louder else name)
        yield ctx.wait_for_external_event("go")
        return greeting

    return evolving
