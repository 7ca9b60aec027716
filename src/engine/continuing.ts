import type { StrategyFault } from '#src/strategy/fault.ts'
import type { Strategy } from '#src/strategy/schema.ts'
import { compileStrategy } from './compiled.ts'
import type { State } from './state.ts'

/**
 * What a new text must not change while something is at work: amounts are kept under the names of markets, so another
 * market under the same name would turn so many ETH into as many BTC, and their exits would sell those.
 */
export function continuingFaults(state: State, { name, markets }: Strategy): StrategyFault[] {
  const own = state.strategies[name]
  const before = own && compileStrategy(own.text, state.venue)
  if (!own || !before) return []
  return Object.entries(before.strategy.markets).flatMap(([alias, old]) => {
    const now = markets[alias]
    if (now?.symbol === old.symbol && now.positionSide === old.positionSide) return []
    const ladders = before.ladders.filter(({ file }) => file.market === alias).map((ladder) => ladder.name)
    const isHeld =
      (own.holdings[alias]?.position ?? '0') !== '0' ||
      ladders.some((ladder) => (own.ladders[ladder]?.held.position ?? '0') !== '0')
    const isOpen = Object.values(state.orders).some(
      ({ strategy, ladder, status }) => strategy === name && ladders.includes(ladder) && status !== 'ended',
    )
    if (!isHeld && !isOpen) return []
    const what = isHeld ? 'something is held' : 'orders rest'
    const path = now ? ['markets', alias] : ['markets']
    const message = `${what} under the name "${alias}", which means ${old.symbol} ${old.positionSide}`
    return [{ path, message, hint: `keep it as it is, and give the other market a name of its own` }]
  })
}
