import { decimal, Decimal } from '#src/money/decimal.ts'
import { rungTexts, valueOf } from '#src/strategy/rungs.ts'
import type { Compiled, CompiledLadder } from './compiled.ts'
import type { LadderState, RungState, State } from './state.ts'
import type { Turn } from './turn.ts'

type Placed = Extract<ReturnType<typeof rungTexts>, { rungs: unknown }>

/**
 * Computes where the rungs of a ladder stand, if it is time: once an episode, and anew when it follows its anchor. True
 * when the rungs have changed.
 */
export function layLadder(turn: Turn, compiled: Compiled, ladder: CompiledLadder, own: LadderState): boolean {
  if (own.goal !== 'ensure' || own.openedAt === null) return false
  if (own.laidAt !== null && !mustMove(turn, compiled, ladder, own)) return false
  const placed = computed(turn, compiled, ladder, own)
  if (placed === undefined) return false
  lay(turn, compiled, ladder, own, placed)
  return true
}

/** Undefined, with the reason in `missing`, when there is nothing that could be laid now. */
function computed(
  { state }: Turn,
  { views }: Compiled,
  { file, programs, market, symbol }: CompiledLadder,
  own: LadderState,
): Placed | undefined {
  if (market === null) {
    own.missing = `the venue does not list ${symbol}`
    return undefined
  }
  const isFrozen = file.anchor.taken !== 'always' && own.anchor !== null
  const from = isFrozen && own.anchor !== null ? { ...programs, anchor: decimal(own.anchor) } : programs
  const placed = rungTexts(file, from, views.now, market, () => equityOf(state))
  if ('unknown' in placed) {
    own.missing = placed.unknown
    return undefined
  }
  if ('refusal' in placed) {
    // What rested where the ladder can stand no more is taken back.
    own.missing = placed.refusal
    own.rungs = []
    return undefined
  }
  return placed
}

function lay(
  { state, notes }: Turn,
  { name, views }: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
  placed: Placed,
): void {
  const { follows, programs } = ladder
  const isAgain = own.laidAt !== null
  const before = new Map(own.rungs.map((rung) => [rung.level, rung]))
  const step = stepOf(placed.rungs)
  const stays = follows?.hysteresis
  const nearly =
    stays === undefined ? 0 : stays.of === 'step' ? stays.by.toNumber() * step : stays.by.toNumber()
  own.rungs = placed.rungs.map(({ level, side, price, amount }): RungState => {
    const old = before.get(level)
    if (old && isAgain && stays) {
      const moved = new Decimal(price).minus(old.price).abs().toNumber()
      if (moved < (stays.of === 'step' ? nearly : nearly * Number(price))) return old
    }
    return {
      level,
      side,
      price,
      amount,
      order: old?.order ?? null,
      held: null,
      wait: old?.wait ?? { count: 0, until: 0 },
    }
  })
  const unit = programs.unit && valueOf(programs.unit, views.now)
  own.unit = unit && 'value' in unit ? unit.value.toFixed() : null
  own.anchor = placed.anchor.toFixed()
  own.laidAt = state.at
  own.missing = null
  // Without an exit, what filled is quoted again: the ladder makes a market.
  if (follows && !ladder.file.exit) own.filled = []
  notes.push({
    type: 'ladder-laid',
    at: state.at,
    strategy: name,
    ladder: ladder.name,
    market: ladder.symbol,
    rungs: own.rungs.length,
    anchor: own.anchor,
    episode: own.episode,
  })
}

export function equityOf({ account }: State): Decimal | undefined {
  const known = account?.equity ?? null
  return known === null ? undefined : decimal(known)
}

/** Whether the anchor has run away from where the ladder stands, or what it quoted was taken. */
function mustMove({ state }: Turn, { views }: Compiled, ladder: CompiledLadder, own: LadderState): boolean {
  const { follows, programs, file } = ladder
  if (!follows || own.laidAt === null || own.anchor === null) return false
  if (state.at - Math.max(own.laidAt, file.exit ? 0 : (own.filledAt ?? 0)) < follows.min_gap) return false
  if (!file.exit && own.filled.length > 0) return true
  if (own.missing !== null) return true
  const anchor = valueOf(programs.anchor, views.now)
  if ('unknown' in anchor) return false
  const run = Math.abs(anchor.value.toNumber() - Number(own.anchor))
  const { of, by } = follows.drift
  const least = of === 'price' ? Number(own.anchor) : stepOf(own.rungs)
  return run >= by.toNumber() * least
}

/** The distance of the first two rungs; of a single one nothing can be told, so that any drift counts. */
function stepOf([first, second]: readonly { price: string }[]): number {
  return first === undefined || second === undefined
    ? 0
    : Math.abs(Number(first.price) - Number(second.price))
}
