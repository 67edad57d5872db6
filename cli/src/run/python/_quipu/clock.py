"""The time of the world, for the program."""

import gc
import mmap
import os
import struct
import sys
import time

from . import real

# So many reads of the clock at one instant are a loop that waits for the clock. From then on as many reads as the second
# number take a millisecond of the world.
READS_AT_ONE_INSTANT, READS_IN_A_MILLISECOND = 100_000, 50


class Clock:
    """Reads the time that the runner writes: three numbers, the time, its speed, and the real time of the write."""

    def __init__(self, file, scheduler):
        descriptor = os.open(file, os.O_RDONLY)
        self._map = mmap.mmap(descriptor, 24, access=mmap.ACCESS_READ)
        os.close(descriptor)
        self._numbers = struct.Struct("<3d").unpack_from
        self._scheduler = scheduler
        # The program may be ahead of the broker.
        self._earliest = float("-inf")
        self._end_file = f"{file}-end"
        self._start_ms = self.now_ms()
        self._monotonic_start = int(real.monotonic())
        self.reads = 0
        # Libraries wait again and again without time until no time is left by their own sums: each such wait takes 1 ns.
        self._waits_without_time = 0

    def now_ms(self):
        now, speed, at = self._numbers(self._map, 0)
        return max(now if speed == 0 else now + (real.time_of_day() * 1000 - at) * speed, self._earliest)

    def reach(self, instant):
        """The program has reached an instant before the broker."""
        self._earliest = instant

    def is_ahead(self):
        if self._earliest > self._numbers(self._map, 0)[0]:
            return True
        self._earliest = float("-inf")
        return False

    def end(self):
        """The program ends: stores the instant for the runner if the broker has not reached it."""
        if self.is_ahead() and not self._scheduler.released:
            with open(self._end_file, "w") as file:
                file.write(f"{self._earliest}")

    def due_in(self, seconds):
        return round(self.now_ms() + seconds * 1000, 3)

    def read(self):
        """The time, for the program. A loop that waits for it moves it."""
        self.reads += 1
        if self.reads > READS_AT_ONE_INSTANT:
            self._spin()
        return self.now_ms()

    def _spin(self):
        reads = self.reads
        if self._scheduler.follows() and reads % READS_IN_A_MILLISECOND == 0:
            self._scheduler.is_inexact("a loop reads the clock until it moves, at", real.get_ident())
            self._scheduler.wait(self.due_in(0.001))
        self.reads = reads

    def seconds(self):
        return self.read() / 1000

    def nanoseconds(self):
        return round(self.read() * 1000) * 1000

    def monotonic(self):
        return self.monotonic_ns() / 10**9

    def monotonic_ns(self):
        passed = round((self.read() - self._start_ms) * 1000) * 1000
        return self._monotonic_start * 10**9 + passed + self._waits_without_time

    def sleep(self, seconds):
        if hasattr(seconds, "__index__"):
            seconds = seconds.__index__()
        elif not isinstance(seconds, float):
            return real.sleep(seconds)
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        scheduler = self._scheduler
        if not scheduler.follows():
            if not scheduler.released:
                scheduler.is_inexact("a thread that Python did not start sleeps, at", real.get_ident())
            return real.sleep(seconds)
        if seconds == 0:
            return self.step_aside()
        scheduler.wait(self.due_in(seconds))
        return None

    def step_aside(self):
        """The threads that are ready run first."""
        self._waits_without_time += 1
        self._look(self._scheduler.step_aside)

    def looked(self):
        """The program looked at something without waiting."""
        self._look(self._scheduler.looked)

    def _look(self, give_way):
        # As a loop that reads the clock, a loop of such looks moves it.
        reads = self.reads + 1
        give_way()
        self.reads = reads
        if reads > READS_AT_ONE_INSTANT:
            self._spin()


def use_clock(clock):
    """Replaces the functions of `time`, wherever a module has taken them, and those of `datetime`."""

    def gmtime(seconds=None):
        return real_gmtime(clock.seconds() if seconds is None else seconds)

    def localtime(seconds=None):
        return real_localtime(clock.seconds() if seconds is None else seconds)

    def ctime(seconds=None):
        return real_ctime(clock.seconds() if seconds is None else seconds)

    def asctime(when=None):
        return real_asctime(localtime() if when is None else when)

    def strftime(format, when=None):
        return real_strftime(format, localtime() if when is None else when)

    def get_clock_info(name):
        info = real_info(name)
        if name in ("monotonic", "time"):
            # Event loops compare sums of times: rounding must not make them wait once more.
            info.resolution = 1e-6
        return info

    real_gmtime, real_localtime, real_ctime = time.gmtime, time.localtime, time.ctime
    real_asctime, real_strftime, real_info = time.asctime, time.strftime, time.get_clock_info
    replacements = {
        time.time: lambda: clock.seconds(),
        time.time_ns: lambda: clock.nanoseconds(),
        time.monotonic: lambda: clock.monotonic(),
        time.monotonic_ns: lambda: clock.monotonic_ns(),
        time.sleep: lambda seconds: clock.sleep(seconds),
        real_gmtime: gmtime,
        real_localtime: localtime,
        real_ctime: ctime,
        real_asctime: asctime,
        real_strftime: strftime,
        real_info: get_clock_info,
        **_clock_functions(clock),
    }
    for function, replacement in replacements.items():
        replacement.__name__ = replacement.__qualname__ = function.__name__
        replacement.__module__ = "time"
    _replace_everywhere(replacements)
    _use_datetime(clock)


def _clock_functions(clock):
    if not hasattr(time, "clock_gettime"):
        return {}
    followed = {
        time.CLOCK_REALTIME: (clock.seconds, clock.nanoseconds),
        time.CLOCK_MONOTONIC: (clock.monotonic, clock.monotonic_ns),
    }
    in_seconds, in_nanoseconds = time.clock_gettime, time.clock_gettime_ns

    def clock_gettime(which):
        return followed[which][0]() if which in followed else in_seconds(which)

    def clock_gettime_ns(which):
        return followed[which][1]() if which in followed else in_nanoseconds(which)

    return {in_seconds: clock_gettime, in_nanoseconds: clock_gettime_ns}


def _replace_everywhere(replacements):
    for name, module in list(sys.modules.items()):
        if name.startswith(__package__) or not hasattr(module, "__dict__"):
            continue
        for attribute, value in list(vars(module).items()):
            try:
                if value in replacements:
                    setattr(module, attribute, replacements[value])
            except TypeError:
                pass


def _use_datetime(clock):
    import datetime

    def now(cls, tz=None):
        """Returns new datetime object representing current time local to tz."""
        return cls.fromtimestamp(clock.seconds(), tz)

    def utcnow(cls):
        """Return a new datetime representing UTC day and time."""
        at = datetime.datetime.fromtimestamp(clock.seconds(), datetime.timezone.utc)
        return cls(at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond)

    # The class itself is changed: with a subclass in its place, values that C code makes would have another class.
    attributes = gc.get_referents(datetime.datetime.__dict__)[0]
    attributes["now"], attributes["utcnow"] = classmethod(now), classmethod(utcnow)
    try:
        import ctypes

        ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))
    except ImportError:
        pass
