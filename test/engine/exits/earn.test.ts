import { expect, test } from 'vitest'
import { decimal } from '#src/core/money/decimal.ts'
import { pairSumsOf } from '#src/engine/holdings/pair-sums.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { problemsIn } from '#test/strategy/strategy-files.ts'
import { accepted, EngineHarness, told, venue } from '#test/engine/support/engine-harness.ts'

const [maker, taker] = ['0.001', '0.002']
const facts = {
  markets: {
    BTC_USDT: {
      ...venue.markets['BTC_USDT']!,
      amountDigits: 4,
      minAmount: '0.0001',
      makerFee: maker,
      takerFee: taker,
    },
  },
}

function gridText(...changes: [string, string][]): string {
  let text = `version: 1
name: coins
needs: [bulk, history, balance]
markets: { btc: BTC_USDT }
feeds: { px: { source: book, market: btc } }
ladder:
  grid:
    market: btc
    side: buy
    anchor: 1000
    levels: 3
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 3 base }
    exit: { mirror: 1, earn: base }
rules:
  - { id: run, when: 'mid(px) > 1', do: [ensure: grid] }
risk:
  max_notional: { btc: 20000 }
  worst_case: { move: 20%, max_loss: 20000 }
  drawdown: { pause: 30%, halt: 50% }
`
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the text has no ${from}`)
    text = text.replace(from, to)
  }
  return text
}

/** The same grid with its rungs at the venue. */
function restingCoins(...changes: Parameters<typeof gridText>): EngineHarness {
  const harness = new EngineHarness([gridText(...changes)], facts)
  harness.settle(harness.quote('BTC_USDT', 1000))
  harness.settle(harness.account({}, {}, '1000'))
  harness.settle(harness.wait(1000))
  return harness
}

/** The order has filled so far, at its own price and with this fee rate. */
function filledTo(harness: EngineHarness, id: string, filled: string, rate: string) {
  const order = harness.order(id)
  const money = decimal(filled).times(order.price)
  const fee = money.times(rate).toFixed()
  const ended = decimal(order.amount).eq(filled)
  const step = harness.tell({
    kind: 'seen',
    orders: [{ id, venueId: '1', filled, money: money.toFixed(), fee, ended }],
  })
  const sent = harness.settle(step)
  harness.quote('BTC_USDT', 1000)
  return [...sent, ...harness.settle(harness.wait(1000))]
}

function moneyOf(harness: EngineHarness): string {
  const all = Object.values(harness.engine.state.orders)
  return all
    .reduce(
      (sum, { side, money, fee }) => sum.plus(side === 'sell' ? money : decimal(money).neg()).minus(fee),
      decimal('0'),
    )
    .toFixed()
}

test('a mirror sells as much as pays the cost of its rung and both fees, rounded up to the lot; the rest stays', () => {
  const harness = restingCoins()
  // 990 and a fee of 0.99 are paid by 0.9930 at 1000 after a fee of 0.2 %: 992.98... / 998.
  const sent = filledTo(harness, 'coins.grid.1.1', '1', maker)
  expect(told(sent)).toEqual(['coins.grid.m1.1 sell 0.993 at 1000'])
  const again = filledTo(harness, 'coins.grid.m1.1', '0.993', taker)
  expect(told(again)).toEqual(['coins.grid.1.2 buy 1 at 990'])
  expect(harness.ladder('coins', 'grid').held.position).toBe('0.007')
  const money = Number(moneyOf(harness))
  expect(money).toBeGreaterThanOrEqual(0)
  // Less than the price of a lot.
  expect(money).toBeLessThan(0.1)
})

test('the grid profit is what the coins that stay have cost, and those are no matched pair', () => {
  const harness = restingCoins()
  filledTo(harness, 'coins.grid.1.1', '1', maker)
  filledTo(harness, 'coins.grid.m1.1', '0.993', taker)
  const holding = harness.engine.state.strategies['coins']!.holdings['btc']!
  const pairs = pairsOf(holding)
  expect(pairs.lots).toMatchObject([{ level: '1', amount: '0.007', money: '6.93', fee: '0.00693' }])
  // 993 - 983.07 - fees of 0.98307 and 1.986.
  expect(pairSumsOf([pairs])).toEqual({ pairs: 0, gridProfit: '6.96093' })
  expect(harness.engine.state.strategies['coins']!.worth.result).toBe('7.024')
})

test.each([
  ['in parts', ['0.3', '0.3004', '0.7', '1']],
  ['in one deal', ['1']],
  ['in many parts', ['0.0005', '0.001', '0.0021', '0.4', '0.4001', '0.97', '1']],
])('quote never shrinks, also if the rung fills %s', (_how, parts) => {
  const harness = restingCoins()
  for (const part of parts) filledTo(harness, 'coins.grid.1.1', part, maker)
  for (let round = 0; round < 20; round++)
    for (const id of harness.resting().filter((each) => each.includes('.m1')))
      filledTo(harness, id, harness.order(id).amount, taker)
  const { exits, held, filled } = harness.ladder('coins', 'grid')
  expect(Object.keys(exits.mirrors)).toEqual([])
  expect(filled).toEqual([])
  expect(Number(moneyOf(harness))).toBeGreaterThanOrEqual(0)
  // Each part is rounded up to the lot.
  expect(Number(held.position)).toBeGreaterThan(0.007 - 0.0001 * parts.length)
})

test('a mirror that ends with a rest too small for an order leaves its cost to the next mirror', () => {
  const harness = restingCoins()
  filledTo(harness, 'coins.grid.1.1', '1', maker)
  const mirror = harness.order('coins.grid.m1.1')
  harness.settle(
    harness.tell({
      kind: 'seen',
      orders: [{ id: mirror.id, venueId: '1', filled: '0.99', money: '990', fee: '1.98', ended: true }],
    }),
  )
  expect(harness.ladder('coins', 'grid').exits.carried).toEqual({
    amount: '0.003',
    levels: ['1'],
    cost: '2.994',
  })
  const sent = filledTo(harness, 'coins.grid.2.1', '1', maker)
  // (980.98 + 2.994) / (990 x 0.998)
  expect(told(sent)).toEqual(['coins.grid.m2.1 sell 0.996 at 990'])
})

test('coins that were withdrawn and written off are those that the ladder keeps', () => {
  const harness = restingCoins()
  filledTo(harness, 'coins.grid.1.1', '1', maker)
  filledTo(harness, 'coins.grid.m1.1', '0.993', taker)
  filledTo(harness, 'coins.grid.2.1', '1', maker)
  const about = { strategy: 'coins', ladder: 'grid', price: '1000', reason: 'withdrawn' }
  harness.tell({ kind: 'operator', act: 'write-off', ...about, amount: '0.007' })
  const { exits, held } = harness.ladder('coins', 'grid')
  expect(exits.mirrors).toMatchObject({ 2: { amount: '0.9929' } })
  expect(held.position).toBe('1')
})

const growing: [string, string] = ['total: 3 base', "total: '(equity(account) * 3) quote', update: rung"]
const quoted: [string, string] = ['mirror: 1, earn: base', 'mirror: 1']

test('a rung that is placed again has the amount of the current size; the others and the anchor stay', () => {
  const harness = restingCoins(growing, quoted)
  expect(told(Object.values(harness.engine.state.orders))).toEqual([
    'coins.grid.1.1 buy 1.0101 at 990',
    'coins.grid.2.1 buy 1.0204 at 980',
    'coins.grid.3.1 buy 1.0309 at 970',
  ])
  filledTo(harness, 'coins.grid.1.1', '1.0101', maker)
  harness.account({}, {}, '2000')
  const sent = filledTo(harness, 'coins.grid.m1.1', '1.0101', maker)
  expect(told(sent)).toEqual(['coins.grid.1.2 buy 2.0202 at 990'])
  expect(harness.resting()).toEqual(['coins.grid.2.1', 'coins.grid.3.1', 'coins.grid.1.2'])
  expect(harness.ladder('coins', 'grid').anchor).toBe('1000')
})

test('without update, a rung that is placed again keeps the amount of its ladder', () => {
  const harness = restingCoins(['total: 3 base', 'total: 300% equity'], quoted)
  filledTo(harness, 'coins.grid.1.1', '1.0101', maker)
  harness.account({}, {}, '2000')
  const sent = filledTo(harness, 'coins.grid.m1.1', '1.0101', maker)
  expect(told(sent)).toEqual(['coins.grid.1.2 buy 1.0101 at 990'])
})

test('while its new size is unknown, a rung is not placed again, and is placed when the size is known', () => {
  const harness = restingCoins(growing, quoted)
  filledTo(harness, 'coins.grid.1.1', '1.0101', maker)
  harness.account({}, {}, null)
  expect(filledTo(harness, 'coins.grid.m1.1', '1.0101', maker)).toEqual([])
  expect(harness.ladder('coins', 'grid').rungs[0]?.resize).toBe('size: the equity is unknown')
  expect(told(harness.settle(harness.account({}, {}, '500'), accepted))).toEqual([
    'coins.grid.1.2 buy 0.505 at 990',
  ])
})

test.each([
  [['earn: base', 'earn: base, tp: { pct: 1% }'], 'cannot be combined with mirror'],
  [['mirror: 1, earn: base', 'tp: { pct: 1% }, earn: quote'], 'has no effect without mirror'],
  [['side: buy', 'side: both'], 'only a ladder that buys first can keep a part of what it bought'],
  [
    ['anchor: 1000', 'anchor: 1000\n    rebase: on_flat'],
    'a ladder that keeps a part of what it buys is never flat',
  ],
  [['total: 3 base', 'total: 3 base, update: rung'], 'the size never changes'],
  [['total: 3 base', 'total: 3 bsae'], 'must be capital with its unit'],
  [['total: 3 base', 'total: position(btcc) base'], 'unknown name "btcc"'],
  [['total: 3 base', 'total: 30% equity base'], ''],
  [['total: 3 base', 'total: "mid(px) > 3 base"'], 'this is true or false but must be a number'],
] as const)('a file that contradicts itself is refused: %j', ([from, to], message) => {
  const problems = problemsIn(gridText([from, to]))
  expect(problems.map((each) => each.message).join()).toContain(message)
  expect(problems.length).toBeGreaterThan(0)
})
