"""Stands between a worker and its connection: knows when the host has it, and what the host gives to it, also what the
worker has no thread for yet.
"""

import threading

import grpc

from ledger import note


class Connection(grpc.UnaryStreamClientInterceptor):
    """One for each worker. The ledger, if there is one, gets the id of the instance of each piece of work."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.is_open = threading.Event()

    def intercept_unary_stream(self, continuation, details, request):
        stream = continuation(details, request)
        if not details.method.endswith("/GetWorkItems"):
            return stream
        threading.Thread(target=self.wait_for_host, args=[stream], daemon=True).start()
        return Noted(stream, self.ledger) if self.ledger else stream

    def wait_for_host(self, stream):
        # The host sends its metadata when it knows the worker.
        stream.initial_metadata()
        self.is_open.set()


class Noted:
    """The stream of work, as it is."""

    def __init__(self, stream, ledger):
        self.stream = stream
        self.ledger = ledger

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def __iter__(self):
        return self

    def __next__(self):
        item = next(self.stream)
        instance = instance_of(item)
        if instance:
            note(self.ledger, instance)
        return item


def instance_of(item):
    """The id of the instance that an item belongs to. None: to none, it is a sign of life."""
    request = getattr(item, item.WhichOneof("request"))
    # The two lines of SDKs have different names for it.
    for part in (request, getattr(request, "orchestrationInstance", None), getattr(request, "workflowInstance", None)):
        if hasattr(part, "instanceId"):
            return part.instanceId
    return None
