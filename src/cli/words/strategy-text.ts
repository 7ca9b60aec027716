import { pulseOf } from '#src/runtime/account/kill-switches.ts'
import { decimalText, type Decimal } from '#src/core/money/decimal.ts'
import { capitalOf, inMoney, isCapitalShare, moneyOfLimit } from '#src/strategy/file/capital.ts'
import { conditionText } from '#src/strategy/expressions/condition-text.ts'
import type { Condition } from '#src/strategy/expressions/condition.ts'
import { slippageOf, type CloseAction } from '#src/strategy/file/rule-goals.ts'
import { closes } from '#src/strategy/schema/exit-schema.ts'
import { amendMost, type LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { durationText, isShare, percentText, type MoneyLimit } from '#src/strategy/schema/quantities.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** Describes parts of a strategy for `rungs check` that its tables do not show. */

type Rule = Strategy['rules'][number]
type Action = Rule['do'][number]

/** When a rule acts, how often, and what it does: one line each. */
export function ruleLines(rule: Rule, condition: Condition | undefined): string[] {
  const { schedule, missed, cooldown, once } = rule
  const limits = [
    rule.for === undefined ? undefined : `after it was true for ${durationText(rule.for)}`,
    cooldown === undefined ? undefined : `cooldown ${durationText(cooldown)}`,
    once === undefined ? undefined : once === 'ever' ? 'once' : 'once per episode',
  ].filter((limit) => limit !== undefined)
  return [
    ...(schedule === undefined
      ? []
      : [`at ${schedule}${missed ? `, or within ${durationText(missed.run_once_within)}` : ''}`]),
    ...(condition ? [`when ${conditionText(condition)}`] : []),
    ...(limits.length > 0 ? [limits.join(', ')] : []),
    `do ${rule.do.map(actionText).join(', ')}`,
  ]
}

function actionText({ flex_invest: invest, close, ...action }: Action): string {
  if (close) return closeText(close)
  if (invest) return `invest ${invest.amount} of ${invest.ticker}${invest.reinvest ? ', reinvested' : ''}`
  return Object.entries(action)
    .map(([goal, about]) => `${goal.replace('_', ' ')} ${/\W/.test(about ?? '') ? `"${about}"` : about}`)
    .join(', ')
}

function closeText(action: CloseAction): string {
  const { of, share, how, post_for: span, daily_loss: daily } = action
  const part = share === undefined ? '' : `${percentText(share)} of `
  const atOnce = `by immediate orders at most ${percentText(slippageOf(action))} worse than the best price`
  const rest = `by orders that rest${span === undefined ? '' : ` for ${durationText(span)}, then ${atOnce}`}`
  const most = daily && (isShare(daily) ? `${percentText(daily.ofEquity)} equity` : daily.toFixed())
  const loss = most === undefined ? '' : `, at a loss of at most ${most} per day`
  return `close ${part}${of}, ${how === 'ioc' ? atOnce : rest}${loss}`
}

const followsFillsText = 'recomputed after each fill of the strategy'

/** When a ladder is recomputed. */
export function rebaseText(file: LadderFile): string | undefined {
  const { rebase, exit, anchor } = file
  const moves: string[] = []
  if (rebase && typeof rebase === 'object') {
    const { drift, hysteresis, min_gap: gap, min_life: life } = rebase
    moves.push(`follows its anchor after a move of ${driftText(drift)}, at most every ${durationText(gap)}`)
    if (rebase.on_fill) moves.push(followsFillsText)
    if (hysteresis) moves.push(`rungs stay if they would move less than ${driftText(hysteresis)}`)
    if (rebase.amend)
      moves.push(
        `up to ${amendMost} orders of the strategy that move at once are amended: one request each, and the last place ` +
          'in the queue of the new price; more are cancelled and placed together',
      )
    if (life !== undefined) moves.push(`an order rests for at least ${durationText(life)} before it moves`)
  } else if (rebase === 'on_fill') moves.push(followsFillsText)
  else if (rebase === 'on_flat') moves.push('recomputed when its whole position has been closed')
  else if (closes(file)) {
    const by = exit?.mirror === undefined ? 'an exit' : 'an exit other than the mirror'
    moves.push(`recomputed when ${by} has closed its whole position`)
  } else if (exit?.mirror === undefined)
    moves.push('each rung is placed once, and again by a rule with a schedule')
  if (anchor.taken === 'rule_start')
    moves.push('recomputed when a rule that ensures it becomes true and the position is flat')
  return moves.length === 0 ? undefined : moves.join('; ')
}

function driftText({ of, by }: { of: 'price' | 'step'; by: Decimal }): string {
  return of === 'price' ? percentText(by) : `${decimalText(by)} step`
}
/** In our own time: several refreshes may be lost before the venue acts. */
function silenceText(heartbeatMs: number): string {
  const { everyMs, silenceMs } = pulseOf(heartbeatMs, 1)
  return `the venue cancels all orders after ${durationText(silenceMs)} without a heartbeat (sent each ${durationText(everyMs)})`
}

/** A limit in money at this equity; a share also as the file has it. */
export function limitText(limit: MoneyLimit, equity: Decimal): string {
  const money = moneyOfLimit(limit, equity).toDecimalPlaces(6).toFixed()
  return isShare(limit)
    ? `${money} (${percentText(limit.ofEquity)} of an equity of ${equity.toFixed()})`
    : money
}

/** Limits that are not beside a sum, and the effects of failures. */
export function limitRows(strategy: Strategy, equity: Decimal): string[][] {
  const { risk, submit } = strategy
  const { order_rate: rate, daily_loss: daily, per_week: weekly, price_band: band, deadman } = risk
  const { block, halt_after: haltAfter } = risk.in_doubt
  const { max, backoff } = submit.throttled
  const behind = behindText(submit.stopOnFail)
  const rejected =
    submit.on_reject === 'skip_level'
      ? 'retried later, or omitted if it breaks a rule of the market'
      : 'the ladder halts'
  const pair = submit.on_one_sided ? ', the other ladder freezes' : ''
  const mustRest = Object.values(strategy.ladder).some(({ flags }) => flags.postOnly || flags.rpi)
  const crossing =
    submit.on_cross === 'slide'
      ? 'placed again behind the best opposite price'
      : 'waits until it can rest at its own price'
  const rows: (string[] | false | undefined)[] = [
    strategy.leverage !== undefined && ['leverage', `${strategy.leverage}, of the whole account`],
    ['drawdown', drawdownText(strategy, equity)],
    rate && ['order rate', `${rate.orders} orders in ${durationText(rate.per)}; exits count but never wait`],
    daily && ['daily loss', `at most ${limitText(daily, equity)}`],
    weekly && ['spent in seven days', `at most ${limitText(weekly, equity)}`],
    risk.max_flex_per_day && ['invested per day', `at most ${limitText(risk.max_flex_per_day, equity)}`],
    band && ['price band', `no order more than ${percentText(band)} from the last price`],
    ['unknown outcome', `the ${block} waits, halt after ${durationText(haltAfter)}`],
    deadman && ['heartbeat', silenceText(deadman.heartbeat)],
    ['order refused', `${rejected}${pair}, orders behind it ${behind}`],
    mustRest && ['order that would take', crossing],
    [
      'rate limit of the venue',
      `${max} retries, ${durationText(backoff.fromMs)} to ${durationText(backoff.toMs)} apart`,
    ],
  ]
  return rows.filter((row) => row !== undefined && row !== false)
}

function drawdownText(strategy: Strategy, equity: Decimal): string {
  const { pause, halt, then } = strategy.risk.drawdown
  const capital = capitalOf(inMoney(strategy, equity))
  const base = isCapitalShare(strategy) ? ` at an equity of ${equity.toFixed()}` : ''
  const money = (share: Decimal) => `${percentText(share)} (${decimalText(share.times(capital))})`
  const paused = `pause at ${money(pause.at)}${pauseText(pause)}`
  return `${paused}, halt at ${money(halt)}, of the ${decimalText(capital)} of max_notional${base}${thenTexts[then]}`
}

function pauseText({ end }: Strategy['risk']['drawdown']['pause']): string {
  if (end.by === 'daily') return ' since 00:00 UTC, until the next'
  return end.by === 'within' ? ` within ${durationText(end.ms)}` : ` for ${durationText(end.ms)}`
}

const thenTexts = {
  exits: '',
  flatten: '; then closes all positions',
  freeze: '; then freezes exits, too',
}

function behindText(stops: Strategy['submit']['stopOnFail']): string {
  if (typeof stops === 'boolean') return stops ? 'wait' : 'are placed'
  return Object.entries(stops)
    .map(([name, stop]) => `${stop ? 'wait' : 'are placed'} in ${name}`)
    .join(', ')
}
