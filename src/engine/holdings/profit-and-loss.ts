import { formatAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal, isLess, numberOf } from '#src/core/money/decimal.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { capitalOf, inMoney, isCapitalShare } from '#src/strategy/file/capital.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { keepEquity, keepsEquity, peakEquityOf } from '#src/engine/account/equity.ts'
import { haltStrategy } from '#src/engine/rules/halts.ts'
import {
  endPause,
  evaluateAround,
  liftPause,
  lossPause,
  noteBest,
  pauseBest,
  pauseEnd,
  pauseSince,
  timeText,
} from '#src/engine/rules/pauses.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import { relativeTolerance } from '#src/core/money/bounded.ts'
import { dayMs, dayOf } from '#src/engine/state/ticks.ts'
import { evaluateAgain } from '#src/engine/state/validity.ts'
import type { Holding, State, StrategyState, ProfitAndLoss } from '#src/engine/state/state.ts'

export function newProfitAndLoss(): ProfitAndLoss {
  return { result: '0', peak: '0', day: 0, dayBegan: '0' }
}

/**
 * How far the result is below the best one, and the largest such distance. The best result is that of all mid prices that the bot
 * received, since an operator last resumed the strategy.
 */
export function drawdownOf(worth: ProfitAndLoss): { drawdown: string; maxDrawdown: string } {
  const now = Decimal.max(0, new Decimal(worth.peak).minus(worth.result))
  const maxDrawdown = new Decimal(worth.maxDrawdown ?? now)
  // The best result may belong to a quote after the last recorded result.
  return { drawdown: Decimal.min(now, maxDrawdown).toFixed(), maxDrawdown: maxDrawdown.toFixed() }
}

/** An operator has resumed the strategy: earlier losses no longer count for its limits. */
export function forgiveLoss(own: StrategyState): void {
  liftPause(own)
  own.worth.peak = own.worth.result
  delete own.worth.bests
  if (own.worth.equity) own.worth.equity.peak = null
}

/**
 * Computes the result of the strategy at current prices, including fees and open positions; and whether the loss from its best
 * result is large enough to pause or halt. While a price is unknown, the last result stays. Called with fills and ticks.
 */
export function updateProfitAndLoss(state: State, strategy: Strategy): BotEvent[] {
  const { name, risk } = strategy
  const own = state.strategies[name]
  if (!own) return []
  const found = currentResult(state, strategy, own)
  const notes = endPause(state, strategy, own, found ?? own.worth.result)
  if (found === undefined) return notes
  const { worth } = own
  const day = dayOf(state.at)
  const keeps = keepsEquity(strategy)
  if (keeps || risk.daily_loss !== undefined || state.venue.limits?.daily_loss !== undefined)
    evaluateAround(state, dayMs)
  if (keeps) keepEquity(state, worth, day !== worth.day)
  if (day !== worth.day) {
    worth.day = day
    worth.dayBegan = worth.result
  }
  worth.result = found
  if (isLess(worth.peak, worth.result)) worth.peak = worth.result
  noteDrawdown(worth, worth.result)
  const limit = reachedLimit(strategy, own, found)
  if (!limit) return notes
  evaluateAgain(state)
  const { act, most, best, capital } = limit
  const { pause, halt, then: after } = risk.drawdown
  const [since, share] =
    act === 'halt' ? ['since the best result', halt] : [pauseSince(pause, worth), pause.at]
  const why =
    `${new Decimal(best).minus(found).toFixed(2, Decimal.ROUND_UP)} lost ${since}, and drawdown says ${act} at ` +
    `${most.toFixed(2, Decimal.ROUND_DOWN)}, which is ${share.times(100).toFixed()}% of ${capital.toFixed()}`
  if (act === 'halt') {
    haltStrategy({ state, notes }, name, { cause: 'drawdown', reason: why, after })
    return notes
  }
  const until = (own.pausedUntil = pauseEnd(pause, worth, state.at))
  const reason = (own.pauses[lossPause] = `${why}; entries resume at ${timeText(until)}`)
  return [...notes, { type: 'paused', at: state.at, strategy: name, reason, until }]
}

/** Records the result at current prices; true if a limit is reached, so that the strategy must be evaluated at once. */
export function recordNow(state: State, strategy: Strategy, own: StrategyState): boolean {
  const found = currentResult(state, strategy, own)
  if (found === undefined) return false
  record(strategy, own, found, state.at)
  return reachedLimit(strategy, own, found) !== undefined
}

type LossLimit = { act: 'halt' | 'pause'; most: Decimal; best: string; capital: Decimal }

/**
 * The losses that halt or pause the strategy now, each with the result that it counts from. None while the capital is a share of
 * an equity that is unknown: then no entries were placed.
 */
export function lossLimits(strategy: Strategy, own: StrategyState): LossLimit[] {
  if (own.halted !== null) return []
  const found = limitsOf(strategy, own.worth)
  if (!found) return []
  const { capital, pause, halt } = found
  const limits: LossLimit[] = [{ act: 'halt', most: halt, best: own.worth.peak, capital }]
  if (own.pauses[lossPause] === undefined)
    limits.push({ act: 'pause', most: pause, best: pauseBest(own.worth), capital })
  return limits
}

function reachedLimit(strategy: Strategy, own: StrategyState, result: string): LossLimit | undefined {
  return lossLimits(strategy, own).find(({ most, best }) => {
    const [peak, now] = [Number(best), Number(result)]
    // Mostly the loss is so small that no digit could reach the limit.
    const isFar = peak - now + relativeTolerance * (Math.abs(peak) + Math.abs(now)) < numberOf(most)
    return !isFar && new Decimal(best).minus(result).gte(most)
  })
}

