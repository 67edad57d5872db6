"""Reads the account once with the library that the command line names."""
import sys

URL = "https://paper-api.alpaca.markets/v2/account"
HEADERS = {"APCA-API-KEY-ID": "PKANY", "APCA-API-SECRET-KEY": "any"}


def with_urllib():
    from urllib.request import Request, urlopen

    return urlopen(Request(URL, headers=HEADERS)).status


def with_requests():
    import requests

    return requests.get(URL, headers=HEADERS).status_code


def with_aiohttp():
    import asyncio

    import aiohttp

    async def read():
        async with aiohttp.ClientSession() as session:
            async with session.get(URL, headers=HEADERS) as response:
                return response.status

    return asyncio.run(read())


status = {"urllib": with_urllib, "requests": with_requests, "aiohttp": with_aiohttp}[sys.argv[1]]()
sys.exit(0 if status == 200 else f"status {status}")
