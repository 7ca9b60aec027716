import { dayMs, hourMs } from '#src/exchange/time-units.ts'

/** What traded in one span of time; the volumes are exact, in lots and in lots times ticks. */
export type Bar = {
  start: number
  open: number
  close: number
  high: number
  low: number
  lots: bigint
  money: bigint
}

/**
 * Bars of four lengths, each kept as far back as anybody may ask for it; spans without a trade have none. A trade
 * touches the newest second alone. When that is over it joins its minute, and so on upwards: the newest bar of each
 * length is the one that has not yet joined the next, and what it holds is in no longer bar.
 */
export type Bars = Bar[][]

export const lengths = [
  { ms: 1000, keptMs: hourMs },
  { ms: 60_000, keptMs: 3 * dayMs },
  { ms: 300_000, keptMs: 30 * dayMs },
  { ms: hourMs, keptMs: 400 * dayMs },
] as const

export function noBars(): Bars {
  return lengths.map(() => [])
}

/** Adds a trade, which is not older than any before it. */
export function addTrade(bars: Bars, at: number, ticks: number, lots: number): void {
  const product = lots * ticks
  const money = Number.isSafeInteger(product) ? BigInt(product) : BigInt(lots) * BigInt(ticks)
  const second = bars[0]?.at(-1)
  if (second === undefined || at >= second.start + lengths[0].ms) {
    const bar = {
      start: at - (at % lengths[0].ms),
      open: ticks,
      close: ticks,
      high: ticks,
      low: ticks,
      lots: BigInt(lots),
      money,
    }
    addBar(bars, 0, bar)
    return
  }
  second.close = ticks
  if (ticks > second.high) second.high = ticks
  if (ticks < second.low) second.low = ticks
  second.lots += BigInt(lots)
  second.money += money
}

/** A new bar of a length: the one before it is over, and joins the next length. */
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

/** `later` happened after all that `bar` holds. */
export function join(bar: Bar, later: Bar): void {
  bar.close = later.close
  if (later.high > bar.high) bar.high = later.high
  if (later.low < bar.low) bar.low = later.low
  bar.lots += later.lots
  bar.money += later.money
}

const cutBarsMin = 64

/** Cuts off what nobody may ask for any more, many bars at a time; the newest of them stays, for its closing price. */
function forget(row: Bar[], before: number): void {
  const half = row.length >> 1
  if (half < cutBarsMin || (row[half]?.start ?? before) >= before) return
  row.splice(0, half)
}

/** The bars of one length that begin at `from` or later, with what has not yet joined them; to be read only. */
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

/** All that traded since a full minute, as one bar; undefined when nothing did. */
export function totalSince(bars: Bars, from: number): Bar | undefined {
  const parts: Bar[] = []
  // The shorter bars up to where the next longer begins, then the longer: a few dozen for a day.
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

/** The last price before the begin of a bar; undefined when nothing traded before it. */
export function priceBefore(bars: Bars, length: number, begin: number): number | undefined {
  for (const row of bars.slice(0, length)) {
    const open = row.at(-1)
    if (open !== undefined && open.start < begin) return open.close
  }
  const row = bars[length] ?? []
  return row[placeOf(row, begin) - 1]?.close
}

/** Where the bars begin that start at `from` or later. */
function placeOf(row: readonly Bar[], from: number): number {
  let low = 0
  let high = row.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((row[middle]?.start ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}
