import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '#src/core/time/clock.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { userDocuments } from '#test/docs/documents.ts'
import { isSlowRun, times } from '#test/properties/runs.ts'
import { secondKey, worldWithSecondKey } from '#test/foreign/second-key.ts'
import { freqtrade, gridBot, pythonOf } from '#test/support/peers.ts'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'

/** Bots of others trade at the embedded exchange, with the files of docs/other-bots.md. Only the addresses are replaced. */
const page = userDocuments.find(({ path }) => path === 'docs/other-bots.md')!
const words = ['--profile', 'full', '--spelling', 'camel', '--market', 'seeded', '--seed', 'bots']

function fileOf(name: string, address: string): string {
  const block = page.blocks.find(({ mark }) => mark === `file: .rungs/${name}`)
  if (block === undefined) throw new Error(`${page.path} has no file ${name}`)
  return block.text.replaceAll('127.0.0.1:8787', new URL(address).host)
}

/** Our own client, beside the bot, with a key of its own. */
function observer(address: string): Client {
  const credentials = { key: secondKey.key, secret: new Secret(secondKey.secret) }
  const nonces = new Nonces({ clock: systemClock, mode: 'window' })
  return createClient({
    transport: httpTransport(address),
    key: { credentials, nonces },
    spelling: 'camel',
  })
}

const dealsOf = async (client: Client, market: string) => {
  const deals = await done(client.executedHistory({ market, limit: 100 }))
  return Array.isArray(deals) ? deals : []
}

/** A program that runs until the test has seen enough, and what it prints. */
class Bot implements AsyncDisposable {
  output = ''
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>

