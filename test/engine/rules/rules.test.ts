import { expect, test } from 'vitest'
import { lastDue, scheduleOf } from '#src/strategy/file/schedule.ts'
import { EngineHarness, fileOf, hour, minute, noon } from '#test/engine/support/engine-harness.ts'

const head = fileOf('static-grid')
  .replace('needs: [bulk, ', 'needs: [bulk, cancel, ')
  .replace(/rules:[\s\S]*?\nrisk:/, 'RULES\nrisk:')
  .replace(/\ntests:[\s\S]*$/, '\n')

type Ruled = EngineHarness & { minute(price: number | null): void }

/** The static grid under other rules, with a candle a minute. */
function ruled(...rules: string[]): Ruled {
  return ruledBy(head, ...rules)
}

function ruledBy(file: string, ...rules: string[]): Ruled {
  const text = file.replace('RULES', `rules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}`)
  const harness = new EngineHarness([text])
  return Object.assign(harness, {
    minute(price: number | null) {
      harness.at += minute
      if (price === null) {
        harness.settle(harness.wait(0))
        return
      }
      harness.quote('BTC_USDT', price)
      harness.settle(harness.candle('BTC_USDT', '1m', price))
    },
  })
}

const place = '{ id: place, when: price > 1, do: [ensure: grid] }'
const fired = (harness: EngineHarness, rule: string) =>
  harness.steps
    .flatMap(({ step }) => step.notes)
    .filter((note) => note.type === 'rule-fired' && note.rule === rule).length

/** The first of the prices with which what must be high for three minutes acts. */
function frozenAt(prices: readonly (number | null)[]): number {
  const harness = ruled(place, '{ id: high, when: price > 61000, for: 3m, do: [freeze: grid] }')
  return prices.findIndex((price) => {
    harness.minute(price)
    return harness.ladder('sgrid', 'grid').goal === 'freeze'
  })
}

/** How many minutes a rule waits when two of five were over and the process was away for so long. */
function waitedFor(rule: string, away: number): number {
  const harness = ruled(place, `{ id: high, ${rule}, for: 5m, do: [freeze: grid] }`)
  for (const price of [61_001, 61_001]) harness.minute(price)
  harness.at += away
  harness.begin()
  for (let waited = 0; ; waited++) {
    harness.settle(harness.wait(0))
    if (fired(harness, 'high') > 0) return waited
    harness.minute(61_001)
  }
}

test('`for` restarts when the condition was false or unknown', () => {
  const high = [61_001, 61_001, 61_001, 61_001]
  expect(frozenAt(high)).toBe(3)
  expect(frozenAt([61_001, 61_001, 60_000, ...high])).toBe(6)
  // What was heard is good for ninety seconds: one minute without news is no gap, and two are.
  expect(frozenAt([61_001, 61_001, null, ...high])).toBe(3)
  expect(frozenAt([61_001, 61_001, null, null, ...high])).toBe(7)
})

test('`for` restarts after a long downtime, and continues after a short one', () => {
  // Until the next candle closes, the price is unknown.
  const price = 'when: price > 61000'
  expect([1000, 3 * minute, 60 * minute].map((away) => waitedFor(price, away))).toEqual([4, 6, 6])
  const position = 'when: position(btc) == 0'
  expect([1000, 3 * minute, 60 * minute].map((away) => waitedFor(position, away))).toEqual([3, 5, 5])
})

test('of several goals for a ladder the last one in the file counts, and stays when its rule is false', () => {
  const harness = ruled(
    '{ id: low, when: price < 60000, do: [freeze: grid] }',
    '{ id: place, when: price > 60500, do: [ensure: grid] }',
  )
  const goals = [60_600, 60_100, 59_000, 60_100, 60_600].map((price) => {
    harness.minute(price)
    return harness.ladder('sgrid', 'grid').goal
  })
  expect(goals).toEqual(['ensure', 'ensure', 'freeze', 'freeze', 'ensure'])
})

test('a rule fires again after its cooldown, and what it froze stays frozen meanwhile', () => {
  const harness = ruled(place, '{ id: pause, when: price > 61000, cooldown: 3m, do: [freeze: grid] }')
  const goals = [60_000, 61_500, 60_000, 60_000, 60_000, 60_000, 61_500].map((price) => {
    harness.minute(price)
    return harness.ladder('sgrid', 'grid').goal
  })
  expect(goals).toEqual(['ensure', 'freeze', 'freeze', 'freeze', 'ensure', 'ensure', 'freeze'])
  expect(fired(harness, 'pause')).toBe(2)
})

