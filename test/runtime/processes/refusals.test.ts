import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

const grid = 'strategies/01-static-grid.yaml'
const maker = 'strategies/05-market-making.yaml'

test('mistakes of all files are reported with their places, and nothing starts', async () => {
  using folder = temporaryFolder()
  const [one, other] = [folder.file('one.yaml'), folder.file('other.yaml')]
  const text = readFileSync(grid, 'utf8')
  writeFileSync(one, text.replace('anchor: 60000', 'anchor: prize'))
  writeFileSync(other, text.replace('levels: 21', 'levels: many'))
  const words = ['run', one, grid, other, '--for', '1s', '--state-dir', folder.file('state')]
  const { code, stderr, stdout } = await rungsHere(words)
  expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
  expect(stderr).toMatch(/one\.yaml:\d+:\d+ unknown name "prize"/)
  expect(stderr).toMatch(/other\.yaml:\d+:\d+ .*levels/)
})

test('two strategies of one name are refused', async () => {
  using folder = temporaryFolder()
  const { code, stderr } = await rungsHere([
    'run',
    grid,
    grid,
    '--for',
    '1s',
    '--state-dir',
    folder.file('state'),
  ])
  expect(code).toBe(65)
  expect(stderr).toContain('both have the name sgrid')
})

test('real orders need both the flag and the venue file', async () => {
  using folder = temporaryFolder()
  const venue = folder.file('venue.yaml')
  const [key, secret] = [folder.file('key'), folder.file('secret')]
  writeFileSync(key, 'some-key', { mode: 0o600 })
  writeFileSync(secret, 'some-secret', { mode: 0o600 })
  const lines = ['url: https://venue.invalid', 'keyFile: key', 'secretFile: secret']
  const words = ['run', grid, '--venue', venue, '--state-dir', folder.file('state')]
  writeFileSync(venue, lines.join('\n'))
  const unsaid = await rungsHere(words)
  expect(unsaid.code).toBe(64)
  expect(unsaid.stderr).toContain('https://venue.invalid without --live')
  const nameless = await rungsHere([...words, '--live'])
  expect(nameless.code).toBe(64)
  const account = /account: ([0-9a-f]{16})$/m.exec(nameless.stderr)?.[1] ?? ''
  writeFileSync(venue, [...lines, 'account: 0123456789abcdef'].join('\n'))
  expect((await rungsHere([...words, '--live'])).stderr).toContain('its API key belongs to another')
  // With both it gets as far as the name lookup, which fails.
  writeFileSync(venue, [...lines, `account: ${account}`].join('\n'))
  expect((await rungs([...words, '--live'])).code).toBe(69)
})

test('at a venue with only documented calls a run uses prices of a file, and refuses sliding ladders', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(['--profile', 'spec', '--speed', '60'])
  const venue = folder.file('venue.yaml')
  const lines = [
    `url: ${exchange.url}`,
    'clientIds: forever',
    'settle: 0s',
    'key: paper-key',
    'secret: paper-secret',
  ]
  const world = `world: ${process.cwd()}/config/exchange.yaml`
  writeFileSync(venue, [...lines, world].join('\n'))
  const where = ['--venue', venue, '--speed', '60', '--state-dir', folder.file('state')]
  const moving = await rungsHere(['run', maker, '--for', '1s', ...where])
  expect(moving.code).toBe(65)
  expect(moving.stderr).toMatch(/05-market-making\.yaml:\d+:\d+ this venue has no cancel/)
  const blind = await rungsHere(['run', grid, '--for', '1s', ...where])
  expect(blind.code).toBe(78)
  expect(blind.stderr).toContain('prices: { BTC_USDT: BTC_USDT.csv }')
  expect(blind.stdout).not.toMatch(/ error /)

  const bars = Array.from(
    { length: 600 },
    (_, minute) => `${1_790_000_000 + minute * 60},60010,60030,59990,60020`,
  )
  writeFileSync(folder.file('btc.csv'), ['timestamp,open,high,low,close', ...bars].join('\n'))
  writeFileSync(venue, [...lines, world, 'prices: { BTC_USDT: btc.csv }'].join('\n'))
  await using bot = startBot([grid, ...where])
  await bot.said(() => bot.lines.filter(isType('order-accepted')).length === 12)
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', orders: 12, unknown: 0, agrees: true })
})
