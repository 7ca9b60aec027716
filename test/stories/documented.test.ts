import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourcesOf } from '#src/cli/files/market-sources.ts'
import { pricesFor } from '#src/cli/files/price-files.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { strategyFiles } from '#test/strategy/strategy-files.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { until } from './story.ts'

/** Packaged strategies at a venue with only the documented calls, and prices from a file. */

const minute = 60_000
const speed = 60

type Prices = {
  symbol: string
  /** Prices before the start of the bot, at equal distances, the latest first. */
  past: { everyMs: number; prices: readonly number[] }
  /** Prices after the start. */
  next: readonly (readonly [minutes: number, price: number])[]
}

function rows(name: string, from: number, { past, next }: Pick<Prices, 'past' | 'next'>): string {
  const before = past.prices.map((price, place) => [from - (place + 1) * past.everyMs, price] as const)
  const after = next.map(([minutes, price]) => [from + minutes * minute, price] as const)
  const lines = [...before.toReversed(), ...after].map(([at, price]) => `${at},${price.toFixed(2)}`)
  return `# market: ${name}\ntimestamp,price\n${lines.join('\n')}\n`
}

/** Starts a bot at this time with past prices, and lets it trade until it has this number of fills. */
async function trade(about: { file: string; from: number; markets: readonly Prices[]; fills: number }) {
  const { from, markets } = about
  const { path: folder, remove } = emptyFolder()
  const written = markets.map((market) => {
    const paths = {
      venue: join(folder, `${market.symbol}.csv`),
      bot: join(folder, `${market.symbol}-known.csv`),
    }
    writeFileSync(paths.venue, rows(market.symbol, from, { ...market, past: { everyMs: 1, prices: [] } }))
    writeFileSync(paths.bot, rows(market.symbol, from, market))
    return paths
  })
  const { clock: eventLoopClock, stop } = startEventLoopClock()
  const offMs = from - eventLoopClock.now()
  const clock: Clock = {
    now: () => eventLoopClock.now() + offMs,
    monotonic: () => eventLoopClock.monotonic(),
    sleep: (ms, signal) => eventLoopClock.sleep(ms, signal),
  }
  const world = worldWith()
  const { sources } = sourcesOf(
    written.map(({ venue }) => venue),
    'touch',
    world,
  )
  const venue = await startExchange({ world, clock, speed, sources, profile: 'spec', seed: 'documented' })
  const known = Object.fromEntries(written.map(({ bot }, place) => [markets[place]?.symbol ?? '', bot]))
  const firstAt = from - Math.max(...markets.map(({ past }) => past.everyMs * past.prices.length))
  const bot = await botAtWork({
    url: venue.url,
    folder,
    clock,
    speed,
    strategies: strategyFiles.filter(({ name }) => name === about.file).map(({ text }) => text),
    prices: pricesFor(Object.keys(known), { url: venue.url, prices: known }, folder, () => firstAt),
  })
  const fills = () => bot.notes.filter((note) => note.type === 'fill')
  try {
    await until(clock, () => fills().length >= about.fills)
    expect(bot.broken).toEqual([])
    const troubles = new Set(['drift', 'order-unknown', 'order-refused', 'alert'])
    expect(bot.notes.filter(({ type }) => troubles.has(type))).toEqual([])
    const accepted = bot.notes.filter(({ type }) => type === 'order-accepted').length
    return { accepted, filled: new Set(fills().map(({ ladder, rung }) => `${ladder} ${rung}`)) }
  } finally {
    await bot.stop()
    await venue.close()
    stop()
    remove()
  }
}

/** Prices from one to another, with a small oscillation. */
function climb(count: number, from: number, to: number): number[] {
  const even = Array.from({ length: count }, (_, place) => to - ((to - from) * place) / count)
  return even.map((price, place) => price * (place % 2 === 0 ? 1 : 1.0015))
}

test.concurrent('mean reversion buys when the price falls below its band', async () => {
  const sol = {
    symbol: 'SOL_USDT',
    past: { everyMs: 15 * minute, prices: climb(60 * 96, 140, 150) },
    // The candle that closes two minutes after the start falls, and the price falls further.
    next: [
      [0, 150],
      [1, 144],
      [12, 142],
      [600, 142],
    ],
  } as const
  const from = Date.UTC(2026, 8, 22, 10, 13)
  const { accepted, filled } = await trade({ file: '06-mean-reversion.yaml', from, markets: [sol], fills: 3 })
  expect(accepted).toBe(6)
  expect(filled).toEqual(new Set(['fade 1', 'fade 2', 'fade 3']))
})

function sinking(symbol: string, price: number): Prices {
  const past = { everyMs: 60 * minute, prices: climb(25 * 24, price, price) }
  return {
    symbol,
    past,
    next: [
      [0, price],
      [9, price * 0.99],
      [600, price * 0.99],
    ],
  }
}

test.concurrent('the weekly buyer buys on Monday at noon', async () => {
  const markets = [sinking('BTC_USDT', 60_000), sinking('ETH_USDT', 3000)]
  const from = Date.UTC(2026, 8, 21, 11, 57)
  const { accepted, filled } = await trade({
    file: '07-scheduled-accumulation.yaml',
    from,
    markets,
    fills: 4,
  })
  expect(accepted).toBe(6)
  expect(filled).toEqual(new Set(['btc_week 1', 'btc_week 2', 'eth_week 1', 'eth_week 2']))
})
