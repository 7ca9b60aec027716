import { depthOf } from '#src/strategy/expressions/condition.ts'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import { thresholdsOf } from '#src/strategy/expressions/thresholds.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { hair, narrow, type PriceBand } from '#src/engine/state/price-bands.ts'
import { isQuoteWithin, middleOf } from './price-bands.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { State } from '#src/engine/state/state.ts'

/**
 * The band of prices within which no close changes anything; null if the strategies need every close. If a file only compares its
 * last closes with numbers, only a close on the other side of a number changes its rules: on this side, the last close is enough.
 */
export function closesHorizon(
  state: State,
  known: ReadonlyMap<string, Compiled>,
): Map<string, PriceBand> | null {
  const bands = new Map<string, PriceBand>()
  for (const name of state.running) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (!compiled || !own) continue
    if (!compiled.feeds.some(({ interval }) => interval !== null)) continue
    if (!comparesCloses(compiled)) return null
    refreshContext(state, compiled, own)
    const thresholds = thresholdsOf(compiled.programs, compiled.views.now)
    for (const { name: feed, symbol, interval, staleMs } of compiled.feeds) {
      if (interval === null) continue
      const before = own.feeds[feed]
      const close = before?.readings.now?.close
      const price = middleOf(state, symbol)
      if (close === undefined || price === undefined || state.at - (before?.at ?? 0) > staleMs) return null
      const numbers = thresholds.get(feed)
      if (numbers === null) return null
      for (const number of numbers ?? []) {
        if (Math.abs(number - close) <= hair * close || number > close !== number > price) return null
        narrow(bands, symbol, price, number)
      }
      const band = bands.get(symbol)
      if (band && !isQuoteWithin(state.quotes[symbol], band)) return null
    }
  }
  return bands
}

const comparing = new WeakMap<Compiled, boolean>()

/** Whether a file reads only last closes of its candles, and no earlier ones. */
function comparesCloses(compiled: Compiled): boolean {
  const known = comparing.get(compiled)
  if (known !== undefined) return known
  const { programs, feeds } = compiled
  const candles = new Set(feeds.flatMap(({ name, interval }) => (interval === null ? [] : [name])))
  const { calls } = reads(everyProgram(programs), programs.lets)
  const found =
    programs.series.length === 0 &&
    calls.every(({ name, of }) => name === 'last' || of === undefined || !candles.has(of)) &&
    [...programs.conditions.values()].every((condition) => depthOf(condition) === 0)
  comparing.set(compiled, found)
  return found
}
