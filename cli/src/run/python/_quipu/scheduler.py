"""Which thread of the program runs.

One runs at a time, and gives way only where it waits: for time, for another thread, or for the kernel. When no thread can
run, the process is idle, and one of the waiting threads leads: it reports to the runner, and waits for the runner and for
the kernel on behalf of all. So the clock never moves while a thread that was just woken has not run, and the threads send
their requests in the same order in every run.
"""

import select

from . import real
from .foreign import place_of
from .mutex import Mutex
from .turns import Turns
from .waiter import READY, RUNNING, Waiter

# A thread that need not wait so many times in a row may look for something that another one has to do.
AT_ONCE_MAX = 50
# Semaphores of other processes, and processes that have not begun, are looked at again after this time.
LOOK_AGAIN_MS = 1


class Scheduler:
    def __init__(self):
        self.mutex = Mutex()
        self.turns = Turns()
        # Threads that wait in real time for a response of the broker.
        self.at_gate = set()
        # The replay is over: all waits are by the clock of the machine.
        self.released = False
        # How often in a row a thread looked without waiting.
        self._at_once = 0
        self.clock = None
        self.runner = None

    def forked(self):
        """The current thread is the only one of a new process."""
        self.mutex.forked()
        self.turns.poke.close()
        self.turns = Turns()
        self.at_gate.clear()

    def follows(self):
        """Whether the current thread waits by the clock of the world."""
        return not self.released and real.get_ident() in self.turns.holders

    def is_inexact(self, what, ident=None):
        self.runner.is_inexact(what if ident is None else f"{what} {place_of(ident)}")

    def wait(self, due=None, look=None, descriptors=()):
        """Until the thread is woken, or sees that it need not wait; False if the time has come before."""
        waiter = Waiter(real.get_ident(), due, look, descriptors)
        self.wait_as(waiter)
        return not waiter.is_late

    def wait_as(self, waiter):
        try:
            with self.mutex:
                self.clock.reads = self._at_once = 0
                self.turns.enter(waiter)
            self._block(waiter)
        except BaseException:
            # The handler of a signal has raised an error.
            with self.mutex:
                if self.turns.leader is waiter:
                    self.turns.leader = None
                self.turns.abandon(waiter)
            raise

    def step_aside(self):
        """Lets the threads run that are ready."""
        if self.turns.ready and self.follows():
            self.wait(look=lambda: True)

    def looked(self):
        """The thread looked at something, without waiting: the others have their turn from time to time."""
        self._at_once += 1
        if self._at_once > AT_ONCE_MAX and self.follows():
            self.wait(look=lambda: True)

    def wake(self, waiter):
        with self.mutex:
            self.turns.wake(waiter)
            self.turns.poke_leader()

    def begin(self, start):
        """Starts a thread that runs when the others wait. `start` gets its waiter."""
        waiter = Waiter()
        waiter.thread = 0
        waiter.state = READY
        with self.mutex:
            self.turns.ready.append(waiter)
        try:
            return start(waiter)
        except BaseException:
            with self.mutex:
                self.turns.ready.remove(waiter)
            raise

    def begin_thread(self, waiter):
        """The new thread waits for its first turn."""
        waiter.lock.acquire()
        with self.mutex:
            self.turns.holders.pop(0, None)
            self.turns.holders[real.get_ident()] = real.native_id()

    def end_thread(self):
        """The current thread runs no longer, and cannot lead."""
        with self.mutex:
            self.turns.stop()
            self._go_on()

    def begin_handler(self, is_counted):
        with self.mutex:
            return self.turns.begin_handler(is_counted)

    def _go_on(self):
        turns = self.turns
        if turns.running > 0 or self.released:
            return
        if turns.leader is not None:
            turns.poke_leader()
        elif not self._advance():
            turns.ask_to_lead()

    def _block(self, waiter):
        turns = self.turns
        while waiter.state != RUNNING:
            with self.mutex:
                leads = turns.running == 0 and turns.leader is None and not self.released
                if leads:
                    turns.leader = waiter
            if leads:
                self.lead(waiter)
            else:
                waiter.lock.acquire()

    def lead(self, leader):
        """Until a thread runs."""
        turns = self.turns
        while True:
            with self.mutex:
                if turns.leader is not leader:
                    return
                if self.released or self._advance():
                    turns.leader = None
                    return
                poll, patience = self._all_descriptors()
            poll.poll(patience)
            with self.mutex:
                turns.poke.read()
                self.runner.receive()

    def _advance(self):
        """No thread runs: lets the next one run, or reports that the process is idle. Returns whether one runs."""
        turns = self.turns
        while turns.running == 0:
            first = turns.first_ready()
            if first is not None:
                turns.resume(first)
                break
            # First the bytes, then the threads: what arrives in between does not count as read.
            seen = self.runner.look()
            seeing = [waiter for waiter in turns.waiting.values() if waiter.sees()]
            for waiter in seeing:
                turns.wake(waiter)
            if any(not waiter.covered for waiter in seeing):
                continue
            if self.runner.waits_for_processes():
                return False
            first = turns.next_due()
            if self.runner.fires(first is not None and first.due <= self.clock.now_ms()):
                self._fire(first)
                continue
            if not turns.outside and self.runner.receives_ahead(None if first is None else first.due):
                continue
            self.runner.report(None if first is None else first.due, seen)
            return False
        return True

    def _fire(self, waiter):
        if waiter.action is not None:
            self.turns.waiting.pop(waiter.number, None)
            waiter.action()
        else:
            waiter.is_late = True
            self.turns.wake(waiter)

    def _all_descriptors(self):
        """What a leader waits for, and how long until it looks again."""
        turns = self.turns
        events_of = {turns.poke.reader: select.POLLIN, **self.runner.descriptors()}
        patience = LOOK_AGAIN_MS if self.runner.new_processes else None
        for waiter in turns.waiting.values():
            if waiter.look is not None and not waiter.descriptors:
                patience = LOOK_AGAIN_MS
            for descriptor, events in waiter.descriptors:
                events_of[descriptor] = events_of.get(descriptor, 0) | events
        poll = real.poll_object()
        for descriptor, events in events_of.items():
            poll.register(descriptor, events)
        return poll, patience

    def resume_all(self):
        """After the replay: a thread that is due, or sees something, runs at once."""
        turns = self.turns
        with self.mutex:
            now = self.clock.now_ms()
            for waiter in list(turns.waiting.values()):
                if waiter.due is not None and waiter.due <= now:
                    self._fire(waiter)
                elif waiter.sees():
                    turns.wake(waiter)
            for waiter in list(turns.ready):
                turns.resume(waiter)
