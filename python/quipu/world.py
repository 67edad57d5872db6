"""A world: an isolated broker with its own clock, market and accounts."""

import datetime
import decimal
import json
from types import TracebackType
from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Type, Union, cast

from .errors import QuipuError
from .fills import unacknowledged_fills
from .http import Key, read_file, send
from .records import Advanced, Event, Fault, FaultEffect, FaultKind, FaultMatch, Json, Order

Instant = Union[str, datetime.datetime]
Until = Literal["next_open", "next_close", "next_bar", "next_event", "order_end", "idle"]

EVENTS_IN_REPORT = 10
ORDERS_PAGE = 500


class World:
    """A world with the key of its first account. Its clock is stopped until `advance` or `run` moves it."""

    def __init__(self, operator: Key, created: Mapping[str, Any]) -> None:
        self._operator_key = operator
        partner = created["partner"]
        self._partner = Key(operator.url, partner["key_id"], partner["secret_key"])
        account = created["accounts"][0]
        self.url = operator.url
        self.name: str = created["world"]
        self.seed: str = created["seed"]
        self.account_id: str = account["account_id"]
        self.key_id: str = account["key_id"]
        self.secret_key: str = account["secret_key"]

    # The program under test

    @property
    def env(self) -> Dict[str, str]:
        """The variables that SDKs read: `subprocess.run(bot, env={**os.environ, **world.env})`."""
        return {"APCA_API_BASE_URL": self.url, "APCA_API_KEY_ID": self.key_id, "APCA_API_SECRET_KEY": self.secret_key}

    def request(self, method: str, path: str, body: Json = None) -> Any:
        """Sends a request as the program under test would: `world.request("GET", "/v2/account")`."""
        return send(Key(self.url, self.key_id, self.secret_key), method, path, body)

    # The clock

    def now(self) -> str:
        """The time of the world."""
        return cast(str, self._operator("GET", "/clock")["now"])

    def advance(
        self,
        by: Optional[str] = None,
        *,
        to: Optional[Instant] = None,
        until: Optional[Until] = None,
        order_id: Optional[str] = None,
        within: Optional[str] = None,
    ) -> Advanced:
        """Moves the clock: advance("90s"), advance(to="2026-01-06T14:30:00Z") or advance(until="next_open").

        Returns when all resulting events are stored and sent."""
        move = {"by": by, "to": to and _text(to), "until": until, "order_id": order_id, "within": within}
        body = {name: value for name, value in move.items() if value is not None}
        return cast(Advanced, self._operator("POST", "/clock/advance", body))

    def each(self, step: str, steps: int = 365) -> Iterator[str]:
        """Yields the time now and after every step: `for now in world.each("1d", 20): bot.on_day()`."""
        now = self.now()
        for _ in range(steps):
            yield now
            now = self.advance(step)["now"]

    def run(self, speed: float) -> None:
        """Lets the clock run at a speed; 60 is an hour per minute."""
        self._operator("POST", "/clock/run", {"speed": str(speed)})

    def freeze(self) -> None:
        """Stops the clock. A new world is stopped."""
        self._operator("POST", "/clock/freeze")

    # Faults

    def fault(
        self, effect: Union[FaultKind, FaultEffect], match: Optional[FaultMatch] = None, *, name: Optional[str] = None
    ) -> Fault:
        """Makes requests, streams or calls of this world fail: `world.fault("answer_lost", {"operation": ["placeOrder"]})`.

        Default: the first match, once. An effect with fields is `{"kind": "status", "status": 429}`."""
        kind = {"kind": effect} if isinstance(effect, str) else effect
        body: Dict[str, Any] = {"match": match or {}, "effect": kind}
        return cast(Fault, self._operator("POST", "/faults", body if name is None else {**body, "name": name}))

    def faults(self) -> List[Fault]:
        """All fault rules with their counts."""
        return cast("List[Fault]", self._operator("GET", "/faults"))

    def delete_faults(self) -> None:
        """Deletes all fault rules."""
        self._operator("DELETE", "/faults")

    # The account and the journal, read without being noticed as requests of the program

    def orders(self) -> List[Order]:
        """All orders of the account, newest first."""
        orders: List[Order] = []
        while True:
            after = f"&before_order_id={orders[-1]['id']}" if orders else ""
            path = f"/orders?status=all&limit={ORDERS_PAGE}&account_id={self.account_id}{after}"
            page: List[Order] = self._operator("GET", path)
            orders += page
            if len(page) < ORDERS_PAGE:
                return orders

    def position(self, symbol: str) -> decimal.Decimal:
        """Signed quantity of a symbol, 0 without a position."""
        held = {one["symbol"]: one["qty"] for one in self._account("/positions")}
        return decimal.Decimal(held.get(symbol, "0"))

    def cash(self) -> decimal.Decimal:
        """Cash of the account in dollars."""
        return decimal.Decimal(self._account("/account")["cash"])

    def events(self, last: int = EVENTS_IN_REPORT) -> List[Event]:
        """The last events of the journal."""
        return cast("List[Event]", self._operator("GET", f"/events?last={last}&limit={last}")["events"])

    def journal_hash(self) -> str:
        """Hash over all events. The same seed and the same calls give the same hash."""
        return cast(str, self._operator("GET", "/journal")["hash"])

    def unacknowledged_fills(self) -> List[Dict[str, Any]]:
        """Fills that no response to the program includes, and that no open stream of trade updates has sent."""
        return unacknowledged_fills(self._operator, self.account_id)

    # Checks

    def assert_one_order(self, client_order_id: str) -> None:
        """Exactly one order has this client order id."""
        __tracebackhide__ = True
        ids = [order["client_order_id"] for order in self.orders()]
        count = ids.count(client_order_id)
        assert count == 1, f"expected exactly one order with the client order id {client_order_id}, received {count} of {ids}"

    def assert_net_position(self, symbol: str, quantity: object) -> None:
        """The account holds this signed quantity."""
        __tracebackhide__ = True
        held = self.position(symbol)
        assert held == decimal.Decimal(str(quantity)), f"expected a net position of {quantity} {symbol}, received {held}"

    def assert_cash(self, dollars: object) -> None:
        """The account has this cash, to the cent."""
        __tracebackhide__ = True
        cash = self.cash()
        assert cash == decimal.Decimal(str(dollars)), f"expected {dollars} dollars of cash, received {cash}"

    def assert_no_unacknowledged_fill(self) -> None:
        """The program knows of all its fills."""
        __tracebackhide__ = True
        fills = self.unacknowledged_fills()
        shown = ", ".join(f"#{fill['number']} {fill['at']} of order {fill['order_id']}" for fill in fills)
        assert not fills, f"expected no unacknowledged fill, received {len(fills)}: {shown}"

    def report(self) -> str:
        """Seed, journal hash and the last events, for a failed test."""
        lines = [f"world {self.name}, seed {json.dumps(self.seed)}, journal hash {self.journal_hash()}"]
        for event in self.events():
            fields = {**event["event"], **(event["event"].get("order") or {})}
            shown = [fields.get(name) for name in ("clientOrderId", "symbol", "side", "quantity", "price", "reason")]
            details = [str(value) for value in shown if isinstance(value, (str, int, float))]
            lines.append(f"  #{event['number']} {' '.join([event['at'], event['kind'], *details])}")
        return "\n".join(lines)

    # The world as a whole

    def reset(self) -> None:
        """Returns the world to its creation. Accounts and keys stay; streams are closed."""
        self._operator("POST", "/reset")

    def save(self) -> bytes:
        """The world as a file without secrets, for `broker.load` or `quipu world load`."""
        return read_file(self._operator_key, f"/sim/v1/worlds/{self.name}/save")

    def close(self) -> None:
        """Deletes the world."""
        try:
            self._operator("DELETE", "")
        except QuipuError as error:
            if error.status != 404:
                raise

    def __enter__(self) -> "World":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _operator(self, method: str, path: str, body: Json = None) -> Any:
        return send(self._operator_key, method, f"/sim/v1/worlds/{self.name}{path}", body)

    def _account(self, path: str) -> Any:
        return send(self._partner, "GET", f"/v1/trading/accounts/{self.account_id}{path}")


def body_of(seed: Optional[str], clock: Optional[Instant], cash: Optional[object], fields: Mapping[str, Json]) -> Json:
    """The body of POST /sim/v1/worlds."""
    body: Dict[str, Json] = {**fields, "seed": "quipu" if seed is None else seed}
    if clock is not None:
        body["start"] = _text(clock)
    if cash is not None:
        body["cash"] = str(cash)
    return body


def _text(instant: Instant) -> str:
    return instant if isinstance(instant, str) else instant.isoformat()
