import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

const dips = `
version: 1
name: dips
markets:
  btc: { symbol: BTC_PERP }
feeds:
  minutes: { source: candles, market: btc, interval: 1m, stale_after: 10m }
ladder:
  grid:
    market: btc
    side: buy
    anchor: 60000
    levels: 3
    spacing: { kind: arithmetic, first: 1%, step: 5% }
    size: { total: 3000 quote }
rules:
  - { id: go, when: 1 < 2, do: [ensure: grid] }
risk:
  max_notional: { btc: 10000 }
  worst_case: { move: -30%, max_loss: 10000 }
  drawdown: { pause: 50%, halt: 90% }
`

/**
 * A fall of 8 % from the fifteenth minute on: two of three buy orders fill, at -1 % and at -6 %. A bot that starts after the fall
 * places the same orders, and the same two fill.
 */
function falling(): string {
  const bars = Array.from({ length: 600 }, (_, minute) => {
    const price = 60_000 - Math.min(Math.max(minute - 15, 0), 24) * 200
    return [1_767_571_200 + minute * 60, price, price + 5, price - 5, price, 10].join(',')
  })
  return ['# market: BTC_PERP', 'timestamp,open,high,low,close,volume', ...bars, ''].join('\n')
}

const ended = z.record(
  z.string(),
  z.array(z.object({ side: z.enum(['buy', 'sell']), deal_stock: z.coerce.number() })),
)

test('at a venue that cannot cancel, rungs flatten names what rests, and closes what that fills', async () => {
  using folder = temporaryFolder()
  const [prices, file, venue] = [folder.file('bars.csv'), folder.file('dips.yaml'), folder.file('venue.yaml')]
  writeFileSync(prices, falling())
  writeFileSync(file, dips)
  await using exchange = await startExchange(['--profile', 'spec', '--market', prices, '--speed', '150'])
  const key = ['key: paper-key', 'secret: paper-secret', 'clientIds: forever', 'settle: 0s']
  const files = [`world: ${resolve('config/exchange.yaml')}`, `prices: { BTC_PERP: ${prices} }`]
  writeFileSync(venue, [`url: ${exchange.url}`, ...key, ...files].join('\n'))
  const state = folder.file('state')
  const told = (...words: string[]) => rungsHere([...words, '--state-dir', state])

  await using bot = startBot([file, '--venue', venue, '--speed', '150', '--state-dir', state])
  await bot.said(isType('fill'))
  const first = await told('flatten', '--yes')
  expect(first.code).toBe(2)
  // How many rest depends on how far the price has fallen meanwhile.
  expect(first.stdout).toMatch(
    /^dips: orders [12] resting, 0 in flight; position none\. The venue cannot cancel/,
  )
  // Both entries that the price reaches are filled, and what they bought is sold.
  await bot.said(() => {
    const fills = bot.lines.filter(isType('fill'))
    const bought = new Set(fills.filter(({ side }) => side === 'buy').map(({ rung }) => rung))
    const held = fills.reduce((sum, { side, amount }) => sum + Number(amount) * (side === 'buy' ? 1 : -1), 0)
    return bought.size === 2 && Math.abs(held) < 1e-9
  })
  expect(await told('flatten', '--yes')).toMatchObject({
    code: 2,
    stdout:
      'dips: orders 1 resting, 0 in flight; position none. ' +
      'The venue cannot cancel these orders; the bot closes what they fill.\nTo resume: rungs resume\n',
  })
  bot.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)

  const listed = await told('api', 'order-history', '--venue', venue, '--json')
  const orders = Object.values(ended.parse(JSON.parse(listed.stdout))).flat()
  expect(orders.filter(({ side, deal_stock: filled }) => side === 'buy' && filled > 0)).toHaveLength(2)
  const held = orders.reduce((sum, order) => sum + order.deal_stock * (order.side === 'buy' ? 1 : -1), 0)
  expect(held).toBeCloseTo(0, 9)
})
