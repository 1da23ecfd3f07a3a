"""The client: one JSON object a line says what to do, one JSON object a line says what came of it.

A request is `{"do": NAME, ...}` with the arguments of the method of that name below. The answer is `{"answer": ...}`,
or `{"error": {"code": ..., "message": ...}}` with the code of gRPC when the host refused it or could not be reached, or
with the name of whatever else went wrong.
"""

import json
import sys
from datetime import datetime, timezone

import grpc

import sdk

# How long a call may take. It is only there so that a hang is told from a slow machine.
LIMIT_SECONDS = 120


class Client:
    """What a request may ask for."""

    def __init__(self, address):
        self.sdk = sdk.Client(address, LIMIT_SECONDS)

    def start(self, workflow, id, input=None, start_at=None):
        moment = None if start_at is None else datetime.fromtimestamp(start_at / 1000, timezone.utc)
        return self.sdk.start(workflow, input, id, moment)

    def get(self, id):
        return seen(self.sdk.get(id))

    def wait_for_start(self, id):
        return seen(self.sdk.wait_for_start(id))

    def wait(self, id):
        return seen(self.sdk.wait(id))

    def raise_event(self, id, event, data):
        self.sdk.raise_event(id, event, data)

    def terminate(self, id, output):
        self.sdk.terminate(id, output)

    def suspend(self, id):
        self.sdk.suspend(id)

    def resume(self, id):
        self.sdk.resume(id)

    def purge(self, id):
        self.sdk.purge(id)


def seen(state):
    """The state of an instance, as far as the tests look at it."""
    if state is None:
        return None
    failure = state.failure_details
    return {
        "status": state.runtime_status.name,
        "output": state.serialized_output,
        "custom_status": state.serialized_custom_status,
        "failure": failure and {"type": failure.error_type, "message": failure.message},
    }


def answer(client, request):
    name = request.pop("do")
    try:
        return {"answer": getattr(client, name)(**request)}
    except grpc.RpcError as error:
        return {"error": {"code": error.code().name, "message": error.details()}}
    except Exception as error:
        # One request that goes wrong is not to be the end of those after it.
        return {"error": {"code": type(error).__name__, "message": str(error)}}


def run(address):
    client = Client(address)
    for line in sys.stdin:
        print(json.dumps(answer(client, json.loads(line))), flush=True)
