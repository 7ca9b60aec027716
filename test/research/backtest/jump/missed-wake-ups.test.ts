import { expect, test } from 'vitest'
import { times } from '#test/properties/runs.ts'
import { gapped, madeBars, madeTrades, monday } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from './step-everywhere.ts'
import { dip, inputOf, walk, type WakeUpParts } from './wake-up-input.ts'

const minuteMs = 60_000

const go = "when: 'last(px) > 0', do: [ensure: l0]"

/** What a look a second later would find, so that a leap must not pass over it. */
const cases: [string, WakeUpParts][] = [
  [
    'a feed of longer candles is known for the first time, and nothing left before',
    { feeds: '  q: { source: candles, market: btc, interval: 15m }', rules: [go] },
  ],
  [
    'a rule has been true since before it begins',
    {
      rules: ["when: 'last(px) > 0', for: 20s, do: [ensure: l0]"],
      market: madeBars({ ...walk, minutes: walk.minutes + 90, from: monday - 90 * minuteMs }),
      from: monday,
    },
  ],
  [
    'of two rules that fired at once the one that stays true has the last word later',
    {
      rules: [
        go,
        "when: 'last(px) > 60050', do: [retire: l0]",
        "when: 'last(px) > 60050', cooldown: 15m, do: [ensure: l0]",
      ],
    },
  ],
  [
    'exits wait until there is room for a request',
    {
      ladder: dip.replace('{ pct: 0.1% }', '{ pct: 0.1%, split: [0.4, 0.3, 0.3], gap: 0.1%, mode: resting }'),
      rules: [go],
      chunk: 1,
      rate: '{ requests: 1, per: 30s }',
    },
  ],
  [
    'an episode has been open for as long as a rule says',
    { rules: ["when: 'open_hours(l0) > 0.2', for: 2m, cooldown: 5m, do: [retire: l0]", go] },
  ],
  [
    'an episode has come to the second that a rule says',
    {
      ladder: dip.replace('first: 0.03%', 'first: 5%'),
      rules: ["when: 'open_hours(l0) >= 0.21', cooldown: 5m, do: [retire: l0]", go],
    },
  ],
  [
    'prices pass while all wait for room, that a limit holds back afterwards',
    {
      ladder: dip.replace('exit:', 'resting: { max: 3 }, exit:'),
      rules: [go],
      risk: '  price_band: 0.2%',
      rate: '{ requests: 1, per: 30s }',
      market: madeTrades(walk, 1500),
    },
  ],
  [
    'the candle does not come that a gap has torn',
    {
      feeds: '  q: { source: candles, market: btc, interval: 5m, stale_after: 450s }',
      ladder: dip.replace('300 quote', '3000 quote'),
      rules: [go],
      risk: '  max_position: { btc: 0.001 }',
      market: gapped(madeBars({ ...walk, pace: 0.0001 }), { everyMs: 20 * minuteMs, ms: 9 * minuteMs }),
    },
  ],
  [
    'a limit that stood in the way is gone when there is room again',
    {
      rules: [
        "when: 'last(px) > 1', do: [retire: l0]",
        "when: 'last(px) > 0', cooldown: 3m, do: [ensure: l0]",
      ],
      risk: '  price_band: 0.2%',
      rate: '{ requests: 1, per: 30s }',
    },
  ],
  [
    'behind a rung that the venue refuses wait those that are farther, until one of them is the nearest',
    {
      ladder:
        '{ market: btc, side: both, anchor: 60000, levels: 6, spacing: { kind: range, from: 59460, to: 60540 },' +
        ' size: { first: 300 quote }, exit: { mirror: 1 }, below_min: drop }',
      rules: [go],
      chunk: 1,
      stopOnFail: true,
      balance: '900',
      market: madeBars({ ...walk, minutes: times(60, 120, 40) }),
    },
  ],
  [
    'the same where all rungs are of one side, and the price is beyond some of them',
    {
      ladder:
        '{ market: btc, side: buy, anchor: 60000, levels: 6, spacing: { kind: range, from: 59460, to: 60000 },' +
        ' size: { first: 1000 quote }, below_min: drop }',
      rules: [go],
      stopOnFail: true,
      balance: '900',
      market: madeBars({ ...walk, minutes: times(60, 120, 40) }),
    },
  ],
]

