"""What the price does: trades that jump, and bars, which are a jump to the open and three straight lines."""

from fractions import Fraction
from math import floor

UNIT = 10**9


def units(text):
    return int(Fraction(text) * UNIT)


class Piece:
    """A jump (`start == end`) or a line of the price, with the volume that trades on it (None: no limit)."""

    def __init__(self, start, end, a, b, volume):
        self.start = start
        self.end = end
        self.a = a
        self.b = b
        self.volume = volume

    def is_line(self):
        return self.end > self.start

    def units_at(self, at):
        if not self.is_line():
            return self.b
        moved = abs(self.b - self.a) * (at - self.start) // (self.end - self.start)
        return self.a + moved if self.b >= self.a else self.a - moved

    def price_at(self, at):
        return Fraction(self.units_at(at), UNIT)

    def first_at(self, level, rises):
        """The first millisecond of the line, after its beginning, with a price of at least (at most) `level`, or None."""
        first = self.start + 1
        price = self.units_at(first)
        if (price >= level) if rises else (price <= level):
            return first
        if (self.b < level) if rises else (self.b > level):
            return None
        way, length = abs(level - self.a), self.end - self.start
        return self.start + -(-way * length // abs(self.b - self.a))


def pieces(case):
    """The pieces of a market file in the order of time, and the moment after the last one."""
    if 'bars' not in case:
        found = [Piece(at, at, units(price), units(price), None if volume is None else Fraction(volume))
                 for at, price, volume in case['points']]
        return found, found[-1].end + 1
    found, length = [], case['bar']
    quarter = length // 4
    for at, *prices, volume in case['bars']:
        opened, high, low, close = map(units, prices)
        near, far = (high, low) if high - opened < opened - low else (low, high)
        part = rest = None
        if volume is not None:
            part = Fraction(floor(units(volume) / Fraction(4)), UNIT)
            rest = Fraction(volume) - 3 * part
        found.append(Piece(at, at, opened, opened, part))
        found.append(Piece(at, at + quarter, opened, near, part))
        found.append(Piece(at + quarter, at + length - quarter, near, far, part))
        found.append(Piece(at + length - quarter, at + length - 1, far, close, rest))
    return found, found[-1].end + 1
