import { expect, test } from 'vitest'
import { Desk, fileOf, minute } from './desk.ts'

test('a quoting strategy that trades for hours keeps some hundred orders, and never an id twice', () => {
  const desk = new Desk([
    fileOf('market-making').replace('halt: 2%', 'halt: 90%').replace('daily_loss: 40', ''),
  ])
  const ids = new Set<string>()
  let sent = 0
  for (let round = 0; round < 2000; round++) {
    desk.at += 4000
    const price = 60_000 + 600 * Math.sin(round / 9)
    desk.tell({ kind: 'quote', market: 'BTC_USDT', bid: price - 1, ask: price + 1, last: price })
    let step = desk.wait(10)
    for (let turn = 0; turn < 4; turn++) {
      for (const command of step.commands) {
        if (command.kind === 'cancel')
          for (const { id } of command.orders)
            step = desk.tell({ kind: 'withdrawn', id, outcome: 'canceled', message: '' })
        if (command.kind !== 'submit') continue
        sent += command.orders.length
        for (const { id } of command.orders) ids.add(id)
        step = desk.tell({
          kind: 'answered',
          chunk: command.chunk,
          orders: command.orders.map(() => ({
            kind: 'accepted',
            venueId: '1',
            filled: '0',
            money: '0',
            fee: '0',
            ended: false,
          })),
        })
      }
    }
  }
  expect(sent).toBeGreaterThan(3000)
  expect(ids.size).toBe(sent)
  expect(Object.keys(desk.engine.state.orders).length).toBeLessThan(1000)
  desk.at += 60 * minute
  desk.tell({ kind: 'operator', act: 'stop', reason: 'enough' })
  desk.wait(minute)
  expect(Object.keys(desk.engine.state.orders).length).toBeLessThan(20)
})
