import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { eventSectionsOf } from '#src/research/backtest/result/event-texts.ts'
import { madeBars, monday } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from '../step-everywhere.ts'

const minutes = 100
/** From an hour before 00:00 UTC. */
const midnight = monday + 24 * 60 * 60_000
const from = midnight - 60 * 60_000

/** A position at a loss from the first minute, and a rule that sells small parts of it as often as `daily_loss` allows. */
function inputOf(side: 'buy' | 'sell', seed: number, { limit = '1', schedule = '' } = {}): BacktestInput {
  const text = `
version: 1
name: dips
markets: { btc: BTC_PERP }
ladder:
  dip:
    market: btc
    side: ${side}
    anchor: 60000
    levels: 1
    spacing: { kind: offsets, at: [0%] }
    size: { total: 3000 quote }
    exit: { tp: { pct: 30% } }
rules:
  - { id: go, when: "1 < 2", once: ever, do: [ensure: dip] }
  - { id: trim, when: "1 < 2"${schedule}, cooldown: 2m, do: [close: { of: dip, share: 2%, daily_loss: ${limit} }] }
risk:
  max_notional: { btc: 9000 }
  worst_case: { move: 90%, max_loss: 100000 }
  drawdown: { pause: 90%, halt: 95% }
`
  const market = madeBars({
    seed,
    minutes,
    price: side === 'buy' ? 59_990 : 60_010,
    pace: 0.0008,
    drift: (side === 'buy' ? -0.004 : 0.004) / minutes,
    from,
  })
  return {
    strategies: [{ path: 'dips.yaml', text }],
    markets: new Map([['BTC_PERP', market]]),
    from,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    balance: '10000',
  }
}

const cases = (['buy', 'sell'] as const).flatMap((side) => [1, 2].map((seed) => [side, seed] as const))

test.each(cases)(
  'closes with daily_loss of a %s ladder are those of each second, with seed %d',
  async (side, seed) => {
    const [leaping, walking] = [
      await played(inputOf(side, seed)),
      await played(inputOf(side, seed), everywhere),
    ]
    expect(leaping.sent).toEqual(walking.sent)
    expect(leaping.notes).toEqual(walking.notes)
    expect(leaping.result.blocked).toEqual(walking.result.blocked)
    const closes = walking.sent.filter(
      ([, command]) =>
        command.kind === 'submit' && command.orders.some(({ level }) => level.startsWith('cl')),
    )
    // On both days, and not all that the cooldown would allow.
    expect(closes.some(([at]) => at < midnight)).toBe(true)
    expect(closes.some(([at]) => at >= midnight)).toBe(true)
    expect(closes.length).toBeLessThan(0.8 * (minutes / 2))
  },
)

test('a result says how long closes waited because of daily_loss', async () => {
  const { result } = await played(inputOf('buy', 1))
  const row = result.blocked.find(({ reason }) => reason.includes('daily_loss'))
  expect(row).toMatchObject({
    strategy: 'dips',
    ladder: 'dip',
    reason: expect.stringMatching(
      /^the rule trim waits for a better price or the next 00:00 UTC: daily_loss 1: 0\.\d+ is lost/,
    ),
  })
  expect(row?.totalMs).toBeGreaterThan(30 * 60_000)
  expect(row?.totalMs).toBeLessThan(minutes * 60_000)
  const texts = eventSectionsOf(result).others.flatMap(({ rows }) => rows)
  expect(
    texts.filter(([, text]) => text.includes('dips.dip, blocked') && text.includes('daily_loss')),
  ).toHaveLength(1)
})

test('a schedule counts each of its times at which daily_loss leaves nothing, and no time between them', async () => {
  const schedule = ', schedule: "daily 23:10,23:20,23:30,00:10,00:20 UTC"'
  const { result } = await played(inputOf('buy', 1, { limit: '0.01', schedule }))
  const row = result.blocked.find(({ reason }) => reason.includes('daily_loss'))
  expect(row?.count).toBeGreaterThan(1)
  expect(row?.count).toBeLessThanOrEqual(5)
  expect(row?.totalMs).toBe(0)
})
