import { decimal, Decimal } from '#src/core/money/decimal.ts'
import { edgesOf, tooNarrow } from '#src/strategy/check/edge.ts'
import { rungTexts, stepOf, valueOf, type RungsRefusal } from '#src/strategy/check/rungs.ts'
import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { equityOf } from '#src/engine/account/equity.ts'
import { cooling } from '#src/engine/exits/cooldown.ts'
import type { LadderState, RungState } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { LadderContext } from '#src/engine/step-context.ts'

type Placed = Extract<ReturnType<typeof rungTexts>, { rungs: unknown }>

/**
 * Computes the rungs of a ladder if it is due: once an episode, and again when the ladder follows its anchor. True if the rungs
 * have changed.
 */
export function recomputeLadder(context: LadderContext): boolean {
  const { state, ladder, own } = context
  if (own.goal !== 'ensure' || own.openedAt === null) return false
  if (own.laidAt === null) {
    const cools = cooling(state, ladder, own)
    if (cools !== undefined) return refuse(own, 'cooldown', cools)
  }
  if (own.laidAt !== null && !mustMove(context)) return false
  const placed = computed(context)
  if (placed === undefined) return false
  if ('refusal' in placed) return refuse(own, `refused ${placed.at.join('.')}`, placed.refusal)
  const rungs = standing(ladder, own, placed)
  const narrow = narrowIn(ladder, placed.anchor, rungs)
  if (narrow !== undefined) return refuse(own, 'min_edge', narrow)
  lay(context, placed.anchor, rungs)
  return true
}

/** Undefined, with the reason in `missing`, if the rungs cannot be computed now. */
function computed({ state, compiled, ladder, own }: LadderContext): Placed | RungsRefusal | undefined {
  const { file, programs, market, symbol } = ladder
  if (market === null) {
    setMissing(own, 'market', `the venue does not list ${symbol}`)
    return undefined
  }
  const isFrozen = file.anchor.taken !== 'always' && own.anchor !== null
  const from = isFrozen && own.anchor !== null ? { ...programs, anchor: decimal(own.anchor) } : programs
  const placed = rungTexts(file, from, compiled.views.now, market, () => equityOf(state))
  if ('unknown' in placed) {
    setMissing(own, `unknown ${placed.at.join('.')}`, placed.unknown)
    return undefined
  }
  return placed
}

/** Cancels the orders of rungs that the ladder can no longer place. */
function refuse(own: LadderState, part: string, why: string): boolean {
  const stood = own.rungs.length > 0
  setMissing(own, part, why)
  own.rungs = []
  return stood
}

function setMissing(own: LadderState, part: string, why: string): void {
  own.missing = why
  own.missingPart = part
}

/** The floor that `check` verifies for a sample holds for every market price, too. */
function narrowIn(
  { name, file, market }: CompiledLadder,
  anchor: Decimal,
  rungs: readonly RungState[],
): string | undefined {
  if (file.min_edge === undefined || market === null) return undefined
  const stands = rungs.map(({ level, side, price }) => ({ level, side, price: decimal(price) }))
  return tooNarrow(name, file, edgesOf(file, { rungs: stands, anchor }, market), market)
}

/** The new rungs; a rung that would hardly move keeps its price. */
function standing({ follows }: CompiledLadder, own: LadderState, { rungs }: Placed): RungState[] {
  const isAgain = own.laidAt !== null
  const before = new Map(own.rungs.map((rung) => [rung.level, rung]))
  const stays = follows?.hysteresis
  const nearly =
    stays === undefined ? 0 : stays.of === 'step' ? stays.by.toNumber() * stepOf(rungs) : stays.by.toNumber()
  return rungs.map(({ level, side, price, amount }): RungState => {
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
      ...(old?.crossed && old.price === price && { crossed: old.crossed }),
      wait: old?.wait ?? { count: 0, until: 0 },
    }
  })
}

function lay(
  { state, notes, compiled, ladder, own }: LadderContext,
  anchor: Decimal,
  rungs: RungState[],
): void {
  const { follows, programs } = ladder
  own.rungs = rungs
  const unit = programs.unit && valueOf(programs.unit, compiled.views.now)
  own.unit = unit && 'value' in unit ? unit.value.toFixed() : null
  own.anchor = anchor.toFixed()
  own.laidAt = state.at
  own.missing = null
  // Without an exit, filled rungs are quoted again: the ladder makes a market.
  if (follows && !ladder.file.exit) own.filled = []
  notes.push({
    type: 'ladder-laid',
    at: state.at,
    strategy: compiled.name,
    ladder: ladder.name,
    market: ladder.symbol,
    rungs: own.rungs.length,
    anchor: own.anchor,
    episode: own.episode,
  })
}

/** Whether the anchor is too far from the rungs, or a quoted rung was taken. */
function mustMove({ state, compiled, ladder, own }: LadderContext): boolean {
  const { follows, programs, file } = ladder
  if (!follows || own.laidAt === null || own.anchor === null) return false
  const since = Math.max(own.laidAt, file.exit ? 0 : (own.filledAt ?? 0))
  if (!reached(state, since + follows.min_gap)) return false
  if (!file.exit && own.filled.length > 0) return true
  if (own.missing !== null) return true
  const anchor = valueOf(programs.anchor, compiled.views.now)
  if ('unknown' in anchor) return false
  const run = Math.abs(anchor.value.toNumber() - Number(own.anchor))
  const { of, by } = follows.drift
  const least = of === 'price' ? Number(own.anchor) : stepOf(own.rungs)
  return run >= by.toNumber() * least
}
