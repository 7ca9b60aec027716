import type { Compiled } from './compiled.ts'
import type { OrderAnswer } from './events.ts'
import type { LadderState, Order, StrategyState } from './state.ts'
import type { Turn } from './turn.ts'

/** A post-only order that would have taken may rest a moment later. */
const makerCode = 13
const makerWords = /maker|post.?only|would (?:take|cross|match)/i
/** What breaks a rule of the market breaks it the next time, too. All else is of the moment: money, price band, room. */
const ruleWords = new RegExp(
  [
    String.raw`\bmin(?:imum|imal)?\b|\bsteps?\b|multiple of|precision|too (?:large|small)\b`,
    String.raw`total\b.*\b(?:less|more|greater) than|\b(?:field|flag)\b|hedge mode`,
  ].join('|'),
  'i',
)

/** The waits of an entry: 4 s, 16 s, about one and then about four minutes, for as long as it takes. */
const entryWaitMsMax = 256_000
/** So long after a wait a refusal is one of a new row. */
const sameRowMs = 200_000
const refusalsUntilTold = 4
const exitWaits = { fromMs: 1000, toMs: 60_000 }

type Refusal = Extract<OrderAnswer, { kind: 'refused' }>

export function refused(
  turn: Turn,
  compiled: Compiled | undefined,
  own: StrategyState,
  order: Order,
  answer: Refusal,
): void {
  const { state, notes } = turn
  const ladder = own.ladders[order.ladder]
  if (!ladder || !compiled) return
  if (order.role === 'exit') return exitRefused(turn, ladder, order, answer)
  if (answer.code === makerCode || makerWords.test(answer.message))
    return putOffEntry(turn, own, order, answer.message)
  const { on_reject: policy, on_one_sided: oneSided } = compiled.strategy.submit
  const reason = `${order.id} was refused: ${answer.message}`
  if (policy === 'skip_level') putOffEntry(turn, own, order, answer.message)
  for (const [name, other] of Object.entries(own.ladders)) {
    const goesOn = other === ladder ? policy === 'skip_level' : oneSided === undefined
    if (goesOn || other.frozen !== null) continue
    other.frozen = reason
    const message = `${name} places nothing more: ${reason}`
    notes.push({
      type: 'alert',
      at: state.at,
      strategy: order.strategy,
      ladder: name,
      order: order.id,
      message,
    })
  }
}

/**
 * Tried again a little later, each time later. What breaks a rule is not, before the ladder is laid anew; and then it waits,
 * too, since a ladder that follows the market is laid anew all the time.
 */
export function putOffEntry({ state, notes }: Turn, own: StrategyState, order: Order, message: string): void {
  const { at } = state
  const rungs = own.ladders[order.ladder]?.rungs ?? []
  const rung = rungs.find(({ level }) => level === order.level)
  if (!rung || order.role === 'exit') return
  const count = at < rung.wait.until + sameRowMs ? rung.wait.count + 1 : 1
  const pause = Math.min(1000 * 4 ** count, entryWaitMsMax)
  rung.wait = { count, until: at + pause, why: message }
  const breaksRule = ruleWords.test(message)
  if (breaksRule) rung.held = `the venue refused it: ${message}`
  // One of a ladder speaks for all.
  const isTold = rungs.some(
    ({ level, held, wait }) =>
      level !== rung.level &&
      (breaksRule ? held !== null : wait.until > at && wait.count >= refusalsUntilTold),
  )
  if (count !== (breaksRule ? 1 : refusalsUntilTold) || isTold) return
  const { strategy, ladder, market, id, level } = order
  const what = breaksRule
    ? `level ${level} is left out until the ladder is laid anew`
    : `level ${level} was refused ${count} times, and is tried again every ${pause / 1000} s`
  notes.push({ type: 'alert', at, strategy, ladder, order: id, market, message: `${what}: ${message}` })
}

function exitRefused(turn: Turn, ladder: LadderState, order: Order, answer: Refusal): void {
  const { state, notes } = turn
  const pause = putOffExit(turn, ladder, order, exitWaits)
  const message = `an exit was refused, and is tried again in ${pause} ms: ${answer.message}`
  const { strategy, market, id } = order
  notes.push({ type: 'alert', at: state.at, strategy, ladder: order.ladder, order: id, market, message })
}

/** An exit waits only for what became of itself: each time longer, and never for more than a minute. */
export function putOffExit(
  { state }: Turn,
  ladder: LadderState | undefined,
  { level }: Order,
  { fromMs, toMs }: typeof exitWaits,
): number {
  const count = (ladder?.exitWaits[level]?.count ?? 0) + 1
  const pause = Math.min(fromMs * 2 ** (count - 1), toMs, exitWaits.toMs)
  if (ladder) ladder.exitWaits[level] = { count, until: state.at + pause }
  return pause
}
