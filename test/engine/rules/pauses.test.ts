import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { EngineHarness, fileOf, hour, minute, noon } from '#test/engine/support/engine-harness.ts'

const market = 'BTC_USDT'
/** The static grid with 2 200 of capital: this share of it is 22. */
const gridWith = (pause: string) =>
  fileOf('static-grid').replace(/drawdown: .*/, `drawdown: { pause: ${pause}, halt: 50% }`)

/** A grid that holds what its first line has bought, and has lost more than 22. */
function paused(pause: string, text = gridWith(pause)): EngineHarness {
  const harness = new EngineHarness([text])
  harness.quote(market, 60_000)
  harness.settle(harness.candle(market, '1m', 60_000))
  for (const line of ['b1', 'b2', 'b3']) harness.settle(harness.fill(`sgrid.grid.${line}.1`))
  fall(harness, 48_000)
  return harness
}

function fall(harness: EngineHarness, price: number): void {
  harness.at += 1000
  harness.settle(harness.quote(market, price))
  harness.settle(harness.wait(1000))
}

/** Goes on for so long at this price, with a look every minute. */
function stand(harness: EngineHarness, ms: number, price: number): void {
  for (const end = harness.at + ms; harness.at < end;) {
    harness.at = Math.min(end, harness.at + minute)
    harness.quote(market, price)
    harness.settle(harness.wait(0))
  }
}

const notesOf = (harness: EngineHarness) =>
  harness.steps.flatMap(({ step }) =>
    step.notes.filter(({ type }) => type === 'paused' || type === 'resumed' || type === 'halted'),
  )
const isPaused = (harness: EngineHarness) => 'drawdown' in harness.engine.state.strategies['sgrid']!.pauses

test.each([
  ['1%', noon + 24 * hour],
  ['{ at: 1%, for: 4h }', noon + 4 * hour],
  ['{ at: 1%, reset: daily }', noon + 12 * hour],
])('a pause of %s ends when it says, also where all is flat and nothing can recover', (pause, end) => {
  const harness = paused(pause)
  const [first] = notesOf(harness)
  // It began with the price, a second after noon.
  const until = pause.includes('daily') ? end : end + 1000
  expect(first).toMatchObject({ type: 'paused', strategy: 'sgrid', until })
  const time = new Date(until).toISOString().replace(/T(.*)\..*/, ' $1 UTC')
  expect(harness.engine.state.strategies['sgrid']?.pauses['drawdown']).toContain(`entries resume at ${time}`)
  // The position is written off: the loss stays.
  const ladder = harness.ladder('sgrid', 'grid')
  for (const [level, { order }] of Object.entries(ladder.exits.mirrors))
    if (order !== null)
      harness.tell({ kind: 'withdrawn', orders: [{ id: order, outcome: 'canceled', message: level }] })
  stand(harness, until - harness.at - minute, 48_000)
  expect(isPaused(harness)).toBe(true)
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  stand(harness, minute, 48_000)
  expect(isPaused(harness)).toBe(false)
  expect(notesOf(harness).map(({ type }) => type)).toEqual(['paused', 'resumed'])
  // What was lost until then pauses nothing any more; as much again does.
  stand(harness, 10 * minute, 48_000)
  expect(isPaused(harness)).toBe(false)
  fall(harness, 30_000)
  expect(isPaused(harness)).toBe(true)
})

test('after a pause, losses count from the result at its end', () => {
  const harness = paused('{ at: 1%, for: 4h }')
  stand(harness, noon + 4 * hour - harness.at, 48_000)
  expect(isPaused(harness)).toBe(true)
  // What is lost until the first look after its end was lost while it lasted.
  fall(harness, 30_000)
  expect(notesOf(harness).map(({ type }) => type)).toEqual(['paused', 'resumed'])
  fall(harness, 25_000)
  expect(isPaused(harness)).toBe(true)
})

test('a pause that would end between two whole seconds lasts until the later one, also if an order fills before it', () => {
  const harness = paused('{ at: 1%, for: 1500ms }')
  // It began with the price, a second after noon.
  expect(notesOf(harness)).toMatchObject([{ type: 'paused', until: noon + 3000 }])
  harness.at = noon + 2700
  harness.settle(harness.fill('sgrid.grid.b4.1'))
  expect(isPaused(harness)).toBe(true)
  harness.settle(harness.wait(300))
  expect(isPaused(harness)).toBe(false)
})

