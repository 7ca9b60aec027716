import { expect, test } from 'vitest'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { cancelsOf, EngineHarness, fileOf, minute } from '#test/engine/support/engine-harness.ts'

/** Eight buys below a price that has slid. */
function averaging(text = fileOf('dca-take-profit')): EngineHarness {
  const harness = new EngineHarness([text])
  harness.quote('SOL_PERP', 150, 0.02)
  harness.settle(
    harness.past(
      'SOL_PERP',
      '1m',
      Array.from({ length: 40 }, (_, minute) => 156 - minute * 0.15),
    ),
  )
  return harness
}

test('a first fill below the minimum of the market does not end the episode', () => {
  const harness = averaging()
  expect(harness.resting()).toHaveLength(8)
  const step = harness.fill('dcam.safety.1.1', 0.1)
  expect(cancelsOf(step)).toEqual([])
  expect(harness.notes()).not.toContain('episode-closed')
  expect(harness.resting()).toHaveLength(8)
  harness.fill('dcam.safety.1.1', 0.9)
  harness.at += 1000
  const { position } = harness.ladder('dcam', 'safety').held
  const [exit] = harness.settle(harness.quote('SOL_PERP', 155, 0.02))
  expect(exit).toMatchObject({ side: 'sell', amount: position })
})

test('a rest below the minimum after the sale ends the episode', () => {
  const harness = averaging()
  harness.fill('dcam.safety.1.1')
  harness.at += 1000
  const [sale] = harness.quote('SOL_PERP', 155, 0.02).commands
  if (sale?.kind !== 'submit') throw new Error('nothing is sold')
  const amount = Number(sale.orders[0]?.amount)
  harness.tell({
    kind: 'answered',
    chunk: sale.chunk,
    orders: [
      { kind: 'accepted', venueId: '9', filled: String(amount - 0.01), money: '30', fee: '0', ended: true },
    ],
  })
  expect(harness.notes()).toContain('episode-closed')
})

test('an entry left half filled by an episode is placed again in full, although its price is the same', () => {
  const text = fileOf('dca-take-profit')
    .replace('cooldown: 15m', '')
    .replace('rsi(px, 14) < 40', 'last(px) > 0')
  const harness = averaging(text)
  harness.fill('dcam.safety.1.1', 0.6)
  harness.at += 1000
  harness.settle(harness.quote('SOL_PERP', 155, 0.02))
  // The next episode begins at once, at the close of the same minute.
  const { amount, price } = harness.order('dcam.safety.1.1')
  expect(harness.order('dcam.safety.1.2')).toMatchObject({ amount, price, filled: '0', status: 'resting' })
  expect(harness.order('dcam.safety.2.1').status).toBe('resting')
})

const around = [
  ['balance]', 'balance, cancel]'],
  ['levels: 21', 'levels: 2'],
  ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
] as const

/** A minute at this price. */
function passing(harness: EngineHarness, price: number): void {
  harness.at += minute
  harness.quote('BTC_USDT', price)
  harness.settle(harness.candle('BTC_USDT', '1m', price))
  harness.settle(harness.wait(0))
}

test.each([
  ['never', '60000', 1],
  ['on_flat', '60300', 2],
])('a grid that rebases %s stands around %s when its mirrors have sold all', (rebase, anchor, episode) => {
  const harness = new EngineHarness([
    gridWith(...around, ['anchor: 60000', `anchor: price\n    rebase: ${rebase}`]),
  ])
  passing(harness, 60_000)
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  harness.settle(harness.fill('sgrid.grid.s1.1'))
  passing(harness, 60_300)
  // Nothing is held, but both are still to be undone.
  expect(harness.ladder('sgrid', 'grid')).toMatchObject({ anchor: '60000', episode: 1 })
  harness.settle(harness.fill('sgrid.grid.mb1.1'))
  expect(harness.ladder('sgrid', 'grid')).toMatchObject({ anchor: '60000', episode: 1 })
  harness.settle(harness.fill('sgrid.grid.ms1.1'))
  passing(harness, 60_300)
  expect(harness.ladder('sgrid', 'grid')).toMatchObject({ anchor, episode, filled: [] })
  const first = Number(anchor) * 0.99
  const stands = harness.resting().filter((id) => Number(harness.order(id).price) === first)
  expect(stands).toHaveLength(1)
  // Untouched it stays, wherever the price goes.
  passing(harness, 60_500)
  expect(harness.ladder('sgrid', 'grid')).toMatchObject({ anchor, episode })
})

test.each([
  ['episode_start', '59900', '59900'],
  ['rule_start', '59800', '59800'],
])(
  'an anchor at %s is taken anew by a rule that begins again only if nothing is held',
  (when, begun, held) => {
    const text = gridWith(
      ...around,
      ['side: both', 'side: buy'],
      ['anchor: 60000', `anchor: price at ${when}`],
      ['exit: { mirror: 1 }', 'exit: { tp: { pct: 5% } }'],
      ['when: between(price, 55000, 65000)', 'when: price < 60000'],
    )
    const harness = new EngineHarness([text])
    for (const price of [60_100, 59_900, 59_850]) passing(harness, price)
    expect(harness.ladder('sgrid', 'grid').anchor).toBe('59900')
    for (const price of [60_100, 59_800]) passing(harness, price)
    expect(harness.ladder('sgrid', 'grid').anchor).toBe(begun)
    const [first = ''] = harness.resting()
    harness.settle(harness.fill(first))
    for (const price of [60_100, 59_700]) passing(harness, price)
    expect(harness.ladder('sgrid', 'grid').anchor).toBe(held)
  },
)
