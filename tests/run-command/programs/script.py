# A program with Debian's python3-requests and python3-websockets. It knows nothing of Quipu.
import asyncio
import json

import requests
import websockets

KEY, SECRET = "PKWRITTENINTOPROGRAM", "secret-of-the-program"
HEADERS = {"APCA-API-KEY-ID": KEY, "APCA-API-SECRET-KEY": SECRET}
ORDER = {"symbol": "AAPL", "qty": "1", "side": "buy", "type": "market", "time_in_force": "day"}


async def main():
    account = requests.get("https://paper-api.alpaca.markets/v2/account", headers=HEADERS).json()
    async with websockets.connect("wss://paper-api.alpaca.markets/stream") as stream:
        await stream.send(json.dumps({"action": "auth", "key": KEY, "secret": SECRET}))
        await stream.recv()
        await stream.send(json.dumps({"action": "listen", "data": {"streams": ["trade_updates"]}}))
        await stream.recv()
        order = requests.post("https://paper-api.alpaca.markets/v2/orders", headers=HEADERS, json=ORDER).json()
        filled = None
        while filled is None:
            update = json.loads(await stream.recv())["data"]
            filled = update["order"]["symbol"] if update["event"] == "fill" else None
    print(json.dumps({"cash": account["cash"], "order": order["symbol"], "filled": filled}))


asyncio.run(main())
