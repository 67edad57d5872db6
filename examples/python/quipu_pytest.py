"""Test trading programs against Quipu with pytest.

Copy this file beside your tests, or install it as a package. It needs Python 3.8, pytest 7, and Node 22.13 for the broker.

    # conftest.py (not needed if it is installed as a package)
    pytest_plugins = ["quipu_pytest"]

    # test_bot.py
    def test_the_bot_buys_once(world):
        world.request("POST", "/v2/orders", {"symbol": "AAPL", "qty": 1, "side": "buy", "type": "market",
                                             "time_in_force": "day", "client_order_id": "first"})
        world.advance("1m")
        world.assert_one_order("first")
        world.assert_net_position("AAPL", 1)

The fixture `quipu` is a broker for all tests. The fixture `world` is a new world for each test: a broker of its own with clock,
market, account and key. During the test, APCA_API_BASE_URL, APCA_API_KEY_ID and APCA_API_SECRET_KEY are those of the world.
`@pytest.mark.quipu(seed="dips", clock="2026-01-05T14:30:00Z", cash=10000)` changes the world of a test.
"""

import decimal
import json
import os
import shlex
import shutil
import subprocess
import urllib.error
import urllib.request

import pytest

EVENTS_IN_REPORT = 10
STOP_SECONDS = 15


class QuipuError(Exception):
    """A refused request: `status`, `code` and the message of the broker."""

    def __init__(self, status, code, message):
        super().__init__("%s %s" % (status, message))
        self.status = status
        self.code = code


# A proxy of the environment is not for a broker on this computer.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _request(url, key_id, secret_key, method, path, body=None):
    headers = {"APCA-API-KEY-ID": key_id, "APCA-API-SECRET-KEY": secret_key, "Accept": "application/json"}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url + path, data=data, headers=headers, method=method)
    try:
        with _opener.open(request, timeout=60) as response:
            text = response.read()
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        try:
            response = json.loads(text)
        except ValueError:
            response = {}
        raise QuipuError(error.code, response.get("code"), response.get("message", text)) from None
    return json.loads(text) if text else None


class Quipu:
    """A running broker that creates worlds."""

    def __init__(self, url, broker_key, broker_secret):
        self.url = url
        self._key = (broker_key, broker_secret)

    def operator(self, method, path, body=None):
        """Sends a request with the key of the operator."""
        return _request(self.url, *self._key, method, path, body)

    def world(self, seed=None, clock=None, cash=None, scenario=None, **fields):
        """Creates a world. `fields` are other fields of POST /sim/v1/worlds, such as hours, symbols or fees.

        `scenario="flash-crash"` creates the world of a scenario that ships with Quipu; only `seed` may be added."""
        if scenario is not None:
            if clock is not None or cash is not None or fields:
                raise ValueError("only seed can be combined with scenario")
            body = {"name": scenario} if seed is None else {"name": scenario, "seed": seed}
            return World(self, self.operator("POST", "/sim/v1/scenario-worlds", body))
        body = dict(fields, seed="quipu" if seed is None else seed)
        if clock is not None:
            body["start"] = clock if isinstance(clock, str) else clock.isoformat()
        if cash is not None:
            body["cash"] = str(cash)
        return World(self, self.operator("POST", "/sim/v1/worlds", body))


