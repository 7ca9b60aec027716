import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noteFile } from '#src/cli/doctor/probe/probe-note.ts'
import { fingerprintOf } from '#src/cli/files/state-folder.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { times } from '#test/properties/runs.ts'
import { kills, probedUrl, ProbeGround } from './probe-ground.ts'

/** `npm test` kills at each third request. */
const step = times(1, 1, 3)

for (const how of kills) {
  test(`a probe that is killed at any request (${how}) leaves nothing that the next one does not cancel`, async () => {
    const whole = new ProbeGround({ isOneMarket: true })
    await whole.values()
    expect(whole.requests).toBeGreaterThan(50)
    let left = 0
    for (let at = 1; at <= whole.requests; at += step) {
      const ground = new ProbeGround({ isOneMarket: true })
      await ground.runKilled({ at, how })
      left += ground.openOrders() + ground.underway
      const next = ground.driver()
      if (next.isUnfinished) await next.clear()
      expect({ at, open: ground.openOrders(), underway: ground.underway }).toEqual({
        at,
        open: 0,
        underway: 0,
      })
      expect(ground.nonceAheadMs).toBeLessThanOrEqual(5000)
    }
    // Some of the killed probes left orders, so that there was something to cancel.
    expect(left).toBeGreaterThan(3)
  })
}

test('a probe that is killed while it cancels the orders of another one can be followed by a third', async () => {
  const ground = new ProbeGround({ switches: { executionDelay: 4000 } })
  for (const at of [40, 44, 46, 47, 50]) await ground.runKilled({ at, how: 'late' })
  const { priceBand: _, ...values } = await ground.values()
  expect(values).toMatchObject({ clientIds: 'forever', stopOnFailAnswer: 'included' })
  expect(ground.openOrders() + ground.underway).toBe(0)
})

test('a lost answer makes the result unknown, and its order is cancelled when it appears', async () => {
  for (let lost = 1; lost <= 40; lost += step) {
    const ground = new ProbeGround({ isOneMarket: true })
    let count = 0
    const driver = ground.driver(undefined, (inner) => ({
      async send(request, withinMs) {
        const delivery = await inner.send(request, withinMs)
        const isWrite = request.path.startsWith('/api/v4/order/')
        if (isWrite) count += 1
        return isWrite && count === lost ? { kind: 'unanswered', reason: 'the connection ended' } : delivery
      },
      close: () => inner.close(),
    }))
    const results = await ground.results(driver)
    expect(ground.openOrders()).toBe(0)
    if (count >= lost) expect(results.some(({ found }) => found.includes('the connection ended'))).toBe(true)
  }
})

test('the note is a file of the state folder, which lasts until the orders are cancelled', async () => {
  using folder = temporaryFolder()
  const state = folder.file('state')
  const ground = new ProbeGround({ note: noteFile(state, 'paper-key') })
  // The first order that rests.
  for (let at = 10; ground.openOrders() === 0; at += 1)
    await ground.runKilled({ at: ground.requests + at, how: 'after' })
  const name = `probe-${fingerprintOf('paper-key')}.json`
  expect(readdirSync(state)).toEqual([name])
  expect(JSON.parse(readFileSync(`${state}/${name}`, 'utf8'))).toMatchObject({
    url: probedUrl,
    orders: [{ market: 'SOL_PERP', side: 'buy' }],
  })
  await ground.driver().clear()
  expect([ground.openOrders(), readdirSync(state)]).toEqual([0, []])

  writeFileSync(`${state}/${name}`, 'no note')
  expect(() => ground.driver()).toThrow(/the note of an earlier probe/)
})

test('the note of another address is not carried out here', () => {
  const ground = new ProbeGround()
  ground.note.save({ url: 'https://api.venue.example', at: ground.clock.now(), orders: [] })
  expect(() => ground.driver()).toThrow(/interrupted at https:\/\/api\.venue\.example/)
})

test('an order that lost its id at the venue is found by its price and amount, and no other order is', async () => {
  const ground = new ProbeGround()
  const driver = ground.driver()
  const place = (price: string, id: string) =>
    ground.client.collateralBulk({
      orders: [{ market: 'SOL_PERP', side: 'buy', price, amount: '0.1', client_order_id: id }],
    })
  for (const [price, id] of [
    ['90', ''],
    ['91', ''],
    ['90', 'by-hand'],
  ] as const)
    await place(price, id)
  expect(ground.openOrders()).toBe(3)
  const order = { market: 'SOL_PERP', side: 'buy', price: '90.00', amount: '0.1' }
  ground.note.save({ url: probedUrl, at: ground.clock.now(), orders: [order] })
  await driver.close()
  await ground.driver().clear()
  expect(ground.openOrders()).toBe(2)
})
