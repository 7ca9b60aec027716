import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { playTape, strategiesOf } from '#src/research/replay/play-tape.ts'
import { readStrategies } from '#src/runtime/compose/strategy-files.ts'
import { startTrading } from '#src/runtime/compose/trading.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { seededRandom } from '#src/research/replay/seeded-random.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { Recording } from '#src/research/recording/recording.ts'
import { TapeWriter } from '#src/research/recording/tape-writer.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { worldWith } from '#test/support/world.ts'
import { whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { report } from './runner/report.ts'

/**
 * How many recorded calls a second a whole bot goes through when its run is made again: the tape read and its chain proven,
 * requests made and compared, answers read, every step of the engine made. All of them are proven to match first.
 */
const spanMs = 40 * 60_000
const rounds = 5
const begins = Date.UTC(2026, 10, 20)
const rows = [
  { name: 'a grid that waits', strategy: 'strategies/01-static-grid.yaml', atLeast: 20_000 },
  // Each of its looks at the history brings a hundred orders that have ended: what is counted here is reading them.
  { name: 'a maker at work', strategy: 'strategies/05-market-making.yaml' },
]

/** Time that passes while somebody sleeps, and not otherwise. */
class SleptTime implements Clock {
  #passed = 0
  now(): number {
    return begins + this.#passed
  }
  monotonic(): number {
    return this.#passed
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        if (signal?.aborted !== true) this.#passed += ms
        resolve()
      })
    })
  }
}

async function record(path: string, strategy: string): Promise<void> {
  const real = new SleptTime()
  const exchange = new Exchange({
    world: worldWith(),
    seed: 'replay',
    begin: begins - 3_600_000,
    profile: 'full',
    sources: { seeded: true },
  })
  const virtualTime = new VirtualTime({ now: begins, monotonic: 0 })
  const { clock, defer } = virtualTime
  const { files } = readStrategies([strategy], () => [])
  const texts = files.map(({ path: file, read }) => ({ path: file, text: read.text() }))
  const terms = {
    url: 'http://127.0.0.1:8787',
    nonce: 'strict' as const,
    clientIds: 'forever' as const,
    batchMax: 20,
    settleMs: 0,
    shortSide: true,
    markets: null,
  }
  const run = {
    monotonic: 0,
    seed: 'replay',
    terms: { ...terms, leverage: null },
    strategies: texts,
    state: null,
  }
  const begin = {
    at: begins,
    rungs: '0',
    venue: terms.url,
    profile: null,
    spelling: 'spec' as const,
    speed: 1,
  }
  const tape = new TapeWriter({
    path,
    secrets: [],
    onTrouble: (error) => {
      throw error
    },
    begin: { ...begin, strategies: [], run },
  })
  const recording = new Recording({ real, virtualTime, tape })
  const random = seededRandom('replay')
  const machine = new Engine(null)
  const client = createClient({
    transport: recording.around(
      inProcessTransport((request, at) => exchange.handle(lowered(request), at), real),
    ),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock, mode: 'strict' }),
    },
    clock,
    random,
  })
  // This venue has no sockets: prices are read.
  const openSocket = recording.socketsAround((_, on) => {
    setImmediate(() => on.over('no sockets here'))
    return { send: () => {}, end: () => {} }
  })
  const starting = startTrading(files, {
    venue: whitebitVenue({
      client,
      clock,
      terms: { ...terms, leverage: undefined, speed: 1 },
      openSocket,
      random,
    }),
    clock,
    defer,
    setsLeverage: false,
    journal: { machine, append: () => {}, commit: () => {}, abandon: () => {} },
    prices: () => ({ prices: new Map(), begins }),
    onEvents: () => {},
    onBroken: (error) => {
      throw error
    },
  })
  void recording.run()
  const trading = await starting
  await clock.sleep(spanMs)
  await recording.deliverInput(
    (at) => ({ kind: 'ending', at }),
    () => trading.end(),
  )
  await recording.close()
}

/** As a server hands them on. */
function lowered(request: WireRequest): WireRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...request, headers: Object.fromEntries(headers) }
}

/** The best of some rounds, in seconds of one core: all of it, and the reading of the tape alone. */
async function measure(path: string): Promise<{ calls: number; whole: number; reading: number }> {
  const best = { calls: 0, whole: Infinity, reading: Infinity }
  for (let round = 0; round < rounds; round++) {
    const begun = process.cpuUsage()
    const tape = readTape(path)
    const reading = secondsOf(process.cpuUsage(begun))
    const { playback, failure } = await playTape(tape, strategiesOf(tape, path))
    const whole = secondsOf(process.cpuUsage(begun))
    if (failure !== undefined) throw failure
    const calls = tape.events.filter(({ kind }) => kind === 'call').length
    if (playback.divergence !== null || playback.matched !== calls) throw new Error('it is another run')
    if (whole < best.whole) Object.assign(best, { calls, whole, reading })
  }
  return best
}

function secondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6
}

const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-'))
try {
  for (const { name, strategy, atLeast } of rows) {
    const path = join(folder, `${basename(strategy)}.tape`)
    await record(path, strategy)
    const { calls, whole, reading } = await measure(path)
    const size = (statSync(path).size / 1e6).toFixed(1)
    report({
      what: `recorded calls of ${name}`,
      ours: Math.round(calls / whole),
      unit: 'calls a second',
      atLeast,
      detail: `${calls} calls, ${size} MB packed, ${whole.toFixed(2)} s of one core, ${reading.toFixed(2)} s for reading`,
    })
  }
} finally {
  rmSync(folder, { recursive: true })
}
