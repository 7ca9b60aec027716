import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { candlesMax, kline } from '#src/venues/whitebit/contract/market-data/candles.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, programWords, temporaryFolder } from '#test/cli/support/process.ts'

const spellings = ['spec', 'camel'] as const
type Spelling = (typeof spellings)[number]
const exchanges = new Map<Spelling, ExchangeHere>()
const folder = temporaryFolder()
const minuteMs = 60_000
/** The exchange makes up minutes of eight days, and longer bars before. */
const spanMs = 7 * 24 * 60 * minuteMs
const minutes = spanMs / minuteMs

beforeAll(async () => {
  for (const spelling of spellings) {
    const words = ['--market', 'seeded', '--seed', 'download', '--profile', 'full', '--spelling', spelling]
    exchanges.set(spelling, await exchangeHere(words))
  }
})
afterAll(async () => {
  for (const exchange of exchanges.values()) await exchange[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** A way to a venue that answers a request only if `passes` allows it. */
async function gateTo(target: string, passes: (path: string) => boolean) {
  const passOn = async (path: string, response: ServerResponse) => {
    const answer = await fetch(new URL(path, target))
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }
  const server = createServer(({ url = '/' }, response) => {
    if (passes(url)) void passOn(url, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await promisify(server.close.bind(server))()
    },
  }
}

const urlOf = (spelling: Spelling) => exchanges.get(spelling)!.url
const minuteText = (at: number) => new Date(at).toISOString().slice(0, 16).concat('Z')
const end = Date.now() - (Date.now() % minuteMs) - 60 * minuteMs
const begin = end - spanMs

function words(spelling: Spelling, out: string, ...more: string[]): string[] {
  const span = ['--from', minuteText(begin), '--to', minuteText(end)]
  return ['download', 'BTC_PERP', '--venue', urlOf(spelling), ...span, '--out', out, ...more]
}

/** A download that takes a while tells how far it is. */
const withoutProgress = (stderr: string) => stderr.replaceAll(/^BTC_PERP: \d+ rows until \S+, \d+ %\n/gm, '')

const rowsIn = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(3)

test.each(spellings)('a week of minutes is that of the venue, spelling %s', async (spelling) => {
  const out = folder.file(`minutes-${spelling}.csv`)
  const { code, stdout, stderr } = await rungsHere(words(spelling, out, '--json'))
  expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({ event: 'downloaded', file: out, market: 'BTC_PERP', rows: minutes })
  const rows = rowsIn(out)
  expect(rows).toHaveLength(minutes)
  // The last day, as one answer of the venue.
  const query = `market=BTC_PERP&interval=1m&start=${end / 1000 - 86_400}&end=${end / 1000 - 1}&limit=1440`
  const answer = await fetch(`${urlOf(spelling)}/api/v1/public/kline?${query}`)
  const { result } = kline.response.parse(await answer.json())
  expect(rows.slice(-1440)).toEqual(
    result.map(([at, open, close, high, low, volume]) => [at, open, high, low, close, volume].join(',')),
  )
  const market = await rungsHere(['market', out, '--json'])
  expect(JSON.parse(market.stdout)).toMatchObject({
    market: 'BTC_PERP',
    kind: 'bars',
    barMs: minuteMs,
    gaps: 0,
  })
})

test('a file that a killed download left is continued, also behind half a row', async () => {
  const whole = folder.file('whole.csv')
  await rungsHere(words('spec', whole))
  const text = readFileSync(whole, 'utf8')
  const places = [
    10,
    text.indexOf('\n') + 3,
    Math.floor(text.length / 3),
    Math.floor(text.length / 2),
    text.length,
  ]
  for (const place of places) {
    const out = folder.file(`cut-${place}.csv`)
    writeFileSync(`${out}.part`, text.slice(0, place))
    const { code } = await rungsHere(words('spec', out))
    expect(code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
    expect(existsSync(`${out}.part`)).toBe(false)
  }
})

test('a download of a week that is killed half way goes on, makes the same file, and a backtest reads it', async () => {
  const out = folder.file('killed.csv')
  const whole = rowsIn(folder.file('whole.csv'))
  // The venue stops to answer half way, so the kill finds an open download however fast the machine is.
  let [asked, most] = [0, Math.ceil(minutes / candlesMax / 2)]
  await using gate = await gateTo(urlOf('spec'), (path) => !path.includes('/kline') || ++asked <= most)
  const all = words('spec', out)
  all[3] = gate.url
  const child = spawn(process.execPath, programWords(all), { env: environment({}), stdio: 'ignore' })
  const closed = once(child, 'close')
  await expect.poll(() => asked).toBeGreaterThan(most)
  child.kill('SIGKILL')
  await closed
  expect(existsSync(out)).toBe(false)
  const kept = rowsIn(`${out}.part`)
  expect(kept.length).toBeGreaterThan(minutes / 3)
  expect(kept).toEqual(whole.slice(0, kept.length))
  most = Infinity
  const again = await rungsHere(all)
  expect(again.code, again.stderr).toBe(0)
  expect(again.stderr).toContain(`has ${kept.length} rows: the download continues from`)
  expect(rowsIn(out)).toEqual(whole)
  const market = `BTC_USDT=${out}`
  const backtest = await rungsHere([
    'backtest',
    'strategies/01-static-grid.yaml',
    '--market',
    market,
    '--json',
  ])
  expect(backtest.code, backtest.stderr).toBe(0)
  const result = JSON.parse(backtest.stdout.trimEnd().split('\n').at(-1) ?? '')
  expect(result.market).toMatchObject([{ kind: 'bars', gaps: 0 }])
})

test('a year of hours is longer than one answer of the venue', async () => {
  const out = folder.file('hours.csv')
  const from = minuteText(end - 365 * 24 * 60 * minuteMs)
  const { code } = await rungsHere(words('spec', out, '--bars', '1h', '--from', from))
  expect(code).toBe(0)
  expect(rowsIn(out).length).toBeGreaterThanOrEqual(365 * 24 - 1)
})

test('a part of a second in --from is cut', async () => {
  const out = folder.file('part-of-a-second.csv')
  const from = new Date(end - 10 * minuteMs - 500).toISOString()
  expect((await rungsHere(words('spec', out, '--from', from))).code).toBe(0)
  expect(rowsIn(out)).toHaveLength(10)
})

test('funding rates are a file for --funding', async () => {
  const out = folder.file('funding.csv')
  const flags = ['--market', 'seeded', '--seed', 'funding', '--profile', 'full', '--spelling', 'camel']
  await using exchange = await exchangeHere(flags)
  // Funding is paid every eight hours.
  expect((await fetch(`${exchange.adminUrl}/clock/turn/28800`, { method: 'POST' })).status).toBe(200)
  const span = ['--from', minuteText(Date.now() - minuteMs), '--what', 'funding', '--out', out]
  const { code, stderr } = await rungsHere(['download', 'BTC_PERP', '--venue', exchange.url, ...span])
  expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' })
  const [, , header, ...rows] = readFileSync(out, 'utf8').trimEnd().split('\n')
  expect(header).toBe('timestamp,rate,rate_calculated_time')
  expect(rows).toHaveLength(1)
})

test('a history that begins later than --from is told', async () => {
  const late = words('spec', folder.file('late.csv'), '--from', minuteText(begin - 4 * spanMs))
  const { code, stderr } = await rungsHere(late)
  expect(code).toBe(0)
  expect(stderr).toMatch(/^The history of BTC_PERP begins at 20\d\d-.*, later than --from\.$/m)
})

test('an address without http:// is named', async () => {
  const bare = words('spec', folder.file('bare.csv'), '--venue', new URL(urlOf('spec')).host)
  const { code, stderr } = await rungsHere(bare)
  expect(stderr).toContain('is no file, and an address begins with http:// or https://')
  expect(code).not.toBe(0)
})

test('mistakes are named, and nothing is written', async () => {
  const out = folder.file('mistake.csv')
  const mistakes: [string[], RegExp][] = [
    [['download', 'BTC_PRP', ...words('spec', out).slice(2)], /"BTC_PRP" is not a market/],
    [words('spec', out, '--bars', '7m'), /"7m" is not an interval/],
    [words('spec', out, '--bars', '1M'), /bars of a month have no fixed length/],
    [words('spec', out, '--what', 'funding', '--bars', '1h'), /--bars needs --what bars/],
    [words('spec', out, '--what', 'trades'), /last 100 trades.*rungs record/],
    [words('spec', out, '--what', 'ticks'), /--what cannot be "ticks"\nfix: Write bars or funding/],
    [words('spec', out, '--from', minuteText(Date.now() + spanMs)), /--from is not before the end/],
    [
      words('spec', out, '--from', '2001-01-01', '--to', '2001-01-02'),
      /has no bars of 1m of BTC_PERP from 2001-01-01.* to 2001-01-02/,
    ],
  ]
  for (const [all, text] of mistakes) {
    const { code, stderr } = await rungsHere(all)
    expect(stderr).toMatch(text)
    expect(code).toBe(64)
  }
  const spot = ['download', 'BTC_USDT', ...words('spec', out, '--what', 'funding').slice(2)]
  const refused = await rungsHere(spot)
  expect(refused.stderr).toMatch(/The venue refused the call: .*Market is not available/)
  expect([existsSync(out), existsSync(`${out}.part`)]).toEqual([false, false])
  writeFileSync(out, 'mine')
  expect((await rungsHere(words('spec', out))).stderr).toContain('exists')
  expect(readFileSync(out, 'utf8')).toBe('mine')
  rmSync(out)
  writeFileSync(`${out}.part`, '# market: ETH_PERP\n')
  expect((await rungsHere(words('spec', out))).stderr).toContain('belongs to a download with other flags')
  expect(readFileSync(`${out}.part`, 'utf8')).toBe('# market: ETH_PERP\n')
  const damaged = `${readFileSync(folder.file('whole.csv'), 'utf8')}no row\n`
  writeFileSync(`${out}.part`, damaged)
  expect((await rungsHere(words('spec', out))).stderr).toContain('has the line "no row"')
  expect(readFileSync(`${out}.part`, 'utf8')).toBe(damaged)
})
