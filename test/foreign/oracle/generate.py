"""Random cases. A case is plain data; the same seed and number give the same case."""

import random
from decimal import Decimal
from fractions import Fraction

from bot import Undetermined
from simulate import simulate
from venue import MARKETS, Reported

START = 1767571200000


def decimal_text(value, digits):
    return format(Decimal(value).quantize(Decimal(1).scaleb(-digits)).normalize(), 'f')


def walk(rng, market, centre, count, swing, volumes):
    """Trades that wander around the centre: most steps small, some gaps in time, some jumps in price."""
    tick = Decimal(MARKETS[market][0])
    digits = -tick.as_tuple().exponent
    at = START + rng.choice([0, 300, 999, 1000])
    price = centre
    points = []
    for _ in range(count):
        volume = None
        if volumes == 'wide':
            volume = str(rng.randint(1000, 2000))
        elif volumes == 'tight':
            unit = max(float(MARKETS[market][2]), 20 / price)
            volume = decimal_text(Decimal(rng.uniform(0.2, 12) * unit), 8)
        points.append((at, decimal_text(Decimal(price), digits), volume))
        at += rng.choice([1, 7, 20, 49, 50, 51, 120, 400, 1000, 1001, 3000, 20000])
        if rng.random() < 0.01:
            at += rng.randint(60_000, 400_000)
        move = rng.gauss(0, swing) * (8 if rng.random() < 0.03 else 1)
        price = price * (1 + move) + (centre - price) * 0.02
    return points


