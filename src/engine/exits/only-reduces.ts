import { stopRests } from '#src/strategy/schema/exit-schema.ts'
import { fileOf } from '#src/engine/state/strategy-texts.ts'
import type { ExitPlace } from './exit-orders.ts'

/**
 * Whether an exit that rests only reduces: then the venue ends it with the position, also if a person has closed that while the
 * bot does not run. The venue has one position of a market, the sum of both sides: so nothing of ours, and no earlier position of
 * others, may be on the other side.
 */
export function onlyReduces({ state, scene, ladder }: ExitPlace): boolean {
  const { symbol, file } = ladder
  if (stopRests(file)) return true
  const isOther = (side: string) => side !== file.side
  if (scene.ladders.some((other) => other.symbol === symbol && isOther(other.file.side))) return false
  const base = Number(state.drift.base?.[symbol] ?? 0)
  if (file.side === 'buy' ? base < 0 : base > 0) return false
  return Object.entries(state.strategies).every(([name, own]) => {
    if (name === scene.name) return true
    const { ladder: ladders, markets } = fileOf(own) ?? {}
    // A file that this version cannot read may trade the other side.
    if (!ladders || !markets) return false
    return Object.values(ladders).every(
      ({ market, side }) => markets[market]?.symbol !== symbol || !isOther(side),
    )
  })
}
