import { firstIndex } from '#src/core/objects/first-index.ts'
import { formatAtoms, parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import type { TradesObject, TradesWindow } from '#src/strategy/expressions/context-objects.ts'
import type { SecondOfTrades, TradesEvent, TradesRow } from '#src/engine/trades-event.ts'
import type { ReceivedTrades, TradesSums } from './received-trades.ts'
import type { State } from './state.ts'
import { isYoung } from './validity.ts'

/** A feed of trades, and the lengths of the windows that expressions read of it. */
type Reader = { symbol: string; spans: readonly number[] }

/** Moves the windows of the market. Returns the strategies that read them. */
export function takeTrades(
  state: State,
  known: ReadonlyMap<string, { trades: readonly Reader[] }>,
  event: TradesEvent,
): string[] {
  const { market, from, until, lastId, seconds } = event
  const readersOf = (name: string) => known.get(name)?.trades.filter(({ symbol }) => symbol === market) ?? []
  const names = state.running.filter((name) => readersOf(name).length > 0)
  const spans = new Set(names.flatMap(readersOf).flatMap((reader) => reader.spans))
  const before = state.trades?.[market]
  // From polls that began before those of the last event, as after a reload: its trades would count twice.
  if (before && from < before.until) return []
  const isContinued = from === before?.until
  const last: Omit<ReceivedTrades, 'at' | 'lastId'> = isContinued
    ? before
    : { from, until: from, seconds: [], windows: {} }
  const merged = withSeconds(last.seconds, seconds)
  const windows: ReceivedTrades['windows'] = {}
  for (const span of spans) {
    const start = until - span
    if (start < last.from) continue
    const sums = last.windows[span]
    windows[span] = sums
      ? moved(
          sums,
          within(last.seconds, last.until - span, start),
          seconds.filter(({ second }) => second >= start),
        )
      : moved(noTrades(), [], within(merged, start, until))
  }
  const longest = Math.max(0, ...spans)
  const keptFrom = Math.max(last.from, until - longest)
  const kept = within(merged, keptFrom, Infinity)
  const received = { at: state.at, from: keptFrom, until, lastId, seconds: kept, windows }
  state.trades = { ...state.trades, [market]: received }
  return names
}

function noTrades(): TradesSums {
  return { bought: '0', sold: '0', unsided: '0', unpriced: '0', count: 0, prices: {} }
}

/** Of seconds in ascending order. A window has thousands of them, and each event cuts it. */
function within(seconds: readonly SecondOfTrades[], from: number, before: number): SecondOfTrades[] {
  const placeOf = (moment: number) =>
    firstIndex(0, seconds.length, (index) => seconds[index]!.second >= moment)
  return seconds.slice(placeOf(from), placeOf(before))
}

/** A venue can list a trade after others of a later second. */
function withSeconds(
  seconds: readonly SecondOfTrades[],
  more: readonly SecondOfTrades[],
): readonly SecondOfTrades[] {
  const all = seconds.concat(more)
  const last = seconds.at(-1)?.second ?? -Infinity
  if (more.every(({ second }, index) => second > (more[index - 1]?.second ?? last))) return all
  const bySecond = Map.groupBy(all, ({ second }) => second)
  return [...bySecond]
    .map(([second, parts]) => ({ second, rows: parts.flatMap(({ rows }) => rows) }))
    .sort((one, other) => one.second - other.second)
}

/** The sums without the seconds that have left the window, and with those that have come. */
function moved(
  sums: TradesSums,
  left: readonly SecondOfTrades[],
  come: readonly SecondOfTrades[],
): TradesSums {
  if (left.length === 0 && come.length === 0) return sums
  const [bought, sold, unsided, unpriced] = [sums.bought, sums.sold, sums.unsided, sums.unpriced].map(
    parseAtoms,
  )
  const total = { bought: bought!, sold: sold!, unsided: unsided!, unpriced: unpriced!, count: sums.count }
  const prices = new Map<string, Atoms>()
  for (const [seconds, sign] of [
    [left, -1n],
    [come, 1n],
  ] as const) {
    for (const row of seconds.flatMap(({ rows }) => rows)) {
      const [own, all] = amountsOf(row)
      total.bought += sign * own.bought
      total.sold += sign * own.sold
      total.unsided += sign * own.unsided
      total.count += Number(sign) * row.count
      if (row.price === null) total.unpriced += sign * all
      else {
        const amount = prices.get(row.price) ?? parseAtoms(sums.prices[row.price] ?? '0')
        prices.set(row.price, amount + sign * all)
      }
    }
  }
  // In place: a long window has thousands of prices.
  const read = readPrices.get(sums.prices)
  for (const [price, amount] of prices) {
    if (amount === 0n) {
      delete sums.prices[price]
      read?.delete(price)
    } else {
      sums.prices[price] = formatAtoms(amount)
      read?.set(price, { price: Number(price), amount })
    }
  }
  return {
    bought: formatAtoms(total.bought),
    sold: formatAtoms(total.sold),
    unsided: formatAtoms(total.unsided),
    unpriced: formatAtoms(total.unpriced),
    count: total.count,
    prices: sums.prices,
  }
}

function amountsOf({ bought, sold, unsided = '0' }: TradesRow) {
  const own = { bought: parseAtoms(bought), sold: parseAtoms(sold), unsided: parseAtoms(unsided) }
  return [own, own.bought + own.sold + own.unsided] as const
}

/** Gives expressions the windows of a market; stale ones are unknown. */
export function refreshTrades(
  state: Pick<State, 'at' | 'trades'>,
  input: TradesObject,
  { symbol, staleMs }: { symbol: string; staleMs: number },
): void {
  const last = state.trades?.[symbol]
  const windows = last && isYoung(state, 'quote', last.at, staleMs) ? last.windows : {}
  input.window = (spanMs) => windowOf(windows[spanMs])
}

function windowOf(sums: TradesSums | undefined): TradesWindow | undefined {
  if (!sums) return undefined
  const { bought, sold, unsided, unpriced, count, prices } = sums
  const isSided = unsided === '0'
  return {
    bought: isSided ? Number(bought) : undefined,
    sold: isSided ? Number(sold) : undefined,
    count,
    between: (low, high) => (unpriced === '0' ? volumeBetween(prices, low, high) : undefined),
  }
}

/** The prices of windows as numbers: to convert the texts of a long window takes as long as all else in an evaluation. */
const readPrices = new WeakMap<TradesSums['prices'], Map<string, { price: number; amount: Atoms }>>()

function volumeBetween(prices: TradesSums['prices'], low: number, high: number): number {
  let read = readPrices.get(prices)
  if (!read) {
    const texts = Object.keys(prices)
    read = new Map(
      texts.map((text) => [text, { price: Number(text), amount: parseAtoms(prices[text] ?? '0') }]),
    )
    readPrices.set(prices, read)
  }
  let sum = 0n
  for (const { price, amount } of read.values()) if (price >= low && price <= high) sum += amount
  return Number(formatAtoms(sum))
}
