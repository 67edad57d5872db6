"""Test trading programs against Quipu with pytest. Installed with the package, pytest loads it by itself.

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

import json
import shlex
from typing import Any, Generator, Iterator

import pytest

from .broker import Broker
from .errors import StartError
from .world import World

_worlds = pytest.StashKey[World]()
_START_FAILED = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "Command that starts the broker, in place of the one of the package quipu-broker."
    parser.addoption("--quipu-command", help=about)
    parser.addini("quipu_command", about)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "quipu(seed, clock, cash, ...): settings of the world of this test")


@pytest.fixture(scope="session")
def quipu(pytestconfig: pytest.Config) -> Iterator[Broker]:
    """A broker for all tests, in memory, on a free port."""
    command = pytestconfig.getoption("--quipu-command") or pytestconfig.getini("quipu_command")
    broker = Broker(command=shlex.split(command) if command else None)
    try:
        broker.start()
    except StartError as error:
        pytest.exit(str(error), returncode=_START_FAILED)
    yield broker
    broker.close()


@pytest.fixture
def world(quipu: Broker, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A new world for each test. Programs find its key in the variables of the environment."""
    mark = request.node.get_closest_marker("quipu")
    created = quipu.world(**(mark.kwargs if mark else {}))
    request.node.stash[_worlds] = created
    for name, value in created.env.items():
        monkeypatch.setenv(name, value)
    yield created
    created.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """A failed test prints seed, journal hash and the last events of its world."""
    outcome = yield
    report = outcome.get_result()
    used = item.stash.get(_worlds, None)
    if report.when == "call" and report.failed and used is not None:
        try:
            text = used.report()
        except Exception as error:  # The failure of the test is more important.
            text = f"world {used.name}, seed {json.dumps(used.seed)} (its journal cannot be read: {error})"
        report.sections.append(("Quipu", text))
