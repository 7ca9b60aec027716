import { afterAll, beforeAll, expect, test } from 'vitest'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { loopedMarkets } from '#test/engine/support/looped-markets.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'

let exchange: ExchangeHere
beforeAll(async () => {
  exchange = await exchangeHere(['--profile', 'full', '--market', 'seeded'])
})
afterAll(async () => {
  await exchange.end()
})

const markets = async (...words: string[]) => rungsHere(['markets', '--venue', exchange.url, ...words])

test('the list is a list for for_each, and names that clash are written', async () => {
  const { code, stdout } = await markets('--quote', 'USDT')
  expect(code).toBe(0)
  const list = /^markets: \[(.*)\]$/m.exec(stdout)?.[1] ?? ''
  const found = Object.values(strategyIn(loopedMarkets(list, 2)).strategy.markets).map(({ symbol }) => symbol)
  expect(found).toContain('BTC_PERP')
  expect(found).toContain('BTC_USDT')
  expect(new Set(found).size).toBe(found.length)
})

async function symbolsOf(...words: string[]): Promise<{ market: string; spread?: string }[]> {
  const { stdout } = await markets('--json', ...words)
  const { markets: found }: { markets: { market: string; spread?: string }[] } = JSON.parse(stdout)
  return found
}

test('the filters by type, volume, spread and number count', async () => {
  const futures = await symbolsOf('--type', 'futures')
  expect(futures.every(({ market }) => market.endsWith('_PERP'))).toBe(true)
  expect((await symbolsOf('--type', 'spot')).some(({ market }) => market.endsWith('_PERP'))).toBe(false)
  expect((await symbolsOf('--type', 'futures', '--top', '1')).length).toBe(1)
  expect(await symbolsOf('--min-volume', '1000000000000')).toEqual([])
  const narrow = await symbolsOf('--type', 'futures', '--max-spread', '50%')
  expect(narrow.every(({ spread }) => spread?.endsWith('%'))).toBe(true)
  expect(narrow.length).toBeGreaterThan(0)
  expect(await symbolsOf('--type', 'futures', '--max-spread', '0.0000001%')).toEqual([])
})

test.each([
  [['--min-volume', '1e6'], '"1e6" is not a volume'],
  [['--max-spread', '0.1'], '"0.1" is not a percentage'],
])('%j is refused', async (words, message) => {
  const { code, stderr } = await markets(...words)
  expect(code).toBe(64)
  expect(stderr).toContain(message)
})
