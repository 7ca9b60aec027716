import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '#src/core/time/clock.ts'
import { Database } from '#src/fleet/database.ts'
import { textHash } from '#src/fleet/rollouts.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, programWords, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { times } from '#test/properties/runs.ts'
import { isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { venueFileText } from '#test/runtime/support/venue-records.ts'
import { FakeMember } from './support/fake-member.ts'
import { missingPostgres, startPostgres, type PostgresServer } from '#test/support/postgres.ts'

const gridFile = fileURLToPath(new URL('../../strategies/01-static-grid.yaml', import.meta.url))
/** Buys whenever the price falls a little, and keeps what it has. */
const dipText = `version: 1
name: dip
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }
let: { price: last(px) }
ladder:
  bids:
    market: btc
    side: buy
    anchor: price
    rebase: { drift: 0.02%, min_gap: 3s }
    levels: 3
    spacing: { kind: geometric, first: 0.02%, step: 0.02% }
    size: { total: 300 quote }
rules:
  - { id: buy, when: position(btc) * price < 900, do: [ensure: bids] }
risk:
  max_notional: { total: 1500 }
  max_open_orders: 5
  worst_case: { move: -10%, max_loss: 200 }
  drawdown: { pause: 20%, halt: 30% }
  in_doubt: { block: level, halt_after: 60s }
submit: { chunk: 5, order: nearest_first, stopOnFail: false, on_reject: skip_level, rate: { requests: 8, per: 1s } }
`
const statusSchema = z.object({
  accounts: z.array(
    z.object({
      account: z.string(),
      holds: z.boolean(),
      standbys: z.number(),
      report: z
        .object({
          stopped: z.string().nullable(),
          strategies: z.array(z.object({ name: z.string(), text: z.string(), running: z.boolean() })),
        })
        .nullable(),
    }),
  ),
  exposure: z.array(
    z.object({ market: z.string(), accounts: z.number(), net: z.string(), gross: z.string() }),
  ),
  faults: z.array(z.string()),
})

const controlFile = z.object({ url: z.string(), token: z.string() })

let server: PostgresServer
const folder = temporaryFolder()

beforeAll(async () => {
  if (missingPostgres === undefined) server = await startPostgres()
}, 60_000)

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const fleet = (name: string, ...words: string[]) => rungsHere(['fleet', name, server.url, ...words])

async function status() {
  const { stdout } = await fleet('status', '--json')
  return statusSchema.parse(JSON.parse(stdout))
}

/** Waits until the status of the fleet is as expected: processes report twice a second. */
async function statusThat(fits: (seen: Awaited<ReturnType<typeof status>>) => boolean) {
  for (;;) {
    const seen = await status()
    if (fits(seen)) return seen
    await systemClock.sleep(250)
  }
}

describe.skipIf(missingPostgres !== undefined)('an operator of a fleet', () => {
  test('sees, stops, changes and flattens the bots of two accounts', async () => {
    await using exchange = await startExchange(['--profile', 'full', '--market', 'seeded', '--speed', '20'])
    const strategy = folder.file('dip.yaml')
    writeFileSync(strategy, dipText)
    const start = (key: string, state = key): StartedBot => {
      const venue = folder.file(`${key}.yaml`)
      writeFileSync(venue, venueFileText(exchange.url).replaceAll('paper-', `${key}-`))
      const words = [strategy, '--venue', venue, '--state-dir', folder.file(state), '--speed', '20']
      return startBot([...words, '--fleet', server.url, '--standby', '--lease', '60s'])
    }
    await using rival = start('rival')
    let paper = start('paper')
    await Promise.all([paper.said(isType('fill')), rival.said(isType('fill'))])
    await using waiting = start('rival', 'standby')
    await waiting.said(isType('lease-waiting'))

    const { accounts, exposure } = await statusThat(
      (seen) => seen.accounts.every(({ report }) => report !== null) && seen.exposure.length > 0,
    )
    expect(new Set(accounts.map(({ standbys }) => standbys))).toEqual(new Set([0, 1]))
    expect(exposure).toMatchObject([{ market: 'BTC_PERP' }])
    const shown = await fleet('status', '--max-exposure', 'BTC_PERP=0.01')
    expect(shown).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^Above a limit: the exposure in BTC_PERP is /m),
    })
    expect((await fleet('status', '--max-exposure', '100000')).code).toBe(0)

    const { url, token } = controlFile.parse(
      JSON.parse(readFileSync(join(folder.file('paper'), 'control.json'), 'utf8')),
    )
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    expect(await metrics.text()).toMatch(
      /^rungs_strategy_running\{strategy="dip",account="the key \w+ at .*"\} 1$/m,
    )

    const stopped = await fleet('stop', '--reason', 'maintenance of the venue', '--cancel')
    expect(stopped).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(?:the key \w+ at .*: stopped\n){2}$/),
    })
    for (const bot of [paper, rival])
      await bot.said((line) => JSON.stringify(line).includes('maintenance of the venue'))
    await statusThat(({ accounts: all }) =>
      all.every(({ report }) => report?.stopped === 'maintenance of the venue'),
    )
    expect((await fleet('resume')).code).toBe(0)
    await statusThat(({ accounts: all }) => all.every(({ report }) => report?.stopped === null))

    // Half of two accounts, in the order of their names.
    const changed = folder.file('changed.yaml')
    writeFileSync(changed, dipText.replace('total: 300 quote', 'total: 400 quote'))
    const rolled = await fleet('rollout', changed, '--to', '50%', '--soak', '1s')
    expect(rolled, rolled.stdout).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 of 2 accounts run the file as dip'),
    })
    const whole = await fleet('rollout', changed, '--to', '100%', '--soak', '1s')
    expect(whole.stdout).toContain('2 of 2 accounts run the file as dip')
    await Promise.all([paper.said(isType('strategy-reloaded')), rival.said(isType('strategy-reloaded'))])

    // A file that the venue refuses changes nothing.
    const refused = folder.file('refused.yaml')
    writeFileSync(refused, dipText.replace('total: 300 quote', 'total: 30 quote'))
    const answer = await fleet('rollout', refused, '--to', '100%')
    expect(answer, answer.stdout).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('refused: line '),
    })
    expect(answer.stdout).toContain('Rolled back: not every bot runs the file.')

    // The next process of the account runs the text of the rollout, and not that of its file.
    paper.kill('SIGTERM')
    expect((await paper.ended).code, paper.stderr()).toBe(0)
    paper = start('paper')
    const { message } = await paper.said(isType('alert'))
    await paper.said(isType('started'))
    const now = await statusThat(({ accounts: all }) => all.every(({ report }) => report !== null))
    const texts = now.accounts.flatMap(({ report }) => report?.strategies.map(({ text }) => text) ?? [])
    expect(new Set(texts).size, String(message)).toBe(1)

    const flat = await fleet('flatten', '--yes')
    expect(flat, flat.stdout).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No order and no position is open in 2 accounts.'),
    })
    expect((await status()).exposure).toEqual([])
    await Promise.all(
      [paper, rival, waiting].map(async (bot) => {
        bot.kill('SIGTERM')
        expect((await bot.ended).code, bot.stderr()).toBe(0)
      }),
    )
    await paper[Symbol.asyncDispose]()
    const away = await fleet('stop', '--wait', '200ms')
    expect(away).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('not delivered, since no process trades'),
    })
  }, 300_000)

  test('sees, stops and changes many bots by one command', async () => {
    await using database = await Database.open(server.url, { connectMs: 60_000, queryMs: 60_000 })
    await makeTables(database)
    await database.query('DELETE FROM rungs.leases')
    const names = Array.from(
      { length: times(20, 95, 5) },
      (_, index) => `account ${String(index).padStart(2, '0')}`,
    )
    await using all = new AsyncDisposableStack()
    const members = await Promise.all(
      names.map(async (name) => all.use(await FakeMember.start(database, name, 10_000))),
    )
    await statusThat(
      ({ accounts }) => accounts.length === names.length && accounts.every(({ report }) => report !== null),
    )
    expect((await fleet('status')).code).toBe(0)

    expect(await fleet('stop', '--account', 'account 03')).toMatchObject({
      code: 0,
      stdout: 'account 03: stopped\n',
    })
    expect(members.flatMap(({ commands }, index) => (commands.length > 0 ? [index] : []))).toEqual([3])
    const { code, stdout } = await fleet('stop')
    expect({ code, lines: stdout.split('\n').length - 1 }).toEqual({ code: 0, lines: names.length })
    expect(members.every(({ report }) => report.stopped !== null)).toBe(true)
    const wrong = await fleet('stop', '--account', 'acount')
    expect(wrong).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('no account of the fleet has "acount" in its name'),
    })

    // The page has the same tables, for those who have its link.
    const command = programWords(['fleet', 'dashboard', server.url])
    const page = spawn(process.execPath, command, { env: environment({}) })
    const ended = once(page, 'exit')
    const [line] = await once(createInterface({ input: page.stdout }), 'line')
    const link = String(line).replace('Fleet dashboard: ', '')
    const [whole, tables] = await Promise.all([fetch(link), fetch(`${link}/tables`)])
    for (const answer of [whole, tables]) {
      const rows = (await answer.text()).match(/<td>process of account \d+<\/td><td>stopped: stopped by/g)
      expect(rows).toHaveLength(names.length)
    }
    expect((await fetch(`${new URL(link).origin}/${'x'.repeat(32)}/tables`)).status).toBe(404)
    page.kill('SIGINT')
    expect(await ended).toEqual([0, null])

    // Five percent, and one of them logs an error.
    const changed = await fleet('rollout', gridFile, '--to', '5%', '--soak', '1s')
    const share = Math.ceil(names.length * 0.05)
    expect(changed, changed.stdout).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${share} of ${names.length} accounts`),
    })
    expect(members.filter(isNew)).toHaveLength(share)
    members[share]!.isFragile = true
    const taken = await fleet('rollout', gridFile, '--to', '50%', '--soak', '5s')
    expect(taken, taken.stdout).toMatchObject({
      code: 2,
      stdout: expect.stringContaining(`Rolled back: account 0${share} has logged an alert or an error`),
    })
    expect(members.filter(isNew)).toHaveLength(share)

    // A process that is gone with its machine.
    await members.at(-1)!.vanish()
    const seen = await statusThat(({ accounts }) => accounts.some(({ holds }) => !holds))
    expect(seen.accounts.filter(({ holds }) => !holds)).toMatchObject([{ account: names.at(-1) }])
    const shown = await fleet('status')
    expect(shown).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/ process of account \d+ +does not trade, for \d+ s /),
    })
    await database.query('CREATE DATABASE empty')
    const empty = await rungsHere(['fleet', 'status', server.url.replace('/postgres', '/empty')])
    expect(empty).toMatchObject({ code: 0, stdout: 'No bot has joined this fleet yet.\n' })
  }, 300_000)
})

function isNew({ report }: FakeMember): boolean {
  return report.strategies[0]?.text !== textHash('before')
}