class World:
    """A world with the key of its first account. Its clock is stopped until `advance` moves it."""

    def __init__(self, quipu, created):
        account = created["accounts"][0]
        self._quipu = quipu
        self._partner = (created["partner"]["key_id"], created["partner"]["secret_key"])
        self.url = quipu.url
        self.name = created["world"]
        self.seed = created["seed"]
        self.account_id = account["account_id"]
        self.key_id = account["key_id"]
        self.secret_key = account["secret_key"]

    def request(self, method, path, body=None):
        """Sends a request as the program under test would: `world.request("GET", "/v2/account")`."""
        return _request(self.url, self.key_id, self.secret_key, method, path, body)

    def _operator(self, method, path, body=None):
        return self._quipu.operator(method, "/sim/v1/worlds/%s%s" % (self.name, path), body)

    def _account(self, path):
        return _request(self.url, *self._partner, "GET", "/v1/trading/accounts/%s%s" % (self.account_id, path))

    def now(self):
        """The time of the world, as text."""
        return self._operator("GET", "/clock")["now"]

    def advance(self, by=None, *, to=None, until=None):
        """Moves the clock: advance("90s"), advance(to="2026-01-06T14:30:00Z") or advance(until="next_open")."""
        move = {"by": by, "to": to, "until": until}
        body = {name: value for name, value in move.items() if value is not None}
        return self._operator("POST", "/clock/advance", body)

    def each(self, step, steps=365):
        """Yields the time now and after every step: `for now in world.each("1d", 20): bot.on_day()`."""
        now = self.now()
        for _ in range(steps):
            yield now
            now = self.advance(step)["now"]

    def orders(self):
        """All orders of the account, newest first."""
        orders = []
        while True:
            after = "&before_order_id=%s" % orders[-1]["id"] if orders else ""
            path = "/orders?status=all&limit=500&account_id=%s%s" % (self.account_id, after)
            page = self._operator("GET", path)
            orders += page
            if len(page) < 500:
                return orders

    def position(self, symbol):
        """Signed quantity of a symbol, 0 without a position."""
        held = {one["symbol"]: one["qty"] for one in self._account("/positions")}
        return decimal.Decimal(held.get(symbol, "0"))

    def cash(self):
        """Cash of the account in dollars."""
        return decimal.Decimal(self._account("/account")["cash"])

    def events(self, last=EVENTS_IN_REPORT):
        """The last events of the journal."""
        return self._operator("GET", "/events?last=%d&limit=%d" % (last, last))["events"]

    def journal_hash(self):
        """Hash over all events. The same seed and the same calls give the same hash."""
        return self._operator("GET", "/journal")["hash"]

    def unacknowledged_fills(self):
        """Fills that no response to the program includes, and that no open stream of trade updates has sent."""
        of_account = "account_id=%s&limit=1000" % self.account_id
        events = [
            event
            for event in self._pages("/events?" + of_account, "events")
            if event["kind"].startswith("order") and event["kind"] != "orderElected"
        ]
        read = [
            request.get("seq", 0)
            for request in self._pages("/requests?status=200&" + of_account, "requests")
            if request.get("operation") in _SHOWS_FILLS
        ]
        # Two messages of a stream come before its updates: authentication and subscription.
        sent = [
            socket["sent_messages"] - 2
            for socket in self._pages("/sockets?" + of_account, "sockets")
            if "trade_updates" in socket["subscriptions"]
        ]
        last_read, last_sent = max(read, default=0), len(events) - max(sent, default=0)
        return [
            event
            for index, event in enumerate(events)
            if event["kind"] == "orderFilled" and event["number"] > last_read and index < last_sent
        ]

    def _pages(self, path, name):
        cursor = ""
        while True:
            page = self._operator("GET", path + cursor)
            yield from page[name]
            if page["next_cursor"] is None:
                return
            cursor = "&cursor=" + page["next_cursor"]

    def assert_one_order(self, client_order_id):
        __tracebackhide__ = True
        ids = [order["client_order_id"] for order in self.orders()]
        assert ids.count(client_order_id) == 1, "expected exactly one order with the client order id %s, received %d of %s" % (
            client_order_id,
            ids.count(client_order_id),
            ids,
        )

    def assert_net_position(self, symbol, quantity):
        __tracebackhide__ = True
        held = self.position(symbol)
        assert held == decimal.Decimal(str(quantity)), "expected a net position of %s %s, received %s" % (
            quantity,
            symbol,
            held,
        )

    def assert_cash(self, dollars):
        __tracebackhide__ = True
        cash = self.cash()
        assert cash == decimal.Decimal(str(dollars)), "expected %s dollars of cash, received %s" % (dollars, cash)

    def assert_no_unacknowledged_fill(self):
        __tracebackhide__ = True
        fills = self.unacknowledged_fills()
        assert not fills, "expected no unacknowledged fill, received %d: %s" % (
            len(fills),
            ", ".join("#%(number)s %(at)s of order %(order_id)s" % fill for fill in fills),
        )

    def report(self):
        """Seed, journal hash and the last events, for a failed test."""
        lines = ["world %s, seed %s, journal hash %s" % (self.name, json.dumps(self.seed), self.journal_hash())]
        for event in self.events():
            fields = dict(event["event"], **(event["event"].get("order") or {}))
            shown = [fields.get(name) for name in ("clientOrderId", "symbol", "side", "quantity", "price", "reason")]
            details = [str(value) for value in shown if isinstance(value, (str, int, float))]
            lines.append("  #%s %s" % (event["number"], " ".join([event["at"], event["kind"]] + details)))
        return "\n".join(lines)

    def close(self):
        """Deletes the world."""
        self._operator("DELETE", "")


