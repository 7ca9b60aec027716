/**
 * The embedded exchange, with its data on disk, under load: a key that asks for little must not notice it, nothing may be
 * lost or doubled, the ledger must be exact, and memory must not grow. Beside it, in turns, the same calls go to a bare
 * server that only verifies signatures and echoes. Then one key sends twenty times what it may.
 *
 *   npm run load                                        a minute at 2 000 calls a second, 500 of them bulks of twenty orders
 *   npm run load -- --seconds 600 --rate 2000           as long and as many
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { auditorKeys } from '#test/bench/load/load-keys.ts'
import { overload } from '#test/bench/load/load-overload.ts'
import { Records } from '#test/bench/load/load-records.ts'
import { growthOf } from '#test/bench/runner/memory-growth.ts'
import { Caller, quantile, Site, type Traffic } from '#test/bench/load/load-traffic.ts'
import { note, report } from './runner/report.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, rate: { type: 'string', default: '2000' } },
})
const seconds = Number(values.seconds)
const roundSeconds = Math.min(30, seconds / 2)
const rounds = Math.round(seconds / roundSeconds)
const bareSeconds = roundSeconds / 2
const capacitySeconds = Math.min(5, roundSeconds / 2)
const quietMsMost = 50
const heapMost = 1
/** Of what the exchange answers when everybody always asks: above it, calls only wait. */
const rateShare = 0.8
const auditEveryMs = 1000

type Side = { child: ChildProcess; site: Site; traffic: Traffic[] }

const folder = mkdtempSync(join(tmpdir(), 'rungs-load-'))
const records = new Records()
const [exchange, bare] = [start(['load', folder]), start(['bare'])]
try {
  const address = z.object({ url: z.string(), adminUrl: z.string() })
  const { url, adminUrl } = address.parse(await told(exchange))
  const bareUrl = z.string().parse(await told(bare))
  const ours: Side = { child: exchange, site: new Site(url, records), traffic: [] }
  const theirs: Side = {
    child: bare,
    site: new Site(bareUrl, { sent: () => {}, answered: () => {} }),
    traffic: [],
  }
  const auditors = auditorKeys.map((key) => new Caller(url, key))
  const audit = auditing(auditors)

  // Twice: the first time, the programs are still being compiled.
  const capacity = { ours: 0, theirs: 0 }
  for (const _ of [1, 2]) {
    capacity.ours = await ours.site.saturate(capacitySeconds)
    capacity.theirs = await theirs.site.saturate(capacitySeconds)
  }
  const wanted = Number(values.rate)
  const rate = Math.min(wanted, Math.floor(capacity.ours * rateShare))
  note('a quarter of all calls are bulks of 20')
  report({
    what: 'the most calls that are answered',
    ours: capacity.ours,
    floor: capacity.theirs,
    unit: 'calls/s',
  })
  const heap: { minutes: number; mb: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const [cpu, bareCpu] = [await loaded(ours, rate, roundSeconds), await loaded(theirs, rate, bareSeconds)]
    const memory = z.object({ heapUsed: z.number(), arrayBuffers: z.number() })
    const { heapUsed, arrayBuffers } = memory.parse(await asked(exchange, 'memory'))
    heap.push({ minutes: ((round + 1) * roundSeconds) / 60, mb: (heapUsed + arrayBuffers) / 1e6 })
    const [seen, bareSeen] = [ours.traffic.at(-1), theirs.traffic.at(-1)]
    note(
      `  round ${round + 1}: quiet key p50 ${msOf(seen, 0.5)}, p99 ${msOf(seen, 0.99)}, bare ${msOf(bareSeen, 0.99)} ms · ` +
        `backlog ${seen?.backlog}, bare ${bareSeen?.backlog} calls · ` +
        `CPU ${cpu}, bare ${bareCpu} µs a call · ${heap.at(-1)?.mb.toFixed(1)} MB`,
    )
  }
  await audit.end()

  const [all, bareAll] = [joined(ours.traffic), joined(theirs.traffic)]
  const faults = [...all.faults, ...bareAll.faults]
  report({
    what: 'calls that failed',
    ours: faults.length,
    atMost: 0,
    detail: faults.slice(0, 3).join('; ') || undefined,
  })
  const why = rate < wanted ? `, as ${wanted} are more than ${rateShare} of what it answers at most` : ''
  report({
    what: 'calls that were due and not answered',
    ours: all.backlog,
    atMost: rate - 1,
    detail: `at ${rate} calls/s${why}`,
  })
  const [p99, bareP99] = [quantile(all.quietMs, 0.99), quantile(bareAll.quietMs, 0.99)]
  report({
    what: 'p99 of the quiet key, over that of the bare server',
    ours: p99 - bareP99,
    unit: 'ms',
    atMost: quietMsMost,
    detail:
      `p99 ${p99.toFixed(1)} and ${bareP99.toFixed(1)} ms, max ${quantile(all.quietMs, 1).toFixed(0)} ms, ` +
      `${all.quietMs.length} calls`,
  })
  const problems = await records.judge(auditors)
  report({
    what: 'orders lost or doubled, fees that differ',
    ours: problems.length,
    atMost: 0,
    detail: [`${records.bulks} bulks, ${records.orders} orders`, ...problems.slice(0, 3)].join('; '),
  })
  const ledger = z.object({ imbalances: z.array(z.unknown()) })
  const { imbalances } = ledger.parse(await (await fetch(`${adminUrl}/ledger`)).json())
  const shown = JSON.stringify(imbalances)
  report({
    what: 'imbalances in the books of the exchange',
    ours: imbalances.length,
    atMost: 0,
    detail: shown,
  })
  // The lists of finished orders are full after half a minute.
  const warm = heap.filter(({ minutes }) => minutes > Math.max(0.75, seconds / 240))
  if (warm.length < 4) note(`memory: not judged, as ${seconds} s are too few`)
  else report({ what: 'growth of memory', ours: growthOf(warm), unit: 'MB a minute', atMost: heapMost })
  for (const auditor of auditors) await auditor.close()
  for (const row of await overload(url, bareUrl, Math.min(20, roundSeconds))) report(row)
  await Promise.all([ours.site.close(), theirs.site.close()])
} finally {
  for (const child of [exchange, bare]) {
    if (child.connected) child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  }
  rmSync(folder, { recursive: true })
}

