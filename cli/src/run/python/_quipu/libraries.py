"""Changes of modules when the program loads them."""

import sys

from . import processes


def hooks_for(scheduler, change_ssl, change_asyncio):
    clock = scheduler.clock

    def unknown(what):
        return lambda _: scheduler.is_inexact(f"{what}, which does not follow the clock of the world")

    def use_clock_of_trio(module):
        module.perf_counter = clock.monotonic

    return {
        "ssl": change_ssl,
        "asyncio.selector_events": change_asyncio,
        "queue": use_simple_queue,
        "subprocess": processes.change_subprocess(scheduler),
        "multiprocessing.connection": processes.change_connections(scheduler),
        "multiprocessing.synchronize": processes.change_semaphores(scheduler),
        "multiprocessing.util": processes.change_spawning(scheduler),
        "websockets.legacy.protocol": no_keepalive("WebSocketCommonProtocol"),
        "websockets.asyncio.connection": no_keepalive("Connection"),
        "websockets.sync.connection": no_keepalive("Connection"),
        "aiohttp.client_ws": no_heartbeat,
        "trio._core._run": use_clock_of_trio,
        "uvloop": unknown("the program uses uvloop"),
        "gevent": unknown("the program uses gevent"),
        "eventlet": unknown("the program uses eventlet"),
        "numba": unknown("the program uses numba"),
    }


def use_simple_queue(queue):
    """The one in C waits where nobody sees it."""
    queue.SimpleQueue = queue._PySimpleQueue


# Pings of libraries would stop the clock every few seconds, and nothing on this machine needs them.


def no_keepalive(name):
    def change(module):
        cls = getattr(module, name)
        init = cls.__init__

        def world_init(self, *args, **kwargs):
            if "ping_interval" in kwargs:
                kwargs["ping_interval"] = None
            init(self, *args, **kwargs)
            if hasattr(self, "ping_interval"):
                self.ping_interval = None

        cls.__init__ = world_init

    return change


def no_heartbeat(module):
    cls = module.ClientWebSocketResponse
    init = cls.__init__

    def world_init(self, *args, **kwargs):
        if "heartbeat" in kwargs:
            kwargs["heartbeat"] = None
        init(self, *args, **kwargs)

    cls.__init__ = world_init


class AfterImport:
    """Calls the hook of a module once it is loaded."""

    def __init__(self, hooks):
        self._hooks = hooks

    def find_spec(self, name, path=None, target=None):
        hook = self._hooks.get(name)
        if hook is None:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        loader, exec_module = spec.loader, spec.loader.exec_module

        def exec_and_change(module):
            exec_module(module)
            hook(module)

        try:
            loader.exec_module = exec_and_change
        except AttributeError:
            pass
        return spec


def use_hooks(hooks):
    for name, hook in hooks.items():
        if name in sys.modules:
            hook(sys.modules[name])
    sys.meta_path.insert(0, AfterImport(hooks))
