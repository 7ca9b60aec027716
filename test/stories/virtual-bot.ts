import { startBot, type RunningBot } from '#src/runtime/loop/bot.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { startAccountMonitor } from '#src/runtime/account/account-monitor.ts'
import { VirtualTime } from '#src/runtime/virtual-time.ts'
import { askTime, VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Step } from '#src/engine/step-context.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'
import { beginsAtMs } from '#test/support/venue.ts'
import { worldWith, type WorldChange } from '#test/support/world.ts'
import { adapterOf } from '#test/support/adapter.ts'

/** A bot and its venue in virtual time. */
export type VirtualBot = {
  exchange: Exchange
  state: State
  notes: BotEvent[]
  /** Another trader, the counterparty of the bot. */
  rival: Client
  /** A person with access to the account of the bot. */
  person: Client
  pass(ms: number): Promise<void>
  /** Lets at most an hour pass until the condition holds. */
  until(isSo: () => boolean): Promise<void>
  /** Position in a market, as the venue reports it. */
  positionIn(market: string): Promise<{ amount: string; basePrice: string } | undefined>
}

export async function inVirtualTime(
  about: { world?: WorldChange; strategy: string; settleMs: number; price: number | (() => number) },
  story: (bot: VirtualBot) => Promise<void>,
): Promise<void> {
  const still = new VirtualTime({ now: beginsAtMs, monotonic: 0 })
  const { clock } = still
  const keys = ['paper', 'hand'].map((name) => ({
    key: `${name}-key`,
    secret: `${name}-secret`,
    permissions: ['read', 'trade', 'funds', 'account'],
  }))
  const exchange = new Exchange({
    world: worldWith({ accounts: { paper: { keys } } }, about.world ?? {}),
    seed: 'virtual',
    begin: clock.now(),
    profile: 'full',
  })
  const clientOf = (name: string) =>
    createClient({
      transport: inProcessTransport((request, now) => exchange.handle(request, now), clock),
      key: {
        credentials: { key: `${name}-key`, secret: new Secret(`${name}-secret`) },
        nonces: new Nonces({ clock, mode: 'strict' }),
      },
      clock,
      random: () => 0.5,
    })
  const [client, rival, person] = ['paper', 'rival', 'hand'].map(clientOf)
  if (!client || !rival || !person) throw new RangeError('three clients were made')
  const { settleMs, price } = about
  const venue = adapterOf(client, { clock, terms: { settleMs } })
  const { facts } = await venue.describe()
  const { capabilities } = facts
  const engine = new Engine(null)
  const venueClock = new VenueClock(clock, 1, 0)
  await askTime(venue, venueClock, clock)
  const notes: BotEvent[] = []
  const read = strategyIn(about.strategy)
  const bot: RunningBot = await startBot<Step>({
    venue,
    clock,
    venueClock,
    facts,
    settleMs,
    strategies: new Map([[read.strategy.name, read]]),
    engine,
    journal: { append: () => {}, commit: () => {}, abandon: () => {} },
    feeds: ({ quotes }, tell) => steady(quotes, typeof price === 'number' ? () => price : price, tell),
    accountMonitor: (tell) =>
      startAccountMonitor({
        venue,
        clock,
        venueClock,
        capabilities,
        settleMs,
        state: () => engine.state,
        tell,
        onBroken,
      }),
    onStep: (_, step) => void notes.push(...step.notes),
    say: (event) => void notes.push({ ...event, at: venueClock.now() }),
    onBroken,
    defer: still.defer,
  })

  async function pass(ms: number): Promise<void> {
    const end = clock.monotonic() + ms
    await still.settle()
    while (clock.monotonic() < end) {
      clock.advance(Math.min(clock.nextDue, end) - clock.monotonic())
      await still.settle()
    }
  }

  try {
    await story({
      exchange,
      state: engine.state,
      notes,
      rival,
      person,
      pass,
      async until(isSo) {
        for (let second = 0; !isSo(); second++) {
          if (second === 3600) throw new Error(`it never came to this: ${String(isSo)}`)
          await pass(1000)
        }
      },
      async positionIn(market) {
        const answer = await person.openPositions()
        const found =
          answer.kind === 'answer' ? answer.value.find((each) => each.market === market) : undefined
        return found && { amount: found.amount, basePrice: found.basePrice ?? '' }
      },
    })
  } finally {
    const ending = bot.end()
    await pass(10_000)
    await ending
  }
}

function onBroken(error: unknown): never {
  throw error
}

/** Prices that only the story moves. */
function steady(markets: readonly string[], priceNow: () => number, tell: (event: NewEvent) => void) {
  const tick = () => {
    const price = priceNow()
    for (const market of markets) tell({ kind: 'quote', market, bid: price - 1, ask: price + 1, last: price })
  }
  return { start: async () => tick(), tick, forget: () => {}, close: async () => {} }
}
