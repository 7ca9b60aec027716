import { cutTo, Decimal, decimalText } from '#src/core/money/decimal.ts'
import { moneyOfLimit } from '#src/strategy/file/capital.ts'
import { stepKey } from '#src/strategy/expressions/programs.ts'
import { valueOf } from '#src/strategy/check/rungs.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Event } from '#src/engine/events.ts'
import { applyCommand } from '#src/engine/orders/command-effects.ts'
import { equityOf } from './equity.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { StepContext } from '#src/engine/step-context.ts'

const dayMs = 86_400_000
const moneyDigits = 8

/** The sum of the last 24 hours, including investments in flight or with unknown outcome. */
export function investedOf(state: State, { invested, investing }: StrategyState): Decimal {
  return [
    ...invested.filter(({ at }) => !reached(state, at + dayMs)),
    ...(investing ? [investing] : []),
  ].reduce((sum, { money }) => sum.plus(money), new Decimal(0))
}

/** Invests idle money: never more than the daily limit, and never while the outcome of an earlier investment is unknown. */
export function invest(
  context: StepContext,
  { name, strategy, programs, views }: Compiled,
  own: StrategyState,
  { rule, step, ticker, reinvest }: NonNullable<StrategyState['awaitingFlex']>[number],
): void {
  const { state, notes } = context
  const price = programs.amounts.get(stepKey(rule, step))
  const refuse = (text: string) =>
    notes.push({ type: 'alert', at: state.at, strategy: name, rule, message: `nothing invested: ${text}` })
  if (!price || state.ending) return
  if (state.venue.pending?.includes('flex')) {
    const others = (own.awaitingFlex ?? []).filter((each) => each.rule !== rule || each.step !== step)
    own.awaitingFlex = [...others, { rule, step, ticker, reinvest }]
    return refuse('the venue has not yet reported whether it has flexible plans; the bot asks again')
  }
  if (!state.venue.capabilities.includes('flex')) return refuse('the venue has no flexible plans')
  if (state.stopped ?? own.halted) return refuse('trading is stopped')
  if (own.investing)
    return refuse(`the outcome of ${own.investing.id} is unknown; rungs resolve can resolve it`)
  const wanted = valueOf(price, views.now)
  if ('unknown' in wanted) return refuse(wanted.unknown)
  own.invested = own.invested.filter(({ at }) => !reached(state, at + dayMs))
  const spent = investedOf(state, own)
  const limit = strategy.risk.max_flex_per_day ?? wanted.value.plus(spent)
  const left = moneyOfLimit(limit, equityOf(state))?.minus(spent)
  if (!left) return refuse('max_flex_per_day is a share of the equity of the account, which is unknown')
  const amount = cutTo(moneyDigits, Decimal.min(wanted.value, left))
  if (!amount.gt(0)) return refuse(left.gt(0) ? 'there is no idle money' : 'max_flex_per_day is reached')
  const id = `${name}.flex.${own.investments + 1}`
  applyCommand(context, { kind: 'invest', id, strategy: name, ticker, amount: decimalText(amount), reinvest })
}

/** The venue has told whether it offers the capability: waiting investments are submitted or refused. */
export function takeCapability(
  context: StepContext,
  { capability, has }: Omit<Extract<Event, { kind: 'capability' }>, 'kind' | 'at'>,
): void {
  const { state, known } = context
  const { venue } = state
  const pending = (venue.pending ?? []).filter((each) => each !== capability)
  const { pending: _, ...rest } = venue
  const capabilities = has ? [...venue.capabilities, capability] : venue.capabilities
  state.venue = { ...rest, capabilities, ...(pending.length > 0 && { pending }) }
  if (capability !== 'flex') return
  for (const name of state.running) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (!compiled || !own?.awaitingFlex) continue
    const waiting = own.awaitingFlex
    delete own.awaitingFlex
    refreshContext(state, compiled, own)
    for (const each of waiting) invest(context, compiled, own, each)
  }
}

export function takeInvested(
  { state, notes }: StepContext,
  { id, outcome, message }: Omit<Extract<Event, { kind: 'invested' }>, 'kind' | 'at'>,
): void {
  const { at } = state
  for (const [name, own] of Object.entries(state.strategies)) {
    const { investing } = own
    if (investing?.id !== id) continue
    if (outcome === 'unknown') investing.isDoubtful = true
    else own.investing = null
    if (outcome === 'accepted') own.invested.push({ at, money: investing.money })
    const { money: amount, ticker: currency } = investing
    notes.push({ type: 'flex-invested', at, strategy: name, currency, amount, outcome, message })
  }
}
