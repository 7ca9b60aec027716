import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import type { SecondOfTrades, TradesRow } from '#src/engine/trades-event.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { tradesEveryMs } from '#src/strategy/schema/poll-times.ts'
import type { MarketReads, PublicTrade } from '#src/venue/port.ts'
import type { PolledSource } from './poll.ts'

/**
 * A market of which strategies read the trades. `byPrice`: whether they read the volume at prices. `last`: how far an earlier
 * process has received the trades.
 */
export type TradesWanted = { market: string; byPrice: boolean; last: Progress | undefined }
type Progress = { until: number; lastId: number | null }

const tradesPauseMs = 100
const secondMs = 1000

/**
 * Polls the newest trades of a market. Consecutive lists overlap in a number that the earlier one has, so that no trade counts
 * twice and none is missed; where they do not overlap, the trades are known from the second after the oldest one of the list.
 * A trade of the current second waits for the next poll, when that second is complete.
 */
export function tradesSource(
  { market, byPrice, last }: TradesWanted,
  parts: { market: Pick<MarketReads, 'trades'>; tell: (event: NewEvent) => void },
): PolledSource<readonly PublicTrade[]> {
  let progress = last
  return {
    what: `the list of trades of ${market}`,
    everyMs: tradesEveryMs,
    pauseMs: tradesPauseMs,
    read: () => parts.market.trades(market),
    take(listed, until) {
      // The estimate of the venue's time can go back.
      if (progress && until <= progress.until) return undefined
      const before = progress
      const isContinued = before !== undefined && overlaps(listed, before.lastId)
      const oldest = listed.at(-1)
      const first = Math.min(until, oldest ? oldest.second + secondMs : until)
      const from = isContinued ? before.until : first
      const complete = isContinued ? listed : listed.filter(({ second }) => second >= first)
      const fresh = upTo(complete, until, isContinued ? before.lastId : null)
      const lastId = fresh.at(-1)?.id ?? (isContinued ? before.lastId : lastIdBefore(listed, until))
      progress = { until, lastId }
      parts.tell({ kind: 'trades', market, from, until, lastId, seconds: secondsOf(fresh, byPrice) })
      // Without an earlier trade there is nothing to miss.
      if (isContinued || (before?.lastId ?? null) === null) return undefined
      return (
        `trades of ${market} are missing: the list no longer has the last known trade. ` +
        'Windows are unknown until they contain no gap'
      )
    },
  }
}

/** Numbers that all are smaller than the last one belong to a market that has begun anew. */
function overlaps(listed: readonly PublicTrade[], lastId: number | null): boolean {
  const [newest, oldest] = [listed[0], listed.at(-1)]
  if (!newest || !oldest || lastId === null) return newest === undefined && lastId === null
  return oldest.id <= lastId && newest.id >= lastId
}

/** The trades after `lastId`, oldest first, up to the first one that is not before `until`. */
function upTo(listed: readonly PublicTrade[], until: number, lastId: number | null): PublicTrade[] {
  const fresh = listed.filter(({ id }) => lastId === null || id > lastId).reverse()
  const end = fresh.findIndex(({ second }) => second >= until)
  return end === -1 ? fresh : fresh.slice(0, end)
}

function lastIdBefore(listed: readonly PublicTrade[], until: number): number | null {
  return listed.find(({ second }) => second < until)?.id ?? null
}

function secondsOf(trades: readonly PublicTrade[], byPrice: boolean): SecondOfTrades[] {
  const bySecond = Map.groupBy(trades, ({ second }) => second)
  return [...bySecond].map(([second, own]) => {
    const rows = Map.groupBy(own, ({ price }) => (byPrice ? price : null))
    return { second, rows: [...rows].map(([price, each]) => rowOf(price, each)) }
  })
}

function rowOf(price: string | null, trades: readonly PublicTrade[]): TradesRow {
  const sumOf = (taker: PublicTrade['side']) =>
    trades.reduce((sum, { side, amount }) => (side === taker ? sum + parseAtoms(amount) : sum), 0n)
  return { price, bought: formatAtoms(sumOf('buy')), sold: formatAtoms(sumOf('sell')), count: trades.length }
}
