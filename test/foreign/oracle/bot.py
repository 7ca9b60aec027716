"""The bot of the documents: one strategy with one ladder."""

from fractions import Fraction

from ladder import mirror_price, number, percent, rungs_of
from venue import Order, down, up


class Undetermined(Exception):
    """The documents do not say what happens here, so a case that comes here proves nothing."""


class Slot:
    """A rung, the order that is out for it, and its mirrors."""

    def __init__(self, rung, exit_price=None):
        self.rung = rung
        self.order = None
        self.exit_price = exit_price
        self.waiting = 0  # bought or sold, and not yet in a mirror
        self.mirrors = []

    def is_free(self):
        return self.order is None and self.waiting == 0 and not self.mirrors


class Grid:
    """A ladder whose exit is `mirror`."""

    def __init__(self, bot, ladder, anchor):
        self.bot = bot
        market = bot.venue.market
        self.slots = []
        indexes = {'buy': 0, 'sell': 0}
        for rung in rungs_of(ladder, anchor, market):
            price = mirror_price(ladder, anchor, indexes[rung.side], rung.side, market)
            indexes[rung.side] += 1
            self.slots.append(Slot(rung, price))

    def exits(self):
        for slot in self.slots:
            if slot.waiting and self.bot.venue.market.takes(slot.exit_price, slot.waiting):
                side = 'sell' if slot.rung.side == 'buy' else 'buy'
                used = {mirror.rung for mirror in slot.mirrors}
                label = f'm{slot.rung.label}'
                free = [name for name in [label, *(f'{label}-{n}' for n in range(2, 10))] if name not in used]
                if not free:
                    continue
                slot.mirrors.append(self.bot.send(free[0], side, slot.exit_price, slot.waiting))
                slot.waiting = 0

    def entries(self):
        for slot in self.slots:
            if slot.is_free() and not self.bot.is_passed(slot.rung.side, slot.rung.price):
                slot.order = self.bot.send(slot.rung.label, slot.rung.side, slot.rung.price, slot.rung.amount)

    def filled(self, fill):
        for slot in self.slots:
            if fill.order is slot.order:
                slot.waiting += fill.amount
                if not fill.order.is_open():
                    slot.order = None
            slot.mirrors = [m for m in slot.mirrors if m.is_open()]


class Episodes:
    """A ladder that leaves as a whole: `tp`, `stop`, `trail`, `max_age`, from the average entry."""

    def __init__(self, bot, ladder, anchor):
        self.bot = bot
        self.ladder = ladder
        self.slots = [Slot(rung) for rung in rungs_of(ladder, anchor, bot.venue.market)]
        self.is_long = ladder['side'] == 'buy'
        self.exit = None
        self.best = None
        self.first_fill = None
        self.rest_until = 0
        self.last_fill = None

    def has_entries(self):
        return any(slot.order is not None and slot.order.is_open() for slot in self.slots)

    def held(self):
        return abs(self.bot.venue.position)

    def paid(self):
        """What the market pays for the position."""
        return self.bot.venue.bid() if self.is_long else self.bot.venue.ask()

    def is_at(self, level):
        """The market pays this price, or a better one."""
        return self.paid() >= level if self.is_long else self.paid() <= level

    def worse(self, price, by):
        return price - by if self.is_long else price + by

    def level(self, price):
        """A price at which the position leaves, rounded to the tick so that it is not worse."""
        tick = self.bot.venue.market.tick
        return up(price, tick) if self.is_long else down(price, tick)

    def limit(self):
        """The price of an immediate order that takes what the market pays, up to 0.5 % worse."""
        paid, tick = self.paid(), self.bot.venue.market.tick
        return self.level(paid * Fraction(995 if self.is_long else 1005, 1000))

    def due(self):
        """The exit that is due now: its label and the price of its order."""
        plan, entry = self.ladder['exit'], self.bot.venue.entry
        sign = 1 if self.is_long else -1
        gives_up = []
        if 'stop' in plan:
            stop = entry * (1 - sign * percent(plan['stop']['pct']))
            if (self.paid() <= stop) if self.is_long else (self.paid() >= stop):
                gives_up.append('st')
        if 'trail' in plan:
            unit = number(self.ladder['spacing']['unit'])
            activate = number(plan['trail']['activate'].split(' ')[0]) * unit
            retrace = number(plan['trail']['retrace'].split(' ')[0]) * unit
            if self.best is None and self.is_at(entry + sign * activate):
                self.best = self.paid()
            if self.best is not None:
                self.best = max(self.best, self.paid()) if self.is_long else min(self.best, self.paid())
                back = self.best - sign * retrace
                if (self.paid() <= back) if self.is_long else (self.paid() >= back):
                    gives_up.append('tr')
        if not self.bot.on_price and 'max_age' in plan and self.bot.now >= self.first_fill + plan['max_age_ms']:
            gives_up.append('ag')
        if len(gives_up) > 1:
            raise Undetermined('which of two exits that are due leaves is not documented')
        if gives_up:
            return gives_up[0], self.limit()
        if 'tp' in plan:
            target = self.level(entry * (1 + sign * percent(plan['tp']['pct'])))
            if self.is_at(target):
                return 't1', target
        return None

    def check_order_of_news(self):
        """A price that fills a rung and reaches the stop of what was held before."""
        venue = self.bot.venue
        now = (venue.position, venue.entry)
        venue.position, venue.entry = venue.before
        due = self.due() if self.held() else None
        venue.position, venue.entry = now
        if due and due[0] != 't1':
            raise Undetermined('whether the bot sees a price or the fills of this price first is not documented')

    def exits(self):
        if self.held() == 0:
            return
        due = self.due()
        if due:
            label, price = due
            if label != 't1' and (self.has_entries() or (len(self.slots) > 1 and self.last_fill == self.bot.now)):
                raise Undetermined('an exit that gives up is due while rungs rest: when these are cancelled is not documented')
            self.exit = label
            self.bot.send(label, 'sell' if self.is_long else 'buy', price, self.held(), ioc=True)

    def entries(self):
        if self.bot.now < self.rest_until:
            return
        for slot in self.slots:
            if slot.order is None:
                slot.order = self.bot.send(slot.rung.label, slot.rung.side, slot.rung.price, slot.rung.amount)

    def filled(self, fill):
        self.last_fill = fill.at
        if fill.order.ioc:
            if self.held() == 0:
                self.leave(fill)
        elif self.first_fill is None:
            self.first_fill = fill.at

    def leave(self, fill):
        """All is sold: the episode ends, and rungs that have filled may be placed again."""
        self.best = self.first_fill = None
        if fill.order.rung in ('st', 'tr', 'ag'):
            self.rest_until = fill.at + self.ladder['exit'].get('cooldown_ms', 0)
        for slot in self.slots:
            if slot.order is not None and not slot.order.is_open():
                slot.order = None


