"""Runs a Python program by the clock of a replay. `sitecustomize` loads it before the program.

Start with `scheduler`, which says how: the other modules lead the waits of Python there, and the reads of the clock to
`clock`.
"""

import atexit
import os
import sys

from .clock import Clock, use_clock
from .foreign import watch
from .libraries import hooks_for, use_hooks
from .processes import use_processes
from .runner import Runner, leave_mark
from .scheduler import Scheduler
from .signals import use_signals
from .sockets import use_sockets
from .threads import use_threads
from .tls import use_tls
from .waits import use_waits


def follow_world_clock(settings):
    if _only_helps():
        return leave_mark(settings["pipe"], "helps")
    scheduler = Scheduler()
    scheduler.clock = Clock(settings["file"], scheduler)
    scheduler.runner = Runner(settings, scheduler)
    use_clock(scheduler.clock)
    ended = use_threads(scheduler)
    use_waits(scheduler)
    methods = use_sockets(scheduler, settings)
    use_signals(scheduler)
    use_processes(scheduler)
    use_hooks(hooks_for(scheduler, *use_tls(scheduler, settings, methods)))

    def forked():
        ended.clear()
        scheduler.forked()
        scheduler.runner.forked()
        watch(scheduler)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forked)
    atexit.register(scheduler.clock.end)
    _end_before_exit(scheduler.clock)
    scheduler.runner.join()
    watch(scheduler)


def _end_before_exit(clock):
    real_exit = os._exit

    def _exit(status):
        clock.end()
        real_exit(status)

    os._exit = _exit


def _only_helps():
    """Whether this process only cleans up after the program: it waits for the end of a pipe."""
    return any("multiprocessing.resource_tracker" in part for part in getattr(sys, "orig_argv", ()))
