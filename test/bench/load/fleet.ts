/**
 * A fleet of 100 bots on one server: how long one command takes for all of them, and what a bot costs the server and its
 * machine. Some bots are real processes at the embedded exchange, each with an account of its own; the others are their
 * leases, reports and commands in this process.
 *
 *   node test/bench/load/fleet.ts              100 bots, 5 of them real
 *   node test/bench/load/fleet.ts --real 20    20 of them real
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { systemClock } from '#src/core/time/clock.ts'
import { Database } from '#src/fleet/database.ts'
import { joinFleet } from '#src/fleet/membership.ts'
import { isAlive, roster } from '#src/fleet/roster.ts'
import { PostgresAccount } from '#src/fleet/postgres-account.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { rungs, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { FakeMember } from '#test/fleet/support/fake-member.ts'
import { isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { venueFileText } from '#test/runtime/support/venue-records.ts'
import { startPostgres } from '#test/support/postgres.ts'
import { intend } from '#test/bench/runner/confirmed-intents.ts'
import { engine, open } from '#test/journal/counting-machine.ts'
import { note, report } from '#test/bench/runner/report.ts'

const { values } = parseArgs({ options: { real: { type: 'string', default: '5' } } })
const [bots, real] = [100, Number(values.real)]
const quietMs = 20_000
const strategy = 'strategies/01-static-grid.yaml'

using folder = temporaryFolder()
await using server = await startPostgres()
await using database = await Database.open(server.url, { connectMs: 5000, queryMs: 5000 })
await makeTables(database)
const names = Array.from({ length: real }, (_, index) => `bot${index}`)
await using exchange = await startExchange([
  '--profile',
  'full',
  '--market',
  'seeded',
  '--world',
  worldFile(names),
])
await using closing = new AsyncDisposableStack()
const processes: StartedBot[] = []
for (const name of names) {
  const bot = closing.use(startReal(name))
  await bot.said(isType('started'))
  processes.push(bot)
}
const before = await connections()
note(`${real} real bots have ${before} connections to the server`)
const members = Array.from({ length: bots - real }, (_, index) => `fake ${index}`)
await Promise.all(members.map(async (name) => closing.use(await FakeMember.start(database, name, 2000))))
while (!(await roster(database)).every((row) => isAlive(row) && row.report !== null)) await sleep(100)

const began = [serverCpuMs(), ...processes.map(({ pid }) => cpuMs(pid))]
await sleep(quietMs)
const used = [serverCpuMs(), ...processes.map(({ pid }) => cpuMs(pid))].map(
  (now, index) => (1000 * (now - began[index]!)) / quietMs,
)
const [serverUse = 0, ...botUse] = used
report({ what: 'connections of a bot to the server', ours: before / real, atMost: 3 })
report({ what: 'CPU time of the server for a bot', ours: serverUse / bots, unit: 'ms a second' })
const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length
report({ what: 'CPU time of a bot', ours: mean(botUse), unit: 'ms a second' })
report({ what: 'memory of a bot', ours: mean(processes.map(({ pid }) => rssMb(pid))), unit: 'MB' })

await timed('one command shows 100 bots', 2, ['status'], (text) => text.match(/ trades /g)?.length)
await timed('one command stops 100 bots', 2, ['stop'], (text) => text.match(/: stopped$/gm)?.length)
await timed('one command resumes 100 bots', 2, ['resume'], (text) => text.match(/: resumed$/gm)?.length)
const changed = folder.file('changed.yaml')
writeFileSync(changed, readFileSync(strategy, 'utf8').replace('max_open_orders: 24', 'max_open_orders: 25'))
const rollout = ['rollout', changed, '--to', '100%', '--soak', '1ms']
await timed(
  'one command changes a strategy in 100 bots',
  2,
  rollout,
  (text) => text.match(/: runs the file$/gm)?.length,
)

const killedAt = performance.now()
processes[0]!.kill('SIGKILL')
while ((await roster(database)).every(isAlive)) await sleep(20)
report({ what: 'a killed bot is shown', ours: (performance.now() - killedAt) / 1000, unit: 's', atMost: 5 })

await confirmations(30, 5000)

/** Accounts that place orders without a pause: each waits for its own disk and then for the server, all on this machine. */
async function confirmations(accounts: number, ms: number): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const journals = await Promise.all(
    Array.from({ length: accounts }, async (_, index) => {
      const account = `busy ${index}`
      const own = stack.use(await Database.open(server.url, { connectMs: 5000, queryMs: 5000 }))
      const { lease, journal } = await joinFleet({
        shared: new PostgresAccount(own, account),
        local: open(folder.file(account)),
        terms: { holder: account, termMs: 60_000 },
        engine,
        clock: systemClock,
        isStandby: false,
        onWaiting: () => {},
        onLost: () => {},
        signal: new AbortController().signal,
      })
      stack.defer(() => lease.release({ hasFailed: false }))
      stack.defer(() => journal.close())
      return journal
    }),
  )
  const end = performance.now() + ms
  let groups = 0
  await Promise.all(
    journals.map(async (journal) => {
      while (performance.now() < end) {
        intend(journal)
        await journal.commit()
        groups += 1
      }
    }),
  )
  report({ what: `confirmed orders of ${accounts} accounts`, ours: (1000 * groups) / ms, unit: 'a second' })
}

/** With the start of the command's own process. */
async function timed(
  what: string,
  atMost: number,
  words: string[],
  count: (text: string) => number | undefined,
) {
  const from = performance.now()
  const [name = '', ...rest] = words
  const { stdout, stderr } = await rungs(['fleet', name, server.url, ...rest])
  const took = (performance.now() - from) / 1000
  const found = count(stdout) ?? 0
  if (found < bots) throw new Error(`${what}: only ${found}\n${stdout.slice(0, 2000)}${stderr}`)
  report({ what, ours: took, unit: 's', atMost })
}

function startReal(name: string): StartedBot {
  const venue = folder.file(`${name}.yaml`)
  writeFileSync(venue, venueFileText(exchange.url).replaceAll('paper-', `${name}-`))
  return startBot([strategy, '--venue', venue, '--state-dir', folder.file(name), '--fleet', server.url])
}

/** The packaged world with an account for each bot. */
function worldFile(accounts: readonly string[]): string {
  const world = z
    .looseObject({ accounts: z.record(z.string(), z.unknown()) })
    .parse(parse(readFileSync('config/exchange.yaml', 'utf8')))
  for (const name of accounts)
    world.accounts[name] = {
      keys: [
        { key: `${name}-key`, secret: `${name}-secret`, permissions: ['read', 'trade', 'funds', 'account'] },
      ],
      spot: { USDT: 50_000, BTC: 1 },
      collateral: { USDT: 50_000 },
    }
  const path = folder.file('world.yaml')
  writeFileSync(path, stringify(world))
  return path
}

async function connections(): Promise<number> {
  const { rows } = await database.query(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'rungs' AND pid <> pg_backend_pid()`,
  )
  return Number(rows[0]?.['n'])
}

/** User and system time of a process so far, by Linux. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
}

/** Of all its processes. */
function serverCpuMs(): number {
  return server.pids().reduce((sum, pid) => sum + cpuMs(pid), 0)
}
