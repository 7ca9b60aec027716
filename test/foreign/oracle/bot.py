"""The bot of the documents: one strategy with one ladder."""

from fractions import Fraction

from ladder import mirror_price, number, percent, rungs_of
from market import UNIT
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

    def prepare(self):
        pass

    def exits(self):
        for slot in self.slots:
            if slot.waiting and not self.bot.venue.market.takes(slot.exit_price, slot.waiting):
                raise Undetermined('which mirror takes over a rest that is too small for the market is not documented')
            if slot.waiting:
                side = 'sell' if slot.rung.side == 'buy' else 'buy'
                used = {mirror.rung for mirror in slot.mirrors}
                label = f'm{slot.rung.label}'
                free = [name for name in [label, *(f'{label}-{n}' for n in range(2, 10))] if name not in used]
                if not free:
                    continue
                slot.mirrors.append(self.bot.send(free[0], side, slot.exit_price, slot.waiting))
                slot.waiting = 0

    def waits(self):
        return any(slot.is_free() for slot in self.slots)

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
        self.best = None
        self.first_fill = None
        self.rest_until = 0
        self.leaving = None  # the exit that has begun to give up the position

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
        gives_up = [self.leaving] if self.leaving else []
        if 'stop' in plan and not self.leaving:
            stop = entry * (1 - sign * percent(plan['stop']['pct']))
            if (self.paid() <= stop) if self.is_long else (self.paid() >= stop):
                gives_up.append('st')
        if 'trail' in plan and not self.leaving:
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
        if not self.leaving and self.is_old():
            gives_up.append('ag')
        if len(gives_up) > 1:
            raise Undetermined('which of two exits that are due leaves is not documented')
        if gives_up:
            return gives_up[0], self.limit()
        if 'tp' in plan:
            target = self.level(entry * (1 + sign * percent(plan['tp']['pct'])))
            if self.is_at(target):
                if self.is_old():
                    raise Undetermined('which of two exits that are due leaves is not documented')
                return 't1', target
        return None

    def is_old(self):
        """An age counts with the next whole second."""
        age = self.ladder['exit'].get('max_age_ms')
        return age is not None and self.bot.now >= -(-(self.first_fill + age) // 1000) * 1000

    def levels(self):
        """Of the exits that are not due yet."""
        plan, entry = self.ladder['exit'], self.bot.venue.entry
        tick = int(self.bot.venue.market.tick * UNIT)
        sign = 1 if self.is_long else -1
        towards, back = [], []
        if 'tp' in plan:
            towards.append(entry * (1 + sign * percent(plan['tp']['pct'])))
        if 'stop' in plan:
            back.append(entry * (1 - sign * percent(plan['stop']['pct'])))
        if 'trail' in plan:
            unit = number(self.ladder['spacing']['unit'])
            activate, retrace = (number(plan['trail'][key].split(' ')[0]) * unit for key in ('activate', 'retrace'))
            if self.best is None:
                towards.append(entry + sign * activate)
            else:
                back.append(self.best - sign * retrace)
        # The bid is the price rounded half up; the ask is a tick above it.
        for price in towards:
            level = int(self.level(price) * UNIT)
            yield (level - tick // 2, True) if self.is_long else (level - tick + tick // 2 - 1, False)
        for price in back:
            level = int((down if self.is_long else up)(price, self.bot.venue.market.tick) * UNIT)
            yield (level + tick // 2 - 1, False) if self.is_long else (level - tick - tick // 2, True)

    def exits(self):
        if self.held() == 0:
            return
        due = self.due()
        if due:
            label, price = due
            if label != 't1':
                self.bot.cancel_entries()
                # What is left is sent again.
                self.leaving = label
            self.bot.send(label, 'sell' if self.is_long else 'buy', price, self.held(), ioc=True)

    def prepare(self):
        """An exit that gives up is due, while another one is in flight."""
        due = self.due() if self.held() else None
        if due and due[0] != 't1':
            self.bot.cancel_entries()
            self.leaving = due[0]

    def waits(self):
        return 'max_age' in self.ladder['exit'] or any(slot.order is None for slot in self.slots)

    def entries(self):
        if self.bot.now < self.rest_until:
            return
        for slot in self.slots:
            if slot.order is None and not self.bot.is_passed(slot.rung.side, slot.rung.price):
                slot.order = self.bot.send(slot.rung.label, slot.rung.side, slot.rung.price, slot.rung.amount)

    def filled(self, fill):
        if fill.order.ioc:
            if self.held() == 0:
                self.leave(fill)
        elif self.first_fill is None:
            self.first_fill = fill.at

    def leave(self, fill):
        """All is sold: the episode ends, and rungs that have filled may be placed again."""
        self.best = self.first_fill = self.leaving = None
        if fill.order.rung in ('st', 'tr', 'ag'):
            self.rest_until = fill.at + self.ladder['exit'].get('cooldown_ms', 0)
        for slot in self.slots:
            if slot.order is not None and not slot.order.is_open():
                slot.order = None

    def cancelled(self, order):
        for slot in self.slots:
            if slot.order is order and order.left == order.amount:
                slot.order = None


class Quotes:
    """Quotes on both sides without an exit, around a fixed price: placed once, or again whenever nothing is held."""

    def __init__(self, bot, ladder, anchor):
        self.bot = bot
        self.is_again = ladder.get('rebase') == 'on_flat'
        self.slots = [Slot(rung) for rung in rungs_of(ladder, anchor, bot.venue.market)]

    def prepare(self):
        pass

    def exits(self):
        pass

    def waits(self):
        return any(slot.order is None for slot in self.slots)

    def entries(self):
        for slot in self.slots:
            if slot.order is None and not self.bot.is_passed(slot.rung.side, slot.rung.price):
                slot.order = self.bot.send(slot.rung.label, slot.rung.side, slot.rung.price, slot.rung.amount)

    def filled(self, fill):
        if self.is_again and self.bot.venue.position == 0:
            for slot in self.slots:
                if slot.order is not None and not slot.order.is_open():
                    slot.order = None


class Drawdown:
    """`risk.drawdown`: what may be lost since the best result, as a share of `max_notional`."""

    def __init__(self, bot):
        self.bot = bot
        plan = bot.case['drawdown']
        most = Fraction(bot.case['max_notional'])
        self.pause_at = percent(plan['pause']['at']) * most
        self.pause_for = plan['pause_ms']
        self.halt_at = percent(plan['halt']) * most
        self.start = bot.venue.equity()
        self.best = self.best_since_pause = Fraction(0)
        self.paused_until = None
        self.is_halted = False
        self.stops = []

    def result(self):
        """What the strategy has made, at the mid price."""
        venue = self.bot.venue
        return venue.money + venue.position * (venue.bid() + venue.ask()) / 2 - self.start

    def judge(self):
        """Says whether the strategy halts now."""
        now, result = self.bot.now, self.result()
        if self.paused_until is not None and now >= self.paused_until and now % 1000 == 0:
            self.paused_until = None
            self.best_since_pause = result
        self.best = max(self.best, result)
        self.best_since_pause = max(self.best_since_pause, result)
        if self.is_halted:
            return False
        if self.best - result >= self.halt_at:
            self.is_halted = True
            self.stops.append(('halted', now))
            return True
        if self.paused_until is None and self.best_since_pause - result >= self.pause_at:
            self.paused_until = now + self.pause_for
            self.stops.append(('paused', now))
        return False

    def levels(self):
        """The price, in units, at which a limit is reached: (level, whether the price has to rise to it)."""
        position, tick = self.bot.venue.position, self.bot.venue.market.tick
        if position == 0 or self.is_halted:
            return
        lost = [self.best - self.halt_at]
        if self.paused_until is None:
            lost.append(self.best_since_pause - self.pause_at)
        for result in lost:
            # mid = bid + tick / 2, and the bid is the price rounded half up
            bid = (result + self.start - self.bot.venue.money) / position - tick / 2
            half = int(tick * UNIT) // 2
            if position > 0:
                yield int(down(bid, tick) * UNIT) + half - 1, False
            else:
                yield int(up(bid, tick) * UNIT) - half, True

    def bars_entries(self):
        return self.is_halted or self.paused_until is not None


class Bot:
    def __init__(self, case, venue, schedule):
        self.case = case
        self.venue = venue
        self.schedule = schedule
        self.now = None
        plan = case['ladder'].get('exit')
        kind = Quotes if plan is None else Grid if 'mirror' in plan else Episodes
        self.ladder = kind(self, case['ladder'], case['anchor'])
        self.has_begun = False
        self.exits_out = False
        self.entries_out = False
        self.in_flight = None
        self.waiting = []
        self.unseen = []
        self.request = []
        self.drawdown = Drawdown(self) if 'drawdown' in case else None

    def send(self, label, side, price, amount, ioc=False):
        order = Order(label, side, price, amount, ioc)
        self.request.append(order)
        return order

    def priced(self, now):
        """The price has moved: exits that watch it act at once."""
        self.now = now
        if isinstance(self.ladder, Episodes):
            self.act(entries=False)

    def act(self, entries=True):
        """Decide exits unless some are out, and entries unless anything is out. One request is in flight at a time."""
        if not self.has_begun:
            return
        if self.drawdown and self.drawdown.judge():
            self.cancel_entries()
        if self.exits_out:
            self.ladder.prepare()
        else:
            self.request = []
            self.ladder.exits()
            if self.request and not self.venue.is_known(self.now):
                raise Undetermined('what is cancelled for an exit that waits until the price is known is not documented')
            if self.request:
                self.exits_out = True
                self.dispatch('exits', self.request)
        if self.drawdown and self.drawdown.bars_entries():
            return
        is_free = not self.in_flight or self.in_flight == 'read'
        if entries and is_free and not self.entries_out and all(kind == 'read' for kind, _ in self.waiting) and self.venue.is_known(self.now):
            self.request = []
            self.ladder.entries()
            # nearest_first: from the mid price of now; the bid is the price, the ask a tick above it
            mid = self.venue.price + self.venue.market.tick / 2
            self.request.sort(key=lambda order: abs(order.price - mid))
            if self.request:
                self.entries_out = True
                self.dispatch('entries', self.request)

    def cancel_entries(self):
        """Cancel the entries that rest, as far as the bot knows, in one request."""
        if self.entries_out:
            raise Undetermined('entries are on their way when all are to be cancelled: what becomes of them is not documented')
        orders = [slot.order for slot in self.ladder.slots if slot.order is not None and self.seems_open(slot.order)]
        orders = [order for order in orders if not order.is_cancelled]
        for order in orders:
            order.is_cancelled = True
        if orders:
            self.dispatch('cancels', orders)

    def seems_open(self, order):
        """Fills of the price of now have not reached the bot while it judges this price."""
        return order.is_open() or order in self.unseen

    def dispatch(self, kind, orders):
        self.waiting.append((kind, orders))
        self.send_next()

    def send_next(self):
        if not self.in_flight and self.waiting:
            self.in_flight = self.waiting[0][0]
            self.schedule(self.now + self.case['latency'], self.waiting.pop(0))

    def answered(self, now, kind, fills):
        self.now = now
        self.in_flight = None
        if kind == 'exits':
            self.exits_out = False
        elif kind == 'entries':
            self.entries_out = False
        elif kind == 'cancels':
            # An order may have filled before it was cancelled: the bot reads the order history.
            self.waiting.append(('read', []))
        self.send_next()
        for fill in fills:
            self.ladder.filled(fill)
        self.act()

    def levels(self):
        """The prices, in units, at which an exit that watches the price acts."""
        if self.drawdown:
            yield from self.drawdown.levels()
        if isinstance(self.ladder, Episodes) and self.ladder.held() and not self.exits_out and self.has_begun:
            yield from self.ladder.levels()

    def is_passed(self, side, price):
        """With two sides, a rung that the market is known to have passed waits."""
        if self.case['ladder']['side'] != 'both':
            return False
        if side == 'buy':
            return price >= self.venue.ask()
        return price <= self.venue.bid()

    def second(self, now):
        """A whole second. Says whether the levels to watch may be others now."""
        self.now = now
        self.has_begun = self.has_begun or self.venue.price is not None
        before = self.waits_for()
        self.act()
        return before != self.waits_for()

    def waits_for(self):
        return self.exits_out, self.entries_out, self.drawdown and self.drawdown.paused_until

    def waits(self):
        watches = self.drawdown and not self.drawdown.is_halted and (self.venue.position != 0 or self.drawdown.paused_until)
        return not self.has_begun or bool(watches) or self.ladder.waits()

    def see_price(self, fills):
        """A price reaches the bot before the fills of this price: it acts on it with what it held before them.

        At a whole second, it places entries in between, too.
        """
        venue = self.venue
        self.unseen = [fill.order for fill in fills]
        now = venue.money, venue.position, venue.entry
        venue.money, (venue.position, venue.entry) = venue.money_before, venue.before
        if self.drawdown and self.drawdown.judge():
            self.cancel_entries()
        self.priced(self.now)
        if self.now % 1000 == 0:
            self.act()
        venue.money, venue.position, venue.entry = now
        self.unseen = []

    def event(self, now, fills):
        self.now = now
        if fills and self.has_begun:
            self.see_price(fills)
        elif self.drawdown and self.drawdown.judge():
            self.cancel_entries()
        for fill in fills:
            self.ladder.filled(fill)
        if fills:
            self.act()
