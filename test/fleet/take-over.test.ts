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

/** On a machine with other work, a process can be late by seconds: with the usual lease it would lose the right to trade. */
const lease = '10s'

/** By the nonces of the venue. */
const takeOvers = { strict: times(1, 14), window: times(0, 6) }

/** The address from which a request came, and the status of the answer once it is there. */
type PrivateRequest = { from: string; status: number | undefined }

/** A way to a server that can be cut: connections stay open, and nothing comes through. */
type Way = Disposable & {
  url: string
  /** Private requests in the order in which they arrived. */
  privateRequests: readonly PrivateRequest[]
  cut(): void
}

async function wayTo(url: string): Promise<Way> {
  const { port } = new URL(url)
  const sockets = new Set<Socket>()
  const privateRequests: PrivateRequest[] = []
  let isCut = false
  const server = createServer((near) => {
    if (isCut) near.pause()
    else {
      const far = connect(Number(port), '127.0.0.1')
      // A client sends the next request of a connection after the answer, so each of them begins a piece of data.
      let last: PrivateRequest | undefined
      near.on('data', (bytes) => {
        if (bytes.toString('latin1', 0, 5) !== 'POST ') return
        last = { from: String(near.remoteAddress), status: undefined }
        privateRequests.push(last)
      })
      far.on('data', (bytes) => {
        if (last !== undefined) last.status ??= Number(bytes.toString('latin1', 9, 12))
      })
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
    privateRequests,
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

/**
 * In the process of a bot: sets its clock wrong, connects to a port from an address of its own, and lets SIGUSR2 cut it off from
 * this port, in silence.
 */
function preload(skewMs: number, port: string, address: string): string {
  const code = `
    import { Socket } from 'node:net'
    const { now } = Date
    Date.now = () => now() + ${skewMs}
    let isCut = false
    const sockets = new Set()
    const { connect } = Socket.prototype
    Socket.prototype.connect = function (...words) {
      const about = [words[0]].flat()[0] ?? {}
      if (Number(about.port) === ${port}) {
        about.localAddress = '${address}'
        sockets.add(this)
      }
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
  'after take-overs by a standby, at a venue with nonces of the mode %s, no order is doubled or unknown, no process that lost ' +
    'the lease sends anything, and the venue executes nothing of it',
  async (mode) => {
    using folder = temporaryFolder()
    await using server = await startPostgres()
    const world = await lastingExchange(folder.file('world'), seed)
    // In a window, a nonce must be near the time of the venue, which then cannot be 60 times as fast as that of a bot.
    const speed = mode === 'strict' ? '60' : '1'
    const fast = await startExchange([...world, '--speed', speed])
    using ways = new DisposableStack()
    const venueWay = ways.use(await wayTo(fast.url))
    const venueFile = folder.file('venue.yaml')
    writeFileSync(venueFile, venueFileText(venueWay.url).replace('nonce: strict', `nonce: ${mode}`))
    const words = (name: string) => [...strategies, '--venue', venueFile, '--state-dir', folder.file(name)]
    let started = 0
    const bot = async (name: string) => {
      const way = ways.use(await wayTo(server.url))
      const tape = folder.file(`tape-${started}`)
      const skewMs = clocks[started % clocks.length]! * hourMs
      started += 1
      const address = `127.0.1.${started}`
      const environment = { NODE_OPTIONS: preload(skewMs, new URL(venueWay.url).port, address) }
      const fleet = ['--fleet', way.url, '--standby', '--lease', lease, '--record', tape]
      return {
        name,
        way,
        tape,
        skewMs,
        address,
        process: startBot([...words(name), '--speed', speed, ...fleet], { environment }),
      }
    }
    const chance = chanceOf(seed)

    let holder = await bot('a')
    await holder.process.said(isType('bulk-sent'))
    let standby = await bot('b')
    const spansMs: number[] = []
    let lateRequests = 0
    for (let round = 0; round < takeOvers[mode]; round++) {
      // It would take the lease at once if the holder had lost it by itself.
      const { type } = await standby.process.said(({ type }) => type.startsWith('lease-'))
      expect(type, holder.process.stderr()).toBe('lease-waiting')
      await realTime(chance.below(1500))
      const strike = strikes[round % strikes.length]!
      const struckAt = Date.now()
      if (strike === 'no server') holder.way.cut()
      else holder.process.kill(strike === 'no venue' ? 'SIGUSR2' : strike)
      await standby.process.said(isType('lease-taken'))
      const takenAt = Date.now()
      await standby.process.said(isType('started'))
      spansMs.push(Date.now() - struckAt)
      if (strike === 'SIGSTOP') holder.process.kill('SIGCONT')
      const { code, signal } = await holder.process.ended
      expect({ code, signal }, holder.process.stderr()).toEqual(ends[strike])
      await holder.process[Symbol.asyncDispose]()
      expect(callsSince(holder.tape, takenAt + holder.skewMs), strike).toEqual([])
      expect(callsSince(holder.tape, takenAt + holder.skewMs - 60_000).length).toBeGreaterThan(0)
      const { privateRequests } = venueWay
      const first = privateRequests.findIndex(({ from }) => from === standby.address)
      expect(first).toBeGreaterThan(0)
      const late = privateRequests.slice(first).filter(({ from }) => from === holder.address)
      // A process that has stopped between the look at its lease and the write to the socket sends when it goes on.
      if (strike === 'SIGSTOP') {
        lateRequests += late.length
        expect(late.filter(({ status = 0 }) => status < 400)).toEqual([])
      } else expect(late, strike).toEqual([])
      ;[holder, standby] = [standby, await bot(holder.name)]
    }
    await standby.process.said(isType('lease-waiting'))
    standby.process.kill('SIGTERM')
    // It has not traded, and ends at once.
    expect((await standby.process.ended).code, standby.process.stderr()).toBe(0)
    holder.process.kill('SIGTERM')
    expect((await holder.process.ended).code, holder.process.stderr()).toBe(0)

    spansMs.sort((a, b) => a - b)
    const median = spansMs[Math.floor(spansMs.length / 2)]
    process.stdout.write(
      `${mode} nonces, ms until a standby has started: median ${median}, longest ${spansMs.at(-1)}; ` +
        `requests of stopped processes that the venue received and refused: ${lateRequests}\n`,
    )
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
