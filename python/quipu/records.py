"""The types of requests and responses. Names and texts are those of the protocol."""

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

# A value of JSON. The type of its parts needs a newer Python.
Json = Union[None, bool, int, float, str, Sequence[Any], Mapping[str, Any]]

FaultKind = Literal[
    "status",
    "delay",
    "request_lost",
    "answer_lost",
    "reset",
    "truncated",
    "close",
    "silence",
    "half_open",
    "slow",
    "duplicate",
    "reorder",
    "drop",
    "lost_subscription",
    "refused_authentication",
    "outage",
    "stale_quotes",
    "call_refused",
    "call_delayed",
    "call_failed",
    "call_answer_lost",
]

# Which requests, stream messages or calls fail. All fields are optional; docs/guides/faults.md describes them.
FaultMatch = TypedDict(
    "FaultMatch",
    {
        "operation": Sequence[str],
        "account": str,
        "symbol": Sequence[str],
        "client_order_id": str,
        "stream": Sequence[str],
        "message": Sequence[str],
        "call": Sequence[str],
        "nth": int,
        "next": int,
        "share": Union[float, str],
        "times": int,
        "from": str,
        "to": str,
    },
    total=False,
)

# The fields of effects. Each kind has some of them.
FaultFields = TypedDict(
    "FaultFields",
    {
        "status": int,
        "applied": bool,
        "retry_after_seconds": int,
        "message": str,
        "ms": int,
        "min_ms": int,
        "max_ms": int,
        "distribution": Literal["uniform", "long_tail"],
        "client_timeout_ms": int,
        "code": int,
        "on": Literal["connection", "message"],
        "by": int,
        "acknowledged": bool,
        "as": Literal["wrong_credentials", "connection_limit"],
    },
    total=False,
)


class FaultEffect(FaultFields):
    """How they fail: the kind and its fields."""

    kind: FaultKind


class Fault(TypedDict):
    """A fault rule with its counts."""

    id: str
    match: FaultMatch
    effect: FaultEffect
    matched: int
    consumed: int
    consumed_at: List[str]
    exhausted: bool


class Advanced(TypedDict):
    """The result of moving a clock."""

    now: str
    # Number of events by kind that the move caused.
    events: Dict[str, int]
    # Number of orders by final status that ended.
    orders_ended: Dict[str, int]
    # False if `until` was not reached within the limit.
    reached: bool


class Event(TypedDict):
    """An event of the journal."""

    number: int
    at: str
    kind: str
    event: Dict[str, Any]


class Order(TypedDict):
    """An order. Responses have more fields than these."""

    id: str
    client_order_id: str
    symbol: str
    side: str
    type: str
    status: str
    qty: Optional[str]
    limit_price: Optional[str]
    filled_qty: str
    filled_avg_price: Optional[str]
