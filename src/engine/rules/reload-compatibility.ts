import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { compileStrategy, type Compiled } from './compiled-strategy.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'

type Market = Strategy['markets'][string]

/**
 * What a new text must not change while orders or positions are open. Amounts are stored under the names of markets, so another
 * market under the same name would turn an amount of ETH into the same amount of BTC, and its exits would sell that. And only the
 * exits of a ladder close its holding: without the ladder, nothing would stop a loss.
 */
export function reloadFaults(state: State, text: Strategy): StrategyFault[] {
  const own = state.strategies[text.name]
  const before = own && compileStrategy(own.text, state.venue)
  return own && before
    ? [...marketFaults(state, own, before, text), ...ladderFaults(state, own, before, text)]
    : []
}

function marketFaults(state: State, own: StrategyState, before: Compiled, text: Strategy): StrategyFault[] {
  return Object.entries(before.strategy.markets).flatMap(([alias, old]) => {
    const now = text.markets[alias]
    if (isSame(now, old)) return []
    const ladders = before.ladders.filter(({ file }) => file.market === alias).map((ladder) => ladder.name)
    const what = atWork(state, own, text.name, ladders, own.holdings[alias]?.position)
    if (what === null) return []
    const path = now ? ['markets', alias] : ['markets']
    const message = `${what} under the name "${alias}", which means ${old.symbol} ${old.positionSide}`
    return [{ path, message, hint: `keep it unchanged, and use another name for the other market` }]
  })
}

function ladderFaults(state: State, own: StrategyState, before: Compiled, text: Strategy): StrategyFault[] {
  return before.ladders.flatMap(({ name, file: { market } }) => {
    const now = text.ladder[name]
    const old = before.strategy.markets[market]
    // If the name now means another market, the message names that.
    if (now?.market === market || !old || !isSame(text.markets[market], old)) return []
    const what = atWork(state, own, text.name, [name])
    if (what === null) return []
    const path = now ? ['ladder', name, 'market'] : ['ladder']
    const message = `${what} by the ladder "${name}" in the market "${market}", and no other ladder would manage that`
    const ending = `with a rule that says retire: ${name}, until the position is flat and no order is open`
    const hint = `keep it unchanged, ${ending}; another ladder needs a name of its own`
    return [{ path, message, hint }]
  })
}

function isSame(now: Market | undefined, old: Market): boolean {
  return now?.symbol === old.symbol && now.positionSide === old.positionSide
}

function atWork(
  { orders }: State,
  own: StrategyState,
  strategy: string,
  ladders: readonly string[],
  position = '0',
): string | null {
  if (position !== '0' || ladders.some((name) => (own.ladders[name]?.held.position ?? '0') !== '0'))
    return 'a position is open'
  const isOpen = Object.values(orders).some(
    (order) => order.strategy === strategy && ladders.includes(order.ladder) && order.status !== 'ended',
  )
  return isOpen ? 'orders are open' : null
}
