"""Handlers of signals run in a thread that may wait, and alarms ring by the clock of the world."""

import signal
import threading

from .waiter import Waiter


def use_signals(scheduler):
    handlers = Handlers(scheduler)
    signal.signal, signal.getsignal = handlers.signal, handlers.getsignal
    if hasattr(signal, "setitimer"):
        alarms = Alarms(scheduler, handlers)
        signal.setitimer, signal.getitimer, signal.alarm = alarms.setitimer, alarms.getitimer, alarms.alarm
    interrupt = handlers.real_get(signal.SIGINT)
    if callable(interrupt):
        handlers.signal(signal.SIGINT, interrupt)


class Handlers:
    def __init__(self, scheduler):
        self._scheduler = scheduler
        self.real_signal, self.real_get = signal.signal, signal.getsignal
        self._handlers = {}
        # Alarms that rang and whose handlers have not run: the clock waits for them.
        self.rings = 0

    def signal(self, number, handler):
        before = self.getsignal(number)
        if not callable(handler):
            self.real_signal(number, handler)
            self._handlers.pop(int(number), None)
            return before
        self.real_signal(number, lambda *args: self._handle(handler, *args))
        self._handlers[int(number)] = handler
        return before

    def getsignal(self, number):
        return self._handlers.get(int(number), self.real_get(number))

    def _handle(self, handler, number, frame):
        scheduler = self._scheduler
        if scheduler.mutex.later(lambda: self._handle(handler, number, frame)):
            return
        is_ring = self.rings > 0 and number == signal.SIGALRM
        if is_ring:
            self.rings -= 1
        waits = scheduler.begin_handler(is_ring)
        # With an error of the handler the thread waits no longer.
        handler(number, frame)
        if waits:
            scheduler.end_thread()


class Alarms:
    def __init__(self, scheduler, handlers):
        self._scheduler = scheduler
        self._clock = scheduler.clock
        self._handlers = handlers
        self._real_set, self._real_get = signal.setitimer, signal.getitimer
        self._waiter = None
        self._interval = 0.0

    def _ring(self):
        # With the mutex.
        if callable(self._handlers.getsignal(signal.SIGALRM)):
            self._handlers.rings += 1
            self._scheduler.turns.running += 1
        signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)
        self._set(self._interval)

    def _set(self, seconds):
        self._waiter = None
        if seconds > 0:
            self._waiter = Waiter(due=self._clock.due_in(seconds), action=self._ring)
            self._scheduler.turns.add(self._waiter)

    def _left(self):
        return 0.0 if self._waiter is None else max((self._waiter.due - self._clock.now_ms()) / 1000, 0.0)

    def setitimer(self, which, seconds, interval=0.0):
        if which != signal.ITIMER_REAL or self._scheduler.released:
            return self._real_set(which, seconds, interval)
        with self._scheduler.mutex:
            before = (self._left(), float(self._interval))
            if self._waiter is not None:
                self._scheduler.turns.waiting.pop(self._waiter.number, None)
            self._interval = interval
            self._set(seconds)
        return before

    def getitimer(self, which):
        if which != signal.ITIMER_REAL or self._scheduler.released:
            return self._real_get(which)
        return (self._left(), float(self._interval))

    def alarm(self, seconds):
        left, _ = self.setitimer(signal.ITIMER_REAL, seconds)
        return int(left + 0.999999)
