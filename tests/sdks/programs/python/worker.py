"""The worker: registers all workflows and activities, says `ready` when the host knows it, and runs until nobody holds
its standard input.

Options, all of which may be absent:
    name      what the activities call this worker (default: "worker")
    count     how many workers this process holds, each with a connection of its own (default: 1)
    gate      a file: `step` blocks in this process until it exists
    given     a file: gets the id of the instance of each piece of work that the host gives to this process
    patched   whether the workflows know the patch `louder`
"""

import os
import sys

import sdk
from activities import Activities
from connection import Connection
from workflows import WORKFLOWS, patched


def run(address, options):
    activities = Activities(options.get("name", "worker"), options.get("gate"))
    workflows = WORKFLOWS + [patched(options.get("patched", False))] + sdk.own_workflows()
    connections = [Connection(options.get("given")) for _ in range(options.get("count", 1))]
    for connection in connections:
        sdk.start_worker(address, workflows, activities.all(), connection)
    for connection in connections:
        connection.is_open.wait()
    print("ready", flush=True)
    sys.stdin.read()
    # Threads of a worker that waits for its host would keep the process alive.
    os._exit(0)
