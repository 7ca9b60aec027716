import { expect, test } from 'vitest'
import { everywhere, played } from './step-everywhere.ts'
import { madeBars } from '#test/research/backtest/market/generated-market.ts'
import { dip, inputOf, walk, type WakeUpParts } from './wake-up-input.ts'

const trend = '  trend: { source: signal, states: [up, down], stale_after: 40s }\n'

/** What no event but the age of a signal brings about. */
const signalled: [string, WakeUpParts][] = [
  [
    'a rule counts its time again because the signal was stale between two deliveries of the same value',
    {
      feeds: trend,
      rules: ['when: \'signal_is(trend, "up")\', for: 100s, do: [ensure: l0]'],
      signals: [5, 55, 90, 125, 160, 195].map((after) => [after + 0.25, 'trend', 'up']),
    },
  ],
  [
    'a stale signal places no entry, although its rule was true',
    {
      feeds: trend,
      ladder: dip.replace('first: 0.03%', 'first: 5%'),
      rules: ['when: \'signal_is(trend, "up")\', do: [ensure: l0]'],
      rate: '{ requests: 1, per: 30s }',
      chunk: 1,
      signals: [
        [1, 'trend', 'up'],
        [400, 'trend', 'up'],
      ],
    },
  ],
]

test.each(signalled)('%s', async (_, parts) => {
  const [leaping, walking] = [await played(inputOf(parts)), await played(inputOf(parts), everywhere)]
  expect(leaping).toEqual(walking)
  expect(walking.sent.length).toBeGreaterThan(0)
})

const actsAt = (close: number, act: string) =>
  `when: 'signal_is(trend, "up") && abs(last(px) - ${close}) < 0.005', do: [${act}]`

test('a rule never sees a signal beside the candle before the one that closes at the same time', async () => {
  const [block] = madeBars(walk).blocks()
  const closeOf = (minute: number) => (block?.units[minute * 4 - 1] ?? 0) / 1e9
  const minute = 11
  expect(closeOf(minute)).not.toBe(closeOf(minute - 1))
  const parts: WakeUpParts = {
    feeds: trend,
    rules: [
      'when: \'signal_is(trend, "down")\', do: [ensure: l0]',
      actsAt(closeOf(minute - 1), 'alert: the candle before'),
      actsAt(closeOf(minute), 'alert: the candle of this moment'),
    ],
    signals: [[minute * 60, 'trend', 'up']],
  }
  const { result } = await played(inputOf(parts))
  expect(result.rules.map(({ fired }) => fired)).toEqual([0, 0, 1])
})