  constructor([command = '', ...rest]: string[], cwd: string, environment: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(command, rest, { cwd, env: { ...process.env, ...environment } })
    this.#closed = once(this.#child, 'close')
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()))
  }

  /** Waits for a condition. A bot that ends before it has failed. */
  async until(condition: () => Promise<boolean> | boolean): Promise<void> {
    await expect
      .poll(
        async () => {
          expect(this.#child.exitCode, this.output.slice(-3000)).toBe(null)
          return condition()
        },
        { interval: 500 },
      )
      .toBe(true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.#closed
  }
}

/** Errors, and calls to the exchange that the bot repeats. */
const complaints = (output: string, expected?: RegExp) =>
  output
    .split('\n')
    .filter(
      (line) => /ERROR|CRITICAL|Traceback|exchange\.common - WARNING/.test(line) && !expected?.test(line),
    )

/** Only slow runs install these bots: they are hundreds of megabytes. */
function skipWithout(minor: number, skip: (condition: boolean, note: string) => void): void {
  skip(!isSlowRun, 'only npm run slow installs bots of others')
  skip(pythonOf(minor) === undefined, `no python3 of version 3.${minor} or later was found`)
}

const pairs = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT']
const order = z.object({
  pair: z.string(),
  id: z.coerce.number(),
  filled: z.number(),
  rate: z.number(),
})

test('Freqtrade closes round trips, and loads the price history', async ({ skip }) => {
  skipWithout(11, skip)
  const python = freqtrade()
  const wanted = times(3, 10)
  using folder = temporaryFolder()
  await using exchange = await startExchange([...words, '--world', worldWithSecondKey(folder.path)])
  const client = observer(exchange.url)
  writeFileSync(folder.file('freqtrade.json'), fileOf('freqtrade.json', exchange.url))
  writeFileSync(folder.file('round_trips.py'), fileOf('round_trips.py', exchange.url))
  const command = (verb: string, ...rest: string[]) => [python, '-m', 'freqtrade', verb, ...rest]
  const ran = ([name = '', ...rest]: string[]) => {
    const { status, stdout, stderr } = spawnSync(name, rest, { cwd: folder.path, encoding: 'utf8' })
    expect(status, `${stdout}${stderr}`).toBe(0)
    return stdout
  }
  ran(command('create-userdir', '--userdir', 'user_data'))
  const asked = (query: string) => {
    using database = new DatabaseSync(folder.file('trades.sqlite'), { timeout: 10_000 })
    return database.prepare(query).all()
  }
  {
    await using bot = new Bot(command('trade', '--config', 'freqtrade.json'), folder.path)
    await bot.until(() => bot.output.includes("state='RUNNING'"))
    // One pair may close twice before another closes at all.
    await bot.until(() => {
      const closed = asked('select pair from trades where is_open = 0').map((trade) => trade['pair'])
      return closed.length >= wanted && pairs.every((pair) => closed.includes(pair))
    })
    expect(complaints(bot.output)).toEqual([])
  }
  const filled = asked(
    'select ft_pair as pair, order_id as id, filled, average as rate from orders where filled > 0',
  )
  const orders = z.array(order).parse(filled)
  expect(orders.length).toBeGreaterThanOrEqual(2 * Math.min(wanted, 3))
  for (const { pair, id, filled: amount, rate } of orders) {
    const deals = (await dealsOf(client, pair.replace('/', '_'))).filter((deal) => deal.order_id === id)
    const sum = (name: 'amount' | 'deal') => deals.reduce((total, deal) => total + Number(deal[name]), 0)
    expect(sum('amount'), `${pair} ${id}`).toBeCloseTo(amount, 8)
    expect(sum('deal') / sum('amount')).toBeCloseTo(rate, 4)
  }
  const flags = ['--config', 'freqtrade.json', '--timeframes', '1m', '--days', '1']
  ran(command('download-data', ...flags))
  const gaps = [
    'import pandas, sys',
    'minutes = pandas.read_feather(sys.argv[1]).date',
    'print(len(minutes), minutes.diff().dropna().dt.total_seconds().unique().tolist())',
  ].join('; ')
  for (const pair of pairs) {
    const file = join('user_data/data/whitebit', `${pair.replace('/', '_')}-1m.feather`)
    const [, minutes, steps] = /^(\d+) (.*)$/.exec(ran([python, '-c', gaps, file]).trim()) ?? []
    expect(Number(minutes)).toBeGreaterThan(1430)
    expect(steps).toBe('[60.0]')
  }
  await client.close()
})

/** It spends all that it has, without the fee, and does not find the level of a filled order: docs/other-bots.md. */
const ownFaults = /HealthCheck|Not enough balance|No grid level found|Traceback/

test('a grid bot that follows the stream keeps its grid in the book', async ({ skip }) => {
  skipWithout(12, skip)
  const python = gridBot()
  using folder = temporaryFolder()
  await using exchange = await startExchange([...words, '--world', worldWithSecondKey(folder.path)])
  const client = observer(exchange.url)
  const ticker = await done(client.ticker({}))
  const middle = Math.round(
    Number(z.record(z.string(), z.looseObject({})).parse(ticker)['ETH_USDT']?.['last_price']),
  )
  const settings = fileOf('grid.json', exchange.url)
    .replace('3003', String(middle + 3))
    .replace('2997', String(middle - 3))
  writeFileSync(folder.file('grid.json'), settings)
  writeFileSync(folder.file('start.py'), fileOf('start.py', exchange.url))
  const keys = { EXCHANGE_API_KEY: 'paper-key', EXCHANGE_SECRET_KEY: 'paper-secret' }
  const started = [python, 'start.py', exchange.url, 'run', '--config', 'grid.json', '--no-plot']
  {
    await using bot = new Bot(started, folder.path, keys)
    const market = 'ETH_USDT'
    await bot.until(async () => {
      const open = await done(client.openOrders({ market }))
      return Array.isArray(open) && open.length >= 6
    })
    await bot.until(async () => {
      const resting = (await dealsOf(client, market)).filter(({ role }) => role === 1)
      return new Set(resting.map(({ side }) => side)).size === 2
    })
    const noticed = () => [...bot.output.matchAll(/ Order (\d+) filled\.$/gm)].map(([, id]) => Number(id))
    await bot.until(() => noticed().length >= 2)
    const resting = (await dealsOf(client, market)).filter(({ role }) => role === 1)
    expect(resting.map((deal) => deal.order_id)).toEqual(expect.arrayContaining(noticed()))
    expect(complaints(bot.output, ownFaults)).toEqual([])
  }
  await client.close()
})
