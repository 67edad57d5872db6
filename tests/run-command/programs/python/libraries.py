"""One library per run: each looks at the clock of the broker every minute, and some buy or read a stream beside it."""

import asyncio
import datetime
import json
import sys
import threading
import time

REST, DATA = "https://paper-api.alpaca.markets", "https://data.alpaca.markets"
STREAM = "wss://stream.data.alpaca.markets/v2/iex"
HEADERS = {"APCA-API-KEY-ID": "PKTEST", "APCA-API-SECRET-KEY": "secret"}
LOGIN = ({"action": "auth", "key": "PKTEST", "secret": "secret"}, {"action": "subscribe", "bars": ["AAPL"]})


def look(state):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%H:%M:%S")
    assert state["timestamp"][14:19] == now[3:], f"{state['timestamp']} {now}"
    print("look", now, flush=True)


def on_bars(text):
    for bar in json.loads(text):
        if bar["T"] == "b":
            # A bar arrives at its end.
            at = datetime.datetime.strptime(bar["t"], "%Y-%m-%dT%H:%M:%SZ") + datetime.timedelta(minutes=1)
            assert at == datetime.datetime.utcnow().replace(microsecond=0), bar
            print("bar", bar["t"], bar["c"], flush=True)


def use_requests():
    import requests

    session = requests.Session()
    session.headers.update(HEADERS)
    return lambda: look(session.get(f"{REST}/v2/clock", timeout=10).json())


def every_minute(act):
    while True:
        act()
        time.sleep(60)


def requests():
    every_minute(use_requests())


def httpx():
    import httpx

    with httpx.Client(headers=HEADERS) as client:
        every_minute(lambda: look(client.get(f"{REST}/v2/clock").json()))


def httpx_async():
    import httpx

    async def run():
        async with httpx.AsyncClient(headers=HEADERS) as client:
            while True:
                look((await client.get(f"{REST}/v2/clock")).json())
                await asyncio.sleep(60)

    asyncio.run(run())


def trio():
    import httpx
    import trio

    async def run():
        async with httpx.AsyncClient(headers=HEADERS) as client:
            while True:
                look((await client.get(f"{REST}/v2/clock")).json())
                await trio.sleep(60)

    trio.run(run)


def aiohttp():
    import aiohttp
    import websockets

    async def follow():
        async with websockets.connect(STREAM) as socket:
            for message in LOGIN:
                await socket.recv()
                await socket.send(json.dumps(message))
            async for text in socket:
                on_bars(text)

    async def run():
        bars = asyncio.create_task(follow())
        async with aiohttp.ClientSession(headers=HEADERS) as session:
            while not bars.done():
                async with session.get(f"{REST}/v2/clock") as response:
                    look(await response.json())
                await asyncio.sleep(60)
        await bars

    asyncio.run(run())


def websocket_client():
    import websocket

    def on_open(app):
        for message in LOGIN:
            app.send(json.dumps(message))

    app = websocket.WebSocketApp(STREAM, on_open=on_open, on_message=lambda _, text: on_bars(text))
    threading.Thread(target=app.run_forever, daemon=True).start()
    every_minute(use_requests())


def schedule():
    import schedule

    schedule.every().minute.do(use_requests())
    while True:
        schedule.run_pending()
        time.sleep(1)


def apscheduler():
    from apscheduler.schedulers.blocking import BlockingScheduler

    scheduler = BlockingScheduler(timezone="America/New_York")
    scheduler.add_job(use_requests(), "cron", minute="*", id="look")
    scheduler.start()


def pandas():
    import pandas
    import requests

    def trade():
        params = {"timeframe": "1Min", "start": (pandas.Timestamp.now("UTC") - pandas.Timedelta("30min")).isoformat()}
        bars = session.get(f"{DATA}/v2/stocks/SPY/bars", params=params).json()["bars"]
        close = pandas.DataFrame(bars or [], columns=["t", "c"]).c
        is_up = len(close) > 20 and close.iloc[-1] > close.rolling(20).mean().iloc[-1]
        held = session.get(f"{REST}/v2/positions/SPY").status_code == 200
        if is_up and not held:
            order = {"symbol": "SPY", "qty": "1", "side": "buy", "type": "market", "time_in_force": "day"}
            session.post(f"{REST}/v2/orders", json=order)
            print("buy", pandas.Timestamp.utcnow(), close.iloc[-1], flush=True)
        elif held and not is_up:
            session.delete(f"{REST}/v2/positions/SPY")
            print("sell", pandas.Timestamp.utcnow(), close.iloc[-1], flush=True)
        look(session.get(f"{REST}/v2/clock").json())

    session = requests.Session()
    session.headers.update(HEADERS)
    every_minute(trade)


globals()[sys.argv[1]]()
