import type { MarketRules, OrderSide, Rung } from '#src/market/ladder/plan.ts'
import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { truthOf, type Truth } from '#src/strategy/expressions/condition.ts'
import { followsFills } from '#src/strategy/schema/ladder-schema.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import { edgesOf, lossOf, tooNarrow, type Edge } from './edge.ts'
import { mostActive } from '#src/strategy/file/capital.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { rangeIn } from '#src/strategy/expressions/range.ts'
import { rungsOf, type NotComputed, type Placed } from './rungs.ts'
import { strategyTestInput, type StrategyTestInput } from './strategy-test-input.ts'
import type { InMoney } from '#src/strategy/file/capital.ts'
import type { Given, Strategy } from '#src/strategy/schema/strategy-schema.ts'

/**
 * The limits of the venue beside its market rules. `priceBand` is the largest distance of a limit order from the price,
 * as a ratio, if known.
 */
export type Allowance = { batchMax: number; calls: number; perMs: number; priceBand?: Decimal | undefined }

/** Values that have an equity. */
export type SampleInput = Given & { equity: Decimal }

export type LadderPreview = { name: string; file: Strategy['ladder'][string]; market: MarketRules } & (
  | { placed: Placed; edges: Map<Rung, Edge> }
  | { missing: NotComputed }
)

export type PlacedLadder = Extract<LadderPreview, { placed: unknown }>

export type Preview = {
  ladders: LadderPreview[]
  /** Those that could be computed. */
  placed: PlacedLadder[]
  testInput: StrategyTestInput
  /** The ladders that each fill places again, with a size that does not fall with their position. */
  grownByFills: ReadonlySet<string>
  /** Of which shares were computed. */
  equity: Decimal
  /** Each rule and whether it is true in the given data; a rule with only a schedule is `scheduled`. */
  rules: { id: string; truth: Truth | 'scheduled' }[]
  notional: Decimal
  openOrders: number
  /** The greatest loss of the configured moves: from the current price, and from the worst price of the range. */
  lossNow: Decimal
  worstLoss: Decimal
  /** The losses of moves that the file does not configure, in the worse of the directions, and the directions that lose. */
  otherLosses: { move: Decimal; loss: Decimal; ways: ('up' | 'down')[] }[]
  requests: number
  requestsPerSecond: number
  allowedPerSecond: number
  faults: StrategyFault[]
}

/** A bad hour, a bad day, and a crash. */
const usualMoves = [new Decimal('0.1'), new Decimal('0.3'), new Decimal('0.5')]

/** Every rung as it would be placed with the given data, and the reasons against it. */
export function previewOf(
  strategy: InMoney,
  programs: Programs,
  markets: ReadonlyMap<string, MarketRules>,
  given: SampleInput,
  allowance: Allowance,
): Preview {
  const faults: StrategyFault[] = []
  const testInput = strategyTestInput(strategy, programs, given)
  const ladders: LadderPreview[] = []
  for (const [name, file] of Object.entries(strategy.ladder)) {
    const [own, market] = [programs.ladders.get(name), markets.get(file.market)]
    if (!own || !market) continue
    const placed = rungsOf(file, own, testInput.views.now, market, () => testInput.equity)
    if ('refusal' in placed) {
      const { refusal, at, hint } = placed
      // A fault about a mapping points at its key.
      const onKey = at.length === 1 && at[0] === 'spacing'
      faults.push({ path: ['ladder', name, ...at], onKey, message: `${name}: ${refusal}`, hint })
    }
    if (!('rungs' in placed)) {
      ladders.push({ name, file, market, missing: placed })
      continue
    }
    const edges = edgesOf(file, placed, market)
    ladders.push({ name, file, market, placed, edges })
    faults.push(...ladderFaults(strategy, name, placed, edges, market))
  }
  const placed = ladders.filter((ladder) => 'placed' in ladder)
  const most = (value: (ladder: PlacedLadder) => Decimal) =>
    mostActive(
      strategy,
      placed.map((ladder) => [ladder.file.market, value(ladder)]),
    )
  const openOrders = most((ladder) => new Decimal(ladder.placed.resting.size)).toNumber()
  const { rate, chunk } = strategy.submit
  const loss = (moves: readonly Decimal[], rangeOf: typeof rangeIn) =>
    Decimal.max(
      ...moves.map((move) => most((each) => lossOf(each.placed, move, rangeOf(strategy, each.file.market)))),
    )
  const { move } = strategy.risk.worst_case
  const preview: Preview = {
    ladders,
    placed,
    testInput,
    grownByFills: new Set(
      placed.filter((each) => growsByFills(each, strategy, programs, given)).map(({ name }) => name),
    ),
    equity: given.equity,
    rules: strategy.rules.map(({ id }) => {
      const condition = programs.conditions.get(id)
      return { id, truth: condition ? truthOf(condition, testInput.views) : 'scheduled' }
    }),
    notional: most((ladder) => sumOf(ladder.placed.rungs, 'notional')),
    openOrders,
    lossNow: loss(move, () => undefined),
    worstLoss: loss(move, rangeIn),
    otherLosses: usualMoves.map((move) => {
      const [up, down] = [loss([move], rangeIn), loss([move.neg()], rangeIn)]
      const ways = (['up', 'down'] as const).filter((way) => !(way === 'up' ? up : down).isZero())
      return { move, loss: Decimal.max(up, down), ways }
    }),
    requests: Math.ceil(openOrders / chunk),
    requestsPerSecond: (rate.requests * 1000) / rate.per,
    allowedPerSecond: (allowance.calls * 1000) / allowance.perMs,
    faults,
  }
  faults.push(...limitFaults(strategy, preview, allowance))
  return preview
}

