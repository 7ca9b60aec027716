import { expect, test } from 'vitest'
import {
  cancelsOf,
  Desk,
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
  const desk = restingGrid()
  desk.quote('BTC_USDT', 59_499)
  const mirrors = desk.settle(desk.fill('sgrid.grid.b1.1'))
  expect(told(mirrors).filter((text) => text.includes('.mb1.'))).toEqual([
    'sgrid.grid.mb1.1 sell 0.001764 at 60000',
  ])
  expect(desk.ladder('sgrid', 'grid').filled).toEqual(['b1'])
  desk.quote('BTC_USDT', 60_001)
  const again = desk.settle(desk.fill('sgrid.grid.mb1.1'))
  expect(told(again)).toContain('sgrid.grid.b1.2 buy 0.001764 at 59500')
})

test('trailing grid: it is placed after five calm minutes, follows its average, and is closed by its stop', () => {
  const desk = new Desk([fileOf('trailing')])
  desk.account({ USDT: '10000' }, {}, '10000')
  desk.past('BTC_PERP', '1h', line(60_000, 65_000, 250), 0.0025)
  desk.past('BTC_PERP', '1m', flat(65_000, 60))
  desk.quote('BTC_PERP', 65_000)
  const waiting = Array.from({ length: 5 }, () => {
    desk.at += minute
    desk.quote('BTC_PERP', 65_000)
    return submitsOf(desk.candle('BTC_PERP', '1m', 65_000)).length
  })
  expect(waiting).toEqual([0, 0, 0, 0, 1])
  const last = desk.steps.findLast(({ step }) => step.commands.length > 0)
  if (last) expect(desk.settle(last.step).length).toBe(10)
  const unit = Number(desk.ladder('tvol', 'trail').unit)
  expect(unit).toBeGreaterThan(100)
  // The average runs after the price, by more than a step, ten minutes later.
  const cancels: string[] = []
  for (let round = 0; round < 15; round++) {
    desk.at += minute
    desk.quote('BTC_PERP', 66_000)
    const step = desk.candle('BTC_PERP', '1m', 66_000)
    cancels.push(...cancelsOf(step))
    desk.settle(step)
    desk.settle(desk.wait(0))
  }
  expect(cancels.length).toBeGreaterThanOrEqual(10)
  expect(desk.resting().every((id) => Number(id.split('.').at(-1)) > 1)).toBe(true)
  const [first = ''] = desk.resting()
  desk.settle(desk.fill(first))
  const { entry } = desk.ladder('tvol', 'trail').held
  desk.at += 1000
  const sent = desk.settle(desk.quote('BTC_PERP', Number(entry) * 0.939))
  expect(sent.map(({ level, side, ioc }) => [level, side, ioc])).toContainEqual(['st', 'sell', true])
  desk.settle(desk.wait(1000))
  // The rule that armed it is true all the time, so the next episode begins at once.
  expect(desk.ladder('tvol', 'trail')).toMatchObject({ episode: 2, filled: [], held: { position: '0' } })
})

test('trailing grid: high volatility cancels the rungs', () => {
  const desk = new Desk([fileOf('trailing').replace('for: 5m', 'for: 1s')])
  desk.account({ USDT: '10000' }, {}, '10000')
  desk.past('BTC_PERP', '1h', line(60_000, 65_000, 250), 0.0025)
  desk.past('BTC_PERP', '1m', flat(65_000, 60))
  desk.quote('BTC_PERP', 65_000)
  desk.settle(desk.wait(1000))
  expect(desk.resting().length).toBe(10)
  for (let round = 0; round < 20; round++) {
    desk.at += hour
    desk.quote('BTC_PERP', 65_000)
    desk.past('BTC_PERP', '1m', flat(65_000, 1))
    desk.settle(desk.candle('BTC_PERP', '1h', 65_000, 0.04))
  }
  desk.settle(desk.wait(1000))
  expect(desk.ladder('tvol', 'trail').goal).toBe('retire')
  expect(desk.resting()).toEqual([])
})

