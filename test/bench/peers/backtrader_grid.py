"""A grid on the lines of the path inside each bar in backtrader, whose bars have no path."""

import backtrader as bt
import numpy as np

from rounds import serve, text_of

ms_per_day = 86_400_000
unix_epoch = 719_163


def load(path):
    """The lines between the points of all bars: a bar of its own for each, since a new order waits for the next bar."""
    at, opens, highs, lows, closes = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(5)).T
    high_first = highs - opens < opens - lows
    first, second = np.where(high_first, highs, lows), np.where(high_first, lows, highs)
    points = np.stack([opens, first, second, closes], axis=1).ravel()
    times = (at[:, None] + [0, 15_000, 45_000, 59_999]).ravel() / ms_per_day + unix_epoch
    begins = np.concatenate([points[:1], points[:-1]])
    return list(
        zip(
            times.tolist(),
            begins.tolist(),
            np.maximum(begins, points).tolist(),
            np.minimum(begins, points).tolist(),
            points.tolist(),
        )
    )


class Lines(bt.feed.DataBase):
    """Bars from memory."""

    def __init__(self, bars):
        super().__init__()
        self.bars = iter(bars)

    def _load(self):
        bar = next(self.bars, None)
        if bar is None:
            return False
        (
            self.lines.datetime[0],
            self.lines.open[0],
            self.lines.high[0],
            self.lines.low[0],
            self.lines.close[0],
        ) = bar
        return True


class Grid(bt.Strategy):
    """Each filled order is replaced by the opposite order of its rung."""

    params = (("rungs", None),)

    def __init__(self):
        self.open = {}
        self.fills = []

    def start(self):
        """Places the grid before the first bar."""
        for rung in range(len(self.p.rungs)):
            self.place(rung, 0)

    def place(self, rung, turn):
        """Places the entry (0) or the exit (1) of a rung."""
        amount, orders = self.p.rungs[rung]
        side, price = orders[turn]
        send = self.buy if side == "buy" else self.sell
        order = send(size=float(amount), price=float(price), exectype=bt.Order.Limit)
        self.open[order.ref] = (rung, turn)

    def notify_order(self, order):
        """Replaces the order if it is filled."""
        if order.status == order.Completed:
            rung, turn = self.open.pop(order.ref)
            self.fills.append((len(self), order.isbuy(), order.executed.price, abs(order.executed.size)))
            self.place(rung, 1 - turn)


def run(job, bars):
    """One backtest, without observers."""
    cerebro = bt.Cerebro(stdstats=False)
    cerebro.broker.setcash(1_000_000)
    cerebro.broker.setcommission(commission=float(job["fee"]))
    cerebro.broker.set_checksubmit(False)
    cerebro.adddata(Lines(bars))
    cerebro.addstrategy(Grid, rungs=job["rungs"])
    return cerebro.run()[0].fills


def fills_of(fills):
    """The fills as text. Orders that fill on one line come in the sequence of their placing, so they are sorted."""
    fills = sorted(fills, key=lambda fill: (fill[0], -fill[2] if fill[1] else fill[2]))
    return [text_of("buy" if is_buy else "sell", price, amount) for _, is_buy, price, amount in fills]


serve(load, run, fills_of)
