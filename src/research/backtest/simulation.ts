import { leverageWanted } from '#src/runtime/compose/account-leverage.ts'
import type { BotParts } from '#src/runtime/loop/bot.ts'
import { embeddedTerms, whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import type { VenueDescription } from '#src/venue/capabilities.ts'
import type { Venue } from '#src/venue/port.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { AccountReading } from '#src/runtime/account/account-reading.ts'
import { readsByOrder } from '#src/runtime/account/shared-client-ids.ts'
import { eventLoopTurn, VirtualTime } from '#src/runtime/virtual-time.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { directTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { Secret, type Signer } from '#src/venues/whitebit/contract/wire/signing.ts'
import { accountParts, type AccountParts } from '#src/engine/rules/compiled-strategy.ts'
import { Engine } from '#src/engine/engine.ts'
import {
  recordHorizon,
  type Horizon,
  type HorizonAsked,
  type HorizonRecorder,
} from '#src/research/backtest/jump/horizon.ts'
import type { Step } from '#src/engine/step-context.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeOptions } from '#src/exchange/exchange-options.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { DirectAccountMonitor, type AccountView } from '#src/research/backtest/loop/direct-account-monitor.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { scenarioOf, type Scenario } from './scenario.ts'
import { account, worldOf } from './world.ts'

/** The environment of a bot in a backtest; tests replace single parts. */
export type BacktestSimulation = {
  input: BacktestInput
  scene: Scenario
  still: VirtualTime
  exchange: Exchange
  /** Requests of the bot take their time on the network. */
  trading: Venue
  asked: VenueDescription
  venueClock: VenueClock
  engine: Engine
  /** Records for how long the evaluations of the engine hold. */
  recorder: HorizonRecorder
  journal: BotParts<Step>['journal']
  lookout: (tell: (event: NewEvent) => void) => AccountView
  /** Until only timers are pending. */
  settle: () => Promise<void>
  /** What the strategies read of the account: it is read each second in which this can have changed. */
  readsAccount: AccountParts
  /** For how long the strategies need no evaluation. */
  horizon: (asked: HorizonAsked) => Horizon
}

/** The simulated time is the venue's own: no estimate is needed. */
export class BacktestClock extends VenueClock {
  override heard(): void {}
  override guessed(): void {}
  override isSure(): boolean {
    return true
  }
}

/** Everything in this process, nothing stored. */
export async function openSimulation(given: BacktestInput): Promise<BacktestSimulation> {
  const scene = scenarioOf(given)
  const input = { ...given, ...leverageOf(given, scene) }
  const still = new VirtualTime({ now: scene.from, monotonic: 0 }, promisesFollowed())
  const { clock } = still
  const exchange = new Exchange(exchangeOptions(input, scene))
  const transport = directTransport(exchange, clock)
  const terms = { ...embeddedTerms, batchMax: exchange.venue.switches.batchMax }
  const way = longWay(transport, clock, input.latencyMs)
  const trading = whitebitVenue({ client: clientOf(way, clock, signerOf(account.trading)), clock, terms })
  // Reads of the account take no time.
  const looking = whitebitVenue({
    client: clientOf(transport, clock, signerOf(account.looking)),
    clock,
    terms,
  })
  const asked = await looking.describe()
  const engine = new Engine(null, { tells: false })
  const recorder = recordHorizon(engine)
  const venueClock = new BacktestClock(clock, 1, scene.from)
  const { capabilities } = asked.facts
  const parts = [...scene.strategies.values()].map(accountParts)
  const readsAccount = {
    equity: parts.some(({ equity }) => equity),
    balances: parts.some(({ balances }) => balances),
  }
  return {
    input,
    scene,
    still,
    exchange,
    trading,
    asked,
    venueClock,
    engine,
    recorder,
    journal: { append: () => {}, commit: () => {}, abandon: () => {} },
    lookout: (tell) => {
      const account = readsByOrder(looking.account, () => engine.state.orders, venueClock)
      const reading = new AccountReading({ venue: { account }, capabilities, venueClock, settleMs: 0 })
      return new DirectAccountMonitor({ exchange, reading, readsAccount, state: () => engine.state, tell })
    },
    settle: () => still.settle(),
    readsAccount,
    horizon: (asked) => recorder.horizon(asked),
  }
}

/** That of the flag, or of the files. */
function leverageOf({ leverage }: BacktestInput, { strategies }: Scenario): Pick<BacktestInput, 'leverage'> {
  if (leverage !== undefined) return {}
  const wanted = leverageWanted([...strategies].map(([path, read]) => ({ path, read })))
  return wanted ? { leverage: wanted.leverage } : {}
}

/**
 * A tick comes once no promise is pending, and costs less than a turn of the event loop. Now and then a turn is taken all the
 * same, so that signals and the end of the parent process are noticed.
 */
function promisesFollowed(): () => Promise<void> {
  let count = 0
  return () => {
    count += 1
    if (count % ticksPerTurn === 0) return eventLoopTurn()
    return new Promise((resolve) => {
      process.nextTick(resolve)
    })
  }
}

const ticksPerTurn = 64

export function exchangeOptions(input: BacktestInput, { markets, funding, from }: Scenario): ExchangeOptions {
  const files = [...markets].map(([symbol, market]) => ({ markets: [symbol], market }))
  const rates = new Map([...funding].map(([symbol, each]) => [symbol, each.rates]))
  return {
    world: worldOf([...markets.keys()], input),
    seed: input.seed,
    begin: from,
    profile: 'full',
    sources: {
      seeded: false,
      recorded: { files, fill: input.fill, moved: false, taped: false, funding: rates },
    },
  }
}

/** The network to the venue, with the latency of a request; nothing is lost on it. */
export function longWay(transport: Transport, clock: Pick<Clock, 'sleep'>, latencyMs: number): Transport {
  if (latencyMs === 0) return transport
  const { call } = transport
  return {
    async send(request, withinMs) {
      await clock.sleep(latencyMs)
      return transport.send(request, withinMs)
    },
    ...(call && {
      async call(asked) {
        await clock.sleep(latencyMs)
        return call(asked)
      },
    }),
    close: () => transport.close(),
  }
}

export function clientOf(transport: Transport, clock: Clock, credentials: Signer): Client {
  return createClient({
    transport,
    clock,
    random: () => 0.5,
    key: { credentials, nonces: new Nonces({ clock, mode: 'strict' }) },
  })
}

function signerOf({ key, secret }: { key: string; secret: string }): Signer {
  return { key, secret: new Secret(secret) }
}