/** A hedge gets smaller with its position; a position that grows makes the next entry as large as the last one, or larger. */
function growsByFills(
  { name, file, market, placed: { rungs } }: PlacedLadder,
  strategy: Strategy,
  programs: Programs,
  given: SampleInput,
): boolean {
  const [rung, own] = [rungs[0], programs.ladders.get(name)]
  if (!rung || !own || !followsFills(file) || file.exit?.mirror !== undefined) return false
  const [one, two] = [1, 2].map((fills) => {
    const held = rung.amount.times(rung.side === 'buy' ? fills : -fills)
    const position = { ...given.position, [file.market]: held }
    const entry = { ...given.avg_entry, [file.market]: rung.price }
    const { views, equity } = strategyTestInput(strategy, programs, { ...given, position, avg_entry: entry })
    const after = rungsOf(file, own, views.now, market, () => equity)
    return 'rungs' in after ? sumOf(after.rungs, 'notional') : undefined
  })
  return one !== undefined && two !== undefined && two.gte(one)
}

function ladderFaults(
  { ladder, risk }: Strategy,
  name: string,
  { rungs, anchor }: Placed,
  edges: Map<Rung, Edge>,
  market: MarketRules,
): StrategyFault[] {
  const faults: StrategyFault[] = []
  const narrow = ladder[name] && tooNarrow(name, ladder[name], edges, market)
  if (narrow !== undefined) {
    const hint = 'use wider steps or fewer levels'
    const from = [['ladder', name, 'exit']]
    faults.push({ path: ['ladder', name, 'min_edge'], from, message: narrow, hint })
  }
  const band = risk.price_band
  const far = band && rungs.find(({ price }) => price.minus(anchor).abs().gt(anchor.times(band)))
  if (far) {
    const message =
      `level ${far.level} of ${name} at ${decimalText(far.price)} is ${percentText(far.price.minus(anchor).abs().div(anchor))} ` +
      `from the anchor ${decimalText(anchor)}, more than ${percentText(band)}`
    faults.push({ path: ['risk', 'price_band'], message, hint: 'use a wider band or fewer levels' })
  }
  return faults
}

function limitFaults(strategy: InMoney, sums: Preview, allowance: Allowance): StrategyFault[] {
  const { markets, risk, submit } = strategy
  const faults: StrategyFault[] = []
  const hint = 'raise the limit, or reduce the ladder'
  const within = (path: PropertyKey[], found: Decimal, most: Decimal | undefined, what: string) => {
    if (most === undefined || found.lte(most)) return
    const message = `${what} ${decimalText(found)}, more than ${decimalText(most)}`
    const [limit = ''] = path
    // The move of a worst case is beside its limit.
    const from = [['risk', limit, 'move']]
    faults.push({ path: ['risk', ...path], from, message, hint })
  }
  within(['max_notional', 'total'], sums.notional, risk.max_notional['total'], 'the cost of all rungs is')
  for (const name of Object.keys(markets)) {
    const own = sums.placed.flatMap(({ file, placed }) => (file.market === name ? placed.rungs : []))
    within(
      ['max_notional', name],
      sumOf(own, 'notional'),
      risk.max_notional[name],
      `the cost of the rungs in ${name} is`,
    )
    // A group may limit less than all of its markets need together, but not less than one of them.
    for (const [group, { markets: some, max_notional: most }] of Object.entries(risk.groups ?? {}))
      if (some.includes(name))
        within(
          ['groups', group, 'max_notional'],
          sumOf(own, 'notional'),
          most,
          `the cost of the rungs in ${name} is`,
        )
    for (const side of ['buy', 'sell'] as const) {
      within(
        ['max_position', name],
        sumOf(own, 'amount', side),
        risk.max_position?.[name],
        `the sum of the ${side}s in ${name} is`,
      )
    }
  }
  within(
    ['max_open_orders'],
    new Decimal(sums.openOrders),
    new Decimal(risk.max_open_orders),
    'the number of open orders is',
  )
  within(['worst_case', 'max_loss'], sums.lossNow, risk.worst_case.max_loss, 'the worst case loss is')
  if (submit.chunk > allowance.batchMax) {
    const message = `the venue takes ${allowance.batchMax} orders per request`
    faults.push({ path: ['submit', 'chunk'], message, hint: `write ${allowance.batchMax} or less` })
  }
  if (sums.requestsPerSecond > sums.allowedPerSecond) {
    const message = `${sums.requestsPerSecond} requests per second, and the venue allows ${sums.allowedPerSecond}`
    faults.push({
      path: ['submit', 'rate', 'requests'],
      from: [['submit', 'rate']],
      message,
      hint: 'use a lower value: other programs may use the same key',
    })
  }
  return faults
}

/** The amount or the cost of rungs, on both sides or on one. */
export function sumOf(rungs: readonly Rung[], of: 'amount' | 'notional', side?: OrderSide): Decimal {
  return rungs.reduce(
    (sum, rung) => (side === undefined || rung.side === side ? sum.plus(rung[of]) : sum),
    new Decimal(0),
  )
}
