"""The floor: a compiled loop that builds the path of each bar, searches for the next order that it passes, and fills it."""

import numpy as np
from numba import njit

from rounds import serve, text_of


def load(path):
    """Open, high, low and close of a CSV file."""
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2, 3, 4)).T.copy()


@njit
def walk(bars, is_buy, prices, fills):
    """`is_buy` and `prices` have a row for each rung: its entry and its exit. Returns the number of fills."""
    opens, highs, lows, closes = bars
    turns = np.zeros(len(prices), np.int64)
    count = 0
    buy, bid, sell, ask = nearest(is_buy, prices, turns)
    for bar in range(len(opens)):
        first, high, low, last = opens[bar], highs[bar], lows[bar], closes[bar]
        near, far = (high, low) if high - first < first - low else (low, high)
        for price in (first, near, far, last):
            while price < bid or price > ask:
                rung = buy if price < bid else sell
                fills[count] = 2 * rung + turns[rung]
                count += 1
                turns[rung] = 1 - turns[rung]
                buy, bid, sell, ask = nearest(is_buy, prices, turns)
    return count


@njit
def nearest(is_buy, prices, turns):
    """The highest buy order and the lowest sell order: their rungs and prices."""
    buy, bid, sell, ask = -1, -np.inf, -1, np.inf
    for rung, turn in enumerate(turns):
        price = prices[rung, turn]
        if is_buy[rung, turn]:
            if price > bid:
                buy, bid = rung, price
        elif price < ask:
            sell, ask = rung, price
    return buy, bid, sell, ask


def run(job, bars):
    """One walk through all bars."""
    is_buy = np.array([[side == "buy" for side, _ in orders] for _, orders in job["rungs"]])
    prices = np.array([[float(price) for _, price in orders] for _, orders in job["rungs"]])
    fills = np.empty(1 << 20, np.int64)
    count = walk(bars, is_buy, prices, fills)
    return job["rungs"], fills[:count]


def fills_of(found):
    """The fills as text."""
    rungs, fills = found
    texts = []
    for fill in fills.tolist():
        amount, orders = rungs[fill >> 1]
        texts.append(text_of(*orders[fill & 1], amount))
    return texts


serve(load, run, fills_of)
