"""Reads order books and values of futures from CSV files, and prints what a poll finds at each time: see ./inputs.test.ts."""

import csv
import json
import sys
from decimal import Decimal


def rows(path):
    with open(path, newline="") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


def polls(path, every):
    """The last row of each span, by the time at its end."""
    found = {}
    for row in rows(path):
        at = int(row["timestamp"])
        found[-(-at // every) * every] = row
    return found


def levels(row, side):
    found = []
    while row.get(f"{side}[{len(found)}].price"):
        level = len(found)
        found.append((Decimal(row[f"{side}[{level}].price"]), Decimal(row[f"{side}[{level}].amount"])))
    return found


def depth(row, within):
    bids, asks = levels(row, "bids"), levels(row, "asks")
    best, other = bids[0], asks[0]
    near = [
        sum(amount for price, amount in side if abs(price - side[0][0]) <= side[0][0] * within)
        for side in (bids, asks)
    ]
    micro = (float(best[0]) * float(other[1]) + float(other[0]) * float(best[1])) / (float(best[1]) + float(other[1]))
    bid, ask = map(float, near)
    return {"bid": bid, "ask": ask, "imbalance": (bid - ask) / (bid + ask), "micro": micro}


def listed(row):
    names = ("mark_price", "index_price", "open_interest", "funding_rate", "funding_timestamp")
    return [float(row[name]) for name in names]


def volumes(path, span):
    """What takers bought and sold in the whole seconds before each second."""
    trades = [(int(row["timestamp"]), row["side"], Decimal(row["amount"])) for row in rows(path)]
    seconds = {}
    for at, side, amount in trades:
        own = seconds.setdefault(at // 1000, {"buy": Decimal(0), "sell": Decimal(0)})
        own[side] += amount
    found = {}
    for end in range(trades[0][0] // 1000 + 1 + span, trades[-1][0] // 1000):
        near = [seconds[second] for second in range(end - span, end) if second in seconds]
        found[end * 1000] = [float(sum(own[side] for own in near)) for side in ("buy", "sell")]
    return found


books, futures, trades = sys.argv[1:]
print(
    json.dumps(
        {
            "depth": {at: depth(row, Decimal("0.001")) for at, row in polls(books, 1000).items()},
            "futures": {at: listed(row) for at, row in polls(futures, 10_000).items()},
            "volumes": volumes(trades, 60),
        }
    )
)
