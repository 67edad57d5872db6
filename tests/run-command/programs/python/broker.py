"""The broker, for the programs beside this file. They use nothing but Python."""

import datetime
import http.client
import json
import threading

HEADERS = {"APCA-API-KEY-ID": "PKTEST", "APCA-API-SECRET-KEY": "secret", "Content-Type": "application/json"}
_local = threading.local()


def call(method, path, body=None):
    """One connection per thread."""
    if not hasattr(_local, "connection"):
        _local.connection = http.client.HTTPSConnection("paper-api.alpaca.markets", timeout=30)
    connection = _local.connection
    connection.request(method, path, None if body is None else json.dumps(body), HEADERS)
    response = connection.getresponse()
    text = response.read()
    if response.status >= 400:
        raise RuntimeError(f"{method} {path}: {response.status} {text.decode()}")
    return json.loads(text) if text else None


def clock():
    """The clock of the broker, which must be that of the program."""
    state = call("GET", "/v2/clock")
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    shown = datetime.datetime.strptime(state["timestamp"][:19] + state["timestamp"][-6:], "%Y-%m-%dT%H:%M:%S%z")
    shown = shown.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    assert shown == now, f"the broker has {shown}, the program {now}"
    return state


def buy(symbol, quantity):
    order = {"symbol": symbol, "qty": str(quantity), "side": "buy", "type": "market", "time_in_force": "day"}
    return call("POST", "/v2/orders", order)
