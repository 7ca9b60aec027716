import { afterAll, beforeAll, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

/** Public calls. */
const folder = temporaryFolder()
let exchange: ExchangeHere
beforeAll(async () => {
  exchange = await exchangeHere(['--profile', 'full'])
  const order = { market: 'BTC_PERP', amount: '0.02', price: '61500.5' }
  const orders = JSON.stringify([
    { ...order, side: 'sell' },
    { ...order, side: 'buy' },
    { ...order, side: 'buy', price: '61000' },
    { ...order, side: 'buy', price: '58000', amount: '0.5' },
  ])
  await api('collateral-bulk', '--yes', '--orders', orders)
})
afterAll(async () => {
  await exchange.end()
  folder[Symbol.dispose]()
})

const api = (...words: string[]) =>
  rungsHere(['api', ...words, '--url', exchange.url], { RUNGS_STATE_DIR: folder.file('state') })

test('the tickers of all markets are a table', async () => {
  const { code, stdout } = await api('ticker')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ +base_id +quote_id +last_price .* change\n/)
  expect(stdout).toMatch(/\nBTC_PERP +0 +0 +61500\.5 +1230\.01 +0\.02 +false +0\n/)
})

test('each candle is a line, after the envelope of the answer', async () => {
  const { code, stdout } = await api('kline', '--market', 'BTC_PERP')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^success: true\nmessage: -\nresult\n {2}\d+00 {2}61500\.5 {2}61500\.5 {2}61500\.5 {2}61500\.5 {2}0\.02 {2}1230\.01\n$/,
  )
})

test('each price of the book is a line, and --json prints the raw answer', async () => {
  const { stdout } = await api('orderbook', '--market', 'BTC_PERP')
  expect(stdout).toMatch(/\nasks\n {2}Nothing\.\nbids\n {2}61000 {2}0\.02\n {2}58000 {2}0\.5\n$/)
  const { stdout: json } = await api('orderbook', '--market', 'BTC_PERP', '--limit', '1', '--json')
  expect(JSON.parse(json)).toMatchObject({ ticker_id: 'BTC_PERP', asks: [], bids: [['61000', '0.02']] })
})

test('a refusal of candles names the field, with exit code 77', async () => {
  const { code, stderr } = await api('kline', '--market', 'DOGE_PERP')
  expect(code).toBe(77)
  expect(stderr).toMatch(
    /^VENUE_REFUSED: .*kline: Validation failed \(HTTP 200\)\n {2}market: Market is not available\.\n/,
  )
})

test.concurrent('a dry run shows path and query', async () => {
  const words = ['orderbook', '--market', 'BTC_PERP', '--limit', '5', '--dry-run']
  const { stdout } = await rungsHere(['api', ...words, '--url', 'http://127.0.0.1:1'])
  expect(stdout).toBe('GET http://127.0.0.1:1/api/v4/public/orderbook/BTC_PERP?limit=5\n')
})

test.concurrent('an invalid value is reported by its flag before anything is sent', async () => {
  const words = ['kline', '--market', 'BTC_PERP', '--limit', '1441', '--url', 'http://127.0.0.1:1']
  const { code, stderr } = await rungsHere(['api', ...words])
  expect(code).toBe(64)
  expect(stderr).toContain('--limit: The limit may not be greater than 1440.')
  const { stderr: interval } = await rungsHere(['api', 'kline', '--market', 'BTC_PERP', '--interval', '1H'])
  expect(interval).toContain('--interval must be one of 1s, 10s, 30s, 1m')
})

test.concurrent('help says that the specification lacks it, and states the assumption', async () => {
  const { stdout } = await rungsHere(['api', 'orderbook', '--help'])
  expect(stdout).toContain('The embedded exchange serves this endpoint only with --profile full')
  expect(stdout).toMatch(/--market TEXT +required/)
  expect(stdout).toMatch(/--limit INTEGER +Prices per side; 0 means 100, 0 to 100/)
  expect(stdout).toMatch(/Public books\s+omit\s+rpi\s+orders/)
})
