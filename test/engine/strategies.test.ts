import { expect, test } from 'vitest'
import {
  cancelsOf,
  EngineHarness,
  fileOf,
  hour,
  minute,
  noon,
  restingGrid,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

const day = 24 * hour
const flat = (price: number, count: number) => Array.from({ length: count }, () => price)
const line = (from: number, to: number, count: number) =>
  flat(0, count).map((_, index) => from + ((to - from) * index) / (count - 1))

test('static grid: a filled line is sold one line higher, and then bought again', () => {
  const harness = restingGrid()
  harness.quote('BTC_USDT', 59_499)
  const mirrors = harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(told(mirrors).filter((text) => text.includes('.mb1.'))).toEqual([
    'sgrid.grid.mb1.1 sell 0.001764 at 60000',
  ])
  expect(harness.ladder('sgrid', 'grid').filled).toEqual(['b1'])
  harness.quote('BTC_USDT', 60_001)
  const again = harness.settle(harness.fill('sgrid.grid.mb1.1'))
  expect(told(again)).toContain('sgrid.grid.b1.2 buy 0.001764 at 59500')
})

test('trailing grid: it is placed after five calm minutes, follows its average, and is closed by its stop', () => {
  const harness = new EngineHarness([fileOf('trailing')])
  harness.account({ USDT: '10000' }, {}, '10000')
  harness.past('BTC_PERP', '1h', line(60_000, 65_000, 250), 0.0025)
  harness.past('BTC_PERP', '1m', flat(65_000, 60))
  harness.quote('BTC_PERP', 65_000)
  const waiting = Array.from({ length: 5 }, () => {
    harness.at += minute
    harness.quote('BTC_PERP', 65_000)
    return submitsOf(harness.candle('BTC_PERP', '1m', 65_000)).length
  })
  expect(waiting).toEqual([0, 0, 0, 0, 1])
  const last = harness.steps.findLast(({ step }) => step.commands.length > 0)
  if (last) expect(harness.settle(last.step).length).toBe(10)
  const unit = Number(harness.ladder('tvol', 'trail').unit)
  expect(unit).toBeGreaterThan(100)
  // The average runs after the price, by more than a step, ten minutes later.
  const cancels: string[] = []
  for (let round = 0; round < 15; round++) {
    harness.at += minute
    harness.quote('BTC_PERP', 66_000)
    const step = harness.candle('BTC_PERP', '1m', 66_000)
    cancels.push(...cancelsOf(step))
    harness.settle(step)
    harness.settle(harness.wait(0))
  }
  expect(cancels.length).toBeGreaterThanOrEqual(10)
  expect(harness.resting().every((id) => Number(id.split('.').at(-1)) > 1)).toBe(true)
  const [first = ''] = harness.resting()
  harness.settle(harness.fill(first))
  const { entry } = harness.ladder('tvol', 'trail').held
  harness.at += 1000
  const sent = harness.settle(harness.quote('BTC_PERP', Number(entry) * 0.939))
  expect(sent.map(({ level, side, ioc }) => [level, side, ioc])).toContainEqual(['st', 'sell', true])
  harness.settle(harness.wait(1000))
  // The rule that armed it is true all the time, so the next episode begins at once.
  expect(harness.ladder('tvol', 'trail')).toMatchObject({ episode: 2, filled: [], held: { position: '0' } })
})

test('trailing grid: high volatility cancels the rungs', () => {
  const harness = new EngineHarness([fileOf('trailing').replace('for: 5m', 'for: 1s')])
  harness.account({ USDT: '10000' }, {}, '10000')
  harness.past('BTC_PERP', '1h', line(60_000, 65_000, 250), 0.0025)
  harness.past('BTC_PERP', '1m', flat(65_000, 60))
  harness.quote('BTC_PERP', 65_000)
  harness.settle(harness.wait(1000))
  expect(harness.resting().length).toBe(10)
  for (let round = 0; round < 20; round++) {
    harness.at += hour
    harness.quote('BTC_PERP', 65_000)
    harness.past('BTC_PERP', '1m', flat(65_000, 1))
    harness.settle(harness.candle('BTC_PERP', '1h', 65_000, 0.04))
  }
  harness.settle(harness.wait(1000))
  expect(harness.ladder('tvol', 'trail').goal).toBe('retire')
  expect(harness.resting()).toEqual([])
})

test('averaging down: the first order is placed at the price, the position is sold together, and the next episode waits', () => {
  const harness = new EngineHarness([fileOf('dca')])
  harness.quote('SOL_PERP', 150, 0.02)
  const sent = harness.settle(harness.past('SOL_PERP', '1m', line(156, 150, 40)), (order) => {
    const isFirst = order.level === '1'
    return {
      kind: 'accepted',
      venueId: '1',
      filled: isFirst ? order.amount : '0',
      money: isFirst ? String(Number(order.amount) * 150) : '0',
      fee: '0',
      ended: isFirst,
    }
  })
  expect(sent.length).toBe(8)
  expect(harness.ladder('dcam', 'safety').filled).toEqual(['1'])
  harness.at += 1000
  const out = harness.settle(harness.quote('SOL_PERP', 151.9, 0.02))
  expect(out.map(({ level }) => level)).toEqual(['t1'])
  harness.settle(harness.wait(1000))
  expect(harness.ladder('dcam', 'safety')).toMatchObject({ openedAt: null, goal: 'none', episode: 1 })
  harness.at += 5 * minute
  harness.past('SOL_PERP', '1m', line(155, 149, 5))
  expect(submitsOf(harness.quote('SOL_PERP', 149))).toEqual([])
  harness.at += 15 * minute
  harness.quote('SOL_PERP', 148)
  const next = harness.settle(harness.past('SOL_PERP', '1m', line(149, 148, 15)))
  expect(next.map(({ id }) => id)).toContain('dcam.safety.1.2')
  expect(harness.ladder('dcam', 'safety').episode).toBe(2)
})

test('market making: quotes follow the book, one in each level, and a hit side is quoted again', () => {
  const harness = new EngineHarness([fileOf('market-making')])
  const first = harness.settle(harness.quote('BTC_PERP', 60_000))
  expect(first.map(({ ladder }) => ladder)).toEqual([
    'bids',
    'asks',
    'bids',
    'asks',
    'bids',
    'asks',
    'bids',
    'asks',
  ])
  harness.at += 4000
  const moved = harness.quote('BTC_PERP', 60_100)
  expect(cancelsOf(moved).length).toBe(8)
  expect(submitsOf(moved)).toEqual([])
  harness.settle(moved)
  expect(harness.resting().length).toBe(8)
  expect(harness.resting().every((id) => id.endsWith('.2'))).toBe(true)
  harness.settle(harness.fill('mm2s.bids.1.2'))
  expect(harness.ladder('mm2s', 'bids').filled).toEqual(['1'])
  harness.at += 4000
  harness.settle(harness.quote('BTC_PERP', 60_100))
  expect(harness.resting().filter((id) => id.includes('.bids.')).length).toBe(4)
})

test('market making: when one side fills too often both are cancelled, and stay cancelled for two minutes', () => {
  const harness = new EngineHarness([fileOf('market-making')])
  harness.settle(harness.quote('BTC_PERP', 60_000))
  for (const level of [1, 2, 3]) harness.settle(harness.fill(`mm2s.bids.${level}.1`))
  expect(harness.ladder('mm2s', 'bids').goal).toBe('retire')
  expect(harness.resting()).toEqual([])
  harness.at += minute
  harness.settle(harness.quote('BTC_PERP', 60_000))
  expect(harness.resting()).toEqual([])
  harness.at += 62_000
  harness.settle(harness.quote('BTC_PERP', 60_000))
  expect(harness.resting().length).toBeGreaterThan(0)
})

test('mean reversion: a fall through the band places it once, and it is sold at the mean', () => {
  const harness = new EngineHarness([fileOf('mean-reversion')])
  harness.past('SOL_USDT', '1d', line(120, 150, 220))
  harness.quote('SOL_USDT', 144, 0.02)
  const sent = harness.settle(harness.past('SOL_USDT', '15m', [...line(150, 149.5, 40), 144]))
  expect(told(sent)[0]).toBe('mrev.fade.1.1 buy 0.568774 at 143.85')
  expect(sent.length).toBe(6)
  harness.settle(harness.fill('mrev.fade.1.1'))
  // The mean of twenty candles is 149.28 now; the take profit lies nearer.
  harness.at += 1000
  expect(harness.settle(harness.quote('SOL_USDT', 146.1, 0.02)).map(({ level }) => level)).toEqual(['t1'])
  harness.settle(harness.wait(1000))
  expect(harness.ladder('mrev', 'fade')).toMatchObject({ goal: 'none', openedAt: null })
  harness.at += 15 * minute
  harness.settle(harness.past('SOL_USDT', '15m', [130]))
  expect(harness.ladder('mrev', 'fade').goal).toBe('none')
})

test('mean reversion: after two days it is sold at any price', () => {
  const harness = new EngineHarness([fileOf('mean-reversion')])
  harness.past('SOL_USDT', '1d', line(120, 150, 220))
  harness.quote('SOL_USDT', 144, 0.02)
  harness.settle(harness.past('SOL_USDT', '15m', [...line(150, 149.5, 40), 144]))
  harness.settle(harness.fill('mrev.fade.1.1'))
  harness.at += 2 * day
  harness.quote('SOL_USDT', 144, 0.02)
  expect(harness.settle(harness.wait(1000)).map(({ level, price }) => [level, price])).toContainEqual([
    'ag',
    '143.28',
  ])
})

/** Monday, an hour before noon, with enough of the past; the day can be told from the candles. */
function saving(at: number, balance = '900'): EngineHarness {
  const harness = new EngineHarness([fileOf('accumulation')])
  harness.at = at
  harness.quote('BTC_USDT', 65_000)
  harness.quote('ETH_USDT', 2500)
  harness.past('BTC_USDT', '1h', flat(65_000, 500))
  harness.past('ETH_USDT', '1h', flat(2500, 10))
  harness.account({ USDT: balance }, { USDT: '900' })
  return harness
}

const monday = noon + 4 * day

function buys(harness: EngineHarness): string[] {
  return harness.steps.flatMap(({ step }) =>
    submitsOf(step).flatMap(({ orders }) => orders.map(({ ladder }) => ladder)),
  )
}

test('accumulation: it buys on Monday at noon, once', () => {
  const harness = saving(monday - minute)
  expect(buys(harness)).toEqual([])
  harness.settle(harness.wait(minute))
  expect(buys(harness).toSorted()).toEqual([
    'btc_week',
    'btc_week',
    'btc_week',
    'eth_week',
    'eth_week',
    'eth_week',
  ])
  harness.settle(harness.wait(minute))
  expect(buys(harness).length).toBe(6)
})

test('accumulation: a missed Monday is made up for within six hours, if there is money', () => {
  const late = saving(monday + 5 * hour)
  expect(buys(late).length).toBeGreaterThan(0)
  expect(buys(saving(monday + 7 * hour))).toEqual([])
  expect(buys(saving(monday, '400'))).toEqual([])
})

test('accumulation: idle money is invested at night, up to the daily limit, one investment at a time', () => {
  const harness = saving(noon + 12 * hour)
  harness.account({ USDT: '900' }, { USDT: '5000' })
  const invested = () =>
    harness.steps.flatMap(({ step }) =>
      step.commands.flatMap((command) => (command.kind === 'invest' ? [command] : [])),
    )
  harness.wait(hour)
  expect(invested()).toMatchObject([{ id: 'accu.flex.1', ticker: 'USDT', amount: '1000', reinvest: true }])
  harness.tell({ kind: 'invested', id: 'accu.flex.1', outcome: 'unknown', message: 'no answer came' })
  harness.wait(day)
  expect(invested().length).toBe(1)
  const looked = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked' } as const
  harness.tell({ ...looked, order: 'accu.flex.1' })
  harness.wait(day)
  expect(invested().at(-1)).toMatchObject({ id: 'accu.flex.2' })
})

test('accumulation: an investment in flight at the end of the process is unknown until an operator resolves it', () => {
  const harness = saving(noon + 12 * hour)
  harness.account({ USDT: '900' }, { USDT: '5000' })
  harness.wait(hour)
  const own = harness.engine.state.strategies['accu']
  expect(own?.investing).toMatchObject({ id: 'accu.flex.1', isDoubtful: false })
  const { venue } = harness.engine.state
  harness.tell({ kind: 'began', venue, strategies: [{ name: 'accu', text: own?.text ?? '' }] })
  expect(own?.investing?.isDoubtful).toBe(true)
  harness.tell({ kind: 'operator', act: 'resolve', order: 'accu.flex.1', as: 'placed', reason: 'looked' })
  expect(own?.investing).toBe(null)
  expect(own?.invested).toMatchObject([{ money: '1000' }])
})

test('hedged ladders: long and short are sent in one chunk, and a refused side freezes the other', () => {
  const harness = new EngineHarness([fileOf('hedged')])
  harness.quote('ETH_PERP', 2500)
  const step = harness.candle('ETH_PERP', '1m', 2500)
  const [submit] = submitsOf(step)
  expect(submit?.orders.map(({ positionSide }) => positionSide).slice(0, 4)).toEqual([
    'LONG',
    'SHORT',
    'LONG',
    'SHORT',
  ])
  expect(submit?.stopOnFail).toBe(true)
  harness.settle(step, (order) =>
    order.id === 'hedg.up.1.1'
      ? { kind: 'refused', code: 10, message: 'Not enough balance.', alreadyUsed: false }
      : order.id === 'hedg.down.1.1'
        ? { kind: 'accepted', venueId: '1', filled: '0', money: '0', fee: '0', ended: false }
        : { kind: 'not-attempted' },
  )
  expect(harness.ladder('hedg', 'up').frozen).toMatch(/hedg.up.1.1 was refused/)
  expect(harness.ladder('hedg', 'down').frozen).toMatch(/hedg.up.1.1 was refused/)
  expect(submitsOf(harness.wait(minute))).toEqual([])
})
