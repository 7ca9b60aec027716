import { expect, test } from 'vitest'
import type { SecondOfTrades, TradesEvent, TradesRow } from '#src/engine/trades-event.ts'
import { wholeExplanations } from '#src/engine/explain/explanation.ts'
import { EngineHarness, submitsOf } from '#test/engine/support/engine-harness.ts'
import { explanationNow, replayExplanation } from '#test/engine/support/explanation-replay.ts'

/** `burst` reads the trades, and `rest` does not. */
const text = `version: 1
name: flo
needs: [bulk, history, balance, cancel, market_data]
markets: { btc: BTC_PERP }
feeds:
  top: { source: book, market: btc, stale_after: 1m }
  flow: { source: trades, market: btc }
ladder:
  burst:
    market: btc
    side: buy
    anchor: mid(top)
    levels: 1
    spacing: { kind: offsets, at: [1%] }
    size: { total: 100 quote }
  rest:
    market: btc
    side: buy
    anchor: mid(top) at rule_start
    levels: 1
    spacing: { kind: offsets, at: [5%] }
    size: { total: 100 quote }
rules:
  - { id: bought, when: 'buy_volume(flow, "3s") == 0.3 && sell_volume(flow, "3s") == 0', do: [ensure: burst] }
  - { id: many, when: 'trade_count(flow, "2s") >= 3', do: [alert: many trades] }
  - { id: near, when: 'volume_between(flow, 59990, 60010, "3s") == 0.7', do: [alert: much at these prices] }
  - { id: always, when: mid(top) > 0, do: [ensure: rest] }
risk:
  max_notional: { btc: 1000 }
  worst_case: { move: -30%, max_loss: 500 }
  drawdown: { pause: 40%, halt: 50% }
`

function quoted(): EngineHarness {
  const harness = new EngineHarness([text])
  harness.settle(harness.quote('BTC_PERP', 60_000))
  harness.at += 1000 - (harness.at % 1000)
  return harness
}

/** Trades of the seconds before now, as [seconds ago, rows]; the trades before `knownFrom` seconds ago are not known. */
function traded(
  harness: EngineHarness,
  seconds: [ago: number, ...TradesRow[]][],
  knownFrom = 1,
  values: Partial<TradesEvent> = {},
) {
  const until = harness.at
  return harness.tell({
    kind: 'trades',
    market: 'BTC_PERP',
    from: until - knownFrom * 1000,
    until,
    lastId: null,
    seconds: seconds.map(([ago, ...rows]): SecondOfTrades => ({ second: until - ago * 1000, rows })),
    ...values,
  })
}

const bought = (amount: string, price: string | null = '60000', count = 1): TradesRow => {
  return { price, bought: amount, sold: '0', count }
}
const sold = (amount: string, price = '60000'): TradesRow => ({ price, bought: '0', sold: amount, count: 1 })
const truths = (harness: EngineHarness) =>
  explanationNow(harness.engine.state, 'flo', 'burst')?.rules.map(({ truth }) => truth)
const sent = (step: ReturnType<EngineHarness['wait']>) =>
  submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id))

test('a window is unknown until all its seconds were seen, and the event that completes it places the ladder', () => {
  const harness = quoted()
  expect(truths(harness)?.slice(0, 3)).toEqual(['unknown', 'unknown', 'unknown'])
  traded(harness, [[1, bought('0.1')]])
  harness.wait(1000)
  traded(harness, [])
  expect(truths(harness)?.slice(0, 3)).toEqual(['unknown', 'false', 'unknown'])
  harness.wait(1000)
  // 0.1 + 0.2 is 0.3 in decimals, and not in doubles.
  expect(sent(traded(harness, [[1, bought('0.2')]]))).toEqual(['flo.burst.1.1'])
  const told = harness.steps.flatMap(({ step }) => wholeExplanations(step.decisions))
  const kept = JSON.parse(JSON.stringify(told.findLast(({ ladder }) => ladder === 'burst')))
  expect(kept.seen.trades.BTC_PERP.seconds).toEqual([])
  expect(JSON.parse(JSON.stringify(replayExplanation(kept, text)))).toEqual(kept)
})

test('seconds leave their window, each window at its own time, and the sums are exact again', () => {
  const harness = quoted()
  traded(harness, [[3, bought('0.1', '60011')], [2, bought('0.3'), sold('0.4')], [1]], 3)
  expect(truths(harness)?.slice(0, 3)).toEqual(['false', 'false', 'true'])
  harness.wait(1000)
  traded(harness, [[1, bought('0.00000000000000001', '60010.01', 3)]])
  expect(truths(harness)?.slice(0, 3)).toEqual(['false', 'true', 'true'])
  harness.wait(1000)
  traded(harness, [])
  expect(truths(harness)?.slice(0, 3)).toEqual(['false', 'true', 'false'])
  harness.wait(2000)
  traded(harness, [[1, bought('0.3', '59990')]], 2)
  expect(truths(harness)?.slice(0, 3)).toEqual(['true', 'false', 'false'])
  expect(harness.engine.state.trades?.['BTC_PERP']?.windows['3000']).toEqual({
    bought: '0.3',
    sold: '0',
    unsided: '0',
    unpriced: '0',
    count: 1,
    prices: { 59990: '0.3' },
  })
})

