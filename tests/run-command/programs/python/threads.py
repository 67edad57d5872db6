"""Four threads that look and one that trades: they hand each other work through a queue, an event and a pool."""

import concurrent.futures
import queue
import threading
import time

from broker import buy, call, clock

work = queue.Queue()
opened = threading.Event()
SYMBOLS = ("SPY", "QQQ", "AAPL", "MSFT")


def watch(symbol):
    while True:
        state = clock()
        if state["is_open"]:
            opened.set()
            if state["timestamp"][14:16] in ("00", "30"):
                work.put((symbol, state["timestamp"]))
        time.sleep(60)


def trade():
    opened.wait()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        while True:
            try:
                found = [work.get(timeout=300)]
            except queue.Empty:
                call("GET", "/v2/positions")
                continue
            while not work.empty():
                found.append(work.get())
            done = [pool.submit(buy, symbol, 1) for symbol, _ in found]
            for future in done:
                order = future.result(timeout=20)
                print("order", order["symbol"], order["submitted_at"][:19], flush=True)


for symbol in SYMBOLS:
    threading.Thread(target=watch, args=(symbol,), daemon=True).start()
trade()
