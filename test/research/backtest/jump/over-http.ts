import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { startAccountMonitor } from '#src/runtime/account/account-monitor.ts'
import type { AccountView } from '#src/research/backtest/loop/direct-account-monitor.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import {
  clientOf,
  exchangeOptions,
  longWay,
  openSimulation,
  BacktestClock,
  type BacktestSimulation,
} from '#src/research/backtest/simulation.ts'
import { recordHorizon } from '#src/research/backtest/jump/horizon.ts'
import { watchOrders } from '#src/research/backtest/loop/exchange-events.ts'
import { account } from '#src/research/backtest/world.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { Secret, type Signer } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { embeddedTerms, whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'

/**
 * The same stage as it is on paper: the exchange behind a socket, signed calls over it, a journal on disk, and a lookout
 * that reads the account. Only the clock is the one that the loop turns.
 */
export async function openStageOverHttp(
  input: BacktestInput,
): Promise<{ stage: BacktestSimulation; close: () => Promise<void> }> {
  const direct = await openSimulation(input)
  const { scene, still } = direct
  const { clock } = still
  const { world, sources } = exchangeOptions(input, scene)
  const running = await startExchange({
    world,
    ...(sources && { sources }),
    seed: input.seed,
    profile: 'full',
    clock: onlyWoken(clock),
  })
  const { exchange } = running
  const way = counted(httpTransport(running.url, { connections: 2 }))
  const terms = { ...embeddedTerms, batchMax: exchange.venue.switches.batchMax, url: running.url }
  const venueOf = (line: Transport, signer: Signer) =>
    whitebitVenue({ client: clientOf(line, clock, signer), clock, terms })
  const trading = venueOf(longWay(way.transport, clock, input.latencyMs), signerOf(account.trading))
  const looking = venueOf(way.transport, signerOf(account.looking))
  const asked = await looking.describe()
  const folder = mkdtempSync(join(tmpdir(), 'rungs-parity-'))
  const journal = openJournal(folder, {
    account: 'paper',
    engine: 'test',
    begin: (state) => new Engine(state),
  })
  const recorder = recordHorizon(journal.machine)
  const venueClock = new BacktestClock(clock, 1, scene.from)
  const { capabilities } = asked.facts

  function lookout(tell: (event: NewEvent) => void): AccountView {
    let isHinted = false
    let isHint = false
    let count = 0
    /** The account is emitted when a reading is for it, as in a backtest. */
    let untold: NewEvent | undefined
    const told = (event: NewEvent) => {
      if (event.kind === 'account') {
        untold = event
        if (isHint) return
        untold = undefined
      }
      count += 1
      tell(event)
    }
    const forBot = startAccountMonitor({
      venue: looking,
      clock,
      venueClock,
      capabilities,
      settleMs: 0,
      state: () => journal.machine.state,
      tell: told,
      onBroken: (error) => {
        throw error
      },
    })
    watchOrders(exchange, () => {
      isHinted = true
    })
    return {
      forBot,
      async tellSeen() {
        if (!isHinted) return false
        isHinted = false
        isHint = true
        count = 0
        await forBot.read()
        isHint = false
        return count > 0
      },
      async tellAccount() {
        count = 0
        await forBot.read()
        if (untold) told(untold)
        return count > 0
      },
    }
  }

  const stage: BacktestSimulation = {
    ...direct,
    exchange,
    trading,
    asked,
    venueClock,
    engine: journal.machine,
    recorder,
    journal,
    lookout,
    horizon: (asked) => recorder.horizon(asked),
    async settle() {
      do {
        await still.settle()
        await way.idle()
        await still.settle()
      } while (way.isBusy())
    },
  }
  return {
    stage,
    close: async () => {
      journal.close()
      await way.transport.close()
      await running.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function signerOf({ key, secret }: { key: string; secret: string }): Signer {
  return { key, secret: new Secret(secret) }
}

/** The exchange has nothing to do by itself: the loop lets its time pass. */
function onlyWoken(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
}

/** How many calls are on the wire. */
function counted(inner: Transport) {
  const calls = new Set<symbol>()
  const isBusy = () => calls.size > 0
  return {
    isBusy,
    async idle(): Promise<void> {
      while (isBusy()) await new Promise((resolve) => setImmediate(resolve))
    },
    transport: {
      async send(request, withinMs) {
        const call = Symbol('call')
        calls.add(call)
        try {
          return await inner.send(request, withinMs)
        } finally {
          calls.delete(call)
        }
      },
      close: () => inner.close(),
    } satisfies Transport,
  }
}
