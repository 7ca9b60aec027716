import { describe, expect, test } from 'vitest'
import { readAnswer } from '#src/venues/whitebit/client/answers/answer.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { json } from '#test/venues/whitebit/client/scripted-venue.ts'

describe('an answer in another form than the documented one', () => {
  const { collateralMarket, collateralStopLimit, collateralOco, positionHistory } = contract
  const { tradingBalance, mainBalance } = contract

  test('an accepted order is accepted without the fields that the client does not need', () => {
    for (const row of [collateralMarket, collateralStopLimit]) {
      const { ioc: _, postOnly: __, rpi: ___, stp: ____, reduceOnly: _____, ...told } = row.example.response
      const verdict = readAnswer(row, json(200, { ...told, retail: null }))
      expect(verdict).toEqual({ kind: 'answer', value: told })
    }
    const { reduceOnly: _, ...pair } = collateralOco.example.response
    expect(readAnswer(collateralOco, json(200, pair))).toEqual({ kind: 'answer', value: pair })
  })

  test('the reason names the first field that does not fit, and the type of its value', () => {
    const { order_id: _, ...unnamed } = collateralMarket.example.response
    for (const [answer, reason] of [
      [unnamed, 'order_id is missing'],
      [{ ...unnamed, order_id: null }, 'order_id is null'],
      [{ ...unnamed, order_id: 1, amount: ['2'] }, 'amount is a list'],
      [[], 'it is a list'],
    ] as const) {
      const verdict = readAnswer(collateralMarket, json(200, answer))
      expect(verdict).toEqual({
        kind: 'unclear',
        reason: `The answer with status 200 does not have the format of this call: ${reason}`,
      })
    }
  })

  test('a name of the venue in a reason is none of its secrets, however long it is', () => {
    const verdict = readAnswer(contract.fee, json(200, { [`a\u001b[2J${'x'.repeat(99)}`]: 1 }))
    expect(verdict).toMatchObject({ kind: 'unclear', reason: expect.stringMatching(/call: \? is a number$/) })
  })

  test('a number is read where the documents have text, and the reverse', () => {
    const balance = { USDT: { available: 48_800.5, freeze: 1200 } }
    expect(readAnswer(tradingBalance, json(200, balance))).toEqual({
      kind: 'answer',
      value: { USDT: { available: '48800.5', freeze: '1200' } },
    })
    const order = collateralMarket.example.response
    const told = { ...order, order_id: String(order.order_id), timestamp: String(order.timestamp) }
    expect(readAnswer(collateralMarket, json(200, told))).toEqual({ kind: 'answer', value: order })
    // The first has no plain decimal text. The others may have lost digits.
    for (const main_balance of [1e-7, 0.1234567890123456, 12345678.123456789, 1234567890123456])
      expect(readAnswer(mainBalance, json(200, { BTC: { main_balance } }))).toMatchObject({
        kind: 'unclear',
        reason: expect.stringMatching(/BTC\.main_balance is a number$/),
      })
    for (const main_balance of [0.000123456789012345, 123456789012345, 0, 10, 100])
      expect(readAnswer(mainBalance, json(200, { BTC: { main_balance } }))).toMatchObject({ kind: 'answer' })
  })

  test('the balance of one currency is read with and without its name', () => {
    const flat = { available: '1', freeze: '0' }
    const named = { kind: 'answer', value: { BTC: flat } }
    expect(readAnswer(tradingBalance, json(200, flat), { ticker: 'BTC' })).toEqual(named)
    expect(readAnswer(tradingBalance, json(200, { BTC: flat }), { ticker: 'BTC' })).toEqual(named)
    expect(readAnswer(tradingBalance, json(200, flat)).kind).toBe('unclear')
    expect(readAnswer(mainBalance, json(200, { main_balance: 0 }), { ticker: 'XYZ' })).toEqual({
      kind: 'answer',
      value: { XYZ: { main_balance: '0' } },
    })
  })

  test('an event of a position is read without its realized profit', () => {
    const [event] = positionHistory.example.response
    const odd = { ...event, orderDetail: { ...event.orderDetail, realizedPnl: null } }
    const { orderDetail: _, ...rest } = event
    expect(readAnswer(positionHistory, json(200, [odd]))).toEqual({ kind: 'answer', value: [rest] })
  })
})
