"""Leaves connections with a response that nobody reads, and uses the address of the environment."""

import gc
import http.client
import json
import os
import ssl
import time
import urllib.request

HEADERS = {"APCA-API-KEY-ID": "PKTEST", "APCA-API-SECRET-KEY": "secret"}


def drop():
    connection = http.client.HTTPSConnection("paper-api.alpaca.markets")
    connection.request("GET", "/v2/assets", headers=HEADERS)
    assert connection.getresponse().status == 200


for _ in range(3):
    drop()
    gc.collect()
    request = urllib.request.Request(os.environ["APCA_API_BASE_URL"] + "/v2/clock", headers=HEADERS)
    context = ssl.create_default_context()
    with urllib.request.urlopen(request, context=context) as response:
        print(json.load(response)["timestamp"][:16], flush=True)
    # A connection without TLS needs no certificates, which take longer to read than the response.
    assert super(ssl.SSLContext, context).cert_store_stats()["x509"] == 0
    assert context.cert_store_stats()["x509"] == len(context.get_ca_certs()) > 0
    time.sleep(600)
