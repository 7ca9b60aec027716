import { expect, test } from 'vitest'
import { wholeExplanations, type Explanation } from '#src/engine/explain/explanation.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'
import type { Step } from '#src/engine/step-context.ts'
import { EngineHarness, fileOf, hour, restingGrid } from '#test/engine/support/engine-harness.ts'

function lastOf(harness: EngineHarness, ladder: string): Explanation {
  const found = harness.steps
    .flatMap(({ step }) => wholeExplanations(step.decisions))
    .findLast((decision) => decision.ladder === ladder)
  if (!found) throw new Error(`nothing was decided about ${ladder}`)
  return found
}

function again(decision: Explanation, text: string): void {
  // As it comes out of a journal.
  const kept: Explanation = JSON.parse(JSON.stringify(decision))
  expect(JSON.parse(JSON.stringify(replayExplanation(kept, text)))).toEqual(kept)
}

const rung = (decision: Explanation, level: string) => decision.rungs.find((rung) => rung.level === level)

test('each line of a grid has its reason, and a replay gives the same', () => {
  const harness = restingGrid()
  const decision = lastOf(harness, 'grid')
  expect(decision.rungs.length).toBe(20)
  expect(rung(decision, 'b1')).toMatchObject({ state: 'resting', order: 'sgrid.grid.b1.1', why: null })
  expect(rung(decision, 'b9')).toMatchObject({
    state: 'missing',
    why: 'its distance to the price is more than 5%',
    change: 'the price must come closer',
  })
  expect(decision.rules[0]).toMatchObject({
    id: 'place',
    truth: 'true',
    leaves: [{ text: 'between(price, 55000, 65000)', value: 'true; price 60000' }],
  })
  again(decision, fileOf('static-grid'))
})

test('before a rule ensures the ladder, its rungs are shown at their future prices, with what is missing', () => {
  const harness = new EngineHarness([fileOf('geometric-dip')])
  harness.quote('ETH_USDT', 2490)
  harness.past(
    'ETH_USDT',
    '1d',
    Array.from({ length: 40 }, () => 2500),
  )
  harness.candle('ETH_USDT', '5m', 2490)
  harness.wait(1000)
  const decision = lastOf(harness, 'dip')
  expect(decision.rungs.length).toBe(15)
  expect(decision.rungs[0]).toMatchObject({
    state: 'missing',
    price: '2452.65',
    why: 'the goal of the ladder is none',
    change: 'rule open needs price < 0.95 * high30, which is false; price 2490; high30 2500',
  })
  again(decision, fileOf('geometric-dip'))
})

test('a crossing shows what its values were and are, and a fixed number as its limit', () => {
  const text = fileOf('static-grid').replace(/when: .*/, 'when: { crosses_below: [price, 59000.5] }')
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.past('BTC_USDT', '1m', [60_100, 60_000])
  harness.wait(1000)
  expect(lastOf(harness, 'grid').rules[0]?.leaves).toEqual([
    { text: 'crosses_below price, 59000.5', value: 'false: price was 60100, is 60000; limit 59000.5' },
  ])
})

test('an order that a limit blocks names the limit, and what would let it pass', () => {
  const text = fileOf('static-grid').replace('{ total: 2200 }', '{ total: 500 }')
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const decision = lastOf(harness, 'grid')
  const missing = decision.rungs.filter(({ state }) => state === 'missing')
  expect(missing.every(({ why, change }) => why !== null && change !== null)).toBe(true)
  const limited = missing.filter(({ why }) => why?.startsWith('max_notional'))
  expect(limited.map(({ level }) => level)).toEqual(['b5', 'b6', 's5', 's6'])
  expect(harness.notes().filter((type) => type === 'risk-blocked').length).toBe(1)
  again(decision, text)
})

test('a stop, a halt, an unknown outcome, a refusal and a fill are explained, each with its remedy', () => {
  const text = fileOf('static-grid')
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  const first = harness.candle('BTC_USDT', '1m', 60_000)
  harness.settle(first, ({ id, amount, price }) =>
    id.includes('.b1.')
      ? { kind: 'unknown', reason: 'no answer came' }
      : id.includes('.b2.')
        ? { kind: 'refused', code: 10, message: 'Not enough balance.', alreadyUsed: false }
        : {
            kind: 'accepted',
            venueId: '7',
            filled: id.includes('.s1.') ? amount : '0',
            money: id.includes('.s1.') ? String(Number(amount) * Number(price)) : '0',
            fee: '0',
            ended: id.includes('.s1.'),
          },
  )
  const decision = lastOf(harness, 'grid')
  expect(rung(decision, 'b1')).toMatchObject({
    state: 'doubtful',
    change: 'the bot proves the outcome, or rungs resolve sgrid.grid.b1.1 sets it',
  })
  expect(rung(decision, 'b2')).toMatchObject({
    state: 'missing',
    why: 'the venue refused it: Not enough balance.',
  })
  expect(rung(decision, 's1')).toMatchObject({ state: 'filled', order: 'sgrid.grid.s1.1' })
  again(decision, text)
  harness.tell({ kind: 'operator', act: 'stop', reason: 'lunch' })
  harness.quote('BTC_USDT', 61_000)
  harness.wait(1000)
  const stopped = lastOf(harness, 'grid')
  expect(rung(stopped, 's7')).toMatchObject({
    why: 'all strategies are stopped: lunch',
    change: 'rungs resume resumes trading',
  })
  again(stopped, text)
})

test('an unchanged explanation is emitted once', () => {
  const harness = restingGrid()
  const quiet: Step[] = [
    harness.wait(1000),
    harness.quote('BTC_USDT', 60_001),
    harness.wait(1000),
    harness.wait(1000),
  ]
  expect(quiet.flatMap(({ decisions }) => decisions)).toEqual([])
})

test('after a file has changed, its ladder is explained by the new one', () => {
  const harness = new EngineHarness([fileOf('geometric-dip')])
  harness.past(
    'ETH_USDT',
    '1d',
    Array.from({ length: 40 }, () => 2500),
  )
  harness.quote('ETH_USDT', 2490)
  harness.candle('ETH_USDT', '5m', 2490)
  const text = fileOf('geometric-dip').replace('price < 0.95 * high30', 'price < 0.99 * high30')
  harness.at += hour
  harness.tell({ kind: 'reloaded', name: 'ggeo', text })
  harness.quote('ETH_USDT', 2470)
  harness.settle(harness.candle('ETH_USDT', '5m', 2470))
  expect(harness.resting().length).toBe(15)
  again(lastOf(harness, 'dip'), text)
})

test('the inputs that two ladders of a strategy share are stored once for each step', () => {
  const text = fileOf('market-making')
  const harness = new EngineHarness([text])
  harness.quote('BTC_PERP', 60_000)
  harness.account({ USDT: '10000' }, {}, '10000')
  harness.settle(harness.wait(1000))
  const step =
    harness.steps.map(({ step: { decisions } }) => decisions).findLast(({ length }) => length > 1) ?? []
  expect(step.map(({ ladder, seen }) => [ladder, seen === null])).toEqual([
    ['bids', false],
    ['asks', true],
  ])
  for (const decision of wholeExplanations(step)) again(decision, text)
})
