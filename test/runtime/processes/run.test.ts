import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { logFiles, logFolder } from '#src/operate/logs/log-files.ts'
import { families } from '#src/operate/metrics/metric-families.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, startExchange, temporaryFolder, type ExchangeProcess } from '#test/cli/support/process.ts'
import { exposed, valueIn } from '#test/operate/metrics/exposition.ts'
import { acceptedIn, isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { closeMaker } from '#test/runtime/support/close-maker.ts'

const grid = 'strategies/01-static-grid.yaml'

const summaryLine = z.object({
  fills: z.int(),
  orders: z.int(),
  unknown: z.int(),
  fees: z.string(),
  profit: z.string(),
  agrees: z.boolean(),
  strategies: z.array(
    z.object({ strategy: z.string(), orders: z.int(), fills: z.int(), profit: z.string() }),
  ),
})
const controlFile = z.object({ url: z.string(), pid: z.int(), token: z.string() })
const statusLine = z.object({
  process: z.object({ pid: z.int() }).nullable(),
  stopped: z.string().nullable(),
  strategies: z.array(
    z.object({
      name: z.string(),
      halted: z.string().nullable(),
      orders: z.object({ resting: z.int(), sending: z.int(), doubtful: z.array(z.string()) }),
      ladders: z.array(z.object({ name: z.string(), goal: z.string(), resting: z.int() })),
      margins: z.array(z.object({ limit: z.string(), used: z.string().nullable(), most: z.string() })),
      feeds: z.array(z.object({ name: z.string(), ageMs: z.number().nullable() })),
    }),
  ),
})

test('a run trades on its embedded exchange, and ends with a summary', async () => {
  using folder = temporaryFolder()
  await using bot = startBot([closeMaker(folder), '--state-dir', folder.file('state')])
  await bot.said(isType('fill'))
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  const { lines } = bot
  const summary = summaryLine.parse(lines.at(-1))
  expect(lines.at(-1)?.type).toBe('summary')
  expect(summary).toMatchObject({ agrees: true, unknown: 0, strategies: [{ strategy: 'mm2s' }] })
  expect(summary.fills).toBe(lines.filter(({ type }) => type === 'fill').length)
  expect(summary.fills).toBeGreaterThan(0)
  expect(summary.orders).toBe(new Set(acceptedIn(lines)).size)
  expect(lines.filter(({ type }) => type === 'error' || type === 'drift')).toEqual([])
})

describe('a bot that runs', () => {
  // Not `using`: that would end with the describing of the tests, before the first of them runs.
  const folder = temporaryFolder()
  const strategy = folder.file('grid.yaml')
  let exchange: ExchangeProcess
  let bot: StartedBot
  beforeAll(async () => {
    // A market that repeats itself: in another one the price may stand where few lines of the grid have room.
    exchange = await startExchange('--profile full --market seeded --speed 60 --seed run'.split(' '))
    const venue = folder.file('venue.yaml')
    const words = ['clientIds: forever', 'settle: 0s', 'key: paper-key', 'secret: paper-secret']
    writeFileSync(venue, [`url: ${exchange.url}`, ...words].join('\n'))
    writeFileSync(strategy, readFileSync(grid))
    bot = startBot([strategy, '--venue', venue, '--speed', '60', '--state-dir', folder.path])
    await bot.said(isType('order-accepted'))
  })
  afterAll(async () => {
    await bot[Symbol.asyncDispose]()
    await exchange[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  /** A command about this folder. */
  function told(...words: string[]) {
    return rungsHere([...words, '--state-dir', folder.path])
  }

  function said(type: string): number {
    return bot.lines.filter(isType(type)).length
  }

  const logText = (name: string) => readFileSync(join(logFolder(folder.path), name), 'utf8')

  const status = async () => {
    const { code, stdout } = await rungsHere(['status', '--json', '--state-dir', folder.path])
    return { code, ...statusLine.parse(JSON.parse(stdout)) }
  }

  test('shows its ladders, orders, margins and feeds, and for people in lines', async () => {
    const { code, process, strategies } = await status()
    expect(code).toBe(0)
    expect(process).not.toBeNull()
    const [sgrid] = strategies
    expect(sgrid).toMatchObject({ name: 'sgrid', halted: null, ladders: [{ name: 'grid', goal: 'ensure' }] })
    expect(sgrid?.orders.resting).toBeGreaterThan(5)
    expect(sgrid?.feeds).toEqual([{ name: 'px', ageMs: expect.any(Number) }])
    const open = sgrid?.margins.find(({ limit }) => limit === 'max_open_orders')
    const { resting = 0, sending = 0 } = sgrid?.orders ?? {}
    expect(open).toEqual({ limit: 'max_open_orders', used: String(resting + sending), most: '24' })
    const { stdout } = await rungsHere(['status', 'sgrid', '--state-dir', folder.path])
    expect(stdout).toMatch(/grid +ensure +\d+ of 20 resting +from 60000/)
    const misspelled = await told('status', 'sgird')
    expect(misspelled).toMatchObject({ code: 64, stderr: expect.stringContaining('did you mean "sgrid"?') })
  })

  test('says why each order was sent', async () => {
    const [order = ''] = acceptedIn(bot.lines)
    const { code, stdout } = await rungsHere(['why', order, '--state-dir', folder.path])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^sgrid\.grid\.\w+\.[a-z]\w1\n(?:buy|sell) 0\.\d+ at \d+(?:: (?:resting|filled))?$/m,
    )
    expect(stdout).toMatch(/priority entries, stopOnFail false/)
    expect(stdout).toMatch(/answered at .+: accepted as \d+, 0 filled at once/)
    expect(stdout).toMatch(/rule place is true/)
  })

  test('requires the token, and refuses other host names and web pages', async () => {
    const path = folder.file('control.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { url, token } = controlFile.parse(JSON.parse(readFileSync(path, 'utf8')))
    const link = `${url}/#${token}.${new URL(url).port}`
    expect(await told('dashboard')).toMatchObject({ code: 0, stdout: `${link}\n` })
    // Logs, and whoever reads the lines of a run, get the address alone.
    expect(bot.lines.find(isType('dashboard-ready'))?.['url']).toBe(url)
    const said = [JSON.stringify(bot.lines), ...logFiles(logFolder(folder.path)).map((name) => logText(name))]
    expect(said.filter((text) => text.includes(token))).toEqual([])
    const authorization = `Bearer ${token}`
    const asked = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${url}/status`, { headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        }).on('error', reject)
      })
    expect(await asked({ authorization })).toBe(200)
    expect(await asked({})).toBe(401)
    expect(
      await asked({ authorization: `Bearer ${token.replace(/./, (first) => (first === 'A' ? 'B' : 'A'))}` }),
    ).toBe(401)
    expect(await asked({ authorization, host: 'rungs.example:80' })).toBe(403)
    expect(await asked({ authorization, origin: 'http://127.0.0.1:3000' })).toBe(403)
  })

  test('gives Prometheus the numbers of status and log, with the token of its folder', async () => {
    const { url } = controlFile.parse(JSON.parse(readFileSync(folder.file('control.json'), 'utf8')))
    // As its setting credentials_file reads it.
    const authorization = `Bearer ${readFileSync(folder.file('token'), 'utf8').trim()}`
    const asked = (path: string) => fetch(`${url}/${path}`, { headers: { authorization } })
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    expect((await asked('metrics')).headers.get('content-type')).toBe(
      'text/plain; version=0.0.4; charset=utf-8',
    )
    // It goes on trading meanwhile, so there has to be a moment in which all of it fits together.
    await expect
      .poll(async () => {
        const page = exposed(await (await asked('metrics')).text())
        const { equity, strategies } = statusLine
          .extend({ equity: z.string().nullable() })
          .parse(await (await asked('status')).json())
        const [sgrid] = strategies
        const of = (name: string, about = {}) => valueIn(page, name, about)
        const orders = (outcome: string) => Number(of('rungs_orders_total', { strategy: 'sgrid', outcome }))
        const fits = [
          of('rungs_equity') === (equity ?? undefined),
          of('rungs_orders', { status: 'resting' }) === String(sgrid?.orders.resting),
          ...(sgrid?.margins ?? []).flatMap(({ limit, used, most }) => [
            of('rungs_limit_used', { limit }) === (used ?? undefined),
            of('rungs_limit_most', { limit }) === most,
          ]),
          orders('accepted') === said('order-accepted'),
          orders('refused') === said('order-refused'),
          of('rungs_fills_total') === String(said('fill')),
          Number(of('rungs_account_age_seconds')) >= 0,
          Number(of('rungs_stream_connects_total')) > 0,
          of('rungs_strategy_halted') === '0',
        ]
        return fits.filter((each) => !each)
      })
      .toEqual([])
    const page = exposed(await (await asked('metrics')).text())
    for (const { name, type, help } of page) {
      const family = Object.entries(families).find(([each]) => each === name)?.[1]
      expect({ name, type, help }).toEqual({ name, type: family?.type.toUpperCase(), help: family?.help })
    }
    const known = [
      'step_seconds',
      'journal_commit_seconds',
      'lane_wait_seconds',
      'lane_waiting',
      'feed_age_seconds',
    ]
    expect(page.map(({ name }) => name)).toEqual(expect.arrayContaining(known.map((each) => `rungs_${each}`)))
  })

  test('locks its folder: a second process is refused, and the first continues', async () => {
    const { code, stderr } = await rungs(['run', grid, '--for', '1s', '--state-dir', folder.path])
    expect(code).toBe(75)
    const { process: running } = await status()
    expect(stderr).toContain(`process ${running?.pid} runs sgrid in ${folder.path}\n`)
  })

  test('stops and resumes on command, and refuses unknown names', async () => {
    expect((await told('stop', '--reason', 'lunch')).code).toBe(0)
    expect((await status()).stopped).toBe('lunch')
    const held = 'sgrid is resumed but does not trade: all strategies are stopped (lunch).\n'
    expect((await told('resume', 'sgrid')).stdout).toBe(`${held}To resume all strategies: rungs resume\n`)
    expect(await told('resume')).toMatchObject({ code: 0, stdout: 'All strategies resumed.\n' })
    expect((await status()).stopped).toBeNull()
    expect((await told('stop', 'sgrid', '--reason', 'tea')).code).toBe(0)
    expect((await status()).strategies[0]?.halted).toContain('tea')
    const { order: taken } = await bot.said(isType('order-canceled'))
    expect((await told('resume', 'sgrid')).stdout).toBe('sgrid resumed.\n')
    const misspelled = expect.stringContaining('no strategy sgird, only sgrid, did you mean "sgrid"?')
    expect(await told('stop', 'sgird')).toMatchObject({ code: 64, stderr: misspelled })
    const later = await bot.said(({ order }) => /\.[a-z]\w2$/.test(String(order)))
    expect(await told('resolve', String(later['order']), 'dead', '--reason', 'seen')).toMatchObject({
      code: 64,
      // On a machine that is slow it may have filled by now, and then there is none.
      stderr: expect.stringMatching(/is known|no active order \S+; no order has an unknown outcome/),
    })
    const gone = ['resolve', 'sgrid.nothing', 'gone', '--reason', 'seen'] as const
    for (const [more, seen] of [
      [[], 'gone needs the price'],
      [['--price', '58000'], 'sgrid has no ladder nothing'],
      [['--price', '5,8'], 'the request is invalid'],
    ] as const) {
      expect(await told(...gone, ...more)).toMatchObject({ code: 64, stderr: expect.stringContaining(seen) })
    }
    // Of an order it is said what was sent, whatever its rung is by now.
    const { stdout } = await told('why', String(taken))
    const sent = bot.lines.find((line) => line.type === 'order-accepted' && line['order'] === taken)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      taken,
      ['side', 'amount', 'price']
        .map((name) => String(sent?.[name]))
        .join(' ')
        .replace(/ (?=\S+$)/, ' at '),
    ])
    for (const [what, seen] of [
      ['sgrid.grid.b1.99', ''],
      ['sgird.grid.b1', 'nothing of sgird.grid.b1, did you mean "sgrid.grid"?\nfix: Use one of sgrid.grid'],
      ['sgrid.grid.c1', 'sgrid.grid has no rung c1, did you mean "'],
    ] as const) {
      expect(await told('why', what)).toMatchObject({ code: 64, stderr: expect.stringContaining(seen) })
    }
  })

  test('reloads a valid changed file, and keeps the old one otherwise', async () => {
    const text = readFileSync(grid, 'utf8')
    const faults = {
      '2.2 x fee': '2.2 x prize',
      'levels: 21': 'levels: many',
      'max_open_orders: 24': 'max_open_orders: 0',
    }
    writeFileSync(
      strategy,
      Object.entries(faults).reduce((wrong, [was, is]) => wrong.replace(was, is), text),
    )
    const refused = await bot.said(isType('strategy-refused'))
    expect(refused).toMatchObject({ strategy: 'sgrid', problems: 3 })
    expect(refused['message']).toMatch(/^(?:line \d+: [^;]+; ){2}and 1 more, see rungs check \S+grid\.yaml$/)
    writeFileSync(strategy, text.replace('symbol: BTC_USDT', 'symbol: BTC_PERP'))
    const moved = await bot.said(
      (line) => line.type === 'strategy-refused' && String(line['message']).includes('means BTC_USDT'),
    )
    expect(moved['message']).toMatch(
      /^line 13: .* under the name "btc", which means BTC_USDT long(?:$|; line)/,
    )
    writeFileSync(folder.file('house.yaml'), 'version: 1\nlet:\n  far: lst(px)\n')
    writeFileSync(strategy, text.replace('name: sgrid', 'name: sgrid\nextends: house.yaml'))
    const house = await bot.said(
      (line) => line.type === 'strategy-refused' && String(line['message']).includes('lst()'),
    )
    expect(house['message']).toMatch(/^\S+house\.yaml line 3: unknown function lst\(\)/)
    writeFileSync(strategy, text.replace('max_open_orders: 24', 'max_open_orders: 20'))
    expect(await bot.said(isType('strategy-reloaded'))).toMatchObject({ strategy: 'sgrid' })
    const [sgrid] = (await status()).strategies
    expect(sgrid?.margins.find(({ limit }) => limit === 'max_open_orders')?.most).toBe('20')
  })

  test('shuts down cleanly after one or more signals, and keeps its state', async () => {
    bot.kill('SIGTERM')
    bot.kill('SIGTERM')
    expect(await bot.ended).toEqual({ code: 0, signal: null })
    expect(summaryLine.parse(bot.lines.at(-1))).toMatchObject({ agrees: true })
    const { code, process, strategies } = await status()
    expect({ code, process }).toEqual({ code: 69, process: null })
    expect(strategies[0]?.orders.resting).toBeGreaterThan(5)
    expect((await rungsHere(['stop', '--state-dir', folder.path])).code).toBe(69)
  })
})
