import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { backtestText } from '#src/cli/backtest-text.ts'
import { sampleResult } from './sample-result.ts'

const textOf = (result: typeof sampleResult) => stripVTControlCharacters(backtestText(result, 210))
const lines = textOf(sampleResult).split('\n')

test('a result says what was run, what it came to, and what it rests on', () => {
  const { summary, rungs, assumptions } = sampleResult
  expect(lines[0]).toMatch(/ on BTC_PERP \(bars, 1 gap\)$/)
  expect(lines[1]).toBe('2026-09-01 00:00 to 2026-09-09 00:00 UTC, 8 days, 46080 points in 0.21 s')
  const profit = Number(summary.netProfit).toFixed(2)
  expect(lines.find((line) => line.includes('net profit'))).toContain(` ${profit}  `)
  expect(lines).toContain(`  fills              ${summary.fills}  of ${summary.orders} orders`)
  expect(lines).toContain(`  and ${rungs.length - 20} more, see --json`)
  for (const text of assumptions) expect(lines).toContain(`  -  ${text}`)
})

test('what is held at the end has a line, and with it the rungs come to the net profit', () => {
  const { held, summary } = sampleResult
  const [here] = held
  const place = lines.indexOf('held at the end')
  expect(lines[place + 2]?.split(/ +/).slice(-5, -3)).toEqual(['BTC_PERP', here?.amount])
  expect(lines[place + 2]?.endsWith(`  ${Number(here?.unrealised).toFixed(2)}`)).toBe(true)
  expect(lines[place + 3]).toMatch(/^ {2}[\d.]+ closed [+-] [\d.]+ held - [\d.]+ fees - 1.25 funding = /)
  expect(lines[place + 3]?.endsWith(` = ${Number(summary.netProfit).toFixed(2)} net profit`)).toBe(true)
  expect(textOf({ ...sampleResult, held: [] })).toMatch(/held at the end\n {2}nothing\n/)
  const taken = { ...sampleResult, summary: { ...summary, liquidations: 1 } }
  expect(textOf(taken)).toMatch(/ held [+-] [\d.]+ liquidated - /)
})

test('numbers stand flush right under their names', () => {
  const head = lines.findIndex((line) => line.endsWith('fees'))
  const [names = '', ...rows] = lines.slice(head, head + 21)
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([names.length]))
})

test('where there is no ratio it says why', () => {
  const { summary } = sampleResult
  const of = (to: number) =>
    textOf({ ...sampleResult, summary: { ...summary, to, sharpe: null, sortino: null } })
  expect(of(summary.from + 86_400_000)).toMatch(
    /Sharpe ratio +none +needs 7 whole days\n +Sortino ratio +none +needs 7/,
  )
  expect(of(summary.to)).toMatch(/Sharpe ratio +none +no day differs\n +Sortino ratio +none +no day lost\n/)
})

test('a name cannot move the cursor', () => {
  const rules = [{ rule: 'up\u001b[2A', strategy: 'a\u202eb', fired: 1, first: null, last: null }]
  expect(textOf({ ...sampleResult, rules, fills: [], rungs: [] })).toMatch(
    /^a\\u202eb on [^]*none was laid[^]*up\\u001b\[2A/,
  )
})
