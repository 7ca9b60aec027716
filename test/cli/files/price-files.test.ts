import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pricesFor } from '#src/cli/files/price-files.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'

const venue = { url: 'http://127.0.0.1:1', prices: {} }

test('prices continue after a restart, and a file without a start time is reported with a fix', () => {
  using folder = temporaryFolder()
  const beginsAt = (now: number) => pricesFor([], venue, folder.path, () => now).begins
  expect([beginsAt(1_700_000_000_000), beginsAt(1_700_000_060_000)]).toEqual([
    1_700_000_000_000, 1_700_000_000_000,
  ])
  // The machine crashed before the bytes were on the disk.
  writeFileSync(folder.file('prices-began'), '')
  expect(() => beginsAt(1_700_000_120_000)).toThrow(
    expect.objectContaining({
      code: 'FILE_INVALID',
      seen: `${folder.file('prices-began')} does not hold the start time of the prices`,
      fix: 'Remove the file: the prices start again',
    }),
  )
})

test('a changed file that needs unavailable prices is refused, and the old one continues', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(['--profile', 'spec'])
  writeFileSync(folder.file('btc.csv'), 'timestamp,price\n1790000000,60000\n1790000060,60000\n')
  const lines = [`url: ${exchange.url}`, 'key: paper-key', 'secret: paper-secret', 'settle: 0s']
  const more = ['prices: { BTC_USDT: btc.csv }', `world: ${process.cwd()}/config/exchange.yaml`]
  writeFileSync(folder.file('venue.yaml'), [...lines, ...more].join('\n'))
  const file = folder.file('grid.yaml')
  const text = readFileSync('strategies/01-static-grid.yaml', 'utf8')
  writeFileSync(file, text)
  const words = [file, '--venue', folder.file('venue.yaml'), '--state-dir', folder.file('state')]
  await using bot = startBot(words)
  await bot.said(isType('dashboard-ready'))

  const [btc, eth] = ['  btc: { symbol: BTC_USDT }', '  eth: { symbol: ETH_USDT }']
  writeFileSync(file, text.replace(btc, `${btc}\n${eth}`))
  const { message } = await bot.said(isType('strategy-refused'))
  expect(message).toMatch(
    /^line \d+: no prices for ETH_USDT: the venue reports none, and the venue file names no price file$/,
  )
  writeFileSync(file, text.replace('max_open_orders: 24', 'max_open_orders: 20'))
  await bot.said(isType('strategy-reloaded'))
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
})
