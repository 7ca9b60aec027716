"""Prices and amounts of rungs, by "Prices and sizes of rungs" of docs/strategy-reference.md."""

from decimal import Decimal, getcontext
from fractions import Fraction

from venue import down, up

getcontext().prec = 60


class Rung:
    def __init__(self, label, side, price, amount):
        self.label = label
        self.side = side
        self.price = price
        self.amount = amount


def number(text):
    return Fraction(text)


def percent(text):
    """`1.5%` as a share."""
    return Fraction(text.removesuffix('%')) / 100


def range_lines(spacing, count):
    low, high = number(spacing['from']), number(spacing['to'])
    if spacing.get('by', 'price') == 'price':
        return [low + (high - low) * i / (count - 1) for i in range(count)]
    ratio = Decimal(high.numerator) / Decimal(high.denominator) / (Decimal(low.numerator) / Decimal(low.denominator))
    lines = []
    for i in range(count):
        power = (ratio.ln() * i / (count - 1)).exp()
        lines.append(low * Fraction(power) if 0 < i < count - 1 else (low if i == 0 else high))
    return lines


def distances(spacing, count, anchor, direction):
    """Unrounded prices of one side, from the anchor outwards. `direction` is -1 below the anchor, 1 above."""
    kind = spacing['kind']
    if kind == 'arithmetic':
        first, step = percent(spacing['first']), percent(spacing['step'])
        return [anchor * (1 + direction * (first + step * i)) for i in range(count)]
    if kind == 'volatility':
        unit, first, step = (number(spacing[key]) for key in ('unit', 'first', 'step'))
        return [anchor + direction * unit * (first + step * i) for i in range(count)]
    if kind == 'offsets':
        return [anchor * (1 + direction * percent(share)) for share in spacing['at']]
    if kind == 'geometric':
        gap, grow = percent(spacing['step']), number(spacing.get('grow', '1'))
        price = anchor * (1 + direction * percent(spacing['first']))
        prices = [price]
        for _ in range(count - 1):
            price = price * (1 + direction * gap)
            gap *= grow
            prices.append(price)
        return prices
    raise ValueError(kind)


def weights(shape, count):
    """The share of each rung, from the anchor outwards, before they are made to add up."""
    if shape == 'flat':
        return [Fraction(1)] * count
    if shape == 'fibonacci':
        numbers = [Fraction(1), Fraction(1)]
        while len(numbers) < count:
            numbers.append(numbers[-1] + numbers[-2])
        return numbers[:count]
    (kind, value), = shape.items()
    if kind == 'linear':
        first, last = number(value[0]), number(value[1])
        return [first + (last - first) * i / (count - 1) if count > 1 else first for i in range(count)]
    if kind == 'geometric':
        return [number(value) ** i for i in range(count)]
    if kind == 'list':
        return [number(v) for v in value]
    raise ValueError(kind)


def sides(ladder, anchor):
    """Unrounded prices of the buys and of the sells, each from the anchor outwards."""
    spacing, count = ladder['spacing'], ladder['levels']
    if spacing['kind'] == 'range':
        lines = range_lines(spacing, count)
        buys = [line for line in reversed(lines) if line < anchor]
        sells = [line for line in lines if line > anchor]
    else:
        buys = distances(spacing, count, anchor, -1)
        sells = distances(spacing, count, anchor, 1)
    return (buys if ladder['side'] != 'sell' else []), (sells if ladder['side'] != 'buy' else [])


def rungs_of(ladder, anchor, market):
    """The rungs of a ladder: buys are rounded down to the tick, sells up, amounts down to the lot."""
    buys, sells = sides(ladder, anchor)
    size = ladder['size']
    shape = size.get('shape', 'flat')
    by_side = [('buy', buys), ('sell', sells)]
    weighted = []
    for side, prices in by_side:
        letter = '' if ladder['side'] != 'both' else side[0]
        for i, (price, weight) in enumerate(zip(prices, weights(shape, len(prices)))):
            rounded = down(price, market.tick) if side == 'buy' else up(price, market.tick)
            weighted.append((f'{letter}{i + 1}', side, rounded, weight))
    value, unit = (size.get('total') or size['first']).split(' ')
    value = number(value)
    unit_share = value / sum(w for *_, w in weighted) if 'total' in size else value / weighted[0][3]
    rungs = []
    for label, side, price, weight in weighted:
        share = unit_share * weight
        amount = down(share / price if unit == 'quote' else share, market.lot)
        rungs.append(Rung(label, side, price, amount))
    return rungs


def one_sided_mirror(ladder, anchor, rung_index, side, market):
    """Beyond the anchor the lines of a ladder with one side lie as far from it as the rungs."""
    prices = [rung.price for rung in rungs_of(ladder, anchor, market)]
    beyond = ladder['exit']['mirror'] - rung_index - 1
    if beyond < 0:
        return prices[-beyond - 1]
    if beyond > 0:
        return 2 * anchor - prices[beyond - 1]
    return down(anchor, market.tick) if anchor < prices[0] else up(anchor, market.tick)


def mirror_price(ladder, anchor, rung_index, side, market):
    """So many lines beyond the rung, on the other side of it. The anchor is a line, too."""
    away = ladder['exit']['mirror']
    if ladder['side'] != 'both':
        return one_sided_mirror(ladder, anchor, rung_index, side, market)
    spacing = ladder['spacing']
    if spacing['kind'] == 'range':
        lines = range_lines(spacing, ladder['levels'])
    else:
        lines = [p for way in (-1, 1) for p in distances(spacing, ladder['levels'], anchor, way)]
    lines = sorted({*lines, anchor})
    below = [line for line in reversed(lines) if line < anchor]
    above = [line for line in lines if line > anchor]
    own = (below if side == 'buy' else above)[rung_index]
    at = lines.index(own) + (away if side == 'buy' else -away)
    line = lines[at]
    return down(line, market.tick) if line < anchor else up(line, market.tick)
