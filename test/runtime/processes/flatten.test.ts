import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { volatileWorld } from '#test/support/volatile-market.ts'

/** Buys near the price; nothing closes what they fill. */
const dips = `
version: 1
name: open
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  book: { source: book, market: btc, stale_after: 10m }
ladder:
  grid:
    market: btc
    side: buy
    anchor: mid(book)
    levels: 3
    spacing: { kind: arithmetic, first: 0.02%, step: 0.05% }
    size: { total: 3000 quote }
rules:
  - { id: go, when: 1 < 2, do: [ensure: grid] }
risk:
  max_notional: { btc: 10000 }
  max_open_orders: 20
  worst_case: { move: -30%, max_loss: 10000 }
  drawdown: { pause: 50%, halt: 90% }
  in_doubt: { block: level, halt_after: 1h }
submit:
  chunk: 6
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 20, per: 1s }
`

test('rungs flatten leaves no order and no position at the exchange, until rungs resume', async () => {
  using folder = temporaryFolder()
  const world = volatileWorld(folder)
  // A key of its own for the reads of this test: keys have their own nonces.
  const paper = '      - { key: paper-key, '
  const looking = paper.replace('paper-key', 'looking-key')
  const withReader = readFileSync(world, 'utf8').replace(
    paper,
    `${looking}secret: looking, permissions: [read] }\n${paper}`,
  )
  writeFileSync(world, withReader)
  const words = [
    '--profile',
    'full',
    '--market',
    'seeded',
    '--speed',
    '60',
    '--seed',
    'flat',
    '--world',
    world,
  ]
  await using exchange = await startExchange(words)
  const venueFile = (name: string, secret: string) => {
    const words = ['clientIds: forever', 'settle: 0s', `key: ${name}-key`, `secret: ${secret}`]
    writeFileSync(folder.file(name), [`url: ${exchange.url}`, ...words].join('\n'))
    return folder.file(name)
  }
  const [venue, reader] = [venueFile('paper', 'paper-secret'), venueFile('looking', 'looking')]
  const file = folder.file('open.yaml')
  writeFileSync(file, dips)
  const state = folder.file('state')
  await using bot = startBot([file, '--venue', venue, '--speed', '60', '--state-dir', state])
  await bot.said(isType('fill'))
  const told = (...words: string[]) => rungsHere([...words, '--state-dir', state])
  const list = async (name: string): Promise<unknown> => {
    const words = ['api', name, '--venue', reader, '--json', '--state-dir', folder.path]
    return JSON.parse((await rungsHere(words)).stdout)
  }
  const open = async () => [await list('open-orders'), await list('open-positions')]

  // Without an answer nothing happens.
  const asked = await told('flatten')
  expect(asked).toMatchObject({ code: 64, stdout: '' })
  expect(asked.stderr).toContain('rungs flatten closes the positions of all strategies at the market')
  expect(await told('flatten', 'opne', '--yes')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('did you mean "open"?'),
  })

  const flat = 'open: no order and no position is open.\n'
  expect(await told('flatten', '--yes', '--reason', 'news')).toMatchObject({
    code: 0,
    stdout: `${flat}To resume: rungs resume\n`,
  })
  expect(await open()).toEqual([[], []])
  expect((await told('status')).stdout).toContain(
    'halted: news. Exits work.\n  all positions were closed at the market',
  )
  expect(bot.lines.filter(isType('flattened'))).toHaveLength(1)

  expect((await told('resume')).code).toBe(0)
  expect((await told('stop', '--cancel', '--reason', 'lunch')).stdout).toBe(
    'All strategies are stopped: no new entries; open entries are cancelled if the venue supports it.\nExits work.\n' +
      'To resume: rungs resume\n',
  )
  expect(await told('flatten', 'open', '--yes')).toMatchObject({
    code: 0,
    stdout: `${flat}To resume: rungs resume open\n`,
  })
  expect(await open()).toEqual([[], []])
})
