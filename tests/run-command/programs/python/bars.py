"""Follows the minute bars of a stream, in one of several ways. It buys now and then, and waits between two bars."""

import asyncio
import atexit
import base64
import datetime
import json
import os
import ssl
import socket
import struct
import sys
import threading

from broker import buy, clock

HOST, PATH = "stream.data.alpaca.markets", "/v2/iex"
LOGIN = ({"action": "auth", "key": "PKTEST", "secret": "secret"}, {"action": "subscribe", "bars": ["AAPL", "SPY"]})
HANDSHAKE = (
    f"GET {PATH} HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n\r\n"
).encode()
way, orders_every = sys.argv[1], int(sys.argv[2])
timers_every = int(sys.argv[3]) if len(sys.argv) > 3 else 0
ends_after = int(sys.argv[4]) if len(sys.argv) > 4 else 0
count = 0


def count_reports():
    """Writes how often the process reported to the runner."""
    runner = sys.modules["_quipu.runner"].Runner
    send = runner._send
    reports = 0

    def counted(self, text):
        nonlocal reports
        reports += 1
        send(self, text)

    runner._send = counted
    atexit.register(lambda: print("reports", reports, file=sys.stderr))


def now():
    return datetime.datetime.utcnow().isoformat()


def on_text(text):
    global count
    for bar in json.loads(text):
        if bar["T"] != "b":
            continue
        count += 1
        at = datetime.datetime.strptime(bar["t"], "%Y-%m-%dT%H:%M:%SZ") + datetime.timedelta(minutes=1)
        assert at.isoformat() == now(), f"{bar} at {now()}"
        print("bar", now(), bar["S"], bar["c"], bar["v"], flush=True)
        if orders_every and count % orders_every == 0:
            print("order", now(), buy("AAPL", 1)["created_at"][:19], flush=True)
        if timers_every and count % timers_every == 0:
            # Between two bars, at the time of a bar, and after some bars.
            for seconds in (30.25, 60, 150):
                later(seconds, count)
        if count == ends_after:
            sys.exit(7)


def on_timer(number):
    print("timer", number, now(), clock()["timestamp"][:19], flush=True)


def later(seconds, number):
    if way in ("asyncio", "websockets", "aiohttp"):
        asyncio.get_running_loop().call_later(seconds, on_timer, number)
    else:
        timer = threading.Timer(seconds, on_timer, (number,))
        timer.daemon = True
        timer.start()


PING = 9


def frame(message):
    return with_head(0x81, json.dumps(message).encode())


def pong(data):
    return with_head(0x8A, data)


def with_head(first, data):
    return struct.pack("!BB4s", first, 0x80 | len(data), bytes(4)) + data


def length_of(head):
    return {126: 2, 127: 8}.get(head[1], 0)


def blocking():
    connection = ssl.create_default_context().wrap_socket(socket.create_connection((HOST, 443)), server_hostname=HOST)
    connection.sendall(HANDSHAKE)
    file = connection.makefile("rb")
    while file.readline() != b"\r\n":
        pass

    def read():
        while True:
            head = file.read(2)
            more = length_of(head)
            data = file.read(int.from_bytes(file.read(more), "big") if more else head[1])
            if head[0] & 15 != PING:
                return data
            connection.sendall(pong(data))

    for message in LOGIN:
        read()
        connection.sendall(frame(message))
    while True:
        on_text(read())


def use_asyncio():
    async def run():
        reader, writer = await asyncio.open_connection(HOST, 443, ssl=ssl.create_default_context())
        writer.write(HANDSHAKE)
        await reader.readuntil(b"\r\n\r\n")

        async def read():
            while True:
                head = await reader.readexactly(2)
                more = length_of(head)
                length = int.from_bytes(await reader.readexactly(more), "big") if more else head[1]
                data = await reader.readexactly(length)
                if head[0] & 15 != PING:
                    return data
                writer.write(pong(data))

        for message in LOGIN:
            await read()
            writer.write(frame(message))
        while True:
            on_text(await read())

    asyncio.run(run())


def use_websockets():
    import websockets

    async def run():
        async with websockets.connect(f"wss://{HOST}{PATH}") as stream:
            for message in LOGIN:
                await stream.recv()
                await stream.send(json.dumps(message))
            async for text in stream:
                on_text(text)

    asyncio.run(run())


def use_aiohttp():
    import aiohttp

    async def run():
        async with aiohttp.ClientSession() as session, session.ws_connect(f"wss://{HOST}{PATH}") as stream:
            for message in LOGIN:
                await stream.receive()
                await stream.send_json(message)
            async for message in stream:
                on_text(message.data)

    asyncio.run(run())


def use_websocket_client():
    import websocket

    def on_open(app):
        for message in LOGIN:
            app.send(json.dumps(message))

    def on_error(_, error):
        os._exit(error.code if isinstance(error, SystemExit) else 1)

    websocket.WebSocketApp(
        f"wss://{HOST}{PATH}", on_open=on_open, on_message=lambda _, text: on_text(text), on_error=on_error
    ).run_forever()


def use_websocket():
    """As `websocket_client`, without its loop that looks every ten seconds."""
    import websocket

    stream = websocket.create_connection(f"wss://{HOST}{PATH}")
    for message in LOGIN:
        stream.recv()
        stream.send(json.dumps(message))
    while True:
        on_text(stream.recv())


ways = {
    "blocking": blocking,
    "websocket": use_websocket,
    "asyncio": use_asyncio,
    "websockets": use_websockets,
    "aiohttp": use_aiohttp,
    "websocket_client": use_websocket_client,
}
count_reports()
ways[way]()
