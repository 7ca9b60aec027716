import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { check } from '#test/cli/support/check-report.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const file = `version: 1
name: dips
markets: { btc: BTC_PERP }
feeds:
  px: { source: candles, market: btc, interval: 1h }
  flow: { source: trades, market: btc }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    rebase: { drift: 0.5%, min_gap: 10s }
    levels: 2
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 600 quote }
rules:
  - { id: go, when: 1 < 2, do: [ensure: dip] }
risk:
  max_notional: { btc: 4000 }
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 80%, halt: 90% }
`
const moving = 'rebase: { drift: 0.5%, min_gap: 10s }'
const go = 'when: 1 < 2'
const total = 'total: 600 quote'

/** The text of the file, what a trader writes instead, the message of check, and what its fix makes of the file. */
type Case = { from: string; wrong: string; message: string; hint: string; right: readonly string[] }

const cases: Record<string, Case> = {
  'a ladder that only follows fills': {
    from: moving,
    wrong: 'rebase: { on_fill: true }',
    message: 'ladder.dip.rebase: on_fill: true needs drift and min_gap beside it',
    hint: 'write rebase: on_fill to follow fills alone, or add drift: 1 step, min_gap: 10m',
    right: ['rebase: on_fill', 'rebase: { on_fill: true, drift: 1 step, min_gap: 10m }'],
  },
  'hours compared with a span': {
    from: go,
    wrong: 'when: open_hours(dip) > 90m',
    message: '90m is not a number in an expression',
    hint:
      'write 1.5 if the other value is in hours, as open_hours() is; for how long a condition must be true, write for: 90m ' +
      'in the rule',
    right: ['when: open_hours(dip) > 1.5', 'when: open_hours(dip) > 1, for: 90m'],
  },
  'hours compared with a span in quotes': {
    from: go,
    wrong: `when: 'open_hours(dip) > "90m"'`,
    message: 'only a function takes a "text"',
    hint:
      'write 1.5 if the other value is in hours, as open_hours() is; for how long a condition must be true, write for: 90m ' +
      'in the rule',
    right: ['when: open_hours(dip) > 1.5'],
  },
  'a span of trades without quotes': {
    from: go,
    wrong: 'when: "volume_between(flow, last(px), 70000, 5m) > 1"',
    message: '5m is not a number in an expression',
    hint: 'write it in quotes: "5m"',
    right: [`when: 'volume_between(flow, last(px), 70000, "5m") > 1'`],
  },
  'a number with two units': {
    from: total,
    wrong: 'total: 600 quote base',
    message: 'must have one unit, not quote and base',
    hint: 'write 600 quote or 600 base',
    right: ['total: 600 quote'],
  },
  'a sum of two units': {
    from: total,
    wrong: 'total: 5% equity + position(btc) base + 100 quote',
    message: 'must have one unit, not equity and base and quote',
    hint: 'write 0.05 * equity(account) + position(btc) * last(px) + 100 quote',
    right: ['total: 0.05 * equity(account) + position(btc) * last(px) + 100 quote'],
  },
  'a unit at each part of a sum': {
    from: total,
    wrong: 'total: position(btc) base + 0.01 base',
    message: 'must have its unit once, at the end',
    hint: 'write position(btc) + 0.01 base',
    right: ['total: position(btc) + 0.01 base'],
  },
  'a sum that ends with a share': {
    from: total,
    wrong: 'total: 100 quote + 5% equity',
    message: 'ladder.dip.size.total: must be one value with one unit, not 100 quote and 5%',
    hint: 'write it like 2100 quote, 0.05 base, 25% equity or 0.001 * equity(account) quote',
    right: ['total: 100 + 0.05 * equity(account) quote'],
  },
  'no minimum of the life of orders': {
    from: moving,
    wrong: 'rebase: { drift: 0.5%, min_gap: 10s, min_life: 0s }',
    message: 'ladder.dip.rebase.min_life: must be above zero',
    hint: 'omit the key, or write it like 5s',
    right: [moving, 'rebase: { drift: 0.5%, min_gap: 10s, min_life: 5s }'],
  },
  'a market as a value': {
    from: go,
    wrong: 'when: btc >= 0',
    message: '"btc" is a market, not a value',
    hint: 'read it with a function, such as position(btc)',
    right: ['when: position(btc) >= 0'],
  },
  'a feed as an anchor': {
    from: 'anchor: 60000',
    wrong: 'anchor: px',
    message: '"px" is a feed of candles, not a value',
    hint: 'read it with a function, such as last(px)',
    right: ['anchor: last(px)'],
  },
  'a variable without a definition': {
    from: 'anchor: 60000',
    wrong: 'anchor: last(px) + $m',
    message: '$m stands for nothing: the file has neither for_each nor parameters',
    hint: 'add parameters: { m: 60000 } to the file, or write a name or a number here',
    right: ['anchor: last(px) + 100'],
  },
}

describe.each(Object.entries(cases))('check of %s', (_, { from, wrong, message, hint, right }) => {
  test('prints what is wrong and a fix', async () => {
    const { problems } = await check(folder, file.replace(from, wrong))
    expect(problems.map((problem) => [problem.message, problem.hint])).toEqual([[message, hint]])
  })

  test.each(right)('accepts its fix: %s', async (fixed) => {
    expect((await check(folder, file.replace(from, fixed))).problems).toEqual([])
  })
})

describe('check of a loop', () => {
  const loop = 'for_each: { m: { markets: [BTC_PERP, ETH_PERP] } }\n'
  const inLoop = file
    .replace('market: btc\n    side', 'market: $m\n    side')
    .replace(total, 'total: 6000 quote')
    .replace('{ btc: 4000 }', '{ total: 90000 }')

  test('names the entry that must have the variable, and the market that the loop adds', async () => {
    const { problems } = await check(folder, inLoop.replace('ladder:', `${loop}ladder:`))
    expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
      ['the name "btc" is already used: it is in markets', 'remove btc from markets: the loop adds it'],
      [
        '$m is used, but its entry is written only once',
        'write dip_$m in place of dip, here and where the file names it',
      ],
    ])
  })

  test('accepts both fixes', async () => {
    const fixed = inLoop
      .replace('markets: { btc: BTC_PERP }\n', '')
      .replace('ladder:', `${loop}ladder:`)
      .replaceAll('dip:', 'dip_$m:')
      .replace('ensure: dip', 'ensure: dip_$m')
    const path = folder.file('loop.yaml')
    writeFileSync(path, fixed)
    expect((await rungsHere(['check', path])).code).toBe(0)
  })

  test('asks for for_each where a name ends in a variable', async () => {
    const { problems } = await check(folder, file.replace('anchor: 60000', 'anchor: last(px_$m)'))
    expect(problems[0]?.hint).toContain('add for_each: { m: { markets: [BTC_PERP, ETH_PERP] } } to the file')
  })
})

const amending = (limit: string) =>
  file.replace('min_gap: 10s', 'min_gap: 10s, amend: true').replace('{ btc: 4000 }', limit)
const four = (limit: string) => amending(limit).replace('levels: 2', 'levels: 4')

const warningsOf = async (limit: string) =>
  (await check(folder, amending(limit))).warnings.map(({ message, hint }) => [message, hint])

describe('check of a limit without room to amend', () => {
  test('says how much both orders need, and is silent with that', async () => {
    for (const limit of ['btc', 'total'])
      expect(await warningsOf(`{ ${limit}: 900 }`)).toEqual([
        [
          'amend needs room for the old and the new order: all rungs cost 591, and with the amended orders twice 1182, ' +
            'more than 900. Without it, the bot cancels and places',
          'write at least 1200, or remove amend',
        ],
      ])
    expect(await warningsOf('{ btc: 1200 }')).toEqual([])
    expect((await check(folder, file.replace('{ btc: 4000 }', '{ btc: 900 }'))).warnings).toEqual([])
  })

  test('asks for one more order where more rungs move than are amended at once', async () => {
    const [warning] = (await check(folder, four('{ btc: 500 }'))).warnings
    expect(warning?.message).toContain('with one amended order twice')
    expect((await check(folder, four('{ btc: 760 }'))).warnings).toEqual([])
  })
})
