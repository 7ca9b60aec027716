import { expect, test } from 'vitest'
import { wholeExplanations, type Explanation } from '#src/engine/explain/explanation.ts'
import { replayExplanation } from '#src/engine/explain/replay.ts'
import type { Step } from '#src/engine/step-context.ts'
import { Desk, fileOf, hour, restingGrid } from '#test/engine/support/engine-harness.ts'

function lastOf(desk: Desk, ladder: string): Explanation {
  const found = desk.steps
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
  const desk = restingGrid()
  const decision = lastOf(desk, 'grid')
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
  const desk = new Desk([fileOf('geometric-dip')])
  desk.quote('ETH_USDT', 2490)
  desk.past(
    'ETH_USDT',
    '1d',
    Array.from({ length: 40 }, () => 2500),
  )
  desk.candle('ETH_USDT', '5m', 2490)
  desk.wait(1000)
  const decision = lastOf(desk, 'dip')
  expect(decision.rungs.length).toBe(15)
  expect(decision.rungs[0]).toMatchObject({
    state: 'missing',
    price: '2452.65',
    why: 'the goal of the ladder is none',
    change: 'rule open needs price < 0.95 * high30, which is false; price 2490; high30 2500',
  })
  again(decision, fileOf('geometric-dip'))
})

test('an order that a limit blocks names the limit, and what would let it pass', () => {
  const text = fileOf('static-grid').replace('{ total: 2200 }', '{ total: 500 }')
  const desk = new Desk([text])
  desk.quote('BTC_USDT', 60_000)
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  const decision = lastOf(desk, 'grid')
  const missing = decision.rungs.filter(({ state }) => state === 'missing')
  expect(missing.every(({ why, change }) => why !== null && change !== null)).toBe(true)
  const limited = missing.filter(({ why }) => why?.startsWith('max_notional'))
  expect(limited.map(({ level }) => level)).toEqual(['b5', 'b6', 's5', 's6'])
  expect(desk.notes().filter((type) => type === 'risk-blocked').length).toBe(1)
  again(decision, text)
})

test('a stop, a halt, an unknown outcome, a refusal and a fill are explained, each with its remedy', () => {
  const text = fileOf('static-grid')
  const desk = new Desk([text])
  desk.quote('BTC_USDT', 60_000)
  const first = desk.candle('BTC_USDT', '1m', 60_000)
  desk.settle(first, ({ id, amount, price }) =>
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
  const decision = lastOf(desk, 'grid')
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
  desk.tell({ kind: 'operator', act: 'stop', reason: 'lunch' })
  desk.quote('BTC_USDT', 61_000)
  desk.wait(1000)
  const stopped = lastOf(desk, 'grid')
  expect(rung(stopped, 's7')).toMatchObject({
    why: 'all strategies are stopped: lunch',
    change: 'rungs resume resumes trading',
  })
  again(stopped, text)
})

test('an unchanged explanation is emitted once', () => {
  const desk = restingGrid()
  const quiet: Step[] = [desk.wait(1000), desk.quote('BTC_USDT', 60_001), desk.wait(1000), desk.wait(1000)]
  expect(quiet.flatMap(({ decisions }) => decisions)).toEqual([])
})

test('after a file has changed, its ladder is explained by the new one', () => {
  const desk = new Desk([fileOf('geometric-dip')])
  desk.past(
    'ETH_USDT',
    '1d',
    Array.from({ length: 40 }, () => 2500),
  )
  desk.quote('ETH_USDT', 2490)
  desk.candle('ETH_USDT', '5m', 2490)
  const text = fileOf('geometric-dip').replace('price < 0.95 * high30', 'price < 0.99 * high30')
  desk.at += hour
  desk.tell({ kind: 'reloaded', name: 'ggeo', text })
  desk.quote('ETH_USDT', 2470)
  desk.settle(desk.candle('ETH_USDT', '5m', 2470))
  expect(desk.resting().length).toBe(15)
  again(lastOf(desk, 'dip'), text)
})

test('the inputs that two ladders of a strategy share are stored once for each step', () => {
  const text = fileOf('market-making')
  const desk = new Desk([text])
  desk.quote('BTC_USDT', 60_000)
  desk.account({ USDT: '10000' }, {}, '10000')
  desk.settle(desk.wait(1000))
  const step =
    desk.steps.map(({ step: { decisions } }) => decisions).findLast(({ length }) => length > 1) ?? []
  expect(step.map(({ ladder, seen }) => [ladder, seen === null])).toEqual([
    ['bids', false],
    ['asks', true],
  ])
  for (const decision of wholeExplanations(step)) again(decision, text)
})
