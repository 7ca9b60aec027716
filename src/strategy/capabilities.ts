import type { StrategyFault } from './fault.ts'
import { capabilities, type Capability, type Strategy } from './schema.ts'

/** What the embedded exchange has, and others that serve as much. */
export const served: Readonly<Record<'spec' | 'full', readonly Capability[]>> = {
  spec: ['bulk', 'history', 'balance', 'flex'],
  full: capabilities,
}

/** A place in the file that does nothing without the capability. */
type Use = {
  capability: Capability
  path: PropertyKey[]
  /** Who needs it. */
  what: string
  /** What comes of it without, and what to write there. */
  lack: string
  instead: string
}

/** What it means to be without, for a capability that no single place of the file asks for. */
const lacks: Readonly<Record<Capability, string>> = {
  bulk: 'many orders cannot be placed at once',
  history: 'what became of an order cannot be looked up',
  balance: 'what there is to spend cannot be looked up',
  cancel: 'orders cannot be taken back',
  open_orders: 'resting orders cannot be listed',
  market_data: 'it tells no prices',
  streams: 'nothing is told as it happens',
  flex: 'idle money cannot be invested',
  position_side_short: 'long and short cannot be held side by side',
}

/** All that asks for a capability not every venue has. */
export function usesOf(strategy: Strategy): Use[] {
  const uses: Use[] = []
  for (const [name, { positionSide }] of Object.entries(strategy.markets)) {
    if (positionSide !== 'short') continue
    uses.push({
      capability: 'position_side_short',
      path: ['markets', name, 'positionSide'],
      what: 'a short side',
      lack: 'a short side cannot be held beside a long one',
      instead: 'leave the short side out',
    })
  }
  const cancel = (path: PropertyKey[], what: string, lack: string, instead: string) =>
    uses.push({ capability: 'cancel', path, what, lack, instead })
  for (const [name, { rebase, exit }] of Object.entries(strategy.ladder)) {
    const path = ['ladder', name]
    if (typeof rebase === 'object')
      cancel(
        [...path, 'rebase'],
        'a ladder that follows its anchor',
        'a ladder that follows its anchor cannot take rungs back',
        'leave rebase out',
      )
    if (rebase === 'on_flat' && exit?.mirror !== undefined)
      cancel(
        [...path, 'rebase'],
        'a grid that is laid anew',
        'a grid that is laid anew cannot take rungs back',
        'leave rebase out',
      )
    if (exit?.tp?.mode === 'resting')
      cancel(
        [...path, 'exit', 'tp', 'mode'],
        'an exit that moves while it rests',
        'an exit that moves while it rests cannot be taken back',
        'write on_touch_ioc',
      )
  }
  for (const [index, rule] of strategy.rules.entries()) {
    for (const [step, { retire, flex_invest: invest }] of rule.do.entries()) {
      const path = ['rules', index, 'do', step]
      if (retire !== undefined)
        cancel([...path, 'retire'], 'taking rungs back', 'rungs cannot be taken back', 'freeze the ladder')
      if (invest)
        uses.push({
          capability: 'flex',
          path: [...path, 'flex_invest'],
          what: 'investing idle money',
          lack: 'idle money cannot be invested',
          instead: 'leave it out',
        })
    }
  }
  if (strategy.risk.deadman)
    cancel(
      ['risk', 'deadman'],
      'withdrawing everything',
      'orders cannot be withdrawn when the bot is silent',
      'leave it out',
    )
  return uses
}

/** Why a strategy cannot be run at a venue that has no more than this; where it says what it lacks, if it does. */
export function venueFaults(strategy: Strategy, has: readonly Capability[]): StrategyFault[] {
  const uses = usesOf(strategy)
  return strategy.needs.flatMap((capability, index): StrategyFault[] => {
    if (has.includes(capability)) return []
    const message = `this venue has no ${capability}: `
    const found = uses.filter((use) => use.capability === capability)
    if (found.length === 0) {
      const hint = 'take it off needs if the strategy can do without'
      return [{ path: ['needs', index], message: message + lacks[capability], hint }]
    }
    return found.map(({ path, lack, instead }) => ({
      path,
      message: message + lack,
      hint: `${instead}, or trade where there is ${capability}`,
    }))
  })
}
