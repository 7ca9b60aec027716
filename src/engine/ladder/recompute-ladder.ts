import { decimal, Decimal } from '#src/core/money/decimal.ts'
import { edgesOf, tooNarrow } from '#src/strategy/check/edge.ts'
import { rungTexts, stepOf, valueOf } from '#src/strategy/check/rungs.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import type { LadderPrograms } from '#src/strategy/expressions/programs.ts'
import { openOrdersOfLadder } from '#src/engine/state/open-orders.ts'
import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { equityOf } from '#src/engine/account/equity.ts'
import { cooling } from '#src/engine/exits/cooldown.ts'
import type { LadderState, RungState } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { LadderContext } from '#src/engine/step-context.ts'

type NewRungs = ReturnType<typeof rungTexts>
type Placed = Extract<NewRungs, { rungs: unknown }>

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
  if (own.laidAt !== null && !mustMove(context)) return resizeRungs(context)
  const placed = computed(context)
  if (placed === undefined) return false
  if ('none' in placed) return refuse(own, `size ${placed.at.join('.')}`, placed.none)
  if ('refusal' in placed) return refuse(own, `refused ${placed.at.join('.')}`, placed.refusal)
  const rungs = standing(ladder, own, placed)
  const narrow = narrowIn(ladder, placed.anchor, rungs)
  if (narrow !== undefined) return refuse(own, 'min_edge', narrow)
  lay(context, placed.anchor, rungs)
  return true
}

/** Undefined, with the reason in `missing`, if the rungs cannot be computed now. */
function computed(context: LadderContext): Exclude<NewRungs, { unknown: string }> | undefined {
  const { ladder, own } = context
  const { file, programs, market, symbol } = ladder
  if (market === null) {
    setMissing(own, 'market', `the venue does not list ${symbol}`)
    return undefined
  }
  const isFrozen = file.anchor.taken !== 'always' && own.anchor !== null
  const from = isFrozen && own.anchor !== null ? { ...programs, anchor: decimal(own.anchor) } : programs
  const placed = rungsNow(context, market, from)
  if ('unknown' in placed) {
    setMissing(own, `unknown ${placed.at.join('.')}`, placed.unknown)
    return undefined
  }
  return placed
}

function rungsNow(
  { state, compiled, ladder: { file } }: LadderContext,
  market: MarketRules,
  from: LadderPrograms,
): NewRungs {
  return rungTexts(file, from, compiled.views.now, market, () => equityOf(state))
}

/** Rungs that are placed again after their mirrors get their amounts at the current size. Prices and other rungs stay. */
function resizeRungs(context: LadderContext): boolean {
  const { ladder, own, state } = context
  if (ladder.file.size.update !== 'rung' || ladder.market === null || own.anchor === null) return false
  const orders = openOrdersOfLadder(state, own)
  const due = own.rungs.filter(({ level, resize }) => resize !== undefined && !orders.has(level))
  if (due.length === 0) return false
  const unit = own.unit === null ? ladder.programs.unit : decimal(own.unit)
  const placed = rungsNow(context, ladder.market, { ...ladder.programs, anchor: decimal(own.anchor), unit })
  const amounts = new Map('rungs' in placed ? placed.rungs.map(({ level, amount }) => [level, amount]) : [])
  let changed = false
  for (const rung of due) {
    const amount = amounts.get(rung.level)
    if (amount === undefined) rung.resize = whyNoAmount(placed)
    else {
      rung.amount = amount
      delete rung.resize
      changed = true
    }
  }
  return changed
}

function whyNoAmount(placed: NewRungs): string {
  if ('unknown' in placed) return placed.unknown
  if ('none' in placed) return placed.none
  return 'refusal' in placed ? placed.refusal : 'its share of the size is below the minimum of the market'
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
function standing(
  { follows, followsFills }: CompiledLadder,
  own: LadderState,
  { rungs }: Placed,
): RungState[] {
  const isAgain = own.laidAt !== null
  const before = new Map(own.rungs.map((rung) => [rung.level, rung]))
  const stays = follows?.hysteresis
  const nearly =
    stays === undefined ? 0 : stays.of === 'step' ? stays.by.toNumber() * stepOf(rungs) : stays.by.toNumber()
  return rungs.map(({ level, side, price, amount }): RungState => {
    const old = before.get(level)
    if (old && isAgain && stays) {
      const moved = new Decimal(price).minus(old.price).abs().toNumber()
      if (moved < (stays.of === 'step' ? nearly : nearly * Number(price)))
        return followsFills ? { ...old, amount } : old
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
  const { follows, followsFills, programs, file } = ladder
  own.rungs = rungs
  const unit = programs.unit && valueOf(programs.unit, compiled.views.now)
  own.unit = unit && 'value' in unit ? unit.value.toFixed() : null
  own.anchor = anchor.toFixed()
  own.laidAt = state.at
  own.missing = null
  delete own.isDue
  // Without an exit, filled rungs are quoted again: the ladder makes a market. A mirror sells its rung first.
  if ((follows && !file.exit) || (followsFills && file.exit?.mirror === undefined)) own.filled = []
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
  const { follows, followsFills, programs, file } = ladder
  if (followsFills && (own.isDue === true || own.missing !== null)) return true
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
