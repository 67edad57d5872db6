import { cpSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { OFFICIAL_DOMAIN } from './gateway/hosts.ts'

/** What a Python program needs to follow the clock of a replay. */
export type PythonClock = {
  /** The file with the time. */
  readonly file: string
  /** Where its processes report. */
  readonly pipe: string
  /** Where the gateway serves them without TLS. */
  readonly gate: string
  readonly tlsPort: number
  readonly proxyPort: number
}

/** The Python package of the clock: beside this file, or in the bundle. */
const packages = [join(import.meta.dirname, 'python'), join(import.meta.dirname, 'program', 'python')]

/** Writes the package that a Python program loads to follow the clock. */
export function writePythonClock(folder: string): void {
  cpSync(packages.find((path) => existsSync(path))!, folder, {
    recursive: true,
    filter: (path) => basename(path) !== '__pycache__',
  })
}

const clockText = (clock: PythonClock): string => `

def _follow_world_clock(settings):
    try:
        import _quipu

        _quipu.follow_world_clock(settings)
    except Exception as error:
        sys.stderr.write(f"quipu run: the program does not follow the clock of the world: {error!r}\\n")


_follow_world_clock(${JSON.stringify({ ...clock, domain: OFFICIAL_DOMAIN })})
`

/**
 * The text of `sitecustomize.py`, which Python loads before the program: official hosts lead to the TLS listener, and
 * TLS with them begins after the line with the secret of the run, or the clock of the replay counts what is sent. Then it
 * loads the `sitecustomize` that it hides, such as Debian's.
 */
export const pythonSiteText = (
  tlsPort: number,
  secretLine: string,
  clock?: PythonClock,
): string => `import importlib
import os
import socket
import sys


def _map_official_hosts(domain, address, port, secret_line):
    original = socket.getaddrinfo
    is_patched = False

    def is_official(host):
        name = host.decode("ascii", "replace") if isinstance(host, (bytes, bytearray)) else host
        if not isinstance(name, str):
            return False
        name = name.lower().rstrip(".")
        return name == domain or name.endswith("." + domain)

    def getaddrinfo(host, *args, **kwargs):
        nonlocal is_patched
        if not is_official(host):
            return original(host, *args, **kwargs)
        if not is_patched and secret_line:
            is_patched = True
            _send_secret_line(is_official, secret_line)
        return original(address, port, socket.AF_INET, socket.SOCK_STREAM)

    socket.getaddrinfo = getaddrinfo


def _send_secret_line(is_official, secret_line):
    import ssl

    wrap_socket, wrap_bio = ssl.SSLContext.wrap_socket, ssl.SSLContext.wrap_bio

    def is_connected(sock):
        try:
            return bool(sock.getpeername())
        except OSError:
            return False

    def with_socket(self, sock, server_side=False, do_handshake_on_connect=True,
                    suppress_ragged_eofs=True, server_hostname=None, session=None):
        if is_official(server_hostname) and is_connected(sock):
            sock.sendall(secret_line)
        return wrap_socket(self, sock, server_side, do_handshake_on_connect,
                           suppress_ragged_eofs, server_hostname, session)

    def with_bio(self, incoming, outgoing, server_side=False, server_hostname=None, session=None):
        if is_official(server_hostname):
            outgoing.write(secret_line)
        return wrap_bio(self, incoming, outgoing, server_side, server_hostname, session)

    ssl.SSLContext.wrap_socket, ssl.SSLContext.wrap_bio = with_socket, with_bio


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


_map_official_hosts("${OFFICIAL_DOMAIN}", "127.0.0.1", ${tlsPort}, b${JSON.stringify(clock ? '' : secretLine)})
${clock ? clockText(clock) : ''}_load_hidden(os.path.dirname(os.path.realpath(__file__)))
`
