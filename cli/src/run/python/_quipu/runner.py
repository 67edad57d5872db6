"""The connection to the runner of the replay: reports that the process is idle, and what comes back."""

import fcntl
import json
import os
import select
import sys
import termios

import _socket

from . import real
from .ahead import ARRIVES_WITHIN_MS, Ahead
from .sockets import Gates

# A new process that has not reported after this time does not follow the clock.
JOINS_WITHIN_S = 2.0


def unread(descriptor):
    """The number of bytes that have arrived and are not read yet."""
    try:
        return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)
    except OSError:
        return 0


class Runner:
    def __init__(self, settings, scheduler):
        self._pipe = settings["pipe"]
        self._scheduler = scheduler
        self.gates = Gates()
        self.ahead = Ahead(scheduler.clock, self.gates)
        # Processes that this one has started and that have not reported yet, with the real time of their start.
        self.new_processes = {}
        self._said = set()
        self._start()

    def _start(self):
        self._socket = None
        self._rest = b""
        self._fired = 0
        self._to_fire = None
        self._confirmed = 0
        self._reported = ""
        self._children = set()

    def join(self):
        """Connects, and leaves a mark for the process that has started this one."""
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            connection.connect(self._pipe)
        except OSError:
            self._scheduler.released = True
            return
        self._socket = connection
        self._send(json.dumps({"pid": os.getpid()}))
        leave_mark(self._pipe)

    def forked(self):
        if self._socket is not None:
            self._socket.close()
        self.gates.clear()
        self.ahead.forked()
        self.new_processes.clear()
        self._start()
        self.join()

    def descriptors(self):
        return {} if self._socket is None else {self._socket.fileno(): select.POLLIN}

    def look(self):
        """What a report says of the connections, and the processes that this one has started and that run."""
        self._children = {pid for pid in self._children if not has_ended(pid)}
        # Bytes in both directions. What has arrived, and what no thread waits for, counts as read.
        connections = [[one.id, one.read + unread(number), one.written] for number, one in list(self.gates.items())]
        return {"connections": connections, "children": sorted(self._children)}

    def fires(self, is_due):
        """Whether the runner wants the waits that are due to end, and one is."""
        if self._to_fire is None or is_due:
            return self._to_fire is not None
        self._fired, self._to_fire = self._to_fire, None
        return False

    def receives_ahead(self, due):
        """Whether the program, which is idle, was given something to do before `due`."""
        return not self._children and self.ahead.receive(due)

    def report(self, next, seen, works=False):
        report = {"fired": self._fired, **self.ahead.counts(), "next": next, "works": works, "isWhole": True, **seen}
        report.update(turns=self._scheduler.turns.count, confirmed=self._confirmed)
        text = json.dumps(report)
        if text != self._reported:
            self._reported = text
            self._send(text)

    def catch_up(self):
        """Before the program does something that others see: the broker reaches its time."""
        scheduler, ahead = self._scheduler, self.ahead
        if scheduler.released or not ahead.holds_back:
            return
        self._end_ahead()
        number = self._socket.fileno()
        poll = real.poll_object()
        poll.register(number, select.POLLIN)
        scheduler.at_gate.add(number)
        try:
            while ahead.holds_back and not scheduler.released:
                poll.poll(ARRIVES_WITHIN_MS)
                with scheduler.mutex:
                    self.receive()
                if ahead.is_given:
                    self._end_ahead()
        finally:
            scheduler.at_gate.discard(number)

    def _end_ahead(self):
        """Reports what the program has received, while one of its threads runs."""
        with self._scheduler.mutex:
            self._reported = ""
            first = self._scheduler.turns.next_due()
            self.report(None if first is None else first.due, self.look(), works=True)

    def await_response(self, descriptor, timeout):
        """Until a response arrives, in real time. Messages that were given on the way would hold back the request."""
        number = self._socket.fileno()
        poll = real.poll_object()
        poll.register(descriptor, select.POLLIN)
        poll.register(number, select.POLLIN)
        until = None if timeout is None else real.monotonic() + timeout
        while True:
            left = None if until is None else max((until - real.monotonic()) * 1000, 0)
            ready = dict(poll.poll(left))
            if number in ready:
                with self._scheduler.mutex:
                    self.receive()
                if self.ahead.is_given:
                    self._end_ahead()
                if self._scheduler.released:
                    poll.unregister(number)
                    number = None
            if descriptor in ready:
                return True
            if not ready:
                return False

    def is_inexact(self, text):
        """Tells the reader of the run, once, what does not follow the clock."""
        if text not in self._said and not self._scheduler.released:
            self._said.add(text)
            self._send(json.dumps({"inexact": text}))

    def _send(self, text):
        try:
            if self._socket is not None:
                self._socket.sendall(text.encode() + b"\n")
        except OSError:
            self._scheduler.released = True

    def receive(self):
        """Reads what the runner has sent, without waiting."""
        try:
            data = self._socket.recv(65536, _socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._scheduler.released = True
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            word, _, value = line.partition(b" ")
            self._reported = ""
            if word == b"fire":
                self._to_fire = int(value)
            elif word == b"confirm":
                self._confirmed = int(value)
            elif word == b"ahead":
                self.ahead.give(value)
            elif word == b"release":
                self._scheduler.released = True

    # Processes that this one has started: until they report themselves, the clock waits for them.

    def started(self, pid):
        self.new_processes[pid] = real.monotonic()
        self._children.add(pid)

    def waits_for_processes(self):
        for pid, since in list(self.new_processes.items()):
            if has_ended(pid) or os.path.exists(mark_of(self._pipe, pid)):
                del self.new_processes[pid]
            elif real.monotonic() - since > JOINS_WITHIN_S:
                self.is_inexact(f"the process {command_of(pid)} does not follow the clock of the world")
                del self.new_processes[pid]
        return bool(self.new_processes)


def mark_of(pipe, pid):
    return f"{pipe}-{pid}"


def leave_mark(pipe, text=""):
    """With a text if this process does not report."""
    try:
        with open(mark_of(pipe, os.getpid()), "w") as file:
            file.write(text)
    except OSError:
        pass


def has_ended(pid):
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except OSError:
        return True


def command_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return f"{file.read().strip()!r}"
    except OSError:
        return pid
