# python3 -m pip install pytest quipu-broker && python3 -m pytest examples/pytest
# In a checkout of Quipu: python3 -m pytest examples/pytest --quipu-command "npx node cli/bin/quipu.js"
import json
import os
import urllib.request

import pytest


class DipBuyer:
    """Buys ten shares, once, when the price is 0.5 % below the first price. It knows nothing of Quipu."""

    def __init__(self):
        self.url = os.environ["APCA_API_BASE_URL"]
        self.first = None
        self.is_done = False

    def call(self, path, body=None):
        headers = {
            "APCA-API-KEY-ID": os.environ["APCA_API_KEY_ID"],
            "APCA-API-SECRET-KEY": os.environ["APCA_API_SECRET_KEY"],
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers)) as response:
            return json.load(response)

    def check_price(self):
        price = self.call("/v2/stocks/TSLA/trades/latest")["trade"]["p"]
        self.first = self.first or price
        if self.is_done or price > self.first * 0.995:
            return
        self.is_done = True
        order = {"symbol": "TSLA", "qty": 10, "side": "buy", "type": "market", "time_in_force": "day"}
        self.call("/v2/orders", dict(order, client_order_id="dip"))


monday = pytest.mark.quipu(seed="dips", clock="2026-01-05T14:30:00Z", cash=10000)


@monday
def test_the_bot_buys_one_dip_and_learns_of_its_fill(world):
    bot = DipBuyer()
    for _ in world.each("5m", steps=78):
        bot.check_price()
    world.assert_one_order("dip")
    world.assert_net_position("TSLA", 10)
    assert len(world.unacknowledged_fills()) == 1
    bot.call("/v2/positions")
    world.assert_no_unacknowledged_fill()


@monday
def test_the_bot_keeps_its_cash_without_a_dip(world):
    DipBuyer().check_price()
    world.assert_cash(10000)
    assert world.orders() == []


def test_two_worlds_with_the_same_seed_have_the_same_journal(quipu):
    hashes = set()
    for _ in range(2):
        world = quipu.world(seed="same", cash=5000)
        world.request("POST", "/v2/orders", {"symbol": "AAPL", "qty": 1, "side": "buy", "type": "market", "time_in_force": "day"})
        world.advance("1d")
        hashes.add(world.journal_hash())
        world.close()
    assert len(hashes) == 1


@pytest.mark.quipu(scenario="flash-crash")
def test_the_bot_buys_once_in_a_crash(world):
    bot = DipBuyer()
    for _ in world.each("1m", steps=30):
        bot.check_price()
    world.assert_one_order("dip")
    world.assert_net_position("TSLA", 10)
