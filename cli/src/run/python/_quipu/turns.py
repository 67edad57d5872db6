"""Which threads run, are ready to run, and wait. All needs the mutex of the scheduler."""

from collections import deque

from . import real
from .waiter import READY, RUNNING, WAITING, Poke


class Turns:
    def __init__(self):
        self.running = 1
        self.waiting = {}
        self.ready = deque()
        # The threads that run, with their numbers in the kernel.
        self.holders = {real.get_ident(): real.native_id()}
        # Threads that wait in code that nobody sees: they no longer count as running.
        self.outside = set()
        # The wait of each thread; the handler of a signal may wait on top of another.
        self.tops = {}
        self.leader = None
        self.poke = Poke()
        # How often a thread began to run or to wait.
        self.count = 0
        self._number = 0

    def add(self, waiter):
        self._number += 1
        waiter.number = self._number
        self.waiting[waiter.number] = waiter

    def enter(self, waiter):
        """The current thread begins to wait."""
        self.add(waiter)
        waiter.below = self.tops.get(waiter.thread)
        if waiter.below is not None:
            waiter.below.covered = True
        self.tops[waiter.thread] = waiter
        self.stop()
        self.poke_leader()

    def stop(self):
        """The current thread no longer runs."""
        ident = real.get_ident()
        self.count += 1
        if self.holders.pop(ident, None) is not None and ident not in self.outside:
            self.running -= 1
        self.outside.discard(ident)

    def wake(self, waiter):
        if waiter.state == WAITING:
            self.waiting.pop(waiter.number, None)
            waiter.state = READY
            self.ready.append(waiter)

    def first_ready(self):
        return next((waiter for waiter in self.ready if not waiter.covered), None)

    def resume(self, waiter):
        """A waiting thread runs on."""
        self.ready.remove(waiter)
        self.run(waiter)
        if waiter.lock.locked():
            waiter.lock.release()

    def run(self, waiter):
        waiter.state = RUNNING
        self.leader = None
        self.running += 1
        self.count += 1
        self.holders[waiter.thread] = waiter.native
        self.tops.pop(waiter.thread, None)
        if waiter.below is not None:
            waiter.below.covered = False
            self.tops[waiter.thread] = waiter.below

    def abandon(self, waiter):
        """The thread runs on with an error."""
        self.waiting.pop(waiter.number, None)
        if waiter.state == READY:
            self.ready.remove(waiter)
        if waiter.state != RUNNING:
            # The handler counts as running already.
            self.running -= waiter.thread in self.holders
            self.run(waiter)

    def begin_handler(self, is_counted):
        """The handler of a signal runs in the current thread. Returns whether the thread waits. `is_counted`: as a ring."""
        ident = real.get_ident()
        waits = ident not in self.holders
        if waits:
            self.holders[ident] = real.native_id()
            self.count += 1
        if waits != is_counted:
            self.running += 1 if waits else -1
        return waits

    def next_due(self):
        dated = (waiter for waiter in self.waiting.values() if waiter.due is not None)
        return min(dated, key=lambda waiter: waiter.due, default=None)

    def poke_leader(self):
        if self.leader is not None:
            self.poke.write()

    def ask_to_lead(self):
        """A thread that waits leads in its wait."""
        for waiter in self.waiting.values():
            if waiter.action is None and not waiter.covered:
                if waiter.lock.locked():
                    waiter.lock.release()
                return
