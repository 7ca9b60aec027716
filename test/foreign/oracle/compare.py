"""Hold the product against the simulation, case by case.

    python3 test/foreign/oracle/compare.py --seed 7 --cases 10 [--kind grid] [--keep FOLDER]
"""

import argparse
import json
import sys
from decimal import Decimal
from fractions import Fraction

from generate import KINDS, generate
from product import backtest, strategy


def decimal(value):
    """A Fraction as decimal text, as far as it ends."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return format(number.normalize(), 'f')


def expected(venue):
    lines = []
    for f in venue.fills:
        o = f.order
        # Which of its numbers a part of a mirror takes is not documented.
        lines.append((f.at, o.rung.split('-')[0], o.side, decimal(f.price), decimal(f.amount), decimal(f.fee), f.maker))
    return lines


def seen(fills):
    return [
        (f['at'], f['level'].split('-')[0], f['side'], f['price'], f['amount'], f['fee'], f['maker'])
        for f in fills
    ]


def differences(case, folder=None, show=0):
    """What differs, in words; nothing if all agrees. And how many fills there were."""
    venue = case['venue']
    fills, result = backtest(case, folder)
    ours, theirs = expected(venue), seen(fills)
    words = []
    for index in range(max(len(ours), len(theirs))):
        left = ours[index] if index < len(ours) else None
        right = theirs[index] if index < len(theirs) else None
        if left != right:
            words.append(f'fill {index}: simulation {left}\n          product    {right}')
            if show:
                words += [f'  both {line}' for line in ours[max(0, index - show) : index]]
                words += [f'  ours {line}' for line in ours[index : index + show]]
                words += [f'  product {line}' for line in theirs[index : index + show]]
                until = max(line[0] for line in (left, right) if line)
                words += [f'  point {p}' for p in case.get('points', case.get('bars', [])) if p[0] <= until + 1000][-show:]
                words.append(f'  {strategy(case)} latency {case["latency"]} fill {case["fill"]}')
            break
    else:
        for f, told in zip(venue.fills, fills):
            if abs(f.profit - Fraction(told['profit'])) > Fraction(1, 10**8):
                words.append(f'profit at {f.at}: simulation {float(f.profit)}, product {told["profit"]}')
        for name, number in (('endEquity', venue.equity()), ('fees', venue.fees)):
            if decimal(number) != result[name]:
                words.append(f'{name}: simulation {decimal(number)}, product {result[name]}')
        for kind in ('halted', 'paused'):
            moments = [at for what, at in venue.stops if what == kind]
            told = [(stop['times'], stop['first'], stop['last']) for stop in result['stops'] if stop['kind'] == kind]
            if told != ([(len(moments), moments[0], moments[-1])] if moments else []):
                words.append(f'{kind}: simulation {moments}, product {told}')
        if -(-venue.drawdown * 10**8 // 1) / Fraction(10**8) != Fraction(result['maxDrawdown']):
            words.append(f'maxDrawdown: simulation {decimal(venue.drawdown)}, product {result["maxDrawdown"]}')
    return words, len(theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--cases', type=int, default=10)
    parser.add_argument('--kind', choices=list(KINDS), default=None)
    parser.add_argument('--first', type=int, default=0, help='number of the first case')
    parser.add_argument('--keep', help='folder for the files of the last case')
    parser.add_argument('--show', type=int, default=0, help='how many fills to show around a difference')
    words = parser.parse_args()
    failed = 0
    for index in range(words.first, words.first + words.cases):
        case = generate(words.seed, index, words.kind)
        try:
            wrong, fills = differences(case, words.keep, words.show)
        except RuntimeError as error:
            wrong, fills = [str(error)], 0
        failed += bool(wrong)
        print(json.dumps({'seed': words.seed, 'case': index, 'kind': case['kind'], 'fills': fills, 'agrees': not wrong}), flush=True)
        for line in wrong:
            print('  ' + line, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
