"""The exchange of the documents: one market, moved by a file, and the orders of one account.

Prices and amounts are `Fraction`, times are whole Unix milliseconds.
"""

from fractions import Fraction
from math import floor

from market import UNIT


class Reported(Exception):
    """The product does not do here what the documents say. It is reported, and such a case is left out."""


class Market:
    """The rules of a market, from config/exchange.yaml."""

    def __init__(self, symbol, tick, lot, min_amount, min_total, maker, taker):
        self.symbol = symbol
        self.tick = Fraction(tick)
        self.lot = Fraction(lot)
        self.min_amount = Fraction(min_amount)
        self.min_total = Fraction(min_total)
        self.maker = Fraction(maker)
        self.taker = Fraction(taker)

    def takes(self, price, amount):
        return amount >= self.min_amount and amount * price >= self.min_total


MARKETS = {
    'BTC_USDT': ('0.01', '0.000001', '0.00001', '5', '0.001', '0.001'),
    'ETH_USDT': ('0.01', '0.00001', '0.0001', '5', '0.001', '0.001'),
    'SOL_USDT': ('0.01', '0.001', '0.01', '5', '0.001', '0.001'),
    'BTC_PERP': ('0.1', '0.001', '0.001', '5', '0.0001', '0.00035'),
    'ETH_PERP': ('0.01', '0.01', '0.01', '5', '0.0001', '0.00035'),
    'SOL_PERP': ('0.01', '0.1', '0.1', '5', '0.0001', '0.00035'),
}


def down(value, step):
    return floor(value / step) * step


def up(value, step):
    return -floor(-value / step) * step


def half_up(value, step):
    return floor(value / step + Fraction(1, 2)) * step


class Order:
    """One order: in flight to the venue, resting there, or ended."""

    count = 0

    def __init__(self, rung, side, price, amount, ioc=False):
        Order.count += 1
        self.seq = Order.count
        self.rung = rung
        self.side = side
        self.price = price
        self.amount = amount
        self.left = amount
        self.ioc = ioc
        self.queue = Fraction(0)
        self.is_cancelled = False  # a cancel was sent
        self.is_short = False  # the volume of a line did not suffice
        self.status = 'sent'  # sent, resting, ended

    def is_open(self):
        return self.status != 'ended'


class Fill:
    def __init__(self, at, order, price, amount, fee, maker):
        self.at = at
        self.order = order
        self.price = price
        self.amount = amount
        self.fee = fee
        self.maker = maker


class Venue:
    def __init__(self, market, fill_model, balance):
        self.market = market
        self.model = fill_model
        self.money = Fraction(balance)
        self.position = Fraction(0)
        self.entry = Fraction(0)
        self.price = None
        self.resting = []
        self.fills = []
        self.fees = Fraction(0)
        self.arrivals = 0
        self.high = self.money
        self.drawdown = Fraction(0)
        self.known_to = None  # until when the last price counts; None while there are prices
        self.volume = None  # what is left of the volume of this trade or line
        self.before = None  # what was held before the last fills

    # What the market pays.
    def bid(self):
        return half_up(self.price, self.market.tick)

    def ask(self):
        return self.bid() + self.market.tick

    def is_known(self, at):
        return self.known_to is None or at <= self.known_to

    def equity(self):
        return self.money + self.position * (0 if self.price is None else self.bid())

    def mark(self):
        """The highest equity so far, and the deepest fall below it."""
        now = self.equity()
        self.high = max(self.high, now)
        self.drawdown = max(self.drawdown, self.high - now)

    def book(self, at, order, price, amount, maker):
        """Book one fill: money, position and average entry."""
        self.mark()
        rate = self.market.maker if maker else self.market.taker
        fee = price * amount * rate
        signed = amount if order.side == 'buy' else -amount
        self.money -= signed * price + fee
        self.fees += fee
        profit = Fraction(0)
        held = self.position
        if held * signed >= 0:
            self.entry = (self.entry * abs(held) + price * amount) / (abs(held) + amount)
        else:
            closed = min(amount, abs(held))
            profit = (price - self.entry) * closed * (1 if held > 0 else -1)
            if amount > closed:
                self.entry = price
        self.position += signed
        order.left -= amount
        if order.left == 0:
            order.status = 'ended'
            if order in self.resting:
                self.resting.remove(order)
        fill = Fill(at, order, price, amount, fee, maker)
        fill.profit = profit
        self.fills.append(fill)
        self.mark()
        return fill

    def arrive(self, at, order):
        """An order reaches the venue: it takes, rests, or ends."""
        fills = []
        crosses = order.price >= self.ask() if order.side == 'buy' else order.price <= self.bid()
        own = [o for o in self.resting if (order.price >= o.price if order.side == 'buy' else order.price <= o.price)]
        # An order that rests although the price is beyond it: the volume did not suffice.
        late = [o for o in self.resting if (o.price >= self.ask() if o.side == 'buy' else o.price <= self.bid())]
        if any(o.side != order.side for o in own) or (crosses and late):
            raise Reported('an order takes from our own orders, or is kept from the best price by them')
        if crosses:
            paid = self.ask() if order.side == 'buy' else self.bid()
            fills.append(self.book(at, order, paid, order.left, False))
        elif order.ioc:
            order.status = 'ended'
        else:
            self.arrivals += 1
            order.rank = self.arrivals
            order.status = 'resting'
            order.queue = 1000 * self.market.min_amount
            self.resting.append(order)
        return fills

    def cancel(self, order):
        if order not in self.resting:
            return False
        self.resting.remove(order)
        order.status = 'ended'
        return True

    def by_priority(self):
        """Resting orders by price, the nearest first, then by time."""
        return sorted(self.resting, key=lambda o: (-o.price if o.side == 'buy' else o.price, o.rank))

    def reaches(self, order, price, is_exact):
        """Whether a price fills an order that rests. `is_exact`: a trade, an open, or the end of a line."""
        beyond = price < order.price if order.side == 'buy' else price > order.price
        if beyond or price != order.price:
            return beyond
        return self.model == 'touch' or (self.model == 'queue' and is_exact)

    def levels(self):
        """The prices, in units, that fill orders at rest: (level, whether the price has to rise to it)."""
        if self.volume is not None and down(self.volume, self.market.lot) == 0:
            return
        for order in self.resting:
            beyond = 0 if self.model == 'touch' else 1
            level = int(order.price * UNIT)
            yield (level - beyond, False) if order.side == 'buy' else (level + beyond, True)

    def match(self, at, is_exact, is_first=False):
        """Fill the orders that the price of now reaches, as far as the volume goes. `is_first`: of a new line."""
        price, lot = self.price, self.market.lot
        self.before, self.money_before = (self.position, self.entry), self.money
        fills = []
        for order in self.by_priority():
            is_short = is_first and order.is_short and order.price == price
            order.is_short = order.is_short and not is_first
            if not is_short and not self.reaches(order, price, is_exact):
                continue
            room = order.left
            if price == order.price and self.model == 'queue' and self.volume is not None and not is_short:
                served = min(order.queue, self.volume)
                order.queue -= served
                if order.queue > 0:
                    continue
                room = min(room, self.volume - served)
            if self.volume is not None:
                room = min(room, down(self.volume, lot))
                self.volume -= room
            order.is_short = room < order.left
            if room > 0:
                fills.append(self.book(at, order, order.price, room, True))
        return fills
