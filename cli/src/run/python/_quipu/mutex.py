"""The lock of the scheduler."""

from . import real


class Mutex:
    """Held for moments only. What a signal calls in the main thread runs after it is free, because it may need it too."""

    def __init__(self):
        self._main = real.get_ident()
        self.reset()

    def reset(self):
        self._lock = real.allocate_lock()
        self._is_inside = False
        self._deferred = []

    def __enter__(self):
        if real.get_ident() == self._main:
            self._is_inside = True
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()
        if real.get_ident() == self._main:
            self._is_inside = False
            while self._deferred:
                self._deferred.pop(0)()

    def later(self, action):
        """Keeps the action for the end of the current section; False outside of one. Only for the main thread."""
        if self._is_inside:
            self._deferred.append(action)
        return self._is_inside

    def forked(self):
        """The current thread is the only one."""
        self._main = real.get_ident()
        self.reset()
