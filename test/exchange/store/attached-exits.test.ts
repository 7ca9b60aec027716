import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ManualClock } from '#src/core/time/clock.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import type { World } from '#src/exchange/world-file.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { beginsAt, paperWorld, signedCall } from '#test/exchange/exchange-fixture.ts'
import { canonical } from '#test/exchange/state-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-exits-'))
afterAll(() => rmSync(folder, { recursive: true }))
let nonce = 0

/** An exchange with a folder, and the answers of its calls over HTTP. */
async function start(name: string, world: World = paperWorld) {
  const clock = new ManualClock(beginsAt)
  const venue = await startExchange({ world, clock, profile: 'full', dataDirectory: join(folder, name) })
  async function ask(name: EndpointName, parameters: object = {}, account = 'paper') {
    const { path } = contract[name]
    const call = signedCall(
      account,
      { path },
      Object.fromEntries(Object.entries(parameters)),
      String(++nonce),
    )
    const headers = Object.entries(call.headers).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    )
    const init = { method: 'POST', headers: Object.fromEntries(headers), body: call.body }
    return (await fetch(venue.url + path, init)).json()
  }
  return { venue, ask }
}

const perp = { market: 'BTC_PERP', side: 'buy', amount: '0.02', price: '60000' } as const
const entry = { ...perp, takeProfit: '62000', stopLoss: '59000' } as const

test('orders with exits outlive a restart, before and after their first fill', async () => {
  const first = await start('kept')
  await first.ask('collateralLimit', entry)
  await first.ask('collateralLimit', { ...perp, side: 'sell', amount: '0.005' }, 'rival')
  await first.ask('collateralLimit', { ...entry, price: '59500' })
  const lists = ['openOrders', 'conditionalOrders', 'openPositions'] as const
  const told = await Promise.all(lists.map((name) => first.ask(name)))
  const state = canonical(first.venue.exchange.state)
  await first.venue.close()

  const again = await start('kept')
  expect(canonical(again.venue.exchange.state)).toBe(state)
  expect(await Promise.all(lists.map((name) => again.ask(name)))).toEqual(told)
  await again.ask('collateralLimit', { ...perp, side: 'sell', amount: '0.015' }, 'rival')
  expect(await again.ask('openOrders')).toMatchObject([
    { price: '59500', oto: { stopLoss: '59000' } },
    { activation_price: '59000', amount: '0.02' },
    { activation_price: '62000', amount: '0.02' },
  ])
  await again.venue.close()
})

test('a folder of an older version refuses orders with exits, now and when it is read again', async () => {
  const { attachedExits: _, ...older } = paperWorld
  const first = await start('older', older)
  const refusal = { code: 30, errors: { takeProfit: ['This field is not known.'] } }
  expect(await first.ask('collateralLimit', entry)).toMatchObject(refusal)
  expect(await first.ask('collateralBulk', { orders: [entry] })).toMatchObject([{ error: refusal }])
  expect(await first.ask('collateralLimit', perp)).not.toHaveProperty('oto')
  const state = canonical(first.venue.exchange.state)
  await first.venue.close()
  const again = await start('older')
  expect(canonical(again.venue.exchange.state)).toBe(state)
  expect(await again.ask('collateralLimit', entry)).toMatchObject(refusal)
  await again.venue.close()
})
