import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'

/** Rungs as a contender, with the words of rounds.py: `node rungs-grid.ts STRATEGY MARKET`. */
const [path = '', market = ''] = process.argv.slice(2)
const input: BacktestInput = {
  strategies: [{ path, text: readFileSync(path, 'utf8') }],
  markets: new Map([['BTC_USDT', sharedMarket(loadMarket(market))]]),
  latencyMs: 50,
  fill: 'through',
  seed: 'bench',
}

let last: BacktestResult | undefined
for await (const word of createInterface({ input: process.stdin })) {
  if (word === 'run') {
    const before = process.cpuUsage()
    last = await runBacktest(input)
    const { user, system } = process.cpuUsage(before)
    process.stdout.write(`${JSON.stringify({ cpuMs: (user + system) / 1000 })}\n`)
  } else process.stdout.write(`${JSON.stringify(last?.fills.map(textOf))}\n`)
}

function textOf({ side, amount, price }: BacktestResult['fills'][number]): string {
  return `${side} ${Number(amount).toFixed(6)} at ${Number(price).toFixed(2)}`
}
