import { columns } from '#src/cli/words/text.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

type LoopMarket = { name: string; market: string; feeds: string[]; ladders: string[] }

/** What a loop writes: its markets, and the names of their feeds and ladders. */
export function loopMarkets({ for_each: loops, ...strategy }: Strategy, loop: string): LoopMarket[] {
  const { feeds, futures, depth, ladder } = strategy
  return Object.entries(loops[loop]?.markets ?? {}).map(([name, { symbol, positionSide }]) => {
    const namesIn = (parts: Record<string, { market: string }>) =>
      Object.keys(parts).filter((part) => parts[part]?.market === name)
    const market = positionSide === 'short' ? `${symbol} short` : symbol
    return { name, market, feeds: namesIn({ ...feeds, ...futures, ...depth }), ladders: namesIn(ladder) }
  })
}

/** Each loop with a table of its markets. */
export function loopLines(strategy: Strategy): string[] {
  return Object.entries(strategy.for_each).flatMap(([loop, { when, rank, active }]) => {
    const markets = loopMarkets(strategy, loop)
    const parts = [
      `$${loop}: ${markets.length} markets`,
      active === undefined ? undefined : `at most ${active} active`,
      when === undefined ? undefined : `while ${when}`,
      rank === undefined ? undefined : `the highest ${rank} first`,
    ]
    const rows = markets.map(({ name, market, feeds, ladders }) => {
      return [`  ${name}`, market, feeds.join(', '), ladders.join(', ')]
    })
    const head = ['  name', 'market', 'feeds', 'ladders']
    return [parts.filter((part) => part !== undefined).join(', ')].concat(columns([head, ...rows]))
  })
}
