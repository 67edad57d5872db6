"""What the program was given before the kernel has it, by the descriptor of its connection."""

import select
import selectors

_bytes = {}


def add(descriptor, data):
    _bytes.setdefault(descriptor, bytearray()).extend(data)


def drop(descriptor):
    _bytes.pop(descriptor, None)


def clear():
    _bytes.clear()


def has(descriptor):
    return descriptor in _bytes


def take(descriptor, size, is_kept=False):
    data = _bytes[descriptor]
    taken = bytes(data[:size])
    if not is_kept:
        del data[:size]
        if not data:
            del _bytes[descriptor]
    return taken


def is_read(descriptors):
    """Whether one of these pairs of a descriptor and events of `poll` reads what is here."""
    return bool(_bytes) and any(events & select.POLLIN and number in _bytes for number, events in descriptors)


# What is ready, for the three ways to ask: `ready_within` asks the kernel, for so many seconds.


def with_polled(ready_within, events_of, seconds):
    """Events of `poll`."""
    found = [number for number in _bytes if events_of.get(number, 0) & select.POLLIN]
    if not found:
        return ready_within(seconds)
    events = dict(ready_within(0))
    for number in found:
        events[number] = events.get(number, 0) | select.POLLIN
    return list(events.items())


def with_readers(ready_within, readers, seconds):
    """The three lists of `select`."""
    found = [one for one in readers if (one if isinstance(one, int) else one.fileno()) in _bytes] if _bytes else []
    if not found:
        return ready_within(seconds)
    readable, writable, failed = ready_within(0)
    return [one for one in readers if one in readable or one in found], writable, failed


def with_selected(ready_within, selector, seconds):
    """Keys of a selector with their events."""
    keys = selector.get_map() if _bytes else {}
    found = [keys[number] for number in _bytes if number in keys and keys[number].events & selectors.EVENT_READ]
    if not found:
        return ready_within(seconds)
    events = {key.fd: (key, events) for key, events in ready_within(0)}
    for key in found:
        events[key.fd] = (key, events.get(key.fd, (key, 0))[1] | selectors.EVENT_READ)
    return list(events.values())
