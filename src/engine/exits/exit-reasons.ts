import type { Decimal } from '#src/core/money/decimal.ts'
import { exitKind, wholeLabel, type ExitLadder, type ExitContext, type LadderExit } from './exit-orders.ts'
import { heldOf, ladderExitOf, exitPricesOf, type ExitPrices } from './exit-prices.ts'
import { partsOf } from './take-profit-parts.ts'
import { mirrorStatuses, type MirrorStatus } from './mirror-status.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'

/** An exit that may come: where it stands, and what it waits for. */
export type ExitStatus = {
  label: string
  side: 'buy' | 'sell'
  amount: string
  price: string | null
  /** Of a mirror. Other exits are sent when they are due. */
  state?: MirrorStatus['state']
  why: string
}

/** All exits that a ladder has, sent or not; they have no price where nothing is held. */
export function exitStatuses(
  state: State,
  scene: ExitContext,
  ladder: ExitLadder,
  own: LadderState,
): ExitStatus[] {
  const mirrors = mirrorStatuses(state, scene.name, ladder, own).map((mirror): ExitStatus => {
    const reason = mirrorReason(wholeLabel(mirror.label).slice(1))
    return Object.assign(mirror, { why: `${reason}; ${mirror.why}` })
  })
  // Parts are counted off in the state as they are looked at, and who asks must change nothing.
  const held = heldOf(state, scene, ladder, { ...own, exits: structuredClone(own.exits) })
  if (held === undefined) {
    const side = ladder.positionSide === 'SHORT' ? ('buy' as const) : ('sell' as const)
    const why = 'the position is flat, so there is nothing to exit'
    return [...mirrors, ...labelsOf(ladder).map((label) => ({ label, side, amount: '0', price: null, why }))]
  }
  const leaving = ladderExitOf(held)
  const { side, size } = leaving
  const marks = exitPricesOf(leaving)
  const whole = [
    ['st', marks.stop],
    ['tr', marks.trail ?? marks.follow],
    ['at', marks.at],
  ] as const
  const isFlattened = own.exits.leave === 'fl'
  return [
    ...mirrors,
    ...(isFlattened
      ? [{ label: 'fl', side, amount: size.toFixed(), price: null, why: exitReason(leaving, marks, 'fl') }]
      : []),
    ...whole.flatMap(([label, price]) =>
      price === undefined
        ? []
        : [
            {
              label,
              side,
              amount: size.toFixed(),
              price: price.toFixed(),
              why: exitReason(leaving, marks, label),
            },
          ],
    ),
    ...(ladder.file.exit?.max_age === undefined
      ? []
      : [{ label: 'ag', side, amount: size.toFixed(), price: null, why: exitReason(leaving, marks, 'ag') }]),
    ...partsOf(leaving).map(({ label, price, amount }) => ({
      label,
      side,
      amount: amount.toFixed(),
      price: price.toFixed(),
      why: exitReason(leaving, marks, label),
    })),
  ]
}

/** What the orders of its exits are called, but for mirrors, which go by their rungs. */
function labelsOf({ file: { exit } }: ExitLadder): string[] {
  const parts = exit?.tp?.split.map((_, index) => `t${index + 1}`) ?? []
  const whole = { st: exit?.stop, tr: exit?.trail, at: exit?.at, ag: exit?.max_age }
  return [...parts, ...Object.entries(whole).flatMap(([label, own]) => (own === undefined ? [] : [label]))]
}

export function mirrorReason(level: string): string {
  return `it is the other side of ${level}, which has filled`
}

/** Why an exit stands where it does, with what is held and what would be paid for it at this moment. */
export function exitReason(
  { state, scene, ladder, own, entry, size, side, touch }: LadderExit,
  marks: ExitPrices,
  label: string,
): string {
  const { exit } = ladder.file
  const flatten = state.strategies[scene.name]?.flatten
  const away = (price: Decimal | undefined) => (price === undefined ? '' : `, ${fromEntry(price, entry)}`)
  const held = `position ${size.toFixed()}, average entry ${entry.toSignificantDigits(10).toFixed()}`
  const now = `${side === 'sell' ? 'bid' : 'ask'} ${touch?.toFixed() ?? 'unknown'}`
  const what = ((): string => {
    switch (wholeLabel(label)) {
      case 'st':
        return `the stop is at ${marks.stop?.toFixed() ?? 'no price'}${away(marks.stop)}`
      case 'tr':
        return own.exits.trailBest === null
          ? `it trails the price from ${marks.follow?.toFixed() ?? 'no price'}${away(marks.follow)}`
          : `it exits at ${marks.trail?.toFixed() ?? 'no price'}, behind the best price ${own.exits.trailBest}`
      case 'ag':
        return 'it exits when max_age is over'
      case 'fl':
        return `the whole position of the strategy is closed: ${flatten?.reason ?? 'the halt requires it'}`
      case 'at':
        return `exit.at is ${marks.at?.toFixed() ?? 'unknown'}${away(marks.at)}`
      default:
        return `it is part ${wholeLabel(label).slice(1)} of ${exit?.tp?.split.length ?? 1} of the take profit`
    }
  })()
  const { tooSmall } = own.exits
  const stuck = tooSmall && tooSmall.kind === exitKind(label) ? `${tooSmall.why}; ` : ''
  return `${stuck}${what}; ${held}; ${now}`
}

function fromEntry(price: Decimal, entry: Decimal): string {
  const percent = price.div(entry).minus(1).times(100)
  return `${percent.abs().toFixed(2)} % ${percent.lt(0) ? 'below' : 'above'} the average entry`
}
