"""Waits in the kernel: `select`, `poll`, `epoll`, and the selectors of event loops."""

import select
import selectors

from . import early, real


def use_waits(scheduler):
    waits = Waits(scheduler)
    for name in ("EpollSelector", "PollSelector", "SelectSelector"):
        selector = getattr(selectors, name, None)
        if selector is not None:
            selector.select = waits.selecting(selector.select, getattr(waits, f"descriptors_of_{name}"))
    select.select = waits.select
    select.poll = waits.poll_class()
    if real.epoll_object is not None:
        select.epoll = waits.epoll_class()


def wait_for(scheduler, descriptor, events, due=None):
    """Until a descriptor is ready. False if the time has come before."""
    return scheduler.wait(due, descriptors=((descriptor, events),))


def number_of(file):
    return file if isinstance(file, int) else file.fileno()


class Waits:
    def __init__(self, scheduler):
        self._scheduler = scheduler
        self._clock = scheduler.clock

    def wait(self, ready_now, descriptors, timeout):
        """The result of `ready_now(0)`, after a wait if that is empty. `timeout` in seconds; None: for ever."""
        ready = ready_now(0)
        if has_some(ready):
            self._clock.looked()
            return ready
        if not self._scheduler.follows():
            return ready_now(timeout)
        due = None if timeout is None else self._clock.due_in(max(timeout, 0))
        if due is not None and due <= self._clock.now_ms():
            self._clock.step_aside()
            return ready_now(0)
        while not has_some(ready):
            if due is not None and self._clock.now_ms() >= due:
                return ready
            if self._scheduler.follows():
                self._scheduler.wait(due, descriptors=descriptors())
                ready = ready_now(0)
            else:
                return ready_now(None if due is None else max((due - self._clock.now_ms()) / 1000, 0))
        return ready

    def selecting(self, real_select, descriptors_of):
        def select(selector, timeout=None):
            """Performs the actual selection, until some monitored file objects are ready or a timeout expires."""

            def ready_now(within):
                return early.with_selected(lambda seconds: real_select(selector, seconds), selector, within)

            return self.wait(ready_now, lambda: descriptors_of(selector), timeout)

        return select

    def descriptors_of_EpollSelector(self, selector):
        # The descriptor of epoll does not say what is there before the kernel has it.
        keys = selector.get_map() or {}
        gates = [(number, poll_events(keys[number].events)) for number in self._scheduler.runner.gates if number in keys]
        return ((selector.fileno(), select.POLLIN), *gates)

    def descriptors_of_PollSelector(self, selector):
        keys = selector.get_map().values()
        return [(key.fd, poll_events(key.events)) for key in keys]

    descriptors_of_SelectSelector = descriptors_of_PollSelector

    def select(self, readers, writers, errors, timeout=None):
        readers, writers, errors = list(readers), list(writers), list(errors)

        def descriptors():
            groups = ((readers, select.POLLIN), (writers, select.POLLOUT), (errors, select.POLLPRI))
            return [(number_of(file), events) for group, events in groups for file in group]

        def ready_now(within):
            return early.with_readers(lambda seconds: real.select_now(readers, writers, errors, seconds), readers, within)

        return self.wait(ready_now, descriptors, timeout)

    def poll_class(waits):
        class Poll:
            """As the object of `select.poll`."""

            def __init__(self):
                self._real = real.poll_object()
                self._events = {}

            def register(self, file, events=select.POLLIN | select.POLLPRI | select.POLLOUT):
                self._real.register(file, events)
                self._events[number_of(file)] = events

            def modify(self, file, events):
                self._real.modify(file, events)
                self._events[number_of(file)] = events

            def unregister(self, file):
                self._real.unregister(file)
                self._events.pop(number_of(file), None)

            def poll(self, timeout=None):
                def ready_now(seconds):
                    return early.with_polled(self._poll, self._events, seconds)

                seconds = None if timeout is None or timeout < 0 else timeout / 1000
                return waits.wait(ready_now, lambda: list(self._events.items()), seconds)

            def _poll(self, seconds):
                return self._real.poll(None if seconds is None else seconds * 1000)

        return Poll

    def epoll_class(waits):
        class Epoll:
            """As `select.epoll`."""

            def __init__(self, sizehint=-1, flags=0):
                # It may report an event once only.
                waits._scheduler.runner.ahead.is_possible = False
                self._real = real.epoll_object(sizehint, flags)

            def poll(self, timeout=None, maxevents=-1):
                def ready_now(seconds):
                    return self._real.poll(seconds, maxevents)

                seconds = None if timeout is None or timeout < 0 else timeout
                return waits.wait(ready_now, lambda: ((self._real.fileno(), select.POLLIN),), seconds)

            @classmethod
            def fromfd(cls, descriptor):
                waits._scheduler.runner.ahead.is_possible = False
                self = cls.__new__(cls)
                self._real = real.epoll_object.fromfd(descriptor)
                return self

            def __enter__(self):
                return self

            def __exit__(self, *_):
                self._real.close()

            def __getattr__(self, name):
                return getattr(self._real, name)

        return Epoll


def has_some(ready):
    """A list of events, or the three lists of `select`."""
    return any(ready) if isinstance(ready, tuple) else bool(ready)


def poll_events(events):
    reads = select.POLLIN if events & selectors.EVENT_READ else 0
    return reads | (select.POLLOUT if events & selectors.EVENT_WRITE else 0)