test('`once` is once an episode or once for ever; without it a rule that stays true is reported once', () => {
  const harness = ruled(
    place,
    '{ id: each, when: price > 61000, do: [alert: high] }',
    '{ id: one, when: price > 61000, once: ever, do: [alert: first time] }',
  )
  for (const price of [61_500, 61_500, 60_000, 61_500]) harness.minute(price)
  expect([fired(harness, 'each'), fired(harness, 'one')]).toEqual([2, 1])
})

test.each(['', ', for: 3m'])(
  'a condition that was only unknown in between has not become true again%s',
  (span) => {
    const harness = ruled(place, `{ id: high, when: price > 61000${span}, do: [alert: high] }`)
    const firedAfter = (...prices: (number | null)[]) => {
      for (const price of prices) harness.minute(price)
      return fired(harness, 'high')
    }
    const high = [61_500, 61_500, 61_500, 61_500]
    expect(firedAfter(...high)).toBe(1)
    expect(firedAfter(null, null, null, ...high)).toBe(1)
    // Silence before it does not hide a fall.
    expect(firedAfter(60_000, null, null, ...high)).toBe(2)
  },
)

test('a rule that fires once an episode keeps its ladder cancelled while it is true, whatever begins meanwhile', () => {
  for (const goal of ['retire', 'freeze']) {
    const harness = ruled(place, `{ id: danger, when: price < 59000, once: episode, do: [${goal}: grid] }`)
    harness.minute(60_000)
    const began = harness.ladder('sgrid', 'grid').episode
    const sent = Object.keys(harness.engine.state.orders).length
    for (const price of [58_900, 58_800, null, 58_900]) {
      harness.minute(price)
      harness.settle(harness.wait(1000))
      expect(harness.ladder('sgrid', 'grid').goal).toBe(goal)
    }
    expect(fired(harness, 'danger')).toBe(1)
    expect(harness.ladder('sgrid', 'grid').episode).toBe(began)
    expect(Object.keys(harness.engine.state.orders)).toHaveLength(sent)
    harness.minute(60_000)
    expect(harness.ladder('sgrid', 'grid').goal).toBe('ensure')
    harness.minute(58_900)
    // An episode that was untouched is over when it is taken back, and another one has begun since.
    const again = goal === 'retire'
    expect(harness.ladder('sgrid', 'grid').goal).toBe(again ? 'retire' : 'ensure')
    expect(fired(harness, 'danger')).toBe(again ? 2 : 1)
  }
})

test('a ladder stays cancelled again after a time with unknown inputs', () => {
  const rest = '{ id: rest, when: 1 < 2, do: [ensure: grid] }'
  const harness = ruled(rest, '{ id: danger, when: price < 59000, once: ever, do: [freeze: grid] }')
  const goals = [58_900, null, null, 58_900, 59_100, 58_900].map((price) => {
    harness.minute(price)
    return harness.ladder('sgrid', 'grid').goal
  })
  expect(goals).toEqual(['freeze', 'freeze', 'ensure', 'freeze', 'ensure', 'ensure'])
})

test('a rule that begins an episode once has fired in that episode', () => {
  const harness = ruled('{ id: go, when: price > 1, once: episode, do: [ensure: grid, alert: begins] }')
  for (const price of [60_000, 60_000, 60_000]) harness.minute(price)
  expect(fired(harness, 'go')).toBe(1)
})

test('a pause lasts while its rule is true or unknown; the pause of a rule that fires once lasts until resume', () => {
  const harness = ruled(
    place,
    '{ id: hot, when: price > 61000, do: [pause_entries: too hot] }',
    '{ id: odd, when: price > 70000, once: ever, do: [pause_entries: odd] }',
  )
  const pauses = () => Object.keys(harness.engine.state.strategies['sgrid']?.pauses ?? {})
  const seen = [60_000, 61_500, null, null, 60_000, 71_000, 60_000].map((price) => {
    harness.minute(price)
    return pauses().join('+')
  })
  expect(seen).toEqual(['', 'hot', 'hot', 'hot', '', 'hot+odd', 'odd'])
  harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked at' })
  expect(pauses()).toEqual([])
})

test('a halt by a rule cancels entries, and none are placed until resume', () => {
  const harness = ruled(place, '{ id: crash, when: price < 57000, do: [halt: crashed] }')
  harness.minute(60_000)
  expect(harness.resting().length).toBe(12)
  harness.minute(56_000)
  expect(harness.engine.state.strategies['sgrid']?.halted).toBe('crashed')
  expect(harness.resting()).toEqual([])
  harness.minute(60_000)
  expect(harness.resting()).toEqual([])
  harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy: null, reason: 'it is over' }))
  expect(harness.resting().length).toBe(12)
})

