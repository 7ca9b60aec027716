import type { Compiled } from './compiled.ts'
import { minuteOfDay } from './schedule.ts'
import type { State, StrategyState } from './state.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

/** Writes what the state knows into what the expressions of a strategy look at. What is too old is unknown. */
export function look(state: State, { feeds, sights, views }: Compiled, own: StrategyState): void {
  const { at } = state
  for (const { name, symbol, interval, staleMs } of feeds) {
    if (interval === null) {
      const book = sights.books[name]
      const quote = state.quotes[symbol]
      const isFresh = quote !== undefined && at - quote.at <= staleMs
      if (book) [book.bid, book.ask] = isFresh ? [quote.bid, quote.ask] : [null, null]
    } else {
      const candles = sights.candles[name]
      const known = own.feeds[name]
      if (candles) candles.feed.readings = known && at - known.at <= staleMs ? known.readings : null
    }
  }
  for (const [market, sight] of Object.entries(sights.holdings)) {
    const holding = own.holdings[market]
    sight.position = Number(holding?.position ?? 0)
    sight.entry = numberOf(holding?.entry)
    sight.netFills = 0
    for (const fill of holding?.fills ?? []) if (fill.at > at - minuteMs) sight.netFills += Number(fill.money)
  }
  for (const [name, sight] of Object.entries(sights.ladders)) {
    const ladder = own.ladders[name]
    sight.filledLevels = ladder?.filled.length ?? 0
    sight.openHours = ladder && ladder.openedAt !== null ? (at - ladder.openedAt) / hourMs : null
  }
  sights.account.equity = numberOf(state.account?.equity)
  sights.account.balances = numbers(state.account?.available)
  sights.account.mainBalances = numbers(state.account?.main)
  sights.clock.minute = minuteOfDay(at)
  views.forget()
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text)
}

function numbers(texts: Readonly<Record<string, string>> | undefined): Record<string, number> {
  const found: Record<string, number> = {}
  for (const name in texts) found[name] = Number(texts[name])
  return found
}
