import { firstIndex } from '#src/core/objects/first-index.ts'
import { addLater, pricesAt, type Prices } from '#src/market/candles/candle.ts'
import { dayMs, hourMs } from '#src/exchange/time-units.ts'

/** The trades of one time span; the volumes are exact, in lots and in lots times ticks. */
export type Bar = Prices & { start: number; lots: bigint; money: bigint }

/**
 * Bars of four lengths, each kept as far back as a request can reach; spans without a trade have no bar. A trade
 * changes the newest second only. A finished second joins its minute, and so on upwards. The newest bar of each length
 * has not joined the next length yet, so no longer bar contains its trades.
 */
export type Bars = Bar[][]

export const lengths = [
  { ms: 1000, keptMs: hourMs },
  { ms: 60_000, keptMs: 8 * dayMs },
  { ms: 300_000, keptMs: 30 * dayMs },
  { ms: hourMs, keptMs: 400 * dayMs },
] as const

export function noBars(): Bars {
  return lengths.map(() => [])
}

/** Adds a trade that is not older than any before. */
export function addTrade(bars: Bars, at: number, ticks: number, lots: number): void {
  const product = lots * ticks
  const money = Number.isSafeInteger(product) ? BigInt(product) : BigInt(lots) * BigInt(ticks)
  const second = bars[0]?.at(-1)
  if (second === undefined || at >= second.start + lengths[0].ms) {
    const start = at - (at % lengths[0].ms)
    addBar(bars, 0, { ...pricesAt(ticks), start, lots: BigInt(lots), money })
    return
  }
  addLater(second, pricesAt(ticks))
  second.lots += BigInt(lots)
  second.money += money
}

/** Adds a bar; the finished bar before it joins the next length. */
export function addBar(bars: Bars, length: number, bar: Bar): void {
  const row = bars[length]
  const rule = lengths[length]
  if (row === undefined || rule === undefined) return
  const before = row.at(-1)
  row.push(bar)
  if (before === undefined) return
  const above = lengths[length + 1]
  if (above !== undefined) {
    const last = bars[length + 1]?.at(-1)
    const start = before.start - (before.start % above.ms)
    if (last?.start === start) join(last, before)
    else addBar(bars, length + 1, { ...before, start })
  }
  forget(row, bar.start - rule.keptMs)
}

/** `later` happened after everything in `bar`. */
export function join(bar: Bar, later: Bar): void {
  addLater(bar, later)
  bar.lots += later.lots
  bar.money += later.money
}

const cutBarsMin = 64

/** Removes bars that no request can reach, many at a time; keeps the newest of them for its close. */
function forget(row: Bar[], before: number): void {
  const half = row.length >> 1
  if (half < cutBarsMin || (row[half]?.start ?? before) >= before) return
  row.splice(0, half)
}

/** The bars of one length from `from` on, with the shorter bars that have not joined them yet. Read-only. */
export function barsFrom(bars: Bars, length: number, from: number): Bar[] {
  const row = bars[length] ?? []
  const ms = lengths[length]?.ms ?? 1
  const found = row.slice(placeOf(row, from))
  for (const finer of bars.slice(0, length).reverse()) {
    const open = finer.at(-1)
    if (open === undefined || open.start < from) continue
    const start = open.start - (open.start % ms)
    const last = found.at(-1)?.start === start ? found.pop() : undefined
    const joined = { ...(last ?? open), start }
    if (last !== undefined) join(joined, open)
    found.push(joined)
  }
  return found
}

/** All trades since a full minute, as one bar; undefined if there are none. */
export function totalSince(bars: Bars, from: number): Bar | undefined {
  const parts: Bar[] = []
  // Shorter bars up to the start of the next longer one, then longer ones: a few dozen bars for a day.
  let begin = from
  for (const [length, row] of bars.entries()) {
    const above = lengths[length + 1]?.ms
    const end = above === undefined ? Infinity : Math.ceil(begin / above) * above
    parts.push(...row.slice(placeOf(row, begin), Math.min(placeOf(row, end), row.length - 1)))
    begin = end
  }
  for (const row of bars.toReversed()) parts.push(...row.slice(-1).filter(({ start }) => start >= from))
  let total: Bar | undefined
  for (const bar of parts) {
    if (total === undefined) total = { ...bar }
    else join(total, bar)
  }
  return total
}

/** The last price before a time; undefined if nothing traded before it. */
export function priceBefore(bars: Bars, length: number, begin: number): number | undefined {
  for (const row of bars.slice(0, length)) {
    const open = row.at(-1)
    if (open !== undefined && open.start < begin) return open.close
  }
  const row = bars[length] ?? []
  return row[placeOf(row, begin) - 1]?.close
}

/** The place of the first bar that starts at `from` or later. */
function placeOf(row: readonly Bar[], from: number): number {
  return firstIndex(0, row.length, (index) => row[index]!.start >= from)
}
