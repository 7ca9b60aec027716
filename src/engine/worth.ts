import { formatAtoms, parseSignedAtoms } from '#src/money/atoms.ts'
import { Decimal, isLess, numberOf } from '#src/money/decimal.ts'
import type { BotEvent } from '#src/logs/events.ts'
import { capitalOf } from '#src/strategy/capital.ts'
import type { Strategy } from '#src/strategy/schema.ts'
import { haltStrategy } from './halting.ts'
import { endPause, liftPause, noteBest, pauseBest, pauseEnd, pauseSince, timeText } from './pausing.ts'
import { priceOf } from './prices.ts'
import { margin } from './risk-order.ts'
import type { Holding, State, StrategyState, Worth } from './state.ts'

const dayMs = 86_400_000

export function newWorth(): Worth {
  return { result: '0', peak: '0', day: 0, dayBegan: '0' }
}

/** Since 1970, in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs)
}

/** After an operator has looked: what was lost until now stops nothing any more. */
export function forgiveLoss(own: StrategyState): void {
  liftPause(own)
  own.worth.peak = own.worth.result
  delete own.worth.bests
}

/**
 * What the strategy has made at the prices of now, fees paid and open positions included; and whether it has lost so
 * much of its best result that it must pause or halt. While a price is unknown the last result stands. To be asked with
 * fills and ticks.
 */
export function judgeWorth(state: State, strategy: Strategy): BotEvent[] {
  const { name, risk } = strategy
  const own = state.strategies[name]
  if (!own) return []
  const found = resultOf(strategy, own, (symbol) => priceOf(state, strategy, symbol)?.price)
  const notes = endPause(state, strategy, own, found ?? own.worth.result)
  if (found === undefined) return notes
  const { worth } = own
  const day = dayOf(state.at)
  if (day !== worth.day) {
    worth.day = day
    worth.dayBegan = worth.result
  }
  worth.result = found
  if (isLess(worth.peak, worth.result)) worth.peak = worth.result
  const { pause } = risk.drawdown
  const limits = limitsOf(strategy)
  const { capital } = limits
  if (isFarFrom(worth, Math.min(numberOf(limits.pause), numberOf(limits.halt)))) return notes
  const lost = new Decimal(worth.peak).minus(worth.result)
  const reasonOf = (act: 'pause' | 'halt', loss: Decimal, since: string, share: Decimal) =>
    `${loss.toFixed(2, Decimal.ROUND_UP)} lost ${since}, and drawdown says ${act} at ` +
    `${limits[act].toFixed(2, Decimal.ROUND_DOWN)}, which is ${share.times(100).toFixed()}% of ${capital.toFixed()}`
  if (lost.gte(limits.halt) && own.halted === null) {
    haltStrategy({ state, notes }, name, {
      cause: 'drawdown',
      reason: reasonOf('halt', lost, 'since the best result', risk.drawdown.halt),
      after: risk.drawdown.then,
    })
    return notes
  }
  if (own.pauses['drawdown'] !== undefined || own.halted !== null) return notes
  const lostLately = new Decimal(pauseBest(worth)).minus(worth.result)
  if (lostLately.lt(limits.pause)) return notes
  const until = (own.pausedUntil = pauseEnd(pause, worth, state.at))
  const why = reasonOf('pause', lostLately, pauseSince(pause, worth), pause.at)
  const reason = (own.pauses['drawdown'] = `${why}; entries go on at ${timeText(until)}`)
  return [...notes, { type: 'paused', at: state.at, strategy: name, reason, until }]
}

/** Where so little is lost that no digit could make a limit of it. */
function isFarFrom({ peak, result }: Worth, limit: number): boolean {
  const [best, now] = [Number(peak), Number(result)]
  return best - now + margin * (Math.abs(best) + Math.abs(now)) < limit
}

/** A price was passed that nobody was told of: the best result counts from there, if it was better than any before. */
export function judgePassed(
  strategy: Strategy,
  own: StrategyState,
  symbol: string,
  price: number,
  at: number,
): void {
  const found = resultOf(strategy, own, (each) => (each === symbol ? new Decimal(price) : undefined))
  if (found === undefined) return
  noteBest(strategy.risk.drawdown.pause, own.worth, found, at)
  if (isLess(own.worth.peak, found)) own.worth.peak = found
}

/** What came in, less what went out, and what is held at the price of now: exact. */
function resultOf(
  strategy: Strategy,
  own: StrategyState,
  priceAt: (symbol: string) => Decimal | undefined,
): string | undefined {
  let result: Decimal | undefined
  for (const market in own.holdings) {
    const holding = own.holdings[market]
    if (!holding) continue
    const numbers = numbersOf(holding)
    const { position, paid } = numbers
    let worth = paid
    if (!position.isZero()) {
      const symbol = strategy.markets[market]?.symbol
      const price = symbol === undefined ? undefined : priceAt(symbol)
      if (!price) return undefined
      // Mostly neither what is held nor the price is another than when somebody asked last.
      if (numbers.at?.price !== price) numbers.at = { price, worth: price.times(position).plus(paid) }
      worth = numbers.at.worth
    }
    result = result ? result.plus(worth) : worth
  }
  return result?.toFixed() ?? '0'
}

/** What came in less what went out, without what is held; both also as doubles. */
type Numbers = {
  position: Decimal
  paid: Decimal
  roughly: { position: number; paid: number }
  at?: { price: Decimal; worth: Decimal }
}
const read = new WeakMap<Holding, { of: Holding; numbers: Numbers }>()

/** Beside the holding, since prices come much more often than fills. */
export function numbersOf(holding: Holding): Numbers {
  const { position, cost, realized, fees } = holding
  const before = read.get(holding)
  const of = before?.of
  if (before && of?.position === position && of.cost === cost && of.realized === realized && of.fees === fees)
    return before.numbers
  const paid = new Decimal(
    formatAtoms(parseSignedAtoms(realized) - parseSignedAtoms(fees) - parseSignedAtoms(cost)),
  )
  const roughly = { position: Number(position), paid: Number(realized) - Number(fees) - Number(cost) }
  const numbers: Numbers = { position: new Decimal(position), paid, roughly }
  read.set(holding, { of: { ...holding }, numbers })
  return numbers
}

type Limits = { capital: Decimal; halt: Decimal; pause: Decimal }
const known = new WeakMap<Strategy, Limits>()

/** Of its file, which does not change while it is one. */
export function limitsOf(strategy: Strategy): Limits {
  let limits = known.get(strategy)
  if (!limits) {
    const capital = capitalOf(strategy)
    const { halt, pause } = strategy.risk.drawdown
    limits = { capital, halt: capital.times(halt), pause: capital.times(pause.at) }
    known.set(strategy, limits)
  }
  return limits
}
