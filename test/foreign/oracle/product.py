"""The same case by the product: a strategy file, a market file, and `rungs backtest --json`."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def value(what):
    """A value in the flow style of YAML."""
    if isinstance(what, dict):
        return '{ ' + ', '.join(f'{k}: {value(v)}' for k, v in what.items()) + ' }'
    if isinstance(what, list):
        return '[' + ', '.join(value(v) for v in what) + ']'
    if isinstance(what, bool):
        return 'true' if what else 'false'
    return str(what)


def strategy(case):
    ladder = dict(case['ladder'])
    if 'exit' in ladder:
        ladder['exit'] = {k: v for k, v in ladder['exit'].items() if not k.endswith('_ms')}
    drawdown = {k: v for k, v in case.get('drawdown', {'pause': '98%', 'halt': '99%'}).items() if not k.endswith('_ms')}
    lines = [
        'version: 1', 'name: o', f'needs: {value(case.get("needs", ["bulk", "history", "balance"]))}',
        'markets:', f'  m: {{ symbol: {case["market"]} }}',
        f'feeds: {value(case.get("feeds", {}))}' if case.get('feeds') else 'feeds: {}',
        'ladder:', '  l:', '    market: m', f'    anchor: {case["anchor_text"]}',
        *(f'    {key}: {value(what)}' for key, what in ladder.items()),
        'rules:', '  - id: place', f'    when: {case.get("when", "1 < 2")}', '    do: [ensure: l]',
        'risk:', f'  max_notional: {{ total: {case.get("max_notional", 100000000)} }}', '  max_open_orders: 1000',
        '  worst_case: { move: -90%, max_loss: 100000000 }',
        f'  drawdown: {value(drawdown)}',
        '  in_doubt: { block: level, halt_after: 60s }',
        'submit:', '  chunk: 20', '  order: nearest_first', '  stopOnFail: false', '  on_reject: skip_level',
        '  throttled: { max: 5, backoff: 250ms..8s }', '  rate: { requests: 500, per: 1s }',
    ]
    return '\n'.join(lines) + '\n'


def market_file(case):
    rows = [f'# market: {case["market"]}']
    if 'bars' in case:
        width = 6 if case['bars'][0][5] is not None else 5
        rows.append(','.join(['timestamp', 'open', 'high', 'low', 'close', 'volume'][:width]))
        rows += [','.join([str(at // 1000), *row[: width - 1]]) for at, *row in case['bars']]
        return '\n'.join(rows) + '\n'
    has_volume = case['points'][0][2] is not None
    rows.append('timestamp,price,amount' if has_volume else 'timestamp,price')
    rows += [','.join(map(str, p if has_volume else p[:2])) for p in case['points']]
    return '\n'.join(rows) + '\n'


def backtest(case, folder=None):
    with tempfile.TemporaryDirectory(prefix='rungs-oracle-') as temporary:
        where = Path(folder or temporary)
        where.mkdir(parents=True, exist_ok=True)
        (where / 'strategy.yaml').write_text(strategy(case))
        (where / 'market.csv').write_text(market_file(case))
        words = ['node', str(ROOT / 'src/rungs.mjs'), 'backtest', str(where / 'strategy.yaml'),
                 '--market', str(where / 'market.csv'), '--json', '--latency', f'{case["latency"]}ms',
                 '--fill', case.get('fill', 'through'), '--balance', case.get('balance', '50000')]
        if case.get('fees'):
            words += [f'--fees={case["fees"]}']
        run = subprocess.run(words, capture_output=True, text=True, env={**os.environ, 'NO_COLOR': '1'})
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode != 0:
        raise RuntimeError(f'{run.stderr.strip()} {run.stdout.strip()[:2000]}')
    return lines[:-1], lines[-1]
