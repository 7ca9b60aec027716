import { expect, test } from 'vitest'
import { RungDistances } from '#src/engine/ladder/rung-distances.ts'
import { keepBehind } from '#src/engine/ladder/rungs-behind.ts'
import type { RungStatus } from '#src/engine/ladder/reason.ts'
import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { Bound } from '#src/engine/state/state.ts'

const price = 100
/** Only this part of a compiled ladder decides. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const ladder = { stopsOnFail: false } as CompiledLadder

function rungAt(level: string, at: number, amount: string, bound?: Bound): RungStatus {
  const side = level.startsWith('b') ? 'buy' : 'sell'
  const wait = { count: 1, until: 0, ...(bound && { bound }) }
  return {
    rung: { level, side, price: String(at), amount, order: null, held: null, wait },
    order: null,
    fits: false,
    isFar: false,
    reason: bound === undefined ? null : { kind: 'waits', why: 'refused', change: 'later' },
  }
}

/** The levels that could be sent. */
function ready(statuses: RungStatus[]): string[] {
  const rungs = statuses.map(({ rung }) => rung)
  keepBehind(ladder, statuses, new RungDistances('BTC_USDT', rungs, () => true, price))
  return statuses.flatMap(({ rung, reason }) => (reason === null ? [rung.level] : []))
}

test('for lack of money the rungs of the side that need as much wait, also nearer ones; a smaller order is tried', () => {
  const money = { of: 'money', at: 1 } as const
  const statuses = [
    rungAt('b1', 99, '1'),
    rungAt('b2', 98, '1', money),
    rungAt('b3', 97, '1'),
    rungAt('b4', 96, '0.8'),
    rungAt('b5', 95, '3', money),
    rungAt('s1', 101, '1'),
  ]
  expect(ready(statuses)).toEqual(['b4', 's1'])
  expect(statuses[0]?.reason).toEqual({
    kind: 'behind',
    why: 'it waits for level b2 of its side: refused',
    change: 'later',
  })
})

test('outside the price band the rungs of the side that are farther away wait, whatever they need', () => {
  const far = { of: 'price', far: 0.03 } as const
  const statuses = [
    rungAt('b1', 99, '9'),
    rungAt('b3', 97, '1', far),
    rungAt('b4', 96, '0.1'),
    rungAt('s9', 190, '1'),
  ]
  expect(ready(statuses)).toEqual(['b1', 's9'])
})
