"""Activities that every SDK in Python runs."""

import os
import time

from ledger import note

# How often a blocked activity looks whether it may go on.
PAUSE_SECONDS = 0.02


class Refused(Exception):
    """The failure that the tests look for: its type and its message."""


class Activities:
    """The activities of one worker."""

    def __init__(self, worker, gate):
        self.worker = worker
        self.gate = gate

    def all(self):
        return {name: getattr(self, name) for name in ("greet", "double", "refuse", "flaky", "hold", "record", "step")}

    def greet(self, _, name):
        return f"Hello, {name}!"

    def double(self, _, number):
        return 2 * number

    def refuse(self, _, message):
        raise Refused(message)

    def flaky(self, _, task):
        """Fails as often as it is told to, and then says how many attempts that made."""
        attempt = note(task["ledger"], "attempt")
        if attempt <= task["failures"]:
            raise Refused(f"attempt {attempt}")
        return attempt

    def hold(self, _, task):
        """Says that it began, blocks until the gate opens, and says who finished."""
        note(task["ledger"], f"{self.worker} began")
        wait_for(task["gate"])
        return self.worker

    def record(self, _, task):
        """Leaves a line in the ledger, and returns it."""
        note(task["ledger"], task["line"])
        return task["line"]

    def step(self, _, task):
        """Says when it began and when it ended, and who it was."""
        note(task["ledger"], f"began {task['line']} {self.worker}")
        if self.gate:
            wait_for(self.gate)
        note(task["ledger"], f"ended {task['line']} {self.worker}")
        return task["line"]


def wait_for(gate):
    while not os.path.exists(gate):
        time.sleep(PAUSE_SECONDS)
