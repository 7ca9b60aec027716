"""Run one case: the file of the market, the venue and the bot, from one moment that matters to the next."""

import heapq
from fractions import Fraction
from itertools import count

from bot import Bot
from market import pieces
from venue import MARKETS, Market, Venue

PIECE, LOOK, ARRIVAL, SECOND = 0, 1, 2, 3


class Run:
    def __init__(self, case):
        market = Market(case['market'], *MARKETS[case['market']])
        if case.get('fees'):
            market.maker, market.taker = (Fraction(f.removesuffix('%')) / 100 for f in case['fees'].split(','))
        self.venue = Venue(market, case.get('fill', 'through'), case.get('balance', '50000'))
        self.queue = []
        self.numbers = count()
        self.bot = Bot(case, self.venue, lambda at, request: self.push(at, ARRIVAL, request))
        self.pieces, self.end = pieces(case)
        self.line = None
        self.begin = self.pieces[0].start
        for piece, following in zip(self.pieces, [*self.pieces[1:], None]):
            # Where bars are missing, nothing confirms the last price.
            has_gap = 'bars' in case and following is not None and following.start > piece.end + 1
            piece.known_to = piece.end + 60_000 if has_gap else None
            self.push(piece.start, PIECE, piece)
        self.push(self.end, SECOND, None)
        self.moment = None  # cached by next_on_line
        self.has_second = False
        self.plan_second(self.begin)

    def push(self, at, phase, what):
        heapq.heappush(self.queue, (at, phase, next(self.numbers), what))

    def play(self):
        now = self.begin
        while True:
            at, phase, _, what = self.queue[0]
            if self.moment is None:
                self.moment = self.next_on_line(now) or self.end
            reached = self.moment
            if reached < self.end and reached <= at:
                now, self.moment = reached, None
                self.on_market(now, is_first=now == self.line.start + 1)
                self.plan_second(now)
                continue
            if at >= self.end:
                break
            heapq.heappop(self.queue)
            now = at
            self.on_event(at, phase, what)
            self.plan_second(now)
        self.move(self.end - 1)
        self.venue.mark()
        return self.venue

    def plan_second(self, now):
        """A whole second matters only while the bot waits for something."""
        if not self.has_second and self.bot.waits():
            self.has_second = True
            self.push(now // 1000 * 1000 + 1000, SECOND, None)

    def move(self, at):
        if self.line is not None:
            self.venue.price = self.line.price_at(min(at, self.line.end))

    def next_on_line(self, now):
        """The next millisecond of the line in which an order fills or an exit is due, or the line ends."""
        line = self.line
        if line is None or now >= line.end:
            return None
        moments = [line.end]
        if now < line.start + 1:
            moments.append(line.start + 1)
        for level, rises in [*self.venue.levels(), *self.bot.levels()]:
            at = line.first_at(level, rises)
            if at is not None and at > now:
                moments.append(at)
        return min(moments)

    def on_market(self, at, is_first=False):
        self.move(at)
        self.venue.mark()
        is_exact = self.line is None or at == self.line.end
        fills = self.venue.match(at, is_exact, is_first)
        self.bot.event(at, fills)
        self.bot.priced(at)

    def on_event(self, at, phase, what):
        self.moment = None if phase != SECOND else self.moment
        if phase == PIECE:
            self.venue.volume = what.volume
            self.venue.known_to = what.known_to
            if what.is_line():
                self.line = what
            else:
                self.line = None
                self.venue.price = what.price_at(at)
                self.on_market(at)
            return
        if phase == LOOK:
            self.on_market(at)
            return
        self.move(at)
        if phase == ARRIVAL:
            kind, orders = what
            if kind == 'cancels':
                for order in orders:
                    if self.venue.cancel(order) and hasattr(self.bot.ladder, 'cancelled'):
                        self.bot.ladder.cancelled(order)
                orders = []
            fills = [fill for order in orders for fill in self.venue.arrive(at, order)]
            if self.line is not None and at < self.line.end:
                # The price may be beyond an order that has just arrived: it fills from the next millisecond on.
                self.push(at + 1, LOOK, None)
            self.bot.answered(at, kind, fills)
        elif phase == SECOND:
            self.has_second = False
            if self.bot.second(at):
                self.moment = None
            return


def simulate(case):
    run = Run(case)
    venue = run.play()
    venue.stops = run.bot.drawdown.stops if run.bot.drawdown else []
    return venue
