"""TLS is left out on connections to the gateway: what is sent in it could not be counted."""

import os

from .sockets import is_official

_LOCAL = ("localhost", "127.0.0.1", "::1")


class TlsLooks:
    """What the program sees of TLS on a connection without it."""

    session = None
    session_reused = False

    def version(self):
        return "TLSv1.3"

    def cipher(self):
        return ("TLS_AES_256_GCM_SHA384", "TLSv1.3", 256)

    def shared_ciphers(self):
        return None

    def compression(self):
        return None

    def getpeercert(self, binary_form=False):
        name = self.server_hostname
        return b"" if binary_form else {"subject": ((("commonName", name),),), "subjectAltName": (("DNS", name),)}

    def selected_alpn_protocol(self):
        return None

    def selected_npn_protocol(self):
        return None

    def get_channel_binding(self, cb_type="tls-unique"):
        return None

    def pending(self):
        return 0

    def do_handshake(self, block=False):
        return None


class NoTls(TlsLooks):
    """As `ssl.SSLObject`."""

    def __init__(self, context, hostname, incoming=None, outgoing=None):
        self.context = context
        self.server_hostname = hostname
        self.server_side = False
        self._incoming = incoming
        self._outgoing = outgoing

    def write(self, data):
        return self._outgoing.write(data)

    def unwrap(self):
        return None


def use_tls(scheduler, settings, methods):
    """Returns the function that changes `ssl`, and the one that changes asyncio, once they are loaded."""
    gates = scheduler.runner.gates

    def is_gate(sock, hostname):
        if not hasattr(sock, "fileno") or sock.fileno() not in gates:
            return False
        return is_official(hostname, settings["domain"]) or hostname in _LOCAL

    def change_ssl(ssl):
        plain_class = _plain_socket_class(ssl, methods, gates)
        read_certificates = _read_certificates_late(ssl)
        wrap_socket, wrap_bio = ssl.SSLContext.wrap_socket, ssl.SSLContext.wrap_bio

        def world_wrap_socket(self, sock, server_side=False, *args, **kwargs):
            hostname = kwargs.get("server_hostname", args[2] if len(args) > 2 else None)
            if not server_side and is_gate(sock, hostname):
                return plain_class.of(self, sock, hostname)
            read_certificates(self)
            return wrap_socket(self, sock, server_side, *args, **kwargs)

        def world_wrap_bio(self, incoming, outgoing, server_side=False, server_hostname=None, session=None):
            # No connection is known here: those to official hosts lead to the gateway.
            if server_side or scheduler.released or not is_official(server_hostname, settings["domain"]):
                read_certificates(self)
                return wrap_bio(self, incoming, outgoing, server_side, server_hostname, session)
            return _no_tls_class(ssl)(self, server_hostname, incoming, outgoing)

        ssl.SSLContext.wrap_socket, ssl.SSLContext.wrap_bio = world_wrap_socket, world_wrap_bio

    def change_asyncio(selector_events):
        _change_loop(selector_events.BaseSelectorEventLoop, is_gate)

    return change_ssl, change_asyncio


def _read_certificates_late(ssl):
    """Most programs have a context per request, whose certificates take 50 ms to read, and need none on a gate."""
    real = ssl.SSLContext.__base__
    load_locations = ssl.SSLContext.load_verify_locations

    def read(self):
        for load in self.__dict__.pop("_quipu_certificates", ()):
            load()

    def later(self, load):
        self.__dict__.setdefault("_quipu_certificates", []).append(load)

    def set_default_verify_paths(self):
        later(self, lambda: real.set_default_verify_paths(self))

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        # The file of the run is in order. Another one is read at once, so that its error comes now.
        if cafile is not None and cafile == os.environ.get("SSL_CERT_FILE") and capath is cadata is None:
            return later(self, lambda: load_locations(self, cafile))
        return load_locations(self, cafile, capath, cadata)

    def reading(function):
        def world_function(self, *args, **kwargs):
            read(self)
            return function(self, *args, **kwargs)

        return world_function

    ssl.SSLContext.set_default_verify_paths = set_default_verify_paths
    ssl.SSLContext.load_verify_locations = load_verify_locations
    for name in ("cert_store_stats", "get_ca_certs"):
        setattr(ssl.SSLContext, name, reading(getattr(real, name)))
    return read


def _no_tls_class(ssl):
    class NoTlsObject(NoTls):
        def read(self, size=1024, buffer=None):
            data = self._incoming.read(size)
            if not data and not self._incoming.eof:
                raise ssl.SSLWantReadError(ssl.SSL_ERROR_WANT_READ, "The operation did not complete (read)")
            if buffer is None:
                return data
            buffer[: len(data)] = data
            return len(data)

    return NoTlsObject


def _plain_socket_class(ssl, methods, gates):
    class PlainSocket(TlsLooks, methods, ssl.SSLSocket):
        @classmethod
        def of(cls, context, sock, hostname):
            connection = {"family": sock.family, "type": sock.type, "proto": sock.proto, "fileno": sock.fileno()}
            self = cls.__new__(cls, **connection)
            super(ssl.SSLSocket, self).__init__(**connection)
            gate, timeout = gates.get(sock.fileno()), sock.gettimeout()
            sock.detach()
            gates.add(self, gate)
            self.settimeout(timeout)
            self._context = context
            self._session = None
            self._closed = False
            self._sslobj = None
            self._connected = True
            self.server_side = False
            self.server_hostname = hostname
            self.do_handshake_on_connect = True
            self.suppress_ragged_eofs = True
            return self

        @property
        def context(self):
            return self._context

        def read(self, len=1024, buffer=None):
            return self.recv(len) if buffer is None else self.recv_into(buffer, len)

        def write(self, data):
            return self.send(data)

        def unwrap(self):
            return self

    return PlainSocket


def _change_loop(loop_class, is_gate):
    make_transport, start_tls = loop_class._make_ssl_transport, loop_class.start_tls

    def seen(context, hostname):
        looks = NoTls(context, hostname)
        return {
            "sslcontext": context,
            "ssl_object": looks,
            "peercert": looks.getpeercert(),
            "cipher": looks.cipher(),
            "compression": None,
        }

    def world_make_transport(self, rawsock, protocol, sslcontext, waiter=None, **more):
        hostname = more.get("server_hostname")
        if more.get("server_side") or not is_gate(rawsock, hostname):
            return make_transport(self, rawsock, protocol, sslcontext, waiter, **more)
        extra = {**(more.get("extra") or {}), **seen(sslcontext, hostname)}
        return self._make_socket_transport(rawsock, protocol, waiter, extra=extra, server=more.get("server"))

    async def world_start_tls(self, transport, protocol, sslcontext, **more):
        hostname = more.get("server_hostname")
        if more.get("server_side") or not is_gate(getattr(transport, "_sock", None), hostname):
            return await start_tls(self, transport, protocol, sslcontext, **more)
        transport._extra.update(seen(sslcontext, hostname))
        transport.set_protocol(protocol)
        return transport

    loop_class._make_ssl_transport = world_make_transport
    loop_class.start_tls = world_start_tls
