"""Starts and stops brokers."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from types import TracebackType
from typing import IO, Any, Dict, List, Optional, Sequence, Type

from .command import quipu_command
from .errors import StartError
from .http import Key, send
from .records import Json
from .world import Instant, World, body_of

STOP_SECONDS = 15
LOG_LINES = 20
WORLDS_MAX = 10_000
_IN_MEMORY = ["start", "--json", "--port", "0", "--data", "memory", "--worlds-max", str(WORLDS_MAX)]
# The broker ends when its standard input is closed, also if this process is killed.
_AS_CHILD = ["--log", "warn", "--exit-with-parent"]


class Broker:
    """A broker in memory, on a free port. `with quipu.Broker() as broker:` starts it, and stops it at the end.

    It is a process of Node. `flags` are further flags of `quipu start`, such as `["--hours", "nyse"]`. `command` starts
    another program than that of this package.
    """

    def __init__(self, flags: Sequence[str] = (), *, command: Optional[Sequence[str]] = None) -> None:
        self._flags = list(flags)
        self._command = None if command is None else list(command)
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._log: Optional[IO[bytes]] = None
        self._started: Dict[str, Any] = {}

    def start(self) -> "Broker":
        """Starts the broker and waits until it accepts requests. `close` stops it."""
        if self._process is not None:
            raise StartError("the broker is running already")
        command = quipu_command() if self._command is None else self._command
        # Variables of another broker are not for this one.
        env = {name: value for name, value in os.environ.items() if not name.startswith(("QUIPU_", "APCA_"))}
        # Test runners hide what a program prints before the first test.
        self._log = tempfile.TemporaryFile()
        line = [*command, *_IN_MEMORY, *self._flags, *_AS_CHILD]
        try:
            self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=env)
        except OSError as error:
            raise StartError(f"{_shown(command)} cannot be started: {error.strerror}") from None
        assert self._process.stdout is not None
        first_line = self._process.stdout.readline()
        if not first_line:
            raise StartError(self._why_it_ended(command))
        self._started = json.loads(first_line)
        return self

    def close(self) -> None:
        """Stops the broker, and prints its warnings on stderr. All its worlds end."""
        process, self._process, self._started = self._process, None, {}
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        sys.stderr.write("".join(line + "\n" for line in self._lines()))

    def __enter__(self) -> "Broker":
        return self if self._process is not None else self.start()

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Such as `http://127.0.0.1:40123`."""
        return self._key("keyId", "secretKey").url

    @property
    def version(self) -> str:
        """The version of Quipu."""
        self._key("keyId", "secretKey")
        return str(self._started["version"])

    def request(self, method: str, path: str, body: Json = None) -> Any:
        """Sends a request with the key of the paper account in the world `main`."""
        return send(self._key("keyId", "secretKey"), method, path, body)

    def operator(self, method: str, path: str, body: Json = None) -> Any:
        """Sends a request with the key of the operator, who manages worlds."""
        return send(self._key("brokerKey", "brokerSecret"), method, path, body)

    def world(
        self,
        seed: Optional[str] = None,
        clock: Optional[Instant] = None,
        cash: Optional[object] = None,
        scenario: Optional[str] = None,
        **fields: Json,
    ) -> World:
        """Creates a world. `fields` are other fields of POST /sim/v1/worlds, such as hours, symbols or fees.

        `clock` is the first instant. `scenario="flash-crash"` creates the world of a scenario that ships with Quipu; only
        `seed` may be added."""
        key = self._key("brokerKey", "brokerSecret")
        if scenario is None:
            return World(key, send(key, "POST", "/sim/v1/worlds", body_of(seed, clock, cash, fields)))
        if clock is not None or cash is not None or fields:
            raise ValueError("only seed can be combined with scenario")
        body = {"name": scenario} if seed is None else {"name": scenario, "seed": seed}
        return World(key, send(key, "POST", "/sim/v1/scenario-worlds", body))

    def load(self, file: bytes) -> World:
        """Creates a world from a file of `world.save()`, `quipu world save` or `quipu bundle`."""
        key = self._key("brokerKey", "brokerSecret")
        return World(key, send(key, "POST", "/sim/v1/worlds/load", file))

    def _key(self, key_id: str, secret_key: str) -> Key:
        if not self._started:
            raise StartError("the broker is not running: use `with quipu.Broker() as broker:`, or call start()")
        return Key(self._started["url"], self._started[key_id], self._started[secret_key])

    def _why_it_ended(self, command: Sequence[str]) -> str:
        process, self._process = self._process, None
        assert process is not None and process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        ended = f"{_shown(command)} ended with exit code {process.wait()}"
        return "\n".join([ended, *self._lines()[-LOG_LINES:]])

    def _lines(self) -> List[str]:
        assert self._log is not None
        self._log.seek(0)
        text = self._log.read().decode("utf-8", "replace")
        self._log.close()
        return text.splitlines()


def _shown(command: Sequence[str]) -> str:
    return " ".join(shlex.quote(word) for word in command)