class Bot:
    def __init__(self, case, venue, schedule):
        self.case = case
        self.venue = venue
        self.schedule = schedule
        self.now = None
        kind = Grid if 'mirror' in case['ladder']['exit'] else Episodes
        self.ladder = kind(self, case['ladder'], case['anchor'])
        self.has_begun = False
        self.on_price = False  # a price alone ends no wait: these are evaluated each second
        self.exits_out = False
        self.entries_out = False
        self.on_its_way = False
        self.queued = None
        self.request = []

    def send(self, label, side, price, amount, ioc=False):
        order = Order(label, side, price, amount, ioc)
        self.request.append(order)
        return order

    def priced(self, now):
        """The price has moved: exits that watch it act at once."""
        self.now = now
        if isinstance(self.ladder, Episodes):
            self.on_price = True
            self.act(entries=False)
            self.on_price = False

    def act(self, entries=True):
        """Decide exits unless some are out, and entries unless anything is out. One request is on its way at a time."""
        if not self.has_begun:
            return
        if not self.exits_out:
            self.request = []
            self.ladder.exits()
            if self.request:
                self.exits_out = True
                self.dispatch('exits')
        if entries and not self.exits_out and not self.entries_out:
            self.request = []
            self.ladder.entries()
            # nearest_first: from the price of now
            self.request.sort(key=lambda order: abs(order.price - self.venue.price))
            if self.request:
                self.entries_out = True
                self.dispatch('entries')

    def dispatch(self, kind):
        if self.on_its_way:
            self.queued = (kind, self.request)
        else:
            self.on_its_way = True
            self.schedule(self.now + self.case['latency'], (kind, self.request))

    def answered(self, now, kind, fills):
        self.now = now
        self.on_its_way = False
        if kind == 'exits':
            self.exits_out = False
        else:
            self.entries_out = False
        if self.queued:
            self.on_its_way = True
            self.schedule(now + self.case['latency'], self.queued)
            self.queued = None
        for fill in fills:
            self.ladder.filled(fill)
        self.act()

    def is_passed(self, side, price):
        """The market is known to have passed the price: an order would take. It waits instead."""
        if side == 'buy':
            return price >= self.venue.ask()
        return price <= self.venue.bid()

    def second(self, now):
        self.now = now
        self.has_begun = self.has_begun or self.venue.price is not None
        self.act()

    def event(self, now, fills):
        self.now = now
        if fills and isinstance(self.ladder, Episodes):
            self.ladder.check_order_of_news()
        for fill in fills:
            self.ladder.filled(fill)
        if fills:
            self.act()