test('a trade that the venue lists late counts in its own second', () => {
  const harness = quoted()
  traded(harness, [[1, bought('0.1')]], 3)
  harness.wait(1000)
  traded(harness, [[3, bought('0.1')], [2, bought('0.1')], [1], [4, bought('5')]])
  expect(truths(harness)?.[0]).toBe('true')
  harness.wait(1000)
  // The late trade of the third second has left.
  traded(harness, [[1, bought('0.1')]])
  expect(truths(harness)?.[0]).toBe('true')
})

test('after a gap a window is unknown until it contains only seconds after the gap', () => {
  const harness = quoted()
  traded(harness, [[1, bought('0.3')]], 3)
  expect(truths(harness)?.[0]).toBe('true')
  harness.wait(2000)
  traded(harness, [[1, bought('0.3')]], 1)
  expect(truths(harness)?.slice(0, 3)).toEqual(['unknown', 'unknown', 'unknown'])
  harness.wait(1000)
  traded(harness, [])
  expect(truths(harness)?.slice(0, 3)).toEqual(['unknown', 'false', 'unknown'])
  harness.wait(1000)
  traded(harness, [])
  expect(truths(harness)?.[0]).toBe('true')
})

test('trades that another poll has brought before do not count twice', () => {
  const harness = quoted()
  traded(harness, [[1, bought('0.3')]], 3)
  harness.wait(1000)
  traded(harness, [[2, bought('0.3')], [1]], 3)
  expect(truths(harness)?.[0]).toBe('true')
  expect(harness.engine.state.trades?.['BTC_PERP']?.until).toBe(harness.at - 1000)
})

test('trades without a side or without a price make only the sums that need them unknown', () => {
  const harness = quoted()
  const unsided: TradesRow = { price: '60000', bought: '0', sold: '0', unsided: '0.7', count: 3 }
  traded(harness, [[1, unsided]], 3)
  expect(truths(harness)?.slice(0, 3)).toEqual(['unknown', 'true', 'true'])
  harness.wait(3000)
  traded(harness, [[1, bought('0.3', null, 4)]], 3)
  expect(truths(harness)?.slice(0, 3)).toEqual(['true', 'true', 'unknown'])
})

test('without any trades, other ladders have their entries; with stale trades, they wait', () => {
  const harness = quoted()
  expect(harness.resting()).toEqual(['flo.rest.1.1'])
  traded(harness, [], 3)
  harness.at += 5001
  expect(sent(harness.takenBack('flo.rest.1.1'))).toEqual([])
  expect(truths(harness)?.[0]).toBe('unknown')
  harness.at += 999
  expect(sent(traded(harness, [], 6))).toEqual(['flo.rest.1.2'])
})

test('the trades of another venue say nothing about this one', () => {
  const harness = quoted()
  traded(harness, [[1, bought('0.3')]], 3)
  harness.begin({ venue: { ...harness.engine.state.venue, address: 'https://other.example' } })
  expect(harness.engine.state.trades).toBeUndefined()
})

test('a process that reads on where the one before ended knows its windows; its values are stale until then', () => {
  const harness = quoted()
  traded(harness, [[1, bought('0.3')]], 3)
  harness.at += 1000
  harness.begin({ readsFirst: true })
  harness.account({})
  harness.tell({ kind: 'accountRead' })
  harness.quote('BTC_PERP', 60_000)
  expect(truths(harness)?.[0]).toBe('unknown')
  harness.at += 1000
  traded(harness, [], 2)
  expect(truths(harness)?.[0]).toBe('true')
  harness.at += 2000
  traded(harness, [], 1)
  expect(truths(harness)?.[0]).toBe('unknown')
})

test('seconds that a venue lists in another order are put in their order, so that windows lose the right ones', () => {
  const harness = quoted()
  const windowOf = () => harness.engine.state.trades?.['BTC_PERP']?.windows['3000']
  traded(
    harness,
    [
      [1, bought('0.4')],
      [3, bought('0.1')],
      [2, bought('0.2')],
    ],
    3,
  )
  expect(windowOf()).toMatchObject({ bought: '0.7', count: 3 })
  harness.at += 1000
  traded(harness, [])
  expect(windowOf()).toMatchObject({ bought: '0.6', count: 2, prices: { 60000: '0.6' } })
  harness.at += 1000
  traded(harness, [[1, bought('0.3', '60001')]])
  expect(windowOf()).toMatchObject({ bought: '0.7', count: 2, prices: { 60000: '0.4', 60001: '0.3' } })
})
