"""Requests with the standard library."""

import json
import urllib.error
import urllib.request
from typing import Any, NamedTuple, Optional

from .errors import QuipuError

TIMEOUT_SECONDS = 60

# A proxy of the environment is not for a broker on this computer.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Key(NamedTuple):
    """The URL of a broker and a key for it."""

    url: str
    key_id: str
    secret_key: str


def send(key: Key, method: str, path: str, body: Any = None) -> Any:
    """Sends a request with a JSON body and returns the parsed response. `bytes` are sent as a file."""
    if body is None:
        response = _send(key, method, path, None, {})
    elif isinstance(body, bytes):
        response = _send(key, method, path, body, {"Content-Type": "application/octet-stream"})
    else:
        response = _send(key, method, path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.loads(response) if response else None


def read_file(key: Key, path: str) -> bytes:
    """Reads a file."""
    return _send(key, "GET", path, None, {"Accept": "*/*"})


def _send(key: Key, method: str, path: str, data: Optional[bytes], headers: "dict[str, str]") -> bytes:
    keys = {"APCA-API-KEY-ID": key.key_id, "APCA-API-SECRET-KEY": key.secret_key, "Accept": "application/json"}
    request = urllib.request.Request(key.url + path, data=data, headers={**keys, **headers}, method=method)
    try:
        with _opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            received: bytes = response.read()
            return received
    except urllib.error.HTTPError as error:
        raise _refusal(error.code, error.read().decode("utf-8", "replace")) from None


def _refusal(status: int, text: str) -> QuipuError:
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    return QuipuError(status, body.get("code"), body.get("message", text))