test('in a rolling window, a loss counts until the best result has left the window', () => {
  const harness = paused('{ at: 1%, within: 2h }')
  const [first] = notesOf(harness)
  // The best result was at noon, in the first twenty-fourth of the window.
  expect(first).toMatchObject({ type: 'paused', until: noon + 2 * hour + 5 * minute })
  stand(harness, noon + 2 * hour + 4 * minute - harness.at, 48_000)
  expect(isPaused(harness)).toBe(true)
  stand(harness, 2 * minute, 48_000)
  expect(isPaused(harness)).toBe(false)
  // Less than the limit, three hours apart, adds up to no pause.
  stand(harness, 3 * hour, 45_000)
  stand(harness, 3 * hour, 42_000)
  expect(isPaused(harness)).toBe(false)
  fall(harness, 30_000)
  expect(isPaused(harness)).toBe(true)
})

test('a pause does not reset the best result of the halt', () => {
  const text = gridWith('{ at: 1%, for: 1h }').replace('halt: 50%', 'halt: 2%')
  const harness = new EngineHarness([text])
  harness.quote(market, 60_000)
  harness.settle(harness.candle(market, '1m', 60_000))
  for (const line of ['b1', 'b2', 'b3']) harness.settle(harness.fill(`sgrid.grid.${line}.1`))
  const { position } = harness.ladder('sgrid', 'grid').held
  const down = (money: number) => 59_000 - money / Number(position)
  fall(harness, down(30))
  expect(isPaused(harness)).toBe(true)
  stand(harness, hour + minute, down(30))
  expect(isPaused(harness)).toBe(false)
  // Another 16 is less than the pause counts from its own end, and more than the halt allows in all.
  fall(harness, down(46))
  expect(notesOf(harness).at(-1)).toMatchObject({ type: 'halted' })
})

test('a pause from 0.3.2 without an end gets one', () => {
  const harness = paused('1%')
  const own = harness.engine.state.strategies['sgrid']!
  delete own.pausedUntil
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  stand(harness, 23 * hour, 48_000)
  expect(isPaused(harness)).toBe(true)
  stand(harness, 2 * hour, 48_000)
  expect(isPaused(harness)).toBe(false)
})

test('a rule named drawdown pauses beside the limit, and each pause ends by its own cause', () => {
  const rule = '  - { id: drawdown, when: last(px) < 50000, do: [pause_entries: by hand] }\n'
  const text = gridWith('{ at: 1%, for: 4h }').replace(/^risk:/m, `${rule}$&`)
  const harness = paused('', text)
  stand(harness, minute, 48_000)
  // The limit alone: the rule is false.
  expect(notesOf(harness)).toMatchObject([{ type: 'paused', until: noon + 4 * hour + 1000 }])
  harness.settle(harness.candle(market, '1m', 48_000))
  stand(harness, minute, 48_000)
  expect(notesOf(harness).slice(1)).toMatchObject([{ type: 'paused', rule: 'drawdown', reason: 'by hand' }])
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.settle(harness.candle(market, '1m', 51_000))
  stand(harness, minute, 48_000)
  expect(notesOf(harness).slice(2)).toMatchObject([{ type: 'resumed', rule: 'drawdown' }])
  expect(isPaused(harness)).toBe(true)
  stand(harness, noon + 4 * hour + minute - harness.at, 48_000)
  expect(notesOf(harness).slice(3)).toMatchObject([
    { type: 'resumed', reason: 'the pause by drawdown has ended' },
  ])
  expect(harness.engine.state.strategies['sgrid']).toMatchObject({ pauses: {} })
})

test('a file without a rule named drawdown ends the pause of that rule, and not that of the limit', () => {
  const rule = '  - { id: drawdown, when: position(btc) > 0, do: [pause_entries: by hand] }\n'
  const text = gridWith('{ at: 1%, for: 4h }')
  const harness = paused('', text.replace(/^risk:/m, `${rule}$&`))
  const { pauses } = harness.engine.state.strategies['sgrid']!
  expect(Object.values(pauses)).toHaveLength(2)
  harness.settle(harness.tell({ kind: 'reloaded', name: 'sgrid', text }))
  expect(Object.keys(harness.engine.state.strategies['sgrid']!.pauses)).toEqual(['drawdown'])
})

test('why says when a pause ends, and resume ends it before', () => {
  const harness = paused('{ at: 1%, for: 4h }')
  // A line that fell out of the window comes near again.
  fall(harness, 58_200)
  const decision = harness.steps.flatMap(({ step }) => step.decisions).at(-1)
  const kept = decision?.rungs.find(({ why }) => why?.startsWith('entries are paused by drawdown'))
  expect(kept?.change).toBe('the pause ends at 2026-01-01 16:00:01 UTC, or with rungs resume sgrid')
  harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked at' }))
  expect(harness.engine.state.strategies['sgrid']).toMatchObject({ pauses: {} })
  expect(harness.engine.state.strategies['sgrid']?.pausedUntil).toBeUndefined()
})