test('averaging down: the first order is placed at the price, the position is sold together, and the next episode waits', () => {
  const desk = new Desk([fileOf('dca')])
  desk.quote('SOL_PERP', 150, 0.02)
  const sent = desk.settle(desk.past('SOL_PERP', '1m', line(156, 150, 40)), (order) => {
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
  expect(desk.ladder('dcam', 'safety').filled).toEqual(['1'])
  desk.at += 1000
  const out = desk.settle(desk.quote('SOL_PERP', 151.9, 0.02))
  expect(out.map(({ level }) => level)).toEqual(['t1'])
  desk.settle(desk.wait(1000))
  expect(desk.ladder('dcam', 'safety')).toMatchObject({ openedAt: null, goal: 'none', episode: 1 })
  desk.at += 5 * minute
  desk.past('SOL_PERP', '1m', line(155, 149, 5))
  expect(submitsOf(desk.quote('SOL_PERP', 149))).toEqual([])
  desk.at += 15 * minute
  desk.quote('SOL_PERP', 148)
  const next = desk.settle(desk.past('SOL_PERP', '1m', line(149, 148, 15)))
  expect(next.map(({ id }) => id)).toContain('dcam.safety.1.2')
  expect(desk.ladder('dcam', 'safety').episode).toBe(2)
})

test('market making: quotes follow the book, one in each level, and a hit side is quoted again', () => {
  const desk = new Desk([fileOf('market-making')])
  const first = desk.settle(desk.quote('BTC_USDT', 60_000))
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
  desk.at += 4000
  const moved = desk.quote('BTC_USDT', 60_100)
  expect(cancelsOf(moved).length).toBe(8)
  expect(submitsOf(moved)).toEqual([])
  desk.settle(moved)
  expect(desk.resting().length).toBe(8)
  expect(desk.resting().every((id) => id.endsWith('.2'))).toBe(true)
  desk.settle(desk.fill('mm2s.bids.1.2'))
  expect(desk.ladder('mm2s', 'bids').filled).toEqual(['1'])
  desk.at += 4000
  desk.settle(desk.quote('BTC_USDT', 60_100))
  expect(desk.resting().filter((id) => id.includes('.bids.')).length).toBe(4)
})

test('market making: when one side fills too often both are cancelled, and stay cancelled for two minutes', () => {
  const desk = new Desk([fileOf('market-making')])
  desk.settle(desk.quote('BTC_USDT', 60_000))
  for (const level of [1, 2, 3]) desk.settle(desk.fill(`mm2s.bids.${level}.1`))
  expect(desk.ladder('mm2s', 'bids').goal).toBe('retire')
  expect(desk.resting()).toEqual([])
  desk.at += minute
  desk.settle(desk.quote('BTC_USDT', 60_000))
  expect(desk.resting()).toEqual([])
  desk.at += 62_000
  desk.settle(desk.quote('BTC_USDT', 60_000))
  expect(desk.resting().length).toBeGreaterThan(0)
})

test('mean reversion: a fall through the band places it once, and it is sold at the mean', () => {
  const desk = new Desk([fileOf('mean-reversion')])
  desk.past('SOL_USDT', '1d', line(120, 150, 220))
  desk.quote('SOL_USDT', 144, 0.02)
  const sent = desk.settle(desk.past('SOL_USDT', '15m', [...line(150, 149.5, 40), 144]))
  expect(told(sent)[0]).toBe('mrev.fade.1.1 buy 0.568774 at 143.85')
  expect(sent.length).toBe(6)
  desk.settle(desk.fill('mrev.fade.1.1'))
  // The mean of twenty candles is 149.28 now; the take profit lies nearer.
  desk.at += 1000
  expect(desk.settle(desk.quote('SOL_USDT', 146.1, 0.02)).map(({ level }) => level)).toEqual(['t1'])
  desk.settle(desk.wait(1000))
  expect(desk.ladder('mrev', 'fade')).toMatchObject({ goal: 'none', openedAt: null })
  desk.at += 15 * minute
  desk.settle(desk.past('SOL_USDT', '15m', [130]))
  expect(desk.ladder('mrev', 'fade').goal).toBe('none')
})

test('mean reversion: after two days it is sold at any price', () => {
  const desk = new Desk([fileOf('mean-reversion')])
  desk.past('SOL_USDT', '1d', line(120, 150, 220))
  desk.quote('SOL_USDT', 144, 0.02)
  desk.settle(desk.past('SOL_USDT', '15m', [...line(150, 149.5, 40), 144]))
  desk.settle(desk.fill('mrev.fade.1.1'))
  desk.at += 2 * day
  desk.quote('SOL_USDT', 144, 0.02)
  expect(desk.settle(desk.wait(1000)).map(({ level, price }) => [level, price])).toContainEqual([
    'ag',
    '143.28',
  ])
})

/** Monday, an hour before noon, with enough of the past; the day can be told from the candles. */
function saving(at: number, balance = '900'): Desk {
  const desk = new Desk([fileOf('accumulation')])
  desk.at = at
  desk.quote('BTC_USDT', 65_000)
  desk.quote('ETH_USDT', 2500)
  desk.past('BTC_USDT', '1h', flat(65_000, 500))
  desk.past('ETH_USDT', '1h', flat(2500, 10))
  desk.account({ USDT: balance }, { USDT: '900' })
  return desk
}

const monday = noon + 4 * day

function buys(desk: Desk): string[] {
  return desk.steps.flatMap(({ step }) =>
    submitsOf(step).flatMap(({ orders }) => orders.map(({ ladder }) => ladder)),
  )
}

test('accumulation: it buys on Monday at noon, once', () => {
  const desk = saving(monday - minute)
  expect(buys(desk)).toEqual([])
  desk.settle(desk.wait(minute))
  expect(buys(desk).toSorted()).toEqual([
    'btc_week',
    'btc_week',
    'btc_week',
    'eth_week',
    'eth_week',
    'eth_week',
  ])
  desk.settle(desk.wait(minute))
  expect(buys(desk).length).toBe(6)
})

test('accumulation: a missed Monday is made up for within six hours, if there is money', () => {
  const late = saving(monday + 5 * hour)
  expect(buys(late).length).toBeGreaterThan(0)
  expect(buys(saving(monday + 7 * hour))).toEqual([])
  expect(buys(saving(monday, '400'))).toEqual([])
})

test('accumulation: idle money is invested at night, up to the daily limit, one investment at a time', () => {
  const desk = saving(noon + 12 * hour)
  desk.account({ USDT: '900' }, { USDT: '5000' })
  const invested = () =>
    desk.steps.flatMap(({ step }) =>
      step.commands.flatMap((command) => (command.kind === 'invest' ? [command] : [])),
    )
  desk.wait(hour)
  expect(invested()).toMatchObject([{ id: 'accu.flex.1', ticker: 'USDT', amount: '1000', reinvest: true }])
  desk.tell({ kind: 'invested', id: 'accu.flex.1', outcome: 'unknown', message: 'no answer came' })
  desk.wait(day)
  expect(invested().length).toBe(1)
  const looked = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked' } as const
  desk.tell({ ...looked, order: 'accu.flex.1' })
  desk.wait(day)
  expect(invested().at(-1)).toMatchObject({ id: 'accu.flex.2' })
})

test('accumulation: an investment in flight at the end of the process is unknown until an operator resolves it', () => {
  const desk = saving(noon + 12 * hour)
  desk.account({ USDT: '900' }, { USDT: '5000' })
  desk.wait(hour)
  const own = desk.engine.state.strategies['accu']
  expect(own?.investing).toMatchObject({ id: 'accu.flex.1', isDoubtful: false })
  const { venue } = desk.engine.state
  desk.tell({ kind: 'began', venue, strategies: [{ name: 'accu', text: own?.text ?? '' }] })
  expect(own?.investing?.isDoubtful).toBe(true)
  desk.tell({ kind: 'operator', act: 'resolve', order: 'accu.flex.1', as: 'placed', reason: 'looked' })
  expect(own?.investing).toBe(null)
  expect(own?.invested).toMatchObject([{ money: '1000' }])
})

test('hedged ladders: long and short are sent in one chunk, and a refused side freezes the other', () => {
  const desk = new Desk([fileOf('hedged')])
  desk.quote('ETH_PERP', 2500)
  const step = desk.candle('ETH_PERP', '1m', 2500)
  const [submit] = submitsOf(step)
  expect(submit?.orders.map(({ positionSide }) => positionSide).slice(0, 4)).toEqual([
    'LONG',
    'SHORT',
    'LONG',
    'SHORT',
  ])
  expect(submit?.stopOnFail).toBe(true)
  desk.settle(step, (order) =>
    order.id === 'hedg.up.1.1'
      ? { kind: 'refused', code: 10, message: 'Not enough balance.', alreadyUsed: false }
      : order.id === 'hedg.down.1.1'
        ? { kind: 'accepted', venueId: '1', filled: '0', money: '0', fee: '0', ended: false }
        : { kind: 'not-attempted' },
  )
  expect(desk.ladder('hedg', 'up').frozen).toMatch(/hedg.up.1.1 was refused/)
  expect(desk.ladder('hedg', 'down').frozen).toMatch(/hedg.up.1.1 was refused/)
  expect(submitsOf(desk.wait(minute))).toEqual([])
})
