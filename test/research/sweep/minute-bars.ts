import { writeFileSync } from 'node:fs'
import { chanceOf } from '#test/research/backtest/market/generated-market.ts'

const minutes = 240

/** Four hours of random bars in a file. */
export function minuteBars(path: string): string {
  const chance = chanceOf(4)
  const rows = ['# market: BTC_USDT', 'timestamp,open,high,low,close,volume']
  let price = 60_000
  for (let minute = 0; minute < minutes; minute++) {
    const path = [price, ...Array.from({ length: 4 }, () => (price += Math.round((chance() - 0.5) * 160)))]
    const [high, low] = [Math.max(...path), Math.min(...path)]
    rows.push([1_767_571_200 + minute * 60, path[0], high, low, price, 12.5].join(','))
  }
  writeFileSync(path, `${rows.join('\n')}\n`)
  return path
}
