import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'

const packaged = fileURLToPath(new URL('../../../strategies', import.meta.url))

/** A grid near the price whose rungs fill and are placed again all the time. */
const busyGrid = `
version: 1
name: busy
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  book: { source: book, market: btc, stale_after: 10m }
ladder:
  grid:
    market: btc
    side: both
    anchor: 60000
    levels: 10
    spacing: { kind: arithmetic, first: 0.1%, step: 0.15% }
    size: { total: 2000 quote }
    exit: { mirror: 1 }
rules:
  - { id: always, when: 1 < 2, do: [ensure: grid] }
risk:
  max_notional: { btc: 2050 }
  max_open_orders: 40
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 50%, halt: 90% }
  in_doubt: { block: level, halt_after: 1h }
submit:
  chunk: 3
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 20, per: 1s }
`

/** Buys near the price: the venue often closes their position, by a take profit or by a stop that waits there. */
const restingStops = busyGrid
  .replace('name: busy', 'name: stops')
  .replace('[bulk, history, balance]', '[bulk, history, balance, cancel, conditional_orders]')
  .replace('side: both', 'side: buy')
  .replace('anchor: 60000', 'anchor: mid(book) at episode_start')
  .replace('levels: 10', 'levels: 4')
  .replace('first: 0.1%, step: 0.15%', 'first: 0.03%, step: 0.05%')
  .replace('mirror: 1', 'tp: { pct: 0.15%, mode: resting }, stop: { pct: 0.1%, mode: resting }, cooldown: 5s')

/** The same, and two rules close by orders that rest: a share, and then all, which gives way to immediate orders. */
const postedCloses = restingStops
  .replace('name: stops', 'name: posted')
  .replace('pct: 0.15%', 'pct: 0.3%')
  .replace('pct: 0.1%', 'pct: 0.2%')
  .replace(
    'do: [ensure: grid] }',
    `do: [ensure: grid] }
  - { id: part, when: open_hours(grid) > 0.003, cooldown: 6s, do: [close: { of: grid, share: 30%, how: post, daily_loss: 5 }] }
  - { id: leave, when: open_hours(grid) > 0.008, cooldown: 3s, do: [close: { of: grid, how: post, post_for: 10s }] }`,
  )

/** A ladder of one side that follows the middle price: its levels are amended unless all of both ladders move at once. */
const amendedQuotes = (name: string, side: string) => `
  ${name}:
    market: btc
    side: ${side}
    anchor: mid(book)
    rebase: { drift: 0.01%, min_gap: 1s, hysteresis: 0.02%, amend: true }
    levels: 2
    spacing: { kind: arithmetic, first: 0.02%, step: 0.03% }
    size: { total: 400 quote }
    flags: { postOnly: ${side === 'sell'} }`

/** Quotes on both sides that fill and move all the time. */
const marketMaker = busyGrid
  .replace('name: busy', 'name: quotes')
  .replace('[bulk, history, balance]', '[bulk, history, balance, cancel, amend]')
  .replace(
    busyGrid.slice(busyGrid.indexOf('ladder:'), busyGrid.indexOf('rules:')),
    `ladder:${amendedQuotes('bids', 'buy')}${amendedQuotes('asks', 'sell')}\n`,
  )
  .replace('[ensure: grid]', '[ensure: bids, ensure: asks]')

/**
 * The busy grid twice, once with a bulk that stops at the first refused order, and each packaged strategy twice: as it
 * is, and with a rule that always places all ladders, since its own rules may wait for weeks.
 */
export function simulatedStrategies(): StrategyFile[] {
  const shipped = readdirSync(packaged)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => {
      const text = readFileSync(join(packaged, name), 'utf8')
      return [fileOf(name, text), fileOf(`${name} with all ladders`, withAllLadders(text))]
    })
  return [
    fileOf('busy', busyGrid),
    fileOf('busy with stopOnFail', busyGrid.replace('stopOnFail: false', 'stopOnFail: true')),
    fileOf(
      'busy within limits',
      busyGrid
        .replace('stale_after: 10m', 'stale_after: 5s')
        .replace('requests: 20', 'requests: 2')
        // It depends on the book, so that it may not trade on an old one.
        .replace('when: 1 < 2', 'when: mid(book) > 1'),
    ),
    ...shipped,
    fileOf('resting stops', restingStops),
    fileOf('posted closes', postedCloses),
    fileOf('amended quotes', marketMaker),
  ]
}

function withAllLadders(text: string): string {
  const file: { ladder: Record<string, unknown>; rules: unknown; tests?: unknown } = parse(text)
  file.rules = [{ id: 'always', when: '1 < 2', do: Object.keys(file.ladder).map((ensure) => ({ ensure })) }]
  delete file.tests
  return stringify(file)
}

function fileOf(path: string, text: string): StrategyFile {
  const read = readStrategyText(text)
  if (Array.isArray(read)) throw new Error(`${path}: ${read[0]?.message}`)
  return { path, paths: [], read, sourceOf: () => ({ path, text }) }
}
