import { expect, test } from 'vitest'
import { kills, ProbeGround } from './probe-ground.ts'

for (const how of kills) {
  test(`a probe that is killed at any request (${how}) leaves nothing that the next one does not cancel`, async () => {
    const whole = new ProbeGround()
    await whole.values()
    expect(whole.requests).toBeGreaterThan(50)
    let left = 0
    for (let at = 1; at <= whole.requests; at += 1) {
      const ground = new ProbeGround()
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
  for (let lost = 1; lost <= 40; lost += 1) {
    const ground = new ProbeGround()
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