/** The first of these, of which `npm test` tries so many. */
function some<Value>(all: readonly Value[], few: number): readonly Value[] {
  return all.slice(0, times(all.length, all.length, few))
}

test.each(some(cases, 4))('%s', async (_, parts) => {
  const [leaping, walking] = [await played(inputOf(parts)), await played(inputOf(parts), everywhere)]
  expect(leaping).toEqual(walking)
  expect(walking.sent.length + walking.result.blocked.length).toBeGreaterThan(0)
})

/** Orders rest and never fill, so that the episode is as old as the rule says, and nothing else happens. */
function agedBy(rule: string, lets = ''): WakeUpParts {
  return {
    ladder: dip.replace('first: 0.03%', 'first: 5%'),
    rules: [go, `when: '${rule}', cooldown: 5m, do: [retire: l0]`],
    market: madeBars({ ...walk, minutes: times(60, 60, 15) }),
    ...(lets && { lets }),
  }
}

const cancels = (sent: Awaited<ReturnType<typeof played>>['sent']) =>
  sent.flatMap(([at, { kind }]) => (kind === 'cancel' ? [(at - monday) / 1000] : []))

const ages: [string, string][] = [
  ['open_hours(l0) > 0.21', ''],
  ['open_hours(l0) > 0.2 + 0.01', ''],
  ['open_hours(l0) * 60 > 12.6', ''],
  ['open_hours(l0) > 756 / 3600', ''],
  ['-open_hours(l0) < -0.21', ''],
  ['max(hours, 0.1) - least > 0', 'hours: open_hours(l0)\n  least: 0.7 * 0.3'],
  ['(last(px) > 1 ? hours : 0.0) > 0.21', 'hours: open_hours(l0)'],
  ['clamp(open_hours(l0), 0, 1) * clamp(open_hours(l0), 0, 1) > 0.0441', ''],
  ['!between(open_hours(l0) / 2, 0, 0.105)', ''],
]

test.each(some(ages, 1))(
  'an episode that is as old as "%s" says is cancelled in the same second as live',
  async (rule, lets) => {
    const parts = agedBy(rule, lets)
    const [leaping, walking] = [await played(inputOf(parts)), await played(inputOf(parts), everywhere)]
    expect(cancels(leaping.sent)).toEqual(cancels(walking.sent))
    expect(cancels(leaping.sent).slice(0, 3)).toEqual([817, 1874, 2931].slice(0, times(3, 3, 1)))
  },
)

const hourly = 'px: { source: candles, market: btc, interval: 1h, stale_after: 3h }'
const book = 'px: { source: book, market: btc }'

/** What the account has changes by fills, fees and prices, at any second of the minute. */
const accountRules: [string, string, string][] = [
  ['its equity, with candles of an hour', hourly, 'equity(account) < 49990'],
  ['its equity, with a book alone', book, 'equity(account) < 49990'],
  ['its equity, with no feed at all', '', '0.5 * equity(account) < 24995'],
  [
    'its equity and the hours of an episode',
    hourly,
    'equity(account) < 49995 && open_hours(l0) > 0.1 + 0.05',
  ],
  ['its average entry', hourly, 'avg_entry(btc) < 59900'],
]

test.each(some(accountRules, 1))(
  'a rule that reads %s acts in the same second as live',
  async (_, feed, rule) => {
    const parts: WakeUpParts = {
      feeds: feed && `  ${feed}`,
      ladder: dip.replace('300 quote', '3000 quote').replace('{ tp: { pct: 0.1% } }', '{ tp: { pct: 5% } }'),
      rules: ["when: 'position(btc) >= 0', do: [ensure: l0]", `when: '${rule}', do: [alert: it is so]`],
      // The hour before it begins is one candle.
      market: madeTrades({ ...walk, minutes: 105, from: monday - 60 * minuteMs }, 1700),
      from: monday,
      balance: '50000',
      minutes: false,
    }
    const [leaping, walking] = [await played(inputOf(parts)), await played(inputOf(parts), everywhere)]
    expect(leaping).toEqual(walking)
    const [, alert] = walking.result.rules
    expect((alert?.first ?? 0) % minuteMs).toBeGreaterThan(0)
  },
)