def bars(rng, market, centre, swing, volumes):
    """Bars of one of three lengths, with a gap now and then."""
    length, count = rng.choice([(60_000, 400), (900_000, 80), (3_600_000, 30)])
    digits = -Decimal(MARKETS[market][0]).as_tuple().exponent
    at, price, found = START, centre, []
    for _ in range(rng.randint(count // 2, count)):
        opened = price * (1 + rng.gauss(0, swing / 4))
        path = [opened, *(opened * (1 + rng.gauss(0, swing)) for _ in range(3))]
        texts = [decimal_text(Decimal(p), digits) for p in (opened, max(path), min(path), path[-1])]
        volume = None
        if volumes == 'wide':
            volume = str(rng.randint(4000, 8000))
        elif volumes == 'tight':
            unit = max(float(MARKETS[market][2]), 20 / price)
            volume = decimal_text(Decimal(rng.uniform(1, 50) * unit), 8)
        found.append((at, *texts, volume))
        at += length * (rng.randint(2, 8) if rng.random() < 0.03 else 1)
        price = path[-1] + (centre - path[-1]) * 0.1
    return {'bars': found, 'bar': length}


def on_bars(make, volumes=('none', 'wide')):
    """The same kind of case on a file of bars."""

    def made(rng):
        case = make(rng)
        market = case['market']
        centre = {'B': 60000, 'E': 2500, 'S': 150}[market[0]]
        del case['points']
        return {**case, 'kind': f'{case["kind"]} on bars', **bars(rng, market, centre, rng.uniform(0.003, 0.012), rng.choice(volumes))}

    return made


def share(rng, low, high, digits=3):
    return decimal_text(Decimal(rng.uniform(low, high)), digits)


def options(rng):
    return {
        'latency': rng.choice([1, 20, 50, 50, 50, 130, 700]),
        'fill': rng.choice(['through', 'through', 'touch', 'queue']),
        'fees': rng.choice([None, '0.02%,0.055%', '-0.01%,0.05%', '0%,0.1%']),
        'balance': rng.choice(['50000', '1000000', '123456.789']),
    }


def without_queue(case):
    """A queue needs volumes: what it does without them is not documented."""
    if (case['bars'][0] if 'bars' in case else case['points'][0])[-1] is None and case['fill'] == 'queue':
        case['fill'] = 'touch'
    return case


def partial(rng):
    """A static grid whose rungs and mirrors fill in parts."""
    return {**grid(rng, 'tight'), 'kind': 'partial'}


def grid(rng, volumes=None):
    """A static grid with mirrors."""
    market = rng.choice(['BTC_PERP', 'ETH_USDT', 'BTC_USDT', 'ETH_PERP', 'SOL_USDT'])
    centre = {'B': 60000, 'E': 2500, 'S': 150}[market[0]]
    digits = -Decimal(MARKETS[market][0]).as_tuple().exponent
    width = rng.uniform(0.004, 0.03)
    step = width / rng.randint(2, 5)
    anchor = decimal_text(Decimal(centre * rng.uniform(0.998, 1.002)), digits)
    kind = rng.choice(['range', 'range', 'arithmetic', 'geometric'])
    levels = rng.randint(2, 5)
    if kind == 'range':
        levels = rng.randint(4, 9)
        low, high = centre * (1 - width), centre * (1 + width)
        spacing = {'kind': 'range', 'from': decimal_text(Decimal(low), digits), 'to': decimal_text(Decimal(high), digits)}
        if rng.random() < 0.4:
            spacing['by'] = 'ratio'
    else:
        spacing = {'kind': kind, 'first': share(rng, step * 60, step * 140) + '%', 'step': share(rng, step * 60, step * 140) + '%'}
        if kind == 'geometric' and rng.random() < 0.6:
            spacing['grow'] = share(rng, 1, 1.4, 2)
    mirror = rng.choice([1, 1, 2]) if levels > 2 else 1
    shape = rng.choice(['flat', 'flat', 'fibonacci', {'linear': ['1', '2.5']}, {'geometric': '1.3'}])
    size = {'total': f'{rng.randint(2000, 20000)} quote', 'shape': shape}
    return {
        'kind': 'grid', 'market': market, 'anchor': Fraction(anchor), 'anchor_text': anchor,
        'ladder': {'side': rng.choice(['both', 'both', 'buy', 'sell']), 'levels': levels, 'spacing': spacing, 'size': size, 'exit': {'mirror': mirror}},
        'points': walk(rng, market, centre, rng.randint(100, 300 if volumes == 'tight' else 1500), width / rng.choice([3, 6, 12]), volumes or rng.choice(['none', 'wide'])),
        **options(rng),
    }


def halt(rng):
    """A grid that pauses and halts by its drawdown."""
    case = grid(rng)
    seconds = rng.choice([20, 120, 600, 3600])
    at = rng.uniform(0.05, 0.6)
    plan = {'pause': {'at': decimal_text(Decimal(at), 3) + '%', 'for': f'{seconds}s'}, 'pause_ms': seconds * 1000,
            'halt': decimal_text(Decimal(at * rng.uniform(1.1, 4)), 3) + '%'}
    return {**case, 'kind': 'halt', 'drawdown': plan, 'max_notional': rng.choice([30000, 60000])}


def quotes(rng):
    """Market making around a fixed price, the same amount on each level."""
    case = grid(rng)
    centre = {'B': 60000, 'E': 2500, 'S': 150}[case['market'][0]]
    ladder = {**case['ladder'], 'side': 'both', 'size': {'total': f'{share(rng, 3000 / centre, 20000 / centre)} base'}, 'rebase': rng.choice(['on_flat', 'on_flat', 'never'])}
    del ladder['exit']
    return {**case, 'kind': 'quotes', 'ladder': ladder}


def dca(rng):
    """Averaging down (or up, with sales), and one exit for all of it."""
    market = rng.choice(['BTC_PERP', 'ETH_PERP', 'SOL_PERP', 'BTC_USDT'])
    centre = {'B': 60000, 'E': 2500, 'S': 150}[market[0]]
    digits = -Decimal(MARKETS[market][0]).as_tuple().exponent
    width = rng.uniform(0.004, 0.03)
    levels = rng.choice([1, 1, 2, 3, 5])
    step = width / levels
    side = rng.choice(['buy', 'buy', 'sell'])
    anchor = decimal_text(Decimal(centre * rng.uniform(0.998, 1.002)), digits)
    kind = rng.choice(['arithmetic', 'geometric', 'offsets'])
    if kind == 'offsets':
        at = sorted(rng.uniform(0.1, width * 100) for _ in range(levels))
        spacing = {'kind': kind, 'at': [decimal_text(Decimal(v + i * 0.02), 3) + '%' for i, v in enumerate(at)]}
    else:
        spacing = {'kind': kind, 'first': share(rng, step * 20, step * 140) + '%', 'step': share(rng, step * 60, step * 140) + '%'}
    shape = rng.choice(['flat', 'fibonacci', {'linear': ['1', '2.5']}, {'geometric': '1.3'}])
    exit = {'tp': {'pct': share(rng, step * 30, step * 200) + '%'}}
    if rng.random() < 0.4:
        exit['stop'] = {'pct': share(rng, width * 40, width * 150) + '%'}
    if rng.random() < 0.25:
        seconds = rng.choice([7, 45, 300])
        exit['max_age'], exit['max_age_ms'] = f'{seconds}s', seconds * 1000
    if rng.random() < 0.4 and ('stop' in exit or 'max_age' in exit):
        seconds = rng.choice([10, 60, 90])
        exit['cooldown'], exit['cooldown_ms'] = f'{seconds}s', seconds * 1000
    size = {'total': f'{rng.randint(2000, 20000)} quote', 'shape': shape}
    return {
        'kind': 'dca', 'market': market, 'anchor': Fraction(anchor), 'anchor_text': anchor,
        'ladder': {'side': side, 'levels': levels, 'spacing': spacing, 'size': size, 'exit': exit},
        'points': walk(rng, market, centre, rng.randint(100, 1500), width / rng.choice([3, 6, 12]), rng.choice(['none', 'wide'])),
        **options(rng),
    }


def trail(rng):
    """A rung or two that leave by a trailing exit or a stop."""
    market = rng.choice(['BTC_PERP', 'ETH_PERP', 'SOL_PERP'])
    centre = {'B': 60000, 'E': 2500, 'S': 150}[market[0]]
    width = rng.uniform(0.004, 0.03)
    unit = centre * width / 4
    anchor = decimal_text(Decimal(centre), 0)
    exit = {'trail': {'activate': share(rng, 0.2, 2, 2) + ' x unit', 'retrace': share(rng, 0.1, 1, 2) + ' x unit'}}
    if rng.random() < 0.6:
        exit['stop'] = {'pct': share(rng, width * 30, width * 150) + '%'}
    if rng.random() < 0.5:
        seconds = rng.choice([10, 60, 90])
        exit['cooldown'], exit['cooldown_ms'] = f'{seconds}s', seconds * 1000
    spacing = {'kind': 'volatility', 'unit': decimal_text(Decimal(unit), 1), 'first': share(rng, 0, 1, 2), 'step': '0.5'}
    size = {'total': f'{rng.randint(2000, 20000)} quote'}
    return {
        'kind': 'trail', 'market': market, 'anchor': Fraction(anchor), 'anchor_text': anchor,
        'ladder': {'side': rng.choice(['buy', 'sell']), 'levels': rng.choice([1, 1, 2]), 'spacing': spacing, 'size': size, 'exit': exit},
        'points': walk(rng, market, centre, rng.randint(100, 1500), width / rng.choice([3, 6, 12]), rng.choice(['none', 'wide'])),
        **options(rng),
    }


KINDS = {'grid': grid, 'partial': partial, 'dca': dca, 'trail': trail, 'halt': halt, 'quotes': quotes,
         'grid on bars': on_bars(grid), 'partial on bars': on_bars(partial, ['tight']), 'dca on bars': on_bars(dca), 'trail on bars': on_bars(trail), 'halt on bars': on_bars(halt),
         'quotes on bars': on_bars(quotes)}


def generate(seed, index, kind=None):
    """The first draw of this seed and number that the documents determine."""
    name = kind or list(KINDS)[index % len(KINDS)]
    for draw in range(1000):
        case = without_queue(KINDS[name](random.Random(f'{seed}/{index}/{draw}')))
        try:
            case['venue'] = simulate(case)
        except (Undetermined, Reported):
            continue
        if case['venue'].fills:
            return case
    raise RuntimeError(f'no case of {name} for {seed}/{index}')
