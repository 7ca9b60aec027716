import { listText, stopRests, wholeExitNames } from '#src/strategy/schema/exit-schema.ts'
import { followsFills, type LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import type { Scenario } from '#src/research/backtest/scenario.ts'
import type { State } from '#src/engine/state/state.ts'

/** The meaning of defaults and short forms in a ladder; docs/strategy-reference.md has the same rules. */
const ladderRules: { holds: (ladder: LadderFile) => boolean; text: string }[] = [
  {
    holds: ({ exit }) => leavesOnTouch(exit),
    text:
      `A take profit (mode on_touch_ioc, the default), ${listText(wholeExitNames, 'and')} send an immediate order when the ` +
      'price is reached. The order takes and pays the taker fee.',
  },
  {
    holds: stopRests,
    text:
      'A stop with mode resting is a conditional order at the exchange: when the price of the market reaches it, it takes ' +
      'at the price of the market and pays the taker fee.',
  },
  {
    holds: ({ exit }) => exit?.mirror !== undefined || exit?.tp?.mode === 'resting',
    text: 'Mirrors and a take profit with mode resting rest at their price.',
  },
  {
    holds: ({ spacing }) => spacing.kind === 'geometric',
    text: 'Spacing geometric compounds: each gap is a share of the price of the rung before it.',
  },
  {
    holds: ({ side }) => side === 'both',
    text: 'With two sides, size.total is for the rungs of both sides together; shape flat gives each rung the same share.',
  },
  {
    holds: ({ exit, rebase }) => exit === undefined && typeof rebase === 'object' && !rebase.on_fill,
    text: 'A ladder without exits places all rungs again min_gap after a fill, filled rungs included.',
  },
  {
    holds: ({ exit, rebase }) =>
      exit === undefined && rebase !== 'on_flat' && rebase !== 'on_fill' && typeof rebase !== 'object',
    text: 'A ladder without exits and without rebase places each rung once: a filled rung is not placed again.',
  },
  {
    holds: ({ exit, ...ladder }) => followsFills(ladder) && exit?.mirror === undefined,
    text: 'A ladder that follows fills computes and places all rungs again after each fill of the strategy.',
  },
  {
    holds: ({ exit }) => exit?.earn === 'base',
    text: 'With earn base, a mirror sells what pays the cost of its rung and both fees; the other coins stay a position.',
  },
  {
    holds: ({ exit, rebase }) => exit === undefined && rebase === 'on_flat',
    text: 'A ladder without exits and with rebase on_flat places its rungs again when its position is back at zero.',
  },
]

/** The rules that the ladders of the strategies use. */
export function ladderTexts(strategies: Scenario['strategies']): string[] {
  const ladders = [...strategies.values()].flatMap(({ strategy }) => Object.values(strategy.ladder))
  return ladderRules.filter(({ holds }) => ladders.some((ladder) => holds(ladder))).map(({ text }) => text)
}

function leavesOnTouch(exit: LadderFile['exit']): boolean {
  const isWatched = (name: (typeof wholeExitNames)[number]) =>
    exit?.[name] !== undefined && (name !== 'stop' || !stopRests({ exit }))
  return exit?.tp?.mode === 'on_touch_ioc' || wholeExitNames.some(isWatched)
}

/** Why ladders that a rule has placed have no rungs at the end: else a backtest without orders would give no reason. */
export function missingTexts({ strategies }: State): string[] {
  return Object.entries(strategies).flatMap(([name, { ladders }]) =>
    Object.entries(ladders).flatMap(([ladder, { goal, missing }]) =>
      goal === 'ensure' && missing !== null ? `${name}.${ladder} is not placed at the end: ${missing}.` : [],
    ),
  )
}
