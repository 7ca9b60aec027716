import type { ListedFutures } from '#src/market/data/historical-market.ts'
import { futuresEveryMs } from '#src/strategy/schema/poll-times.ts'
import { depthOf } from './depth.ts'
import { RowPolls } from './loop/row-polls.ts'
import type { Scenario } from './scenario.ts'
import { sparseTexts, unknownTexts } from './unknown-texts.ts'

/** Which values a backtest of this period does not know, before one is run: the files are read as its polls read them. */
export function coverageTexts(scene: Scenario): string[] {
  const { from, to } = scene
  const rows = new Map<string, RowPolls<ListedFutures>>()
  for (const [symbol, listing] of scene.futures) {
    const polls = new RowPolls(listing.rows.values(), futuresEveryMs)
    for (let at = from; at <= to; at = polls.nextAt) polls.take(at)
    rows.set(symbol, polls)
  }
  const places = [...scene.markets.keys()].map((symbol) => ({ symbol, course: { isSilent: false } }))
  const depth = depthOf(scene, places)
  for (let at = from; at <= to; at = depth.nextAt()) depth.take(at, [])
  const texts = [
    ...unknownTexts(scene),
    ...sparseTexts(scene, { futures: { rowsOf: (symbol) => rows.get(symbol) }, depth }),
  ]
  depth.close()
  return texts
}
