/**
 * The bot at work for hours of venue time: its memory must not grow, and after a kill it must repeat few records. Seven
 * packaged strategies trade at the embedded exchange, each program in its own process. The memory is what the inspector of
 * Node reports after a garbage collection.
 *
 *   npm run soak                       ten minutes at speed 60, that is ten hours of venue time
 *   npm run soak -- --minutes 2        shorter
 */
import { once } from 'node:events'
import { globSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { stateEvery } from '#src/journal/sqlite/journal.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { startBot } from '#test/runtime/support/bot-process.ts'
import { growthOf } from '#test/bench/runner/memory-growth.ts'
import { note, report } from '#test/bench/runner/report.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
const speed = '60'
const lookEveryMs = 15_000
/** Compiled code and full lists come first. */
const warmShare = 0.25
const growthMost = 1
/** Records of one group that is committed at once. */
const groupMost = 4096

using folder = temporaryFolder()
await using exchange = await startExchange(
  `--profile full --market seeded --seed 1 --speed ${speed}`.split(' '),
)
const venue = folder.file('venue.yaml')
writeFileSync(venue, `url: ${exchange.url}\nkey: paper-key\nsecret: paper-secret\n`)
const words = ['--venue', venue, '--state-dir', folder.file('state'), '--speed', speed]
// Without the one that holds both sides of a market, for which an account must be set up.
const files = globSync('strategies/0[1-7]*.yaml').toSorted()
await using bot = startBot([...files, ...words], {
  // The confined process opens no inspector.
  environment: { NODE_OPTIONS: '--inspect=127.0.0.1:0', RUNGS_PERMISSION: 'off' },
})
await bot.said(({ type }) => type === 'dashboard-ready')
const address = /Debugger listening on (\S+)/.exec(bot.stderr())?.[1]
if (address === undefined) throw new Error(`Node opened no inspector: ${bot.stderr()}`)
const inspector = new WebSocket(address)
await once(inspector, 'open')

const heap: { minutes: number; mb: number }[] = []
const from = performance.now()
while (performance.now() - from < minutes * 60_000) {
  await sleep(lookEveryMs)
  const mb = (await heapBytes()) / 1e6
  const at = (performance.now() - from) / 60_000
  heap.push({ minutes: at, mb })
  note(`  ${at.toFixed(2)} min: heap ${mb.toFixed(2)} MB, ${JSON.stringify(recordsIn(folder.file('state')))}`)
}
inspector.close()
const accepted = bot.lines.filter(({ type }) => type === 'order-accepted').length
bot.kill('SIGKILL')
await bot.ended
const { records, tail } = recordsIn(folder.file('state'))

const warm = heap.filter(({ minutes: at }) => at >= minutes * warmShare)
report({ what: 'accepted orders', ours: accepted, atLeast: 100 * minutes + 1 })
report({
  what: 'growth of the heap in an hour of venue time',
  ours: growthOf(warm),
  unit: 'MB a minute',
  atMost: growthMost,
})
report({
  what: 'records that a start would repeat',
  ours: tail,
  atMost: stateEvery + groupMost - 1,
  detail: `of ${records}`,
})

/** Without code of the bot: what the tables of the journal say. */
function recordsIn(stateDir: string): { records: number; tail: number } {
  using db = new DatabaseSync(`${stateDir}/journal.sqlite`, { readOnly: true })
  const read = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)
  const records = read('SELECT max(seq) FROM events')
  return { records, tail: records - read('SELECT max(seq) FROM states WHERE state IS NOT NULL') }
}

/** Used bytes of the heap and of its buffers after a garbage collection. */
async function heapBytes(): Promise<number> {
  await ask('HeapProfiler.collectGarbage')
  const usage = z.object({ usedSize: z.number(), backingStorageSize: z.number() })
  const { usedSize, backingStorageSize } = usage.parse(await ask('Runtime.getHeapUsage'))
  return usedSize + backingStorageSize
}

/** One question at a time. */
async function ask(method: string): Promise<unknown> {
  inspector.send(JSON.stringify({ id: 1, method }))
  const [text] = await once(inspector, 'message')
  return z.object({ result: z.unknown() }).parse(JSON.parse(String(text))).result
}