# Operations whose responses show fills or their effect.
_SHOWS_FILLS = {
    "getOrder",
    "getOrderByClientOrderId",
    "listOrders",
    "listPositions",
    "getPosition",
    "getAccount",
    "listActivities",
    "listActivitiesByType",
}


def pytest_addoption(parser):
    about = "Command that starts the broker. Default: quipu if it is on the PATH, else npx --yes quipu-broker."
    parser.addoption("--quipu-command", help=about)
    parser.addini("quipu_command", about)


def pytest_configure(config):
    config.addinivalue_line("markers", "quipu(seed, clock, cash, ...): settings of the world of this test")


def _command(config):
    command = config.getoption("--quipu-command") or config.getini("quipu_command")
    if command:
        return shlex.split(command)
    if shutil.which("quipu"):
        return [shutil.which("quipu")]
    if shutil.which("npx"):
        return [shutil.which("npx"), "--yes", "quipu-broker"]
    pytest.exit("Quipu needs Node: install Node 22.13 or newer, or set --quipu-command", returncode=4)


@pytest.fixture(scope="session")
def quipu(pytestconfig):
    """A broker for all tests, in memory, on a free port."""
    command = _command(pytestconfig) + ["start", "--json", "--port", "0", "--data", "memory", "--worlds-max", "10000"]
    # Variables of another broker are not for this one.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("QUIPU_", "APCA_"))}
    # With --exit-with-parent the broker ends when its standard input is closed, also if pytest is killed.
    process = subprocess.Popen(
        command + ["--log", "warn", "--exit-with-parent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    line = process.stdout.readline()
    if not line:
        pytest.exit("%s ended with exit code %s" % (shlex.join(command), process.wait()), returncode=4)
    started = json.loads(line)
    yield Quipu(started["url"], started["brokerKey"], started["brokerSecret"])
    process.stdin.close()
    process.wait(STOP_SECONDS)
    process.stdout.close()


_worlds = pytest.StashKey()


@pytest.fixture
def world(quipu, request, monkeypatch):
    """A new world for each test. Programs find its key in the variables of the environment."""
    mark = request.node.get_closest_marker("quipu")
    created = quipu.world(**(mark.kwargs if mark else {}))
    request.node.stash[_worlds] = created
    monkeypatch.setenv("APCA_API_BASE_URL", created.url)
    monkeypatch.setenv("APCA_API_KEY_ID", created.key_id)
    monkeypatch.setenv("APCA_API_SECRET_KEY", created.secret_key)
    yield created
    created.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test prints seed, journal hash and the last events of its world."""
    outcome = yield
    report = outcome.get_result()
    used = item.stash.get(_worlds, None)
    if report.when == "call" and report.failed and used is not None:
        try:
            text = used.report()
        except Exception as error:  # The failure of the test is more important.
            text = "world %s, seed %s (its journal cannot be read: %s)" % (used.name, json.dumps(used.seed), error)
        report.sections.append(("Quipu", text))
