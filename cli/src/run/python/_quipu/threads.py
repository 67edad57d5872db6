"""Threads, and their locks: one runs at a time."""

import _thread
import sys

from . import real
from .waiter import WAITING, Waiter


def use_threads(scheduler):
    import threading

    _use_locks(scheduler, threading)
    # By thread object: held until it has ended.
    ended = {}
    start_new_thread = _starting(scheduler, ended)
    _thread.start_new_thread = start_new_thread
    if hasattr(_thread, "start_new"):
        _thread.start_new = start_new_thread
    if hasattr(threading, "_start_new_thread"):
        threading._start_new_thread = start_new_thread
    if hasattr(threading, "_start_joinable_thread"):
        threading._start_joinable_thread = _starting_joinable(scheduler, ended, threading._start_joinable_thread)
    _use_join(scheduler, threading, ended)
    return ended


def make_lock_class(scheduler):
    clock = scheduler.clock

    class Lock:
        """As `_thread.lock`, but its waits are known, and by the clock of the world."""

        __slots__ = ("_lock", "_waiters", "__weakref__")

        def __init__(self):
            self._lock = real.allocate_lock()
            self._waiters = []

        def acquire(self, blocking=True, timeout=-1):
            if self._lock.acquire(False):
                return True
            if not blocking:
                if timeout != -1:
                    raise ValueError("can't specify a timeout for a non-blocking call")
                clock.looked()
                return False
            if timeout < 0 and timeout != -1:
                raise ValueError("timeout value must be a non-negative number")
            due = None if timeout == -1 else clock.due_in(timeout)
            while scheduler.follows():
                is_late = due is not None and clock.now_ms() >= due
                if not is_late:
                    self._wait(due)
                if self._lock.acquire(False):
                    return True
                if is_late:
                    return False
            return self._lock.acquire(True, timeout)

        def _wait(self, due):
            waiter = Waiter(real.get_ident(), due)
            self._waiters.append(waiter)
            try:
                # A thread that does not follow the clock may have released it before we were in the list.
                if self._lock.locked():
                    scheduler.wait_as(waiter)
            finally:
                if waiter in self._waiters:
                    self._waiters.remove(waiter)

        def release(self):
            self._lock.release()
            while self._waiters:
                waiter = self._waiters.pop(0)
                if waiter.state == WAITING:
                    return scheduler.wake(waiter)

        def locked(self):
            return self._lock.locked()

        def __enter__(self):
            self.acquire()
            return True

        def __exit__(self, *_):
            self.release()

        acquire_lock, release_lock, locked_lock = acquire, release, locked

        def _at_fork_reinit(self):
            self._lock = real.allocate_lock()
            self._waiters = []

        def __repr__(self):
            return f"<{'locked' if self.locked() else 'unlocked'} lock object at {hex(id(self))}>"

    Lock.__name__ = Lock.__qualname__ = "lock"
    Lock.__module__ = "_thread"
    return Lock


def _use_locks(scheduler, threading):
    lock = make_lock_class(scheduler)
    _thread.allocate_lock = _thread.allocate = lock
    threading._allocate_lock = threading.Lock = lock
    # The lock of Python in Python waits with the lock above, and so do events, conditions, queues and futures.
    threading._CRLock = None
    threading._PyRLock.__module__ = "_thread"
    queue = sys.modules.get("queue")
    if queue is not None:
        queue.SimpleQueue = queue._PySimpleQueue


def _starting(scheduler, ended):
    def start_new_thread(function, args, kwargs=None):
        def start(waiter):
            return real.start_new_thread(_run_in_turn(scheduler, ended, waiter, function, args, kwargs or {}), ())

        return scheduler.begin(start)

    return start_new_thread


def _starting_joinable(scheduler, ended, start_joinable):
    """Since Python 3.13."""

    def start_joinable_thread(function, handle=None, daemon=True):
        def start(waiter):
            run = _run_in_turn(scheduler, ended, waiter, function, (), {})
            return start_joinable(run, handle=handle, daemon=daemon)

        return scheduler.begin(start)

    return start_joinable_thread


def _run_in_turn(scheduler, ended, waiter, function, args, kwargs):
    thread = getattr(function, "__self__", None)
    done = _thread.allocate_lock()
    done.acquire()
    ended[id(thread)] = done

    def run():
        scheduler.begin_thread(waiter)
        try:
            function(*args, **kwargs)
        finally:
            if ended.get(id(thread)) is done:
                del ended[id(thread)]
            done.release()
            scheduler.end_thread()

    return run


def _use_join(scheduler, threading, ended):
    join, shutdown = threading.Thread.join, threading._shutdown

    def wait_for_end(thread, timeout=None):
        done = ended.get(id(thread))
        if done is None or thread is threading.current_thread():
            return True
        if not done.acquire(True, -1 if timeout is None else max(timeout, 0)):
            return False
        done.release()
        return True

    def world_join(self, timeout=None):
        if not scheduler.follows() or wait_for_end(self, timeout):
            return join(self, timeout)
        return None

    def world_shutdown():
        """The main thread waits for the others, which may start more."""
        while scheduler.follows():
            others = [one for one in threading.enumerate() if not one.daemon and id(one) in ended]
            if not others:
                break
            wait_for_end(others[0])
        shutdown()

    threading.Thread.join = world_join
    threading._shutdown = world_shutdown
