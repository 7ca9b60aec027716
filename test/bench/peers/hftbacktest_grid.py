"""A grid on trades in hftbacktest."""

import numpy as np
from hftbacktest import (
    BUY,
    BUY_EVENT,
    EXCH_EVENT,
    FILLED,
    GTX,
    LIMIT,
    LOCAL_EVENT,
    SELL,
    SELL_EVENT,
    TRADE_EVENT,
    BacktestAsset,
    HashMapMarketDepthBacktest,
)
from hftbacktest.types import event_dtype
from numba import njit

from rounds import serve, text_of

second_ns = 1_000_000_000
latency_ns = 50_000_000


def load(path):
    """The trades of a CSV file. A trade below the price of the last one is a sell, so it can pass buy orders."""
    at, prices, amounts = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1, 2)).T
    is_sell = np.diff(prices, prepend=prices[0]) < 0
    events = np.zeros(len(at), event_dtype)
    events["ev"] = np.where(is_sell, SELL_EVENT, BUY_EVENT) | TRADE_EVENT | EXCH_EVENT | LOCAL_EVENT
    events["exch_ts"] = events["local_ts"] = at.astype(np.int64) * 1_000_000
    events["px"] = prices
    events["qty"] = amounts
    return events


@njit
def place(hbt, order_id, is_buy, price, amount):
    """Submits a post-only order, and does not wait for its answer."""
    if is_buy:
        hbt.submit_buy_order(0, order_id, price, amount, GTX, LIMIT, False)
    else:
        hbt.submit_sell_order(0, order_id, price, amount, GTX, LIMIT, False)


@njit
def trade(hbt, is_buy, prices, amounts, fills):
    """Looks at the position each second, and replaces the orders that filled. Returns the number of fills."""
    rungs = len(prices)
    turns = np.zeros(rungs, np.int64)
    ids = np.arange(1, rungs + 1)
    for rung in range(rungs):
        place(hbt, ids[rung], is_buy[rung, 0], prices[rung, 0], amounts[rung])
    next_id = rungs + 1
    count = 0
    position = 0.0
    is_over = False
    while not is_over:
        is_over = hbt.elapse(second_ns) != 0
        if hbt.position(0) == position:
            continue
        position = hbt.position(0)
        orders = hbt.orders(0)
        for rung in range(rungs):
            order = orders.get(ids[rung])
            if order is None or order.status != FILLED:
                continue
            fills[count, 0] = order.exch_timestamp
            fills[count, 1] = 2 * rung + turns[rung]
            count += 1
            turns[rung] = 1 - turns[rung]
            ids[rung] = next_id
            next_id += 1
            turn = turns[rung]
            place(hbt, ids[rung], is_buy[rung, turn], prices[rung, turn], amounts[rung])
        hbt.clear_inactive_orders(0)
    return count


def run(job, events):
    """One backtest."""
    asset = (
        BacktestAsset()
        .data(events)
        .linear_asset(1.0)
        .constant_order_latency(latency_ns, latency_ns)
        .risk_adverse_queue_model()
        .no_partial_fill_exchange()
        .trading_value_fee_model(float(job["fee"]), float(job["fee"]))
        .tick_size(0.01)
        .lot_size(0.000001)
    )
    hbt = HashMapMarketDepthBacktest([asset])
    is_buy = np.array([[side == "buy" for side, _ in orders] for _, orders in job["rungs"]])
    prices = np.array([[float(price) for _, price in orders] for _, orders in job["rungs"]])
    amounts = np.array([float(amount) for amount, _ in job["rungs"]])
    fills = np.empty((1 << 20, 2), np.int64)
    count = trade(hbt, is_buy, prices, amounts, fills)
    hbt.close()
    return job["rungs"], fills[:count].copy()


def fills_of(found):
    """The fills as text, in the sequence of their times, which are those of the answers, and of the prices."""
    rungs, fills = found
    rows = []
    for at, fill in fills.tolist():
        amount, orders = rungs[fill >> 1]
        side, price = orders[fill & 1]
        rows.append((at, -float(price) if side == "buy" else float(price), text_of(side, price, amount)))
    return [text for _, _, text in sorted(rows)]


serve(load, run, fills_of)