test('a schedule is due at its minute of its days, in UTC', () => {
  const weekly = scheduleOf('Mon,Thu 12:00 UTC')
  expect(lastDue(weekly, noon)).toBe(noon)
  expect(lastDue(weekly, noon - 1)).toBe(noon - 72 * hour)
  expect(lastDue(weekly, noon + 96 * hour - 1)).toBe(noon)
  expect(lastDue(weekly, noon + 96 * hour)).toBe(noon + 96 * hour)
  expect(lastDue(scheduleOf('daily 00:00 UTC'), noon)).toBe(noon - 12 * hour)
  expect(lastDue(scheduleOf('daily 23:59 UTC'), noon)).toBe(noon - 12 * hour - minute)
})

/** Looks at it a little after noon of so many days; on which of them it acted. */
function days(harness: Ruled, prices: readonly number[], late = () => 0): string {
  const acted = prices.map((price, day) => {
    const before = fired(harness, 'daily')
    harness.at = noon + day * 24 * hour - 2 * minute
    harness.minute(price)
    harness.at = noon + day * 24 * hour + late()
    harness.minute(price)
    return fired(harness, 'daily') - before
  })
  return acted.join(' ')
}

test('a cross with a feed of longer candles happens at one close of the shorter ones', () => {
  const days = head.replace('feeds:\n', 'feeds:\n  d1: { source: candles, market: btc, interval: 1d }\n')
  const harness = ruledBy(
    days,
    place,
    '{ id: falls, when: { crosses_below: [price, last(d1)] }, do: [alert: x] }',
  )
  harness.past('BTC_USDT', '1d', [59_000, 61_000])
  const acted = [60_300, 60_300, 60_300, 61_500, 60_900, 60_800].map((price) => {
    const before = fired(harness, 'falls')
    harness.minute(price)
    return fired(harness, 'falls') - before
  })
  expect(acted).toEqual([0, 0, 0, 0, 1, 0])
})

test('a rule with a schedule fires once for each time, and its cooldown counts from that time, however late', () => {
  const daily = '{ id: daily, schedule: "daily 12:01 UTC", when: price > 60000'
  const high = [61_000, 61_000, 61_000, 61_000]
  expect(days(ruled(place, `${daily}, do: [alert: x] }`), high)).toBe('1 1 1 1')
  expect(days(ruled(place, `${daily}, once: ever, do: [alert: x] }`), high)).toBe('1 0 0 0')
  const lates = [900, 100, 500, 200]
  const cooling = ruled(place, `${daily}, cooldown: 2d, do: [alert: x] }`)
  expect(days(cooling, high, () => lates.shift() ?? 0)).toBe('1 0 1 0')
})

test('a rule with a schedule and `for` is evaluated at its time', () => {
  const daily = '{ id: daily, schedule: "daily 12:01 UTC", when: price > 60000, for: 36h, do: [alert: x] }'
  expect(days(ruled(place, daily), [61_000, 61_000, 61_000, 59_000, 61_000])).toBe('0 0 1 0 0')
})

test('a time before a rule existed is not missed, and a later missed time is made up for', () => {
  const daily = '{ id: daily, schedule: "daily 11:00 UTC", missed: { run_once_within: 6h }, do: [alert: x] }'
  const harness = ruled(place, daily)
  harness.minute(60_000)
  expect([fired(harness, 'daily'), harness.notes().includes('rule-missed')]).toEqual([0, false])
  harness.at += 24 * hour
  harness.minute(60_000)
  expect(fired(harness, 'daily')).toBe(1)
  // The file says now that it had been due a quarter of an hour ago.
  const text = harness.engine.state.strategies['sgrid']!.text.replace('daily 11:00', 'daily 11:45')
  harness.tell({ kind: 'reloaded', name: 'sgrid', text })
  harness.minute(60_000)
  expect(fired(harness, 'daily')).toBe(1)
  harness.at += 30 * hour
  harness.minute(60_000)
  expect([fired(harness, 'daily'), harness.notes().includes('rule-missed')]).toEqual([1, true])
})

test('a rule with a changed condition starts as false', () => {
  const harness = ruled(place, '{ id: high, when: price > 61000, for: 5m, do: [alert: x] }')
  for (let minutes = 0; minutes < 4; minutes++) harness.minute(62_000)
  const text = harness.engine.state.strategies['sgrid']!.text.replace('price > 61000', 'price > 61500')
  harness.tell({ kind: 'reloaded', name: 'sgrid', text })
  for (let minutes = 0; minutes < 4; minutes++) harness.minute(62_000)
  expect(fired(harness, 'high')).toBe(0)
  harness.minute(62_000)
  expect(fired(harness, 'high')).toBe(1)
})
