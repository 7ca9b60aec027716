import { expect } from 'vitest'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { startTurningClock } from '#test/support/turning-clock.ts'
import { worldWith, type WorldChange } from '#test/support/world.ts'
import { botAtWork, emptyFolder, type BotAtWork, type BotOptions } from './bot-at-work.ts'
import { Oracle } from './oracle.ts'

type GridOptions = { stopOnFail?: boolean; block?: 'level' | 'market'; haltAfter?: string }

/** More than its limits allow, so that they matter in every story. */
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

/** Prices move by themselves, and time passes so many times as fast. */
const usualSpeed = 20
/** By the story's own clock. */
const patienceMs = 100_000

export type Stage = {
  clock: Clock
  venue: FaultyVenue
  oracle: Oracle
  bot: BotAtWork
  folder: string
  /** Another process takes over where this one was. */
  restart: () => Promise<void>
  /** What was noted so far, by all processes. */
  notes: (type: BotEvent['type']) => BotEvent[]
  bulks: () => number
}

/**
 * A bot trades at the real exchange behind a bad line until so many bulks have left and all that was planned has happened.
 * Then everything must come to rest: nothing twice, nothing lost, no limit ever broken by the exchange's own count, and the
 * bot's view is the exchange's.
 */
export async function story(about: {
  world?: WorldChange
  /** The documented calls alone: nothing is listed, told or taken back, and time runs as it does. */
  profile?: 'spec'
  bot?: Partial<Omit<BotOptions, 'clock'>>
  /** How far the clock of the bot's machine is off. */
  offMs?: () => number
  speed?: number
  stopOnFail?: boolean
  /** What waits while an order is in doubt. */
  block?: 'level' | 'market'
  bulks?: number
  /** Before the bot begins, and again where too little came of it. */
  plan?: (venue: FaultyVenue) => void
  /** While it trades. */
  meanwhile?: (stage: Stage) => Promise<void>
  /** What it must have said. */
  told?: readonly BotEvent['type'][]
}): Promise<void> {
  const { path: folder, remove } = emptyFolder()
  const { speed = about.profile === 'spec' ? 1 : usualSpeed } = about
  const { clock, stop } = startTurningClock()
  const venue = await startFaultyVenue({
    world: worldWith(about.world ?? {}),
    clock,
    profile: about.profile ?? 'full',
    seed: 'story',
    ...(about.profile !== 'spec' && { speed, sources: { seeded: true } }),
  })
  const oracle = new Oracle(venue.running)
  venue.watch(() => oracle.look())
  about.plan?.(venue)
  const strategies = [grid(about)]
  const own: Clock = {
    now: () => clock.now() + (about.offMs?.() ?? 0),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
  const begin = () => botAtWork({ url: venue.url, folder, strategies, clock: own, speed, ...about.bot })
  const earlier: BotEvent[] = []
  const stage: Stage = {
    clock,
    venue,
    oracle,
    folder,
    bot: await begin(),
    async restart() {
      await stage.bot.abandon()
      earlier.push(...stage.bot.notes)
      stage.bot = await begin()
    },
    notes: (type) => [...earlier, ...stage.bot.notes].filter((note) => note.type === type),
    bulks: () => venue.calls.filter(({ name }) => name === 'collateralBulk').length,
  }
  try {
    await about.meanwhile?.(stage)
    const { bulks = 12, told = [] } = about
    const isTold = () => told.every((type) => stage.notes(type).length > 0)
    await until(clock, () => {
      if (stage.bulks() < bulks || venue.planned() > 0) return false
      // A stream may be faster than an answer, and then nobody is in doubt: it is planned again until somebody is.
      if (told.includes('order-unknown') && stage.notes('order-unknown').length === 0) about.plan?.(venue)
      return isTold()
    })
    venue.whim(undefined)
    // With the halt no order is sent and resting entries are cancelled: then there is a moment without changes.
    await stage.bot.operate({
      kind: 'operator',
      act: 'halt',
      strategy: null,
      reason: 'the story ends',
      freeze: true,
    })
    await until(clock, () => oracle.disagreements(stage.bot.state).length === 0).catch(() => {})
    expect(oracle.disagreements(stage.bot.state)).toEqual([])
    expect(oracle.mostIn('BTC_PERP')).toBeLessThanOrEqual(exposureMost)
    // A grid that was never placed would prove little.
    expect(oracle.mostIn('BTC_PERP')).toBeGreaterThan(200)
    expect(stage.bot.broken).toEqual([])
  } finally {
    await stage.bot.stop()
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
