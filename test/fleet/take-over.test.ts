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
 * How a process ends, or seems to: by a signal, or because the server of the fleet does not answer it any more. Three failures
 * without a normal end between them would stop the account.
 */
const strikes = ['SIGKILL', 'SIGSTOP', 'SIGTERM', 'silence', 'SIGTERM'] as const
const takeOvers = times(2, 50)

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

test.skipIf(missingPostgres !== undefined)(
  `${takeOvers} take-overs by a standby: no order is doubled or unknown, and a process that wakes up sends nothing`,
  async () => {
    using folder = temporaryFolder()
    await using server = await startPostgres()
    const world = await lastingExchange(folder.file('world'), seed)
    const fast = await startExchange([...world, '--speed', '60'])
    const venueFile = folder.file('venue.yaml')
    writeFileSync(venueFile, venueFileText(fast.url))
    const words = (name: string) => [...strategies, '--venue', venueFile, '--state-dir', folder.file(name)]
    using ways = new DisposableStack()
    let tapes = 0
    const bot = async (name: string) => {
      const way = ways.use(await wayTo(server.url))
      const tape = folder.file(`tape-${(tapes += 1)}`)
      const fleet = ['--fleet', way.url, '--standby', '--record', tape]
      return { name, way, tape, process: startBot([...words(name), '--speed', '60', ...fleet]) }
    }
    const chance = chanceOf(seed)

    let holder = await bot('a')
    await holder.process.said(isType('bulk-sent'))
    let standby = await bot('b')
    for (let round = 0; round < takeOvers; round++) {
      await standby.process.said(isType('lease-waiting'))
      await realTime(chance.below(1500))
      const strike = strikes[round % strikes.length]!
      if (strike === 'silence') holder.way.cut()
      else holder.process.kill(strike)
      await standby.process.said(isType('lease-taken'))
      const takenAt = Date.now()
      await standby.process.said(isType('started'))
      if (strike === 'SIGSTOP') holder.process.kill('SIGCONT')
      const { code, signal } = await holder.process.ended
      expect({ code, signal }, holder.process.stderr()).toEqual(ends[strike])
      await holder.process[Symbol.asyncDispose]()
      expect(callsSince(holder.tape, takenAt), strike).toEqual([])
      expect(callsSince(holder.tape, takenAt - 60_000).length).toBeGreaterThan(0)
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
  silence: { code: 75, signal: null },
  SIGTERM: { code: 0, signal: null },
} as const

/** The private calls of a process that left after this time, by its tape. */
function callsSince(tape: string, since: number): unknown[] {
  const path = existsSync(tape) ? tape : `${tape}.partial`
  const { events } = readTape(path)
  return events.filter((event) => event.kind === 'call' && event.method === 'POST' && event.at >= since)
}
