import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startExchange, temporaryFolder, type ExchangeProcess } from '#test/cli/support/process.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

const maker = 'strategies/05-market-making.yaml'
const lively = '--profile full --market seeded --speed 60 --seed kills'

function venueFile(folder: { file: (name: string) => string }, exchange: ExchangeProcess): string {
  const path = folder.file('venue.yaml')
  const lines = [
    `url: ${exchange.url}`,
    'clientIds: forever',
    'settle: 0s',
    'key: paper-key',
    'secret: paper-secret',
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

// In `npm run programs`, the shutdown during a reload also finds a silent venue.
test.runIf(isSlowRun)('a silent venue does not delay a shutdown', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(lively.split(' '))
  const words = [maker, '--venue', venueFile(folder, exchange), '--speed', '60']
  await using bot = startBot([...words, '--state-dir', folder.file('state')])
  await bot.said(isType('order-accepted'))
  exchange.signal('SIGSTOP')
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  expect(bot.lines.at(-1)?.type).toBe('summary')
  expect(bot.lines.filter(isType('error'))).toEqual([])
  exchange.signal('SIGCONT')
})

test('a silent venue does not delay a shutdown during a reload', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(lively.split(' '))
  const file = folder.file('grid.yaml')
  const text = readFileSync('strategies/01-static-grid.yaml', 'utf8')
  writeFileSync(file, text)
  const words = [file, '--venue', venueFile(folder, exchange), '--speed', '60']
  await using bot = startBot([...words, '--state-dir', folder.file('state')])
  await bot.said(isType('order-accepted'))
  exchange.signal('SIGSTOP')
  writeFileSync(file, text.replace('max_open_orders: 24', 'max_open_orders: 20'))
  await bot.said(isType('strategy-reloaded'))
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  expect(bot.lines.at(-1)?.type).toBe('summary')
  exchange.signal('SIGCONT')
})
