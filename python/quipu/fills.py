"""Finds fills that the program of an account does not know of."""

from typing import Any, Callable, Dict, Iterator, List

# Operations whose responses show fills or their effect.
_SHOWS_FILLS = {
    "getOrder",
    "getOrderByClientOrderId",
    "listOrders",
    "listPositions",
    "getPosition",
    "getAccount",
    "listActivities",
    "listActivitiesByType",
}
# A stream sends one message for the authentication and one for the subscription before its updates.
_GREETING_MESSAGES = 2


def unacknowledged_fills(operator: Callable[[str, str], Any], account_id: str) -> List[Dict[str, Any]]:
    """Fills that no response to the program includes, and that no open stream of trade updates has sent."""
    of_account = f"account_id={account_id}&limit=1000"
    events = [
        event
        for event in _pages(operator, "/events?" + of_account, "events")
        if event["kind"].startswith("order") and event["kind"] != "orderElected"
    ]
    read = [
        request.get("seq", 0)
        for request in _pages(operator, "/requests?status=200&" + of_account, "requests")
        if request.get("operation") in _SHOWS_FILLS
    ]
    sent = [
        socket["sent_messages"] - _GREETING_MESSAGES
        for socket in _pages(operator, "/sockets?" + of_account, "sockets")
        if "trade_updates" in socket["subscriptions"]
    ]
    last_read, last_sent = max(read, default=0), len(events) - max(sent, default=0)
    return [
        event
        for index, event in enumerate(events)
        if event["kind"] == "orderFilled" and event["number"] > last_read and index < last_sent
    ]


def _pages(operator: Callable[[str, str], Any], path: str, name: str) -> Iterator[Dict[str, Any]]:
    cursor = ""
    while True:
        page = operator("GET", path + cursor)
        yield from page[name]
        if page["next_cursor"] is None:
            return
        cursor = "&cursor=" + page["next_cursor"]
