import type { StrategyFault } from './strategy-fault.ts'
import {
  capabilities,
  type Capability,
  type Strategy,
  type WrittenStrategy,
} from '#src/strategy/schema/strategy-schema.ts'

/** The capabilities of the embedded exchange in each profile. */
export const served: Readonly<Record<'spec' | 'full', readonly Capability[]>> = {
  spec: ['bulk', 'history', 'balance', 'flex'],
  full: capabilities,
}

/** A place in the file that needs the capability to have an effect. */
type Use = {
  capability: Capability
  path: PropertyKey[]
  /** The part of the file that needs it. */
  what: string
  /** The consequence without it, and what to write instead. */
  lack: string
  instead: string
}

/** The consequence without a capability that the whole strategy needs, not one place of its file. */
const lacks: Readonly<Record<Capability, string>> = {
  bulk: 'it cannot place several orders in one request',
  history: 'it cannot look up past orders',
  balance: 'it does not report the available balance',
  cancel: 'it cannot cancel orders',
  amend: 'it cannot amend orders',
  open_orders: 'it cannot list open orders',
  market_data: 'it reports no prices',
  streams: 'it has no streams',
  flex: 'it cannot invest idle money',
  position_side_short: 'it cannot hold long and short positions in one market',
  conditional_orders: 'it has no orders that wait for an activation price',
}

/** All places that need an optional capability. */
export function usesOf(
  strategy: Omit<WrittenStrategy, 'feeds'> & Pick<Strategy, 'futures' | 'depth' | 'trades'>,
): Use[] {
  const uses: Use[] = []
  for (const [name, { positionSide }] of Object.entries(strategy.markets)) {
    if (positionSide !== 'short') continue
    uses.push({
      capability: 'position_side_short',
      path: ['markets', name, 'positionSide'],
      what: 'a short side',
      lack: 'it cannot hold a short position beside a long one',
      instead: 'omit positionSide',
    })
  }
  const polled = (feeds: object, what: string, lack: string) => {
    for (const name of Object.keys(feeds))
      uses.push({ capability: 'market_data', path: ['feeds', name], what, lack, instead: 'omit the feed' })
  }
  polled(strategy.futures, 'a feed of futures', 'it does not list futures')
  polled(strategy.depth, 'a feed of depth', 'it does not show order books')
  polled(strategy.trades, 'a feed of trades', 'it does not list trades')
  const cancel = (path: PropertyKey[], what: string, lack: string, instead: string) =>
    uses.push({ capability: 'cancel', path, what, lack, instead })
  for (const [name, ladder] of Object.entries(strategy.ladder))
    uses.push(...ladderUses(['ladder', name], ladder))
  for (const [index, rule] of strategy.rules.entries()) {
    for (const [step, { retire, close, flex_invest: invest }] of rule.do.entries()) {
      const path = ['rules', index, 'do', step]
      if (retire !== undefined)
        cancel([...path, 'retire'], 'cancelling orders', 'orders cannot be cancelled', 'freeze the ladder')
      if (close !== undefined && (close.share === undefined || close.how === 'post'))
        cancel(
          [...path, 'close'],
          'closing a position, which cancels orders first,',
          'orders cannot be cancelled',
          'use an exit of the ladder',
        )
      if (invest)
        uses.push({
          capability: 'flex',
          path: [...path, 'flex_invest'],
          what: 'investing idle money',
          lack: 'it cannot invest idle money',
          instead: 'omit it',
        })
    }
  }
  if (strategy.risk.deadman)
    cancel(
      ['risk', 'deadman'],
      'the kill switch',
      'it cannot cancel orders when the heartbeat stops',
      'omit it',
    )
  return uses
}

type WrittenLadder = Pick<WrittenStrategy['ladder'][string], 'rebase' | 'exit'>

function ladderUses(path: PropertyKey[], { rebase, exit }: WrittenLadder): Use[] {
  const uses: Use[] = []
  const cancel = (at: PropertyKey[], what: string, lack: string, instead: string) =>
    uses.push({ capability: 'cancel', path: [...path, ...at], what, lack, instead })
  const mover =
    (typeof rebase === 'object' && 'a ladder that follows its anchor') ||
    (rebase === 'on_fill' && 'a ladder that follows fills') ||
    (rebase === 'on_flat' && exit?.mirror !== undefined && 'a ladder with rebase')
  if (mover) cancel(['rebase'], mover, `${mover} cannot cancel its orders`, 'omit rebase')
  if (typeof rebase === 'object' && rebase.amend)
    uses.push({
      capability: 'amend',
      path: [...path, 'rebase', 'amend'],
      what: 'amending orders',
      lack: lacks.amend,
      instead: 'omit amend',
    })
  const exits = [
    ['stop', 'a resting stop'],
    ['tp', 'a resting exit'],
  ] as const
  for (const [key, what] of exits) {
    if (exit?.[key]?.mode !== 'resting') continue
    const at = ['exit', key, 'mode']
    const instead = 'write on_touch_ioc'
    cancel(at, `${what} that moves`, `${what} that moves cannot be cancelled`, instead)
    const lack = lacks.conditional_orders
    if (key === 'stop')
      uses.push({ capability: 'conditional_orders', path: [...path, ...at], what, lack, instead })
  }
  return uses
}

/** Why a strategy cannot run at a venue with only these capabilities, each at the place that needs one. */
export function venueFaults(strategy: Strategy, has: readonly Capability[]): StrategyFault[] {
  const uses = usesOf(strategy)
  return strategy.needs.flatMap((capability, index): StrategyFault[] => {
    if (has.includes(capability)) return []
    const message = `this venue has no ${capability}: `
    const found = uses.filter((use) => use.capability === capability)
    if (found.length === 0) {
      const hint = 'remove it from needs if the strategy works without it'
      return [{ path: ['needs', index], message: message + lacks[capability], hint }]
    }
    return found.map(({ path, lack, instead }) => ({
      path,
      message: message + lack,
      hint: `${instead}, or use a venue with ${capability}`,
    }))
  })
}
