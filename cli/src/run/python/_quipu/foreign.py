"""Waits that nobody sees: in a C extension, for a file, for another service."""

import os
import sys

from . import real
from .waiter import Waiter

LOOK_EVERY_S, LOOK_AFTER_REPLAY_S = 0.1, 0.005
# A thread that uses no processor: after the first time the others may run, after the second the clock goes on without it.
LEND_AFTER_S, FORGET_AFTER_S = 0.2, 2.0
# It uses one, and other threads are ready: it may wait for them in a loop.
LEND_BUSY_AFTER_S = 5.0


def watch(scheduler):
    """Watches the thread that runs, from a thread of its own."""
    watcher = Watcher(scheduler)
    real.start_new_thread(watcher.run, ())


class Watcher:
    def __init__(self, scheduler):
        self._scheduler = scheduler
        self._waiter = Waiter()
        self._count = -1
        self._since = real.monotonic()
        self._used = {}

    def run(self):
        # Modules are None when Python ends.
        while self._scheduler is not None and not sys.is_finalizing():
            if self._scheduler.released:
                self._scheduler.resume_all()
                real.sleep(LOOK_AFTER_REPLAY_S)
            else:
                real.sleep(LOOK_EVERY_S)
                self._look()

    def _look(self):
        scheduler = self._scheduler
        with scheduler.mutex:
            turns = scheduler.turns
            now = real.monotonic()
            if turns.count != self._count or scheduler.at_gate:
                self._count, self._since = turns.count, now
                self._used.clear()
                return
            for ident, native in list(turns.holders.items()):
                if ident not in turns.outside and ident != 0:
                    self._look_at(ident, native, now)
            leads = turns.running == 0 and turns.leader is None and bool(turns.outside)
            if leads:
                turns.leader = self._waiter
        if leads:
            scheduler.lead(self._waiter)

    def _look_at(self, ident, native, now):
        turns = self._scheduler.turns
        used = processor_time(native)
        before, idle_since = self._used.get(ident, (None, now))
        if before is None or used - before > 1_000_000:
            idle_since = now
            self._used[ident] = (used, now)
        idle, busy = now - idle_since, now - self._since
        if idle > FORGET_AFTER_S:
            what = "the clock did not wait for what the program waits for, at"
            self._scheduler.is_inexact(what, ident)
            turns.outside.add(ident)
            turns.running -= 1
        elif (idle > LEND_AFTER_S or busy > LEND_BUSY_AFTER_S) and turns.first_ready() is not None:
            if idle <= LEND_AFTER_S:
                self._scheduler.is_inexact("another thread runs beside the loop, at", ident)
            turns.resume(turns.first_ready())


def processor_time(native):
    """Nanoseconds of a thread on a processor."""
    try:
        with open(f"/proc/self/task/{native}/schedstat") as file:
            return int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return 0


def place_of(ident):
    """The line of the program in which a thread is."""
    frame = sys._current_frames().get(ident)
    library = (os.path.dirname(os.__file__), os.path.dirname(__file__), "<frozen")
    while frame is not None and frame.f_code.co_filename.startswith(library):
        frame = frame.f_back
    if frame is None:
        return "a line of Python itself"
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno} ({frame.f_code.co_name})"