function start(words: string[]): ChildProcess {
  return fork(new URL('processes/exchange-server.ts', import.meta.url), words, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

async function told(child: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(child, 'message')
  return message
}

async function asked(child: ChildProcess, question: string): Promise<unknown> {
  child.send(question)
  return told(child)
}

/** CPU microseconds of the server for each call of a round. */
async function loaded({ child, site, traffic }: Side, rate: number, seconds: number): Promise<string> {
  await asked(child, 'begin')
  const seen = await site.offer(rate, seconds)
  traffic.push(seen)
  return (Number(await asked(child, 'end')) / seen.answered).toFixed(0)
}

/** Reads what has ended while it goes on ending, before the lists of the exchange forget it. */
function auditing(auditors: readonly Caller[]): { end(): Promise<void> } {
  let isOver = false
  const wake = new AbortController()
  const done = Promise.all(
    auditors.map(async (auditor) => {
      for (;;) {
        const isLast = isOver
        await records.read(auditor)
        if (isLast) return
        await new Promise<void>((resolve) => {
          setTimeout(resolve, isOver ? 0 : auditEveryMs)
          wake.signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    }),
  )
  return {
    async end() {
      isOver = true
      wake.abort()
      await done
    },
  }
}

function joined(traffic: readonly Traffic[]): Pick<Traffic, 'quietMs' | 'faults' | 'backlog'> {
  return {
    quietMs: traffic.flatMap(({ quietMs }) => quietMs),
    faults: traffic.flatMap(({ faults }) => faults),
    backlog: Math.max(...traffic.map(({ backlog }) => backlog)),
  }
}

function msOf(traffic: Traffic | undefined, share: number): string {
  return quantile(traffic?.quietMs ?? [], share).toFixed(1)
}
