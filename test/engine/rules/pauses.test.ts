import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { Desk, fileOf, hour, minute, noon } from '#test/engine/support/engine-harness.ts'

const market = 'BTC_USDT'
/** The static grid with 2 200 of capital: this share of it is 22. */
const gridWith = (pause: string) =>
  fileOf('static-grid').replace(/drawdown: .*/, `drawdown: { pause: ${pause}, halt: 50% }`)

/** A grid that holds what its first line has bought, and has lost more than 22. */
function paused(pause: string): Desk {
  const desk = new Desk([gridWith(pause)])
  desk.quote(market, 60_000)
  desk.settle(desk.candle(market, '1m', 60_000))
  for (const line of ['b1', 'b2', 'b3']) desk.settle(desk.fill(`sgrid.grid.${line}.1`))
  fall(desk, 48_000)
  return desk
}

function fall(desk: Desk, price: number): void {
  desk.at += 1000
  desk.settle(desk.quote(market, price))
  desk.settle(desk.wait(1000))
}

/** Goes on for so long at this price, with a look every minute. */
function stand(desk: Desk, ms: number, price: number): void {
  for (const end = desk.at + ms; desk.at < end;) {
    desk.at = Math.min(end, desk.at + minute)
    desk.quote(market, price)
    desk.settle(desk.wait(0))
  }
}

const notesOf = (desk: Desk) =>
  desk.steps.flatMap(({ step }) =>
    step.notes.filter(({ type }) => type === 'paused' || type === 'resumed' || type === 'halted'),
  )
const isPaused = (desk: Desk) => 'drawdown' in desk.engine.state.strategies['sgrid']!.pauses

test.each([
  ['1%', noon + 24 * hour],
  ['{ at: 1%, for: 4h }', noon + 4 * hour],
  ['{ at: 1%, reset: daily }', noon + 12 * hour],
])('a pause of %s ends when it says, also where all is flat and nothing can recover', (pause, end) => {
  const desk = paused(pause)
  const [first] = notesOf(desk)
  // It began with the price, a second after noon.
  const until = pause.includes('daily') ? end : end + 1000
  expect(first).toMatchObject({ type: 'paused', strategy: 'sgrid', until })
  const time = new Date(until).toISOString().replace(/T(.*)\..*/, ' $1 UTC')
  expect(desk.engine.state.strategies['sgrid']?.pauses['drawdown']).toContain(`entries resume at ${time}`)
  // The position is written off: the loss stays.
  const ladder = desk.ladder('sgrid', 'grid')
  for (const [level, { order }] of Object.entries(ladder.exits.mirrors))
    if (order !== null)
      desk.tell({ kind: 'withdrawn', orders: [{ id: order, outcome: 'canceled', message: level }] })
  stand(desk, until - desk.at - minute, 48_000)
  expect(isPaused(desk)).toBe(true)
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  stand(desk, minute, 48_000)
  expect(isPaused(desk)).toBe(false)
  expect(notesOf(desk).map(({ type }) => type)).toEqual(['paused', 'resumed'])
  // What was lost until then pauses nothing any more; as much again does.
  stand(desk, 10 * minute, 48_000)
  expect(isPaused(desk)).toBe(false)
  fall(desk, 30_000)
  expect(isPaused(desk)).toBe(true)
})

test('after a pause, losses count from the result at its end', () => {
  const desk = paused('{ at: 1%, for: 4h }')
  stand(desk, noon + 4 * hour - desk.at, 48_000)
  expect(isPaused(desk)).toBe(true)
  // What is lost until the first look after its end was lost while it lasted.
  fall(desk, 30_000)
  expect(notesOf(desk).map(({ type }) => type)).toEqual(['paused', 'resumed'])
  fall(desk, 25_000)
  expect(isPaused(desk)).toBe(true)
})

test('in a rolling window, a loss counts until the best result has left the window', () => {
  const desk = paused('{ at: 1%, within: 2h }')
  const [first] = notesOf(desk)
  // The best result was at noon, in the first twenty-fourth of the window.
  expect(first).toMatchObject({ type: 'paused', until: noon + 2 * hour + 5 * minute })
  stand(desk, noon + 2 * hour + 4 * minute - desk.at, 48_000)
  expect(isPaused(desk)).toBe(true)
  stand(desk, 2 * minute, 48_000)
  expect(isPaused(desk)).toBe(false)
  // Less than the limit, three hours apart, adds up to no pause.
  stand(desk, 3 * hour, 45_000)
  stand(desk, 3 * hour, 42_000)
  expect(isPaused(desk)).toBe(false)
  fall(desk, 30_000)
  expect(isPaused(desk)).toBe(true)
})

test('a pause does not reset the best result of the halt', () => {
  const text = gridWith('{ at: 1%, for: 1h }').replace('halt: 50%', 'halt: 2%')
  const desk = new Desk([text])
  desk.quote(market, 60_000)
  desk.settle(desk.candle(market, '1m', 60_000))
  for (const line of ['b1', 'b2', 'b3']) desk.settle(desk.fill(`sgrid.grid.${line}.1`))
  const { position } = desk.ladder('sgrid', 'grid').held
  const down = (money: number) => 59_000 - money / Number(position)
  fall(desk, down(30))
  expect(isPaused(desk)).toBe(true)
  stand(desk, hour + minute, down(30))
  expect(isPaused(desk)).toBe(false)
  // Another 16 is less than the pause counts from its own end, and more than the halt allows in all.
  fall(desk, down(46))
  expect(notesOf(desk).at(-1)).toMatchObject({ type: 'halted' })
})

test('a pause from 0.3.2 without an end gets one', () => {
  const desk = paused('1%')
  const own = desk.engine.state.strategies['sgrid']!
  delete own.pausedUntil
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  stand(desk, 23 * hour, 48_000)
  expect(isPaused(desk)).toBe(true)
  stand(desk, 2 * hour, 48_000)
  expect(isPaused(desk)).toBe(false)
})

test('why says when a pause ends, and resume ends it before', () => {
  const desk = paused('{ at: 1%, for: 4h }')
  // A line that fell out of the window comes near again.
  fall(desk, 58_200)
  const decision = desk.steps.flatMap(({ step }) => step.decisions).at(-1)
  const kept = decision?.rungs.find(({ why }) => why?.startsWith('entries are paused by drawdown'))
  expect(kept?.change).toBe('the pause ends at 2026-01-01 16:00:01 UTC, or with rungs resume sgrid')
  desk.settle(desk.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked at' }))
  expect(desk.engine.state.strategies['sgrid']).toMatchObject({ pauses: {} })
  expect(desk.engine.state.strategies['sgrid']?.pausedUntil).toBeUndefined()
})
