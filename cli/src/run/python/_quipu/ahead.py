"""Messages of later instants, which the runner gives before the broker has reached them.

When all threads wait, the process moves its own clock to the next of these instants, and its messages seem to have arrived
on their connection. It stops before its next timer, and when something may happen that the runner does not know. Before it
does something that others see, it waits until the broker has reached its time.
"""

import base64
import json

from . import early

ARRIVES_WITHIN_MS = 5


class Ahead:
    def __init__(self, clock, gates):
        self._clock = clock
        self._gates = gates
        # False when the program has inputs that the runner does not know.
        self.is_possible = True
        self._start()

    def _start(self):
        # The number of times that it was given messages, and how many of the last it has received.
        self._batches = 0
        self._received = 0
        self._changes = 0
        self._stream = None
        self._frames = []

    def forked(self):
        early.clear()
        self._start()

    def give(self, text):
        batch = json.loads(text)
        self._stream, self._frames, self._received = batch["id"], batch["frames"], 0

    @property
    def is_given(self):
        return self._stream is not None

    @property
    def holds_back(self):
        """Whether the broker must reach the time of the program first."""
        return self.is_given or self._clock.is_ahead()

    def counts(self):
        """For a report, which ends what was given."""
        self._changes = self._gates.changes
        if not self.is_given:
            return {"batches": self._batches, "ahead": 0 if self.is_possible else None}
        self._batches += 1
        self._stream = None
        return {"batches": self._batches, "ahead": self._received}

    def receive(self, due):
        """The program receives the messages of the next instant. False if none is left, or if `due` is before."""
        if not self.is_given or not self.is_possible or self._changes != self._gates.changes:
            return False
        if self._received == len(self._frames):
            return False
        at = self._frames[self._received][0]
        descriptor = self._gates.stream(self._stream)
        if descriptor is None or (due is not None and due < at):
            return False
        self._clock.reach(at)
        while self._received < len(self._frames) and self._frames[self._received][0] == at:
            early.add(descriptor, base64.b64decode(self._frames[self._received][1]))
            self._received += 1
        return True
