# eval "$(npm run -s quipu -- env --all)" && python3 examples/python/notebook.py
# %% [markdown]
# A backtest in a notebook. Jupyter and VS Code open this file as cells. It uses the standard library only.
# A world runs through half a year of days in seconds, and every run gives the same result.

# %% Connect
import json
import os
import sys
import urllib.request

if "QUIPU_BROKER_KEY" not in os.environ:
    sys.exit('first: eval "$(npm run -s quipu -- env --all)"')


def call(method, path, body=None, key=(os.environ["QUIPU_BROKER_KEY"], os.environ["QUIPU_BROKER_SECRET"])):
    headers = {"APCA-API-KEY-ID": key[0], "APCA-API-SECRET-KEY": key[1], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["APCA_API_BASE_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        text = response.read()
    return json.loads(text) if text else None


# %% Create a world
world = call("POST", "/sim/v1/worlds", {"seed": "notebook", "start": "2026-01-05T15:00:00Z", "cash": "10000"})
account = world["accounts"][0]
key = (account["key_id"], account["secret_key"])

# %% Buy when the price is above its average of 20 days, sell when it is below
prices, equity, shares = [], [], 0
for day in range(120):
    price = call("GET", "/v2/stocks/AAPL/trades/latest", key=key)["trade"]["p"]
    prices.append(price)
    average = sum(prices[-20:]) / len(prices[-20:])
    wanted = 20 if len(prices) >= 20 and price > average else 0
    if wanted != shares:
        order = {"symbol": "AAPL", "qty": 20, "type": "market", "time_in_force": "gtc"}
        call("POST", "/v2/orders", dict(order, side="buy" if wanted else "sell"), key=key)
        shares = wanted
    call("POST", "/sim/v1/worlds/%s/clock/advance" % world["world"], {"by": "1d"})
    equity.append(float(call("GET", "/v2/account", key=key)["equity"]))

# %% The result
highest, drawdown = equity[0], 0.0
for value in equity:
    highest = max(highest, value)
    drawdown = max(drawdown, 1 - value / highest)
orders = call("GET", "/v2/orders?status=all&limit=500", key=key)
low, high = min(equity), max(equity)
for day in range(0, len(equity), 8):
    bar = "#" * (1 + int(40 * (equity[day] - low) / (high - low or 1)))
    print("day %3d %10.2f %s" % (day, equity[day], bar))
print("%d orders, return %.2f %%, largest fall %.2f %%" % (len(orders), equity[-1] / 100 - 100, drawdown * 100))

# %% Delete the world
call("DELETE", "/sim/v1/worlds/" + world["world"])
