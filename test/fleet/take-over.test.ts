import { existsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lastingExchange, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { disagreements, venueFileText } from '#test/runtime/support/venue-records.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { realTime } from '#test/support/real-time.ts'

const strategies = ['01-static-grid', '05-market-making'].map((name) =>
  fileURLToPath(new URL(`../../strategies/${name}.yaml`, import.meta.url)),
)

/**
 * How a process ends, or seems to: by a signal, or because the server of the fleet or the venue does not answer it any more.
 * Three failures without a normal end between them would stop the account.
 */
const strikes = ['no venue', 'SIGSTOP', 'SIGTERM', 'SIGKILL', 'no server'] as const
/** Clocks of the machines, one after the other, in hours from the right time. */
const clocks = [0, 1, 0, -1, 1, 0, -1]
const hourMs = 3_600_000

/** By the nonces of the venue. */
const takeOvers = { strict: times(1, 35), window: times(0, 15) }

/** A way to a server that can be cut: connections stay open, and nothing comes through. */
type Way = Disposable & { url: string; cut(): void }

async function wayTo(url: string): Promise<Way> {
  const { port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) near.pause()
    else {
      const far = connect(Number(port), '127.0.0.1')
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one)
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
        one.pipe(other)
      }
    }
    sockets.add(near)
  })
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready)
  })
  const address = server.address()
  const through = new URL(url)
  through.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: through.href,
    cut() {
      isCut = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** In the process of a bot: sets its clock wrong, and lets SIGUSR2 cut it off from a port, in silence. */
function preload(skewMs: number, port: string): string {
  const code = `
    import { Socket } from 'node:net'
    const { now } = Date
    Date.now = () => now() + ${skewMs}
    let isCut = false
    const sockets = new Set()
    const { connect } = Socket.prototype
    Socket.prototype.connect = function (...words) {
      const { port } = [words[0]].flat()[0] ?? {}
      if (Number(port) === ${port}) sockets.add(this)
      return isCut && sockets.has(this) ? this : connect.apply(this, words)
    }
    process.on('SIGUSR2', () => {
      isCut = true
      for (const socket of sockets) {
        Object.assign(socket, { _write() {}, _writev: undefined })
        socket._handle?.readStop()
        if (socket._handle) socket._handle.readStart = () => 0
      }
    })`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

const modes = (['strict', 'window'] as const).filter((mode) => takeOvers[mode] > 0)

test.skipIf(missingPostgres !== undefined).each(modes)(
  'after take-overs by a standby, at a venue with nonces of the mode %s, no order is doubled or unknown, and no process that ' +
    'lost the lease sends anything',
  async (mode) => {
    using folder = temporaryFolder()
    await using server = await startPostgres()
    const world = await lastingExchange(folder.file('world'), seed)
    // In a window, a nonce must be near the time of the venue, which then cannot be 60 times as fast as that of a bot.
    const speed = mode === 'strict' ? '60' : '1'
    const fast = await startExchange([...world, '--speed', speed])
    const venueFile = folder.file('venue.yaml')
    writeFileSync(venueFile, venueFileText(fast.url).replace('nonce: strict', `nonce: ${mode}`))
    const words = (name: string) => [...strategies, '--venue', venueFile, '--state-dir', folder.file(name)]
    using ways = new DisposableStack()
    let started = 0
    const bot = async (name: string) => {
      const way = ways.use(await wayTo(server.url))
      const tape = folder.file(`tape-${started}`)
      const skewMs = clocks[started % clocks.length]! * hourMs
      started += 1
      const environment = { NODE_OPTIONS: preload(skewMs, new URL(fast.url).port) }
      const fleet = ['--fleet', way.url, '--standby', '--record', tape]
      return {
        name,
        way,
        tape,
        skewMs,
        process: startBot([...words(name), '--speed', speed, ...fleet], { environment }),
      }
    }
    const chance = chanceOf(seed)

    let holder = await bot('a')
    await holder.process.said(isType('bulk-sent'))
    let standby = await bot('b')
    for (let round = 0; round < takeOvers[mode]; round++) {
      await standby.process.said(isType('lease-waiting'))
      await realTime(chance.below(1500))
      const strike = strikes[round % strikes.length]!
      if (strike === 'no server') holder.way.cut()
      else holder.process.kill(strike === 'no venue' ? 'SIGUSR2' : strike)
      await standby.process.said(isType('lease-taken'))
      const takenAt = Date.now()
      await standby.process.said(isType('started'))
      if (strike === 'SIGSTOP') holder.process.kill('SIGCONT')
      const { code, signal } = await holder.process.ended
      expect({ code, signal }, holder.process.stderr()).toEqual(ends[strike])
      await holder.process[Symbol.asyncDispose]()
      expect(callsSince(holder.tape, takenAt + holder.skewMs), strike).toEqual([])
      expect(callsSince(holder.tape, takenAt + holder.skewMs - 60_000).length).toBeGreaterThan(0)
      ;[holder, standby] = [standby, await bot(holder.name)]
    }
    await standby.process.said(isType('lease-waiting'))
    standby.process.kill('SIGTERM')
    // It has not traded, and ends at once.
    expect((await standby.process.ended).code, standby.process.stderr()).toBe(0)
    holder.process.kill('SIGTERM')
    expect((await holder.process.ended).code, holder.process.stderr()).toBe(0)

    await fast.end()
    await using slow = await startExchange(world)
    const about = { words: words(holder.name), stateDir: folder.file(holder.name) }
    expect(await disagreements(slow.url, about)).toEqual([])
  },
  3_600_000,
)

const ends = {
  SIGKILL: { code: null, signal: 'SIGKILL' },
  SIGSTOP: { code: 75, signal: null },
  'no server': { code: 75, signal: null },
  'no venue': { code: 75, signal: null },
  SIGTERM: { code: 0, signal: null },
} as const

/** The private calls of a process that left after this time, by its tape. */
function callsSince(tape: string, since: number): unknown[] {
  const path = existsSync(tape) ? tape : `${tape}.partial`
  const { events } = readTape(path)
  return events.filter((event) => event.kind === 'call' && event.method === 'POST' && event.at >= since)
}
