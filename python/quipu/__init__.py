"""Quipu: a brokerage you can run yourself, compatible with the Alpaca API.

    import quipu

    with quipu.Broker() as broker, broker.world(seed="bot", cash=10000) as world:
        world.request("POST", "/v2/orders", {"symbol": "AAPL", "qty": 1, "side": "buy", "type": "market",
                                             "time_in_force": "day"})
        world.advance("1m")
        print(world.position("AAPL"))

`broker` starts brokers, `world` has the clock, the faults and the account of a world, `records` the types, `node` finds Node,
`command` is the command `quipu`, and `pytest_plugin` has the fixtures of pytest.
"""

from .broker import Broker
from .errors import QuipuError, StartError
from .records import Advanced, Event, Fault, FaultEffect, FaultMatch, Order
from .world import World

__all__ = ["Advanced", "Broker", "Event", "Fault", "FaultEffect", "FaultMatch", "Order", "QuipuError", "StartError", "World"]
