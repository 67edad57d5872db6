"""Other processes of the program: their ends, their pipes and their semaphores."""

import io
import os
import select

from . import real
from .waits import wait_for


def use_processes(scheduler):
    started, catch_up = scheduler.runner.started, scheduler.runner.catch_up

    def fork():
        catch_up()
        pid = real.fork()
        if pid > 0:
            started(pid)
        return pid

    def waitpid(pid, options):
        if pid > 0 and options == 0 and scheduler.follows():
            wait_for_process(scheduler, pid)
        return real.waitpid(pid, options)

    def starting(function):
        def start(*args, **kwargs):
            catch_up()
            pid = function(*args, **kwargs)
            started(pid)
            return pid

        return start

    if real.fork is not None:
        os.fork, os.waitpid = fork, waitpid
        for name in ("posix_spawn", "posix_spawnp"):
            if hasattr(os, name):
                setattr(os, name, starting(getattr(os, name)))


def wait_for_process(scheduler, pid, due=None):
    """Until a process has ended, or until the time has come."""
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):
        return
    try:
        wait_for(scheduler, descriptor, select.POLLIN, due)
    finally:
        os.close(descriptor)


def change_subprocess(scheduler):
    class Pipe(io.FileIO):
        """The end of a pipe that the program reads."""

        def readinto(self, buffer):
            self._wait()
            return super().readinto(buffer)

        def read(self, size=-1):
            if size < 0:
                return self.readall()
            self._wait()
            return super().read(size)

        def readall(self):
            pieces = []
            while True:
                piece = self.read(65_536)
                if not piece:
                    return b"".join(pieces)
                pieces.append(piece)

        def _wait(self):
            if scheduler.follows() and os.get_blocking(self.fileno()):
                wait_for(scheduler, self.fileno(), select.POLLIN)

    class Files:
        """As `io`, for pipes of children."""

        def open(self, file, mode="r", buffering=-1, *args, **kwargs):
            if mode != "rb":
                return io.open(file, mode, buffering, *args, **kwargs)
            pipe = Pipe(file, mode)
            return pipe if buffering == 0 else io.BufferedReader(pipe, buffering if buffering > 1 else 8192)

        def __getattr__(self, name):
            return getattr(io, name)

    def change(subprocess):
        popen = subprocess.Popen
        init, wait = popen.__init__, getattr(popen, "_wait", None)

        def world_init(self, *args, **kwargs):
            scheduler.runner.catch_up()
            init(self, *args, **kwargs)
            scheduler.runner.started(self.pid)

        def world_wait(self, timeout):
            due = None if timeout is None else scheduler.clock.due_in(timeout)
            while scheduler.follows() and self.returncode is None and self.poll() is None:
                if due is not None and scheduler.clock.now_ms() >= due:
                    raise subprocess.TimeoutExpired(self.args, timeout)
                wait_for_process(scheduler, self.pid, due)
            return wait(self, timeout)

        popen.__init__ = world_init
        if wait is not None:
            popen._wait = world_wait
        subprocess.io = Files()

    return change


# multiprocessing


def change_connections(scheduler):
    def change(connection):
        receive = connection.Connection._recv

        def world_receive(self, *args, **kwargs):
            if scheduler.follows():
                wait_for(scheduler, self.fileno(), select.POLLIN)
            return receive(self, *args, **kwargs)

        connection.Connection._recv = world_receive

    return change


def change_semaphores(scheduler):
    """Their waits are in C. All processes share them, so each looks at them itself."""

    def change(synchronize):
        make_methods = synchronize.SemLock._make_methods

        def world_make_methods(self):
            make_methods(self)
            semaphore = self._semlock
            acquire = semaphore.acquire

            def world_acquire(block=True, timeout=None):
                if acquire(False):
                    return True
                if not block or not scheduler.follows():
                    return acquire(block, timeout)
                due = None if timeout is None else scheduler.clock.due_in(max(timeout, 0))
                while due is None or scheduler.clock.now_ms() < due:
                    scheduler.wait(due, look=lambda: not semaphore._is_zero())
                    if acquire(False):
                        return True
                return False

            self.acquire = world_acquire

        def enter(self):
            return self.acquire()

        synchronize.SemLock._make_methods = world_make_methods
        synchronize.SemLock.__enter__ = enter

    return change


def change_spawning(scheduler):
    def change(util):
        spawn = util.spawnv_passfds

        def world_spawn(path, args, passfds):
            scheduler.runner.catch_up()
            pid = spawn(path, args, passfds)
            scheduler.runner.started(pid)
            return pid

        util.spawnv_passfds = world_spawn

    return change
