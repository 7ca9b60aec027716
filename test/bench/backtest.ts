import { deepEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { madeBars, madeTrades } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from '#test/research/backtest/jump/step-everywhere.ts'
import { launcher } from '#test/cli/support/process.ts'
import { closes, gridFile } from './runner/grid.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * Whole backtests: a grid of a hundred rungs by the engine, the signed client and the venue. First it is shown on a day that
 * somebody who looks at every point and every second finds the same orders and fills. Then 10 million trades with a rule on
 * closes of a minute (P7), and a year of minutes (P8), with fees and drawdown. Prices move by 2.5 % a day. Two more years have
 * narrower lines and thousands of fills, and a week has a limit that blocks most lines. Rounds are counted in time of the
 * processor, since others may use the machine; the median counts, warm as in a sweep.
 */
const rounds = 7
const pace = 0.025 / Math.sqrt(1440)
const seed = 3

const usual = { levels: 101, from: 30_000, to: 90_000, total: 30_000 }
const onCloses = gridFile({ ...usual, feeds: closes, when: 'between(last(px), 30000, 90000)' })
const onNothing = gridFile(usual)

function inputOf(text: string, market: HistoricalMarket): BacktestInput {
  return {
    strategies: [{ path: 'grid.yaml', text }],
    markets: new Map([['BTC_USDT', market]]),
    latencyMs: 50,
    fill: 'through',
    seed: 'bench',
  }
}

async function measure(
  input: BacktestInput,
): Promise<{ ms: number; threadMs: number; result: BacktestResult }> {
  const times: number[] = []
  const all: number[] = []
  let result = await runBacktest(input)
  for (let round = 0; round < rounds; round++) {
    const [before, beforeAll] = [process.threadCpuUsage(), process.cpuUsage()]
    result = await runBacktest(input)
    times.push(msOf(process.threadCpuUsage(before)))
    all.push(msOf(process.cpuUsage(beforeAll)))
  }
  return { ms: medianOf(all), threadMs: medianOf(times), result }
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

for (const text of [onCloses, onNothing]) {
  const day = inputOf(text, madeTrades({ seed, minutes: 180, price: 60_000, pace: 4 * pace }, 500))
  const [leaping, watching] = [await played(day), await played(day, everywhere)]
  deepEqual(watching, leaping)
  note(`the same ${leaping.result.summary.fills} fills when every point and every second is looked at`)
}

const trades = await measure(
  inputOf(onCloses, madeTrades({ seed, minutes: 16_667, price: 60_000, pace }, 100)),
)
report({
  goal: 'P7',
  what: '10 M trades, 100 rungs, a rule on closes',
  ours: trades.result.summary.events / trades.ms / 1000,
  unit: 'M trades/s',
  atLeast: 20,
  wanted: 100,
  detail: `${trades.result.summary.fills} fills`,
})

const year = madeBars({ seed, minutes: 525_600, price: 60_000, pace })
for (const [what, text] of [
  ['a year of minutes, 100 rungs: run', onNothing],
  ['the same with a rule on every close', onCloses],
] as const) {
  const { ms, threadMs, result } = await measure(inputOf(text, year))
  const { fills, maxDrawdownShare } = result.summary
  const loss = `${(100 * maxDrawdownShare).toFixed(2)} % drawdown`
  const detail = `${threadMs.toFixed(0)} ms of its thread, ${fills} fills, ${loss}`
  report({ goal: 'P8', what, ours: ms, unit: 'ms', atMost: 300, wanted: 30, detail })
}

const wild = madeBars({ seed, minutes: 525_600, price: 60_000, pace: 1.6 * pace })
const lines = { levels: 101, from: 48_000, to: 72_000, total: 30_000 }
const narrow = gridFile(lines)
const narrower = gridFile({ levels: 251, from: 45_000, to: 75_000, total: 30_000 })
const blocked = gridFile({ ...usual, total: 90_000 }).replace('total: 100000', 'total: 20000')
const week = madeBars({ seed, minutes: 10_080, price: 60_000, pace: 2.4 * pace })
for (const [what, text, market, atMost] of [
  ['a year of minutes, lines every 0.4 %', narrow, wild, 400],
  ['a year of minutes, lines every 0.2 %', narrower, wild, 400],
  ['a week in which a limit blocks most lines', blocked, week, 10_000],
] as const) {
  const { ms, result } = await measure(inputOf(text, market))
  const { fills } = result.summary
  const detail = `${fills} fills in ${ms.toFixed(0)} ms`
  report({ what, ours: (1000 * ms) / fills, unit: 'µs a fill', atMost, wanted: 50, detail })
}

const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-past-'))
try {
  const [file, strategy] = [join(folder, 'BTC_USDT.csv'), join(folder, 'grid.yaml')]
  writeFileSync(strategy, onNothing)
  writeFileSync(file, csvOf(year))
  const runOf = (path: string) => {
    const started = process.hrtime.bigint()
    execFileSync(process.execPath, [launcher, 'backtest', strategy, '--market', path, '--json'], {
      maxBuffer: 2 ** 28,
    })
    return Number(process.hrtime.bigint() - started) / 1e6
  }
  const short = join(folder, 'short', 'BTC_USDT.csv')
  mkdirSync(dirname(short))
  writeFileSync(short, csvOf(madeBars({ seed, minutes: 10, price: 60_000, pace })))
  const [whole, empty] = [file, short].map((path) => medianOf(Array.from({ length: 3 }, () => runOf(path))))
  const wall = { unit: 'ms by the clock on the wall', atMost: 1000 }
  report({ goal: 'P8', what: 'the whole process', ours: whole ?? NaN, ...wall, wanted: 400 })
  report({ what: 'a whole process with ten minutes', ours: empty ?? NaN, ...wall, wanted: 500 })
} finally {
  rmSync(folder, { recursive: true })
}

function csvOf(market: HistoricalMarket): string {
  const rows = ['timestamp,open,high,low,close,volume']
  for (const { at, units, count } of market.blocks()) {
    for (let place = 0; place < count; place += 4) {
      const [open = 0, one = 0, other = 0, close = 0] = [...units.subarray(place, place + 4)].map(
        (unit) => unit / 1e9,
      )
      rows.push([at[place], open, Math.max(one, other), Math.min(one, other), close, 100].join(','))
    }
  }
  return `${rows.join('\n')}\n`
}
