# eval "$(npm run -s quipu -- env)" && python3 examples/python/first_order.py
"""A first order with the standard library: place it, wait until it is filled, and print the account."""

import json
import os
import sys
import time
import urllib.request

if "APCA_API_KEY_ID" not in os.environ:
    sys.exit('first: eval "$(npm run -s quipu -- env)"')


def call(path, body=None):
    headers = {
        "APCA-API-KEY-ID": os.environ["APCA_API_KEY_ID"],
        "APCA-API-SECRET-KEY": os.environ["APCA_API_SECRET_KEY"],
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["APCA_API_BASE_URL"] + path, data, headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


order = call("/v2/orders", {"symbol": "AAPL", "qty": 2, "side": "buy", "type": "market", "time_in_force": "day"})
while order["status"] != "filled":
    time.sleep(0.05)
    order = call("/v2/orders/" + order["id"])
print("bought %(filled_qty)s %(symbol)s at %(filled_avg_price)s" % order)

account = call("/v2/account")
print("equity %(equity)s, buying power %(buying_power)s" % account)
