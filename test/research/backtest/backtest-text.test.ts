import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { backtestText } from '#src/cli/backtest/backtest-text.ts'
import { sampleResult } from './sample-result.ts'

const textOf = (result: typeof sampleResult) => stripVTControlCharacters(backtestText(result, 210))
const withFunding = (funding: string) =>
  textOf({ ...sampleResult, summary: { ...sampleResult.summary, funding } })
const lines = textOf(sampleResult).split('\n')

test('a result has its inputs, its figures and its assumptions', () => {
  const { summary, rungs, assumptions } = sampleResult
  expect(lines[0]).toMatch(/ on BTC_PERP \(bars, 1 gap\)$/)
  expect(lines[1]).toBe('2026-09-01 00:00 to 2026-09-09 00:00 UTC, 8 days, 46080 points in 0.21 s')
  const profit = Number(summary.netProfit).toFixed(2)
  expect(lines.find((line) => line.includes('net profit'))).toContain(` ${profit}  `)
  const fills = lines.find((line) => line.startsWith('  fills '))
  expect(fills?.split(/ {2,}/)).toEqual(['', 'fills', String(summary.fills), `of ${summary.orders} orders`])
  expect(lines).toContain(`  and ${rungs.length - 20} more, see --json`)
  for (const text of assumptions) expect(lines).toContain(`  -  ${text}`)
})

test('the final position has a line, and the lines add up to the net profit', () => {
  const { held, summary } = sampleResult
  const [here] = held
  const place = lines.indexOf('positions at the end')
  expect(lines[place + 2]?.split(/ +/).slice(-5, -3)).toEqual(['BTC_PERP', here?.amount])
  expect(lines[place + 2]?.endsWith(`  ${Number(here?.unrealised).toFixed(2)}`)).toBe(true)
  const [paired, average] = lines.slice(place + 3, place + 5)
  const net = `${Number(summary.netProfit).toFixed(2)} net profit`
  expect(paired).toMatch(/^ {2}-?[\d.]+ grid profit [+-] [\d.]+ floating - 1.25 funding = /)
  expect(paired?.endsWith(` = ${net}`)).toBe(true)
  expect(average).toMatch(/^ {2}[\d.]+ closed [+-] [\d.]+ held - [\d.]+ fees - 1.25 funding = /)
  expect(average?.endsWith(` = ${net}, at average cost`)).toBe(true)
  expect(textOf({ ...sampleResult, held: [] })).toMatch(/positions at the end\n {2}none\n/)
  const taken = { ...sampleResult, summary: { ...summary, liquidations: 1 } }
  expect(textOf(taken)).toMatch(/ held [+-] [\d.]+ liquidated - /)
})

test('funding says whether it was received or paid', () => {
  expect(withFunding('-1.09')).toMatch(/^ +funding +-1\.09 +negative: paid, included in the profit$/m)
  expect(withFunding('1.09')).toMatch(/^ +funding +1\.09 +received, included in the profit$/m)
})

test('numbers are right-aligned under their names', () => {
  const head = lines.findIndex((line) => /profit +fees$/.test(line))
  const [names = '', ...rows] = lines.slice(head, head + 21)
  expect(new Set(rows.map((row) => row.length))).toEqual(new Set([names.length]))
})

