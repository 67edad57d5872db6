import { OFFICIAL_DOMAIN } from './hosts.ts'

/**
 * The text of `sitecustomize.py`, which Python loads before the program: official hosts lead to the TLS listener. Then
 * it loads the `sitecustomize` that it hides, such as Debian's.
 */
export const pythonSiteText = (tlsPort: number): string => `import importlib
import os
import socket
import sys


def _map_official_hosts(domain, address, port):
    original = socket.getaddrinfo

    def getaddrinfo(host, *args, **kwargs):
        name = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
        if isinstance(name, str):
            name = name.lower().rstrip(".")
            if name == domain or name.endswith("." + domain):
                return original(address, port, socket.AF_INET, socket.SOCK_STREAM)
        return original(host, *args, **kwargs)

    socket.getaddrinfo = getaddrinfo


def _load_hidden(folder):
    ours = sys.modules.pop("sitecustomize", None)
    path = list(sys.path)
    sys.path[:] = [entry for entry in path if os.path.realpath(entry or ".") != folder]
    try:
        importlib.invalidate_caches()
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        added = [entry for entry in sys.path if entry not in path]
        sys.path[:] = added + path
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)


_map_official_hosts("${OFFICIAL_DOMAIN}", "127.0.0.1", ${tlsPort})
_load_hidden(os.path.dirname(os.path.realpath(__file__)))
`
