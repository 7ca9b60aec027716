import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { missingMirrors } from '#src/engine/exits/mirrors.ts'
import { standstill } from '#src/engine/rules/halts.ts'
import { windowEdges } from './horizon-window.ts'
import { openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { narrow, type PriceBand } from './price-bands.ts'
import { headKinds, rungStatusesOf, type RungStatus } from '#src/engine/ladder/rung-status.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'

export type ExitBands = Record<'urgent' | 'peaks', Map<string, PriceBand>>

/** Where a price means something to the exits of a ladder. */
export function watchExits(
  symbol: string,
  { exits: { watch } }: LadderState,
  { urgent, peaks }: ExitBands,
): void {
  if (!watch) return
  keepWithin(urgent, symbol, watch)
  if (watch.best === undefined) return
  const { of, best } = watch
  keepWithin(peaks, symbol, of === 'bid' ? { below: 0, above: best } : { below: best, above: Infinity })
}

function keepWithin(bands: Map<string, PriceBand>, symbol: string, band: PriceBand): void {
  const { below, above } = bands.get(symbol) ?? { below: 0, above: Infinity }
  bands.set(symbol, { below: Math.max(below, band.below), above: Math.min(above, band.above) })
}

/** Where a price would mean something to rungs that have no order. True when something could be sent now and was not. */
export function edgesOf(
  state: State,
  compiled: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
  bands: Map<string, PriceBand>,
): boolean {
  const { symbol } = ladder
  let isWanting = missingMirrors(state, own).length > 0
  const price = middleOf(state, symbol)
  // While entries stand still, no price means anything to rungs.
  if (price === undefined || standstill(state, compiled.name, 'entry')) return isWanting
  const alive = openOrdersOfStrategy(state, own)
  // What is not placed any more is taken back all the same where it rests too far away.
  if (own.goal === 'ensure' || own.goal === 'freeze')
    for (const edge of windowEdges(ladder, own, alive, price)) narrow(bands, symbol, price, edge)
  if (own.goal !== 'ensure' || own.frozen !== null) return isWanting
  const missing = own.rungs.filter(
    ({ level, held }) => !alive.has(level) && held === null && !own.filled.includes(level),
  )
  if (missing.length > 0) {
    for (const { price: text } of missing) narrow(bands, symbol, price, Number(text))
    const standings = rungStatusesOf(state, compiled, ladder, own)
    isWanting ||= standings.some(({ order, reason }) => order === null && reason === null)
    for (const edge of turnsIn(standings)) narrow(bands, symbol, price, edge)
  }
  return isWanting
}

/** Half way between a rung that waits behind another one and that one, it becomes the nearer of the two. */
function turnsIn(standings: readonly RungStatus[]): number[] {
  const behind = standings.filter(({ reason }) => reason?.kind === 'behind')
  if (behind.length === 0) return []
  const heads = standings.filter(({ reason }) => reason !== null && headKinds.has(reason.kind))
  return behind.flatMap(({ rung }) => heads.map((head) => (Number(rung.price) + Number(head.rung.price)) / 2))
}

/** The next look is due where the price is lower or higher than at all tries before. */
export function tryBeyond(
  { quotes }: State,
  symbol: string,
  bands: Map<string, PriceBand>,
  { between, isNow }: { between: Map<string, PriceBand>; isNow: boolean },
): void {
  const { bid = null, ask = null } = quotes[symbol] ?? {}
  if (bid === null || ask === null) return
  const [price, tick] = [(bid + ask) / 2, ask - bid]
  const before = between.get(symbol) ?? { below: price, above: price }
  const range = { below: Math.min(before.below, price), above: Math.max(before.above, price) }
  if (isNow) between.set(symbol, range)
  narrow(bands, symbol, price, range.below - tick / 2)
  narrow(bands, symbol, price, range.above + tick / 2)
}

export function middleOf({ quotes }: State, symbol: string): number | undefined {
  const quote = quotes[symbol]
  if (!quote || quote.bid === null || quote.ask === null) return undefined
  return (quote.bid + quote.ask) / 2
}
