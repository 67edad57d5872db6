"""Connections to the broker: they lead to the gateway of the run, which tells their bytes from those of others."""

import itertools
import os
import select
import socket
import sys
import weakref

import _socket

from . import early, real
from .waits import wait_for

_plain = _socket.socket
_numbers = itertools.count(1)
# A response has no end if its head says so: a WebSocket, or an event stream.
_HEAD_MAX = 16_384


class Gates(dict):
    """The connections to the gateway, by descriptor."""

    def __init__(self):
        super().__init__()
        # How often one was opened or closed, or something was sent.
        self.changes = 0

    def pop(self, descriptor, default=None):
        self.changes += descriptor in self
        early.drop(descriptor)
        return super().pop(descriptor, default)

    def stream(self, id):
        """The descriptor of a stream that has nothing left to read in the kernel."""
        for descriptor, gate in list(self.items()):
            if gate.id == id:
                return descriptor if gate.is_stream and not is_ready_now(descriptor) else None
        return None

    def add(self, sock, gate):
        """Until the socket is closed, or dropped: Python then closes its descriptor without a call."""
        descriptor = _plain.fileno(sock)
        gate.socket = weakref.ref(sock, lambda _: self.get(descriptor) is gate and self.pop(descriptor))
        self[descriptor] = gate
        self.changes += 1


class Gate:
    """A connection to the gateway."""

    def __init__(self, address):
        self.socket = None
        self.id = f"{os.getpid()}-{next(_numbers)}"
        self.address = address
        self.read = 0
        self.written = 0
        self.is_stream = False
        # What has arrived of the head of a response; None if none is awaited.
        self.head = None

    def sent(self, count):
        self.written += count
        if not self.is_stream:
            self.head = b""

    def received(self, data):
        self.read += len(data)
        if self.head is None or self.is_stream:
            return
        self.head += bytes(data)
        text = self.head.lower()
        end = text.find(b"\r\n\r\n")
        if end >= 0 or len(text) > _HEAD_MAX:
            self.is_stream = text.startswith(b"http/1.1 101") or b"text/event-stream" in text[: max(end, 0)]
            self.head = None


def is_ready_now(descriptor):
    poll = real.poll_object()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def make_gate_methods(scheduler):
    gates, clock, runner = scheduler.runner.gates, scheduler.clock, scheduler.runner

    class GateMethods:
        """The methods of a socket that may be connected to the gateway."""

        __slots__ = ()

        def _gate(self):
            return gates.get(_plain.fileno(self))

        def _await(self):
            """Waits for something to read, as long as the timeout of the socket says."""
            gate, timeout = self._gate(), _plain.gettimeout(self)
            clock.reads = 0
            if gate is None or timeout == 0 or not scheduler.follows():
                return gate
            descriptor = _plain.fileno(self)
            if early.has(descriptor):
                return gate
            if gate.is_stream:
                due = None if timeout is None else clock.due_in(timeout)
                if not wait_for(scheduler, descriptor, select.POLLIN, due):
                    raise TimeoutError("timed out")
                return gate
            # The clock waits for the response. In real time, and no other thread runs: so the order of requests is fixed.
            scheduler.at_gate.add(descriptor)
            try:
                if not runner.await_response(descriptor, timeout):
                    raise TimeoutError("timed out")
            finally:
                scheduler.at_gate.discard(descriptor)
            return gate

        def recv(self, size, flags=0):
            gate = self._await()
            if gate is not None and early.has(_plain.fileno(self)):
                return early.take(_plain.fileno(self), size, flags & socket.MSG_PEEK)
            data = _plain.recv(self, size, flags)
            if gate is not None and not flags & socket.MSG_PEEK:
                gate.received(data)
            return data

        def recv_into(self, buffer, nbytes=0, flags=0):
            gate = self._await()
            if gate is not None and early.has(_plain.fileno(self)):
                view = memoryview(buffer).cast("B")
                taken = early.take(_plain.fileno(self), nbytes or len(view), flags & socket.MSG_PEEK)
                view[: len(taken)] = taken
                return len(taken)
            count = _plain.recv_into(self, buffer, nbytes, flags)
            if gate is not None and not flags & socket.MSG_PEEK:
                gate.received(memoryview(buffer).cast("B")[:count])
            return count

        def recvfrom(self, size, flags=0):
            if self._gate() is None:
                return _plain.recvfrom(self, size, flags)
            return self.recv(size, flags), None

        def send(self, data, flags=0):
            self._catch_up()
            count = _plain.send(self, data, flags)
            self._sent(count)
            return count

        def sendall(self, data, flags=0):
            self._catch_up()
            _plain.sendall(self, data, flags)
            self._sent(memoryview(data).nbytes)

        def sendmsg(self, buffers, *args):
            self._catch_up()
            count = _plain.sendmsg(self, buffers, *args)
            self._sent(count)
            return count

        def _catch_up(self):
            if self._gate() is not None:
                runner.catch_up()

        def _sent(self, count):
            gate = self._gate()
            clock.reads = 0
            if gate is not None:
                gates.changes += 1
                gate.sent(count)

        # It looks as the connection that the program has opened.

        def getpeername(self):
            gate = self._gate()
            return _plain.getpeername(self) if gate is None else gate.address

        def getsockname(self):
            return _plain.getsockname(self) if self._gate() is None else ("127.0.0.1", 0)

        def setsockopt(self, level, *args):
            if level == socket.SOL_SOCKET or self._gate() is None:
                _plain.setsockopt(self, level, *args)

        def getsockopt(self, level, option, *args):
            has_option = level == socket.SOL_SOCKET or self._gate() is None
            return _plain.getsockopt(self, level, option, *args) if has_option else 0

        def _real_close(self, _ss=_plain):
            gates.pop(_plain.fileno(self), None)
            _ss.close(self)

        def detach(self):
            gates.pop(_plain.fileno(self), None)
            self._closed = True
            return _plain.detach(self)

    return GateMethods


