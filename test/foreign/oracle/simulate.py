"""Run one case: the file of the market, the venue and the bot, from one moment that matters to the next."""

import heapq
from fractions import Fraction
from itertools import count

from bot import Bot
from venue import MARKETS, Market, Venue

MINUTE, TRADE, ARRIVAL, SECOND = 0, 1, 2, 3


def simulate(case):
    market = Market(case['market'], *MARKETS[case['market']])
    if case.get('fees'):
        market.maker, market.taker = (Fraction(f.removesuffix('%')) / 100 for f in case['fees'].split(','))
    venue = Venue(market, case.get('fill', 'through'), case.get('balance', '50000'))
    queue, numbers = [], count()

    def push(at, phase, what):
        heapq.heappush(queue, (at, phase, next(numbers), what))

    bot = Bot(case, venue, lambda at, request: push(at, ARRIVAL, request))
    points = case['points']
    for at, price, volume in points:
        push(at, TRADE, (Fraction(price), None if volume is None else Fraction(volume)))
    first, end = points[0][0], points[-1][0] + 1
    for at in range(first // 1000 * 1000 + 1000, end, 1000):
        push(at, SECOND, None)
    for at in range(first // 60_000 * 60_000 + 60_000, end, 60_000):
        push(at, MINUTE, None)
    while queue:
        at, phase, _, what = heapq.heappop(queue)
        if at >= end:
            break
        before = len(venue.fills)
        if phase == TRADE:
            bot.event(at, venue.trade(at, *what))
            bot.priced(at)
        elif phase == ARRIVAL:
            kind, orders = what
            bot.answered(at, kind, [fill for order in orders for fill in venue.arrive(at, order)])
        elif phase == SECOND:
            bot.second(at)
        if phase == MINUTE or len(venue.fills) > before:
            venue.mark()
    venue.mark()
    return venue
