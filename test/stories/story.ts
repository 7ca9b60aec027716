import { expect } from 'vitest'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith, type WorldChange } from '#test/support/world.ts'
import { botAtWork, emptyFolder, type BotAtWork, type BotOptions } from './bot-at-work.ts'
import { StoryOracle } from './oracle.ts'

type GridOptions = { stopOnFail?: boolean; block?: 'level' | 'market'; haltAfter?: string }

/** A grid above its limits, so that every story tests them. */
export const grid = (about: GridOptions = {}) => `
version: 1
name: story
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
    spacing: { kind: arithmetic, first: 0.04%, step: 0.04% }
    size: { total: 6000 quote }
    exit: { mirror: 1 }
rules:
  - { id: go, when: 1 < 2, do: [ensure: grid] }
risk:
  max_notional: { btc: ${exposureMost} }
  max_open_orders: 40
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 50%, halt: 90% }
  in_doubt: { block: ${about.block ?? 'level'}, halt_after: ${about.haltAfter ?? '1h'} }
submit:
  chunk: 4
  order: nearest_first
  stopOnFail: ${String(about.stopOnFail ?? false)}
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 20, per: 1s }
`
const exposureMost = 2100

/** Prices move by themselves, and time is accelerated. */
const usualSpeed = 20
/** Time limit of a story, by its clock. */
const patienceMs = 100_000

export type StoryContext = {
  clock: Clock
  venue: FaultyVenue
  oracle: StoryOracle
  bot: BotAtWork
  folder: string
  /** Kills the process and starts the next one. */
  restart: () => Promise<void>
  /** Log events of all processes so far. */
  notes: (type: BotEvent['type']) => BotEvent[]
  bulks: () => number
}

/**
 * A bot trades at the embedded exchange behind a faulty connection until it has sent this number of bulks and all planned
 * faults have happened. Then no order may be doubled or lost, no limit may have been broken at the exchange, and the bot must
 * agree with the exchange.
 */
export async function story(about: {
  world?: WorldChange
  /** `spec`: only the documented calls, in real time: no lists of open orders, no streams and no cancellation. */
  profile?: 'spec'
  bot?: Partial<Omit<BotOptions, 'clock'>>
  /** Error of the bot's system clock. */
  offMs?: () => number
  speed?: number
  stopOnFail?: boolean
  /** Scope of `in_doubt.block`. */
  block?: 'level' | 'market'
  bulks?: number
  /** Called before the bot starts, and again if the planned faults had no effect. */
  plan?: (venue: FaultyVenue) => void
  /** Runs while the bot trades. */
  meanwhile?: (context: StoryContext) => Promise<void>
  /** Required log events. */
  events?: readonly BotEvent['type'][]
}): Promise<void> {
  const { path: folder, remove } = emptyFolder()
  const { speed = about.profile === 'spec' ? 1 : usualSpeed } = about
  const { clock, stop } = startEventLoopClock()
  const venue = await startFaultyVenue({
    world: worldWith(about.world ?? {}),
    clock,
    profile: about.profile ?? 'full',
    seed: 'story',
    ...(about.profile !== 'spec' && { speed, sources: { seeded: true } }),
  })
  const oracle = new StoryOracle(venue.running)
  venue.watch(() => oracle.check())
  about.plan?.(venue)
  const strategies = [grid(about)]
  const own: Clock = {
    now: () => clock.now() + (about.offMs?.() ?? 0),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
  const begin = () => botAtWork({ url: venue.url, folder, strategies, clock: own, speed, ...about.bot })
  const earlier: BotEvent[] = []
  const context: StoryContext = {
    clock,
    venue,
    oracle,
    folder,
    bot: await begin(),
    async restart() {
      await context.bot.abandon()
      earlier.push(...context.bot.notes)
      context.bot = await begin()
    },
    notes: (type) => [...earlier, ...context.bot.notes].filter((note) => note.type === type),
    bulks: () => venue.calls.filter(({ name }) => name === 'collateralBulk').length,
  }
  try {
    await about.meanwhile?.(context)
    const { bulks = 12, events = [] } = about
    const isLogged = () => events.every((type) => context.notes(type).length > 0)
    await until(clock, () => {
      if (context.bulks() < bulks || venue.planned() > 0) return false
      // A stream may be faster than an answer: the fault is planned again until an outcome is unknown.
      if (events.includes('order-unknown') && context.notes('order-unknown').length === 0) about.plan?.(venue)
      return isLogged()
    })
    venue.randomFaults(undefined)
    // The halt stops entries and cancels resting ones, so that the account becomes stable.
    await context.bot.operate({
      kind: 'operator',
      act: 'halt',
      strategy: null,
      reason: 'the story ends',
      freeze: true,
    })
    await until(clock, () => oracle.disagreements(context.bot.state).length === 0).catch(() => {})
    expect(oracle.disagreements(context.bot.state)).toEqual([])
    expect(oracle.mostIn('BTC_PERP')).toBeLessThanOrEqual(exposureMost)
    // The story is void if the grid was never placed.
    expect(oracle.mostIn('BTC_PERP')).toBeGreaterThan(200)
    expect(context.bot.broken).toEqual([])
  } finally {
    await context.bot.stop()
    await venue.close()
    stop()
    remove()
  }
}

export async function until(clock: Clock, isSo: () => boolean): Promise<void> {
  const end = clock.monotonic() + patienceMs
  while (!isSo()) {
    if (clock.monotonic() > end) throw new Error(`it never came to this: ${String(isSo)}`)
    await clock.sleep(20)
  }
}
