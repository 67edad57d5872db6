"""Looks at the clock every minute, and buys once an hour while the market is open."""

import time

from broker import buy, call, clock

looks = orders = 0
while True:
    state = clock()
    looks += 1
    if state["is_open"]:
        call("GET", "/v2/positions")
        if state["timestamp"][14:16] == "45":
            buy("AAPL", 1)
            orders += 1
            print("order", orders, "at", time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()), flush=True)
    print("look", looks, flush=True)
    time.sleep(60)
