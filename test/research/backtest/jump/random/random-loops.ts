import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { randomInput } from './random-strategy.ts'

const conditions = [
  '',
  'last(q_$x) > open(q_$x)',
  'last(q_$x) >= sma(q_$x, 3)',
  'spread(k_$x) < 0.0005',
  'volume(q_$x) > 30',
  'position($x) > -1e9 && rsi(q_$x, 3) < 60',
  'time_between(clock, "00:02", "23:58")',
  'equity(account) > 300',
]
const ranks = [
  '',
  'last(q_$x) / open(q_$x)',
  '-(last(q_$x) / open(q_$x))',
  'atr(q_$x, 3) / last(q_$x)',
  'prev(volume(q_$x), 2)',
  'spread(k_$x)',
  'mid(k_$x) / last(q_$x)',
]

/** A random strategy in two markets of a loop that chooses among them. */
export function loopedInput(seed: number): BacktestInput {
  const chance = chanceOf(seed)
  for (let attempt = 0; attempt < 200; attempt++) {
    const input = randomInput(seed * 256 + attempt)
    const [file] = input.strategies
    const text = file && withLoop(file.text, chance)
    if (!file || text === undefined || Array.isArray(readStrategyText(text))) continue
    return { ...input, strategies: [{ ...file, text }] }
  }
  throw new RangeError(`seed ${seed} gives no strategy with a loop`)
}

/** The same file with its markets in a loop; undefined if it has only one market. */
function withLoop(text: string, { oneOf, percent }: Chance): string | undefined {
  const [whole = '', listed = ''] = /^markets:\n((?: .*\n)+)/m.exec(text) ?? []
  const markets = listed.trimEnd().split('\n')
  if (markets.length < 2) return undefined
  const [when, rank] = [oneOf(conditions), oneOf(ranks)]
  const isLimited = rank !== '' || when === '' || percent(70)
  const keys = [
    ...(isLimited ? ['active: 1'] : []),
    ...(when === '' ? [] : [`when: '${when}'`]),
    ...(rank === '' ? [] : [`rank: '${rank}'`]),
  ]
  const list = markets.map((line) => `      - { ${line.trim()} }`)
  const reads = (name: string) => `${when} ${rank}`.includes(name)
  const feeds = [
    ...(reads('q_') ? [`  q_$x: { source: candles, market: $x, interval: ${oneOf(['1m', '3m'])} }`] : []),
    ...(reads('k_') ? ['  k_$x: { source: book, market: $x }'] : []),
  ]
  const loop = ['for_each:', '  x:', '    markets:', ...list, ...keys.map((key) => `    ${key}`), '']
  return text
    .replace(whole, () => loop.join('\n'))
    .replace('feeds:\n', () => ['feeds:', ...feeds, ''].join('\n'))
}