test('halts of a strategy are before its rungs, and other notes after them', () => {
  const name = lines[0]?.replace(/ on BTC_PERP.*/, '') ?? ''
  const of = (title: string, count: number) =>
    lines.slice(lines.indexOf(title) + 1, lines.indexOf(title) + 1 + count).map((line) => line.trim())
  expect(lines.indexOf('halted or paused')).toBeLessThan(lines.indexOf('rungs, most fills first'))
  expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(
    `${name} paused by rule calm 3 times since 2026-09-01 00:07, the last time from 2026-09-01 01:30 ` +
      `to 2026-09-01 01:35: the spread is wide`,
  )
  expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(
    `${name} halted from 2026-09-08 23:59 to the end: 41.10 lost since the best result`,
  )
  expect(of('alerts', 2)).toEqual(['2 ×  first on 2026-09-01 00:01: look here', '7 ×  other texts'])
  expect(of('blocked by limits', 1)).toEqual([
    '9 h  grid.g, blocked 4 times, first on 2026-09-01 00:01: max_notional btc 2000',
  ])
  expect(of('flexible investments', 1)).toEqual(['2 ×  grid: 30.50 USDT in total, accepted'])
  const quiet = { ...sampleResult, stops: [], alerts: { count: 0, texts: [] }, blocked: [], invested: [] }
  expect(textOf(quiet)).not.toMatch(/halted|limits|alerts|investments/)
})

test('the measures are in the text, and ratios from eight days are marked', () => {
  const shown = lines.map((line) => line.trim().split(/ {2,}/).slice(0, 3))
  const { sharpe, cagr, calmar, buyAndHold } = sampleResult.summary
  const mark = 'not meaningful: fewer than 30 days'
  expect(shown).toContainEqual(['Sharpe ratio', sharpe?.toFixed(2), mark])
  expect(shown).toContainEqual(['CAGR', `${((cagr ?? 0) * 100).toFixed(2)}%`, mark])
  expect(shown).toContainEqual(['Calmar ratio', calmar?.toFixed(2), mark])
  expect(shown).toContainEqual(['win rate', '75.00%', 'of the round trips had a profit after fees'])
  expect(shown).toContainEqual(['expectancy', '1.23', 'mean profit of a round trip after fees'])
  expect(shown.find(([name]) => name === 'buy and hold')?.[1]).toBe(Number(buyAndHold).toFixed(2))
  const { summary } = sampleResult
  const long = textOf({ ...sampleResult, summary: { ...summary, to: summary.from + 30 * 86_400_000 } })
  expect(long).not.toContain(mark)
  expect(long).toMatch(/CAGR +-?[\d.]+% +return of a year at this rate\n/)
})

test('a measure that cannot be computed has its reason', () => {
  const none = { winRate: null, profitFactor: null, expectancy: null }
  const of = (more: Partial<typeof sampleResult.summary>) =>
    textOf({ ...sampleResult, summary: { ...sampleResult.summary, ...none, ...more } })
  expect(of({ roundTrips: 0 })).toMatch(
    /win rate +none +no round trip\n +profit factor +none +no round trip\n +expectancy +none +no round trip\n/,
  )
  expect(of({ liquidations: 1 })).toMatch(/profit factor +none +not computed: a position was liquidated\n/)
  expect(of({ roundTrips: 4, winRate: 1 })).toMatch(/profit factor +none +no round trip with a loss\n/)
  expect(of({ cagr: null, calmar: null })).toMatch(/CAGR +none +the equity is below zero\n/)
  expect(of({ calmar: null })).toMatch(/Calmar ratio +none +no drawdown\n/)
  expect(of({ bestDay: null, bestDayAt: null })).toMatch(/best day +none +no whole day\n/)
})

test('a missing ratio has its reason', () => {
  const { summary } = sampleResult
  const of = (to: number) =>
    textOf({ ...sampleResult, summary: { ...summary, to, sharpe: null, sortino: null } })
  expect(of(summary.from + 86_400_000)).toMatch(
    /Sharpe ratio +none +needs 7 whole days\n +Sortino ratio +none +needs 7/,
  )
  expect(of(summary.to)).toMatch(
    /Sharpe ratio +none +all days are equal\n +Sortino ratio +none +no day with a loss\n/,
  )
})

test('a name cannot control the terminal', () => {
  const rules = [{ rule: 'up\u001b[2A', strategy: 'a\u202eb', fired: 1, first: null, last: null }]
  expect(textOf({ ...sampleResult, rules, fills: [], rungs: [] })).toMatch(
    /^a\\u202eb on [^]*no rung had an order[^]*up\\u001b\[2A/,
  )
})