/** Records the result at prices that no quote event told. */
export function recordPassed(
  strategy: Strategy,
  own: StrategyState,
  prices: ReadonlyMap<string, number>,
  at: number,
): void {
  const found = resultOf(strategy, own, (symbol) => {
    const price = prices.get(symbol)
    return price === undefined ? undefined : new Decimal(price)
  })
  if (found !== undefined) record(strategy, own, found, at)
}

function record({ risk }: Strategy, { worth }: StrategyState, result: string, at: number): void {
  noteBest(risk.drawdown.pause, worth, result, at)
  if (isLess(worth.peak, result)) worth.peak = result
  noteDrawdown(worth, result)
}

function noteDrawdown(worth: ProfitAndLoss, result: string): void {
  const { peak, maxDrawdown } = worth
  const most = Number(maxDrawdown ?? 0)
  const near = Number(peak) - Number(result)
  if (near + relativeTolerance * (Math.abs(Number(peak)) + most) < most) return
  const drawdown = new Decimal(peak).minus(result)
  if (drawdown.gt(maxDrawdown ?? 0)) worth.maxDrawdown = drawdown.toFixed()
}

function currentResult(state: State, strategy: Strategy, own: StrategyState): string | undefined {
  return resultOf(strategy, own, (symbol, holding) => heldPrice(state, strategy, symbol, holding))
}

/**
 * The current price of a holding, or the price of our own last deal if that is newer: at an older price, a deal would at once
 * look like a profit or a loss.
 */
export function heldPrice(
  state: State,
  strategy: Strategy,
  symbol: string,
  holding: Holding,
): Decimal | undefined {
  const found = priceOf(state, strategy, symbol)
  const { last } = numbersOf(holding)
  return found && last && last.dealtAt >= found.before ? dealPrice(last) : found?.price
}

/** Money received, less money paid, plus the holding at these prices: exact. */
function resultOf(
  strategy: Strategy,
  own: StrategyState,
  priceAt: (symbol: string, holding: Holding) => Decimal | undefined,
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
      const price = symbol === undefined ? undefined : priceAt(symbol, holding)
      if (!price) return undefined
      // Usually neither the holding nor the price has changed since the last call.
      if (numbers.at?.price !== price) numbers.at = { price, worth: price.times(position).plus(paid) }
      worth = numbers.at.worth
    }
    result = result ? result.plus(worth) : worth
  }
  return result?.toFixed() ?? '0'
}

type Deal = { dealtAt: number; amount: string; money: string }
/** Money received less money paid, without the holding; both also as doubles. `last` is the last deal of a known time. */
type Numbers = {
  of: Pick<Holding, 'position' | 'cost' | 'realized' | 'fees'>
  position: Decimal
  paid: Decimal
  roughly: { position: number; paid: number }
  last: Deal | undefined
  at?: { price: Decimal; worth: Decimal }
}
const read = new WeakMap<Holding, Numbers>()

/** Cached for each holding, since prices come much more often than fills. */
export function numbersOf(holding: Holding): Numbers {
  const { position, cost, realized, fees } = holding
  const before = read.get(holding)
  const of = before?.of
  if (before && of?.position === position && of.cost === cost && of.realized === realized && of.fees === fees)
    return before
  const paid = new Decimal(
    formatAtoms(parseSignedAtoms(realized) - parseSignedAtoms(fees) - parseSignedAtoms(cost)),
  )
  const roughly = { position: Number(position), paid: Number(realized) - Number(fees) - Number(cost) }
  const texts = { position, cost, realized, fees }
  const numbers: Numbers = {
    of: texts,
    position: new Decimal(position),
    paid,
    roughly,
    last: lastDeal(holding),
  }
  read.set(holding, numbers)
  return numbers
}

/** Corrections of a fee or of an amount of money are booked, too, and have no price. */
function lastDeal({ tail }: Holding): Deal | undefined {
  const last = tail?.findLast(({ amount, money }) => amount !== '0' && money !== '0')
  if (!last || last.dealtAt === null) return undefined
  const { dealtAt, amount, money } = last
  return { dealtAt, amount, money }
}

function dealPrice({ amount, money }: Deal): Decimal {
  return new Decimal(money).div(amount).toSignificantDigits(15, Decimal.ROUND_HALF_EVEN)
}

type Limits = { capital: Decimal; halt: Decimal; pause: Decimal }
const known = new WeakMap<Strategy, { peak: string | null | undefined; limits: Limits | undefined }>()

/** The limits in the strategy's file, cached for each file and each equity that counts. */
function limitsOf(strategy: Strategy, worth: ProfitAndLoss): Limits | undefined {
  const before = known.get(strategy)
  const peak = worth.equity?.peak
  if (before && before.peak === peak) return before.limits
  const capital = drawdownCapital(strategy, worth)
  const { halt, pause } = strategy.risk.drawdown
  const limits = capital && { capital, halt: capital.times(halt), pause: capital.times(pause.at) }
  known.set(strategy, { peak, limits })
  return limits
}

/** The capital of which `drawdown` is a share; undefined while the equity is unknown that it depends on. */
export function drawdownCapital(strategy: Strategy, worth: ProfitAndLoss | undefined): Decimal | undefined {
  const equity = isCapitalShare(strategy) ? peakEquityOf(worth) : new Decimal(0)
  return equity && capitalOf(inMoney(strategy, equity))
}
