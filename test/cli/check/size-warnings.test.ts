import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const file = ({ top = '', market = 'BTC_PERP', at = '0.1%', ladder = '' }) => `version: 1
name: sizes
${top}
markets: { btc: ${market} }
feeds: { px: { source: candles, market: btc, interval: 1m } }
ladder:
  one:
    market: btc
    side: buy
    anchor: last(px)
    levels: ${at.split(',').length}
    spacing: { kind: offsets, at: [${at}] }
    ${ladder.replaceAll(/, (?=exit|rebase)/g, '\n    ')}
rules: [{ id: go, when: last(px) > 0, do: [ensure: one] }]
risk:
  max_notional: { btc: 90000 }
  worst_case: { move: -30%, max_loss: 30000 }
  drawdown: { pause: 50%, halt: 60% }
tests:
  - name: sample
    given: { feeds: { px: 60000 }, position: { btc: -0.05 }, equity: 10000 }
    expect: { rules: { go: true } }
`

async function warningsOf(
  about: Parameters<typeof file>[0],
  change = (text: string) => text,
): Promise<string> {
  using folder = temporaryFolder()
  const path = folder.file('a.yaml')
  writeFileSync(path, change(file(about)))
  const { code, stdout, stderr } = await rungsHere(['check', path])
  expect(code, `${stdout}${stderr}`).toBe(0)
  return stderr.replaceAll(/\s+/g, ' ')
}

const hedge = 'size: { total: -position(btc) base }'
const kept = { at: '0.3%, 0.6%', ladder: 'size: { total: 360 quote }, exit: { mirror: 1, earn: base }' }

test('a size that reads a position, in a ladder that does not follow fills', async () => {
  expect(await warningsOf({ ladder: hedge })).toMatch(
    /the size reads position, but a fill does not compute this ladder again.* fix: write rebase: on_fill/,
  )
  expect(await warningsOf({ ladder: `${hedge}, rebase: on_fill` })).toBe('')
})

test('a ladder that buys again after each of its fills, without an end', async () => {
  const again = 'size: { total: 120 quote }, rebase: on_fill'
  expect(await warningsOf({ ladder: again })).toMatch(
    /the ladder has no exit.* until a limit of risk blocks it/,
  )
  expect(await warningsOf({ ladder: `${again}, exit: { tp: { pct: 2% } }` })).toBe('')
})

const narrow = (text: string) => text.replace('max_loss: 30000', 'max_loss: 26000')

test('a ladder that its fills place again counts in the worst case up to its limits', async () => {
  const again = 'size: { total: 120 quote }, rebase: on_fill, exit: { tp: { pct: 2% } }'
  // 30 % of 90000, while the first entry loses 36.
  expect(await warningsOf({ ladder: again })).toBe('')
  const warned = await warningsOf({ ladder: again }, narrow)
  expect(warned).toMatch(
    /one: each fill places the rungs again; at max_notional the worst case loses about 26\d+, more than 26000/,
  )
  // Sizes that fall with the position, and rungs that wait for their mirror.
  expect(await warningsOf({ ladder: `${hedge}, rebase: on_fill` }, narrow)).toBe('')
  const mirrored = 'size: { total: 120 quote }, rebase: on_fill, exit: { mirror: 1 }'
  expect(await warningsOf({ ladder: mirrored, at: '0.3%, 0.6%' }, narrow)).toBe('')
})

test('mirrors whose profit is less than a lot keep no coins', async () => {
  expect(await warningsOf(kept)).toMatch(/less than a lot of 0.001, so that no coins stay/)
  expect(await warningsOf({ ...kept, market: 'BTC_USDT' })).not.toContain('no coins stay')
})

test('rungs that the equity does not pay with the leverage of the file', async () => {
  const ladder = 'size: { total: 80000 quote }, exit: { tp: { pct: 2% } }'
  expect(await warningsOf({ top: 'leverage: 5', ladder })).toMatch(
    /all rungs cost \d+(?:\.\d+)?, more than an equity of 10000 pays with a leverage of 5/,
  )
  expect(await warningsOf({ top: 'leverage: 10', ladder })).toBe('')
})
