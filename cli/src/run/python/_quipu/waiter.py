"""A thread that waits."""

import os

from . import early, real

WAITING, READY, RUNNING = range(3)


class Waiter:
    """A thread that waits. What has `action` instead of a thread is called when it is due."""

    __slots__ = (
        "lock", "thread", "native", "due", "look", "descriptors", "action", "number", "state", "is_late", "covered", "below"
    )

    def __init__(self, thread=None, due=None, look=None, descriptors=(), action=None):
        self.lock = real.allocate_lock()
        self.lock.acquire()
        self.thread = thread
        # Its number in the kernel.
        self.native = 0 if thread is None else real.native_id()
        # The time of the world at which it is woken, in milliseconds.
        self.due = due
        # Says without blocking whether it need not wait longer. Default: whether one of the descriptors is ready.
        self.look = look
        # Pairs of a descriptor and events of `poll`.
        self.descriptors = descriptors
        self.action = action
        self.number = 0
        self.state = WAITING
        self.is_late = False
        # The handler of a signal runs on top of it: the wait that is below.
        self.covered = False
        self.below = None

    def sees(self):
        try:
            if self.look is not None:
                return self.look()
            return bool(self.descriptors) and is_ready(self.descriptors)
        except (OSError, ValueError):
            # It was closed: the thread finds out itself.
            return True


def is_ready(descriptors):
    if early.is_read(descriptors):
        return True
    poll = real.poll_object()
    for descriptor, events in descriptors:
        poll.register(descriptor, events)
    return bool(poll.poll(0))


class Poke:
    """Descriptors through which other threads end the wait of the one that leads."""

    def __init__(self):
        if hasattr(os, "eventfd"):
            self.reader = self.writer = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        else:
            self.reader, self.writer = os.pipe()
            os.set_blocking(self.reader, False)
        self._is_written = False

    def write(self):
        if not self._is_written:
            self._is_written = True
            os.write(self.writer, b"\0\0\0\0\0\0\0\1")

    def read(self):
        if self._is_written:
            self._is_written = False
            os.read(self.reader, 64)

    def close(self):
        for descriptor in {self.reader, self.writer}:
            os.close(descriptor)