def use_sockets(scheduler, settings):
    """Returns the class of the connections to the gateway."""
    methods = make_gate_methods(scheduler)
    gates, runner = scheduler.runner.gates, scheduler.runner
    ports = (settings["tlsPort"], settings["proxyPort"])
    hosts = ("127.0.0.1", "::1", "localhost")
    # On the class itself: some libraries call its methods, and not those of the socket.
    for name, method in vars(methods).items():
        if callable(method):
            setattr(socket.socket, name, method)
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def leads_to_gate(self, address):
        ssl = sys.modules.get("ssl")
        if scheduler.released or (ssl and isinstance(self, ssl.SSLSocket)):
            return False
        return isinstance(address, tuple) and address[0] in hosts and address[1] in ports

    def connect_to_gate(self, address):
        connection = _plain(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(settings["gate"])
            os.dup2(connection.fileno(), self.fileno(), inheritable=False)
        finally:
            connection.close()
        gate = Gate(address)
        line = f"{gate.id}\n".encode()
        _plain.setblocking(self, True)
        _plain.sendall(self, line)
        gate.written = len(line)
        gates.add(self, gate)

    def world_connect(self, address):
        runner.catch_up()
        if not leads_to_gate(self, address):
            runner.ahead.is_possible = False
            return connect(self, address)
        timeout = self.gettimeout()
        try:
            return connect_to_gate(self, address)
        finally:
            self.settimeout(timeout)

    def world_connect_ex(self, address):
        if not leads_to_gate(self, address):
            runner.catch_up()
            runner.ahead.is_possible = False
            return connect_ex(self, address)
        try:
            world_connect(self, address)
        except OSError as error:
            return error.errno or 111
        return 0

    socket.socket.connect = world_connect
    socket.socket.connect_ex = world_connect_ex
    for name in ("bind", "sendto"):
        setattr(socket.socket, name, _unknown(runner, getattr(_plain, name)))
    return methods


def _unknown(runner, function):
    """For connections that lead elsewhere: what arrives there may come at any time."""

    def world_function(self, *args):
        runner.ahead.is_possible = False
        return function(self, *args)

    return world_function


def is_official(host, domain):
    name = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
    name = name.lower().rstrip(".") if isinstance(name, str) else ""
    return name == domain or name.endswith("." + domain)
