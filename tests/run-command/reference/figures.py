"""Computes the figures of a run file by itself, with nothing but Python. Prints them as JSON."""

import gzip
import json
import math
import random
import statistics
import sys
from collections import defaultdict, deque
from datetime import datetime

YEAR = 252


def instant(text):
    """Seconds since 1970; Python reads no nanoseconds."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (rest or "0"))


def read(path):
    lines = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    parts = defaultdict(list)
    for line in lines[1:]:
        parts[line["part"]].append(line)
    return lines[0], parts


def returns_of(equity):
    worth = [point["equity"] - point.get("transfers", 0) for point in equity]
    closes = [worth[0]] + [value for value, point in zip(worth, equity) if "day" in point]
    return [after / before - 1 for before, after in zip(closes, closes[1:])]


def compounded(returns):
    return math.prod(1 + one for one in returns)


def drawdown(values):
    peak, deepest = values[0], 0.0
    for value in values:
        peak = max(peak, value)
        deepest = max(deepest, 1 - value / peak)
    return deepest


def sharpe(returns):
    return statistics.mean(returns) / statistics.stdev(returns) * math.sqrt(YEAR)


def sortino(returns):
    downside = math.sqrt(sum(one * one for one in returns if one < 0) / len(returns))
    return statistics.mean(returns) / downside * math.sqrt(YEAR)


def calmar(returns):
    values = [1.0]
    for one in returns:
        values.append(values[-1] * (1 + one))
    return (compounded(returns) ** (YEAR / len(returns)) - 1) / drawdown(values)


def months(equity):
    worth = [point["equity"] - point.get("transfers", 0) for point in equity]
    last = {}
    for value, point in zip(worth, equity):
        if "day" in point:
            last[point["day"][:7]] = value
    result, before = {}, worth[0]
    for month, value in last.items():
        result[month], before = value / before - 1, value
    return result


def trades(fills):
    """Lots that were closed, the oldest first; fills of the same two orders are one trade."""
    open_lots, closed = defaultdict(deque), {}
    for fill in fills:
        lots = open_lots[fill["symbol"]]
        sign = -1 if fill["side"].startswith("sell") else 1
        left = float(fill["qty"])
        while left > 1e-9 and lots and lots[0]["sign"] != sign:
            lot = lots[0]
            quantity = min(left, lot["left"])
            key = (fill["symbol"], lot["order"], fill["order_id"])
            profit = lot["sign"] * (float(fill["price"]) - lot["price"]) * quantity
            known = closed.setdefault(key, [0.0, lot["at"], fill["at"]])
            known[0] += profit
            known[2] = fill["at"]
            left -= quantity
            lot["left"] -= quantity
            if lot["left"] <= 1e-9:
                lots.popleft()
        if left > 1e-9:
            lots.append(
                {"sign": sign, "left": left, "price": float(fill["price"]), "order": fill["order_id"], "at": fill["at"]}
            )
    return list(closed.values())


def profit_factor(profits):
    won, lost = sum(p for p in profits if p > 0), -sum(p for p in profits if p < 0)
    return won / lost if lost else math.inf


def interval(values, figure, block):
    """The middle 95 % of the figure over samples that are drawn with other random numbers than in the product."""
    generator = random.Random(2026)
    size, found = len(values), []
    for _ in range(1000):
        sample = []
        while len(sample) < size:
            start = generator.randrange(size)
            sample += [values[(start + step) % size] for step in range(block)]
        found.append(figure(sample[:size]))
    found.sort()
    return [found[round(0.025 * 999)], found[round(0.975 * 999)]]


def main(path):
    run, parts = read(path)
    equity, fills = parts["equity"], parts["fill"]
    returns = returns_of(equity)
    worth = [point["equity"] - point.get("transfers", 0) for point in equity]
    closed = trades(fills)
    profits = [profit for profit, _, _ in closed]
    value = sum(float(fill["qty"]) * float(fill["price"]) for fill in fills)
    slippage = spread = 0.0
    for fill in fills:
        sign = -1 if fill["side"].startswith("sell") else 1
        bid, ask, price, quantity = (float(fill[name]) for name in ("bid", "ask", "price", "qty"))
        slippage += sign * (price - (bid + ask) / 2) * quantity
        paid = sign * (price - (bid + ask) / 2) >= 0
        spread += (ask - bid) / 2 * quantity * (1 if paid else -1)
    fees = sum(
        float(leg["amount"])
        for event in parts["event"]
        if event["kind"] == "feesBooked"
        for leg in event["event"]["posting"]
        if leg["account"] == "fees"
    )
    # What the account owns at the end, from its fills alone.
    cash, held = run["equity_at_start"] - fees, defaultdict(float)
    for fill in fills:
        sign = -1 if fill["side"].startswith("sell") else 1
        cash -= sign * float(fill["qty"]) * float(fill["price"])
        held[fill["symbol"]] += sign * float(fill["qty"])
    prices = {line["symbol"]: line["price"] for line in parts["price"]}
    owned = cash + sum(quantity * prices.get(symbol, 0) for symbol, quantity in held.items())
    block = max(1, round(len(returns) ** (1 / 3)))
    print(
        json.dumps(
            {
                "days": len(returns),
                "return": worth[-1] / worth[0] - 1,
                "drawdown": drawdown(worth),
                "annual": compounded(returns) ** (YEAR / len(returns)) - 1,
                "volatility": statistics.stdev(returns) * math.sqrt(YEAR),
                "sharpe": [sharpe(returns), *interval(returns, sharpe, block)],
                "sortino": [sortino(returns), *interval(returns, sortino, block)],
                "calmar": [calmar(returns), *interval(returns, calmar, block)],
                "months": months(equity),
                "closed": len(closed),
                "win_rate": sum(p > 0 for p in profits) / len(profits),
                "profit_factor": [profit_factor(profits), *interval(profits, profit_factor, 1)],
                "holding": statistics.mean(instant(end) - instant(start) for _, start, end in closed),
                "turnover": value / statistics.mean(worth),
                "spread": spread,
                "impact": slippage - spread,
                "slippage": slippage / value,
                "fees": fees,
                "exposure": statistics.mean(point["exposure"] for point in equity if "day" in point),
                "owned": owned,
            }
        )
    )


main(sys.argv[1])
