import { Decimal } from '#src/core/money/decimal.ts'
import type { FoundChoice, UnownedOrder, FoundOrders } from '#src/engine/events.ts'
import { stopAll } from '#src/engine/rules/halts.ts'
import { beginOrder } from '#src/engine/state/open-orders.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'
import { applyCommand } from './command-effects.ts'
import { newOrder } from './new-order.ts'
import { readOrderId, type OrderIdParts } from './order-ids.ts'

/**
 * The account has orders with ids of this program that the journal does not know. The operator chooses what becomes of the open
 * ones; without a choice no entry is placed beside them. Their fills so far are never booked.
 */
export function takeFound(context: StepContext, { orders, choice, isLast }: FoundOrders): void {
  const { state } = context
  const open = orders.filter(({ ended }) => !ended)
  const own = orders.filter(({ id }) => isOwn(state, readOrderId(id)))
  // Their numbers are used, whichever journal with this tag has used them.
  for (const { id } of own) keepNumber(state, readOrderId(id))
  tellUnbooked(context, own)
  if (open.length === 0) return
  const what = textOf(state, open)
  const canCancel = state.venue.capabilities.includes('cancel')
  if (choice === 'cancel' && canCancel && isLast !== true) {
    alert(context, `${what}: the bot cancels them`)
    return cancelFound(context, open)
  }
  if (choice === 'ignore') {
    state.drift.foreign = true
    return alert(context, `${what}: the bot trades beside them and ignores them`)
  }
  if (choice !== 'adopt')
    return stopFor(
      context,
      what,
      choice === 'cancel' ? { choice, because: 'they could not be cancelled' } : undefined,
    )
  const left = open.flatMap((order) => {
    const why = adopt(context, order)
    return why === undefined ? [] : [{ order, why }]
  })
  const adopted = open.length - left.length
  if (adopted > 0) {
    const others = open.filter((order) => !left.some((each) => each.order === order))
    alert(context, `${textOf(state, others)}: the bot has adopted them, and books their fills from now on`)
  }
  if (left.length === 0) return
  const reasons = [...Map.groupBy(left, ({ why }) => why)].map(
    ([why, some]) => `${some.map(({ order }) => order.id).join(', ')}: ${why}`,
  )
  const others = left.map(({ order }) => order)
  stopFor(context, textOf(state, others), {
    choice,
    because: `they cannot be adopted (${reasons.join('; ')})`,
  })
}

function isOwn({ tag }: State, parts: OrderIdParts | undefined): parts is OrderIdParts {
  return parts !== undefined && parts.tag === tag
}

function keepNumber({ strategies }: State, parts: OrderIdParts | undefined): void {
  const generations = parts && strategies[parts.strategy]?.ladders[parts.ladder]?.generations
  if (generations) generations[parts.label] = Math.max(generations[parts.label] ?? 0, parts.generation)
}

function alert({ state, notes }: StepContext, message: string): void {
  notes.push({ type: 'alert', at: state.at, message })
}

/** What the operator can choose instead. */
const choices = {
  adopt: 'adopt (manage them)',
  cancel: 'cancel',
  ignore: 'or ignore (trade beside them)',
}

/** The stop ends with the session: the next start checks the account again. */
function stopFor(
  context: StepContext,
  what: string,
  failed?: { choice: FoundChoice; because: string },
): void {
  const { state } = context
  state.drift.foreign = true
  // The stop of an operator lasts longer.
  if (state.stopped !== null) return alert(context, what)
  const left = Object.entries(choices).filter(([choice]) => choice !== failed?.choice)
  const fix =
    `start again with --found-orders ${left.map(([, text]) => text).join(', ')}; ` +
    'rungs resume ignores them until the next start'
  stopAll(context, { reason: `${what}${failed === undefined ? '' : `, and ${failed.because}`}. fix: ${fix}` })
  state.isStoppedByFound = true
}

function cancelFound(context: StepContext, open: readonly UnownedOrder[]): void {
  for (const [strategy, some] of Map.groupBy(open, ({ id }) => readOrderId(id)?.strategy ?? '')) {
    const orders = some.map(({ id, market, venueId }) => ({ id, market, venueId }))
    applyCommand(context, { kind: 'cancel', strategy, orders })
  }
}

/** Makes the order one of ours. Gives the reason if it cannot be. */
function adopt({ state, known }: StepContext, order: UnownedOrder): string | undefined {
  const parts = readOrderId(order.id)
  const { strategy = '', ladder: name, label = '', generation = 0 } = parts ?? {}
  const compiled = state.running.includes(strategy) ? known.get(strategy) : undefined
  const ladder = compiled?.ladders.find((each) => each.name === name)
  const own: LadderState | undefined = state.strategies[strategy]?.ladders[ladder?.name ?? '']
  if (!compiled) return `the strategy ${strategy} does not run here`
  if (!ladder || !own) return `${strategy} has no ladder ${name}`
  const { file, symbol, positionSide } = ladder
  const [, letter = '', level] = /^([bs]?)(\d+)$/.exec(label) ?? []
  if (level === undefined) return 'it is an exit of a position that this journal does not hold'
  const side = file.side === 'both' ? (letter === 'b' ? 'buy' : 'sell') : file.side
  const isRung = (file.side === 'both') === (letter !== '') && Number(level) <= file.levels
  if (!isRung || order.market !== symbol || order.side !== side || order.price === null)
    return `${strategy}.${ladder.name} has no such rung in its file`
  if (own.open[label] !== undefined) return `${own.open[label]} has its rung`
  const { postOnly, rpi } = file.flags
  const { id, market, price, amount, placedAt, venueId, filled, money, fee } = order
  const about = { id, strategy, ladder: ladder.name, level: label, generation, role: 'entry' } as const
  const terms = { market, side, positionSide, price, amount, postOnly, ioc: false, rpi } as const
  const adopted = newOrder({ ...about, ...terms }, { at: placedAt })
  // What has filled is the position of another journal: only the rest can be ours, and is placed anew.
  const isFormer = Number(filled) > 0
  Object.assign(adopted, { status: 'resting', venueId, filled, money, fee, armed: filled })
  if (isFormer) adopted.isFormer = true
  beginOrder(state, own, adopted)
  keepNumber(state, parts)
  // The order stays until a rule decides about the ladder, which then has prices of its own.
  if (own.goal === 'none') own.goal = 'freeze'
  const wait = { count: 0, until: 0 }
  if (own.laidAt === null) own.rungs.push({ level: label, side, price, amount, order: id, held: null, wait })
  return undefined
}

/** Fills of this journal's own ids that it does not know: a backup is older than the account. */
function tellUnbooked(context: StepContext, own: readonly UnownedOrder[]): void {
  const filled = own.filter((order) => Number(order.filled) > 0)
  if (filled.length === 0) return
  const sums = new Map<string, Decimal>()
  for (const { market, side, filled: amount } of filled) {
    const sum = sums.get(market) ?? new Decimal(0)
    sums.set(market, side === 'buy' ? sum.plus(amount) : sum.minus(amount))
  }
  const nets = [...sums].map(([market, net]) => `${net.gt(0) ? '+' : ''}${net.toFixed()} in ${market}`)
  const orders = filled.length === 1 ? '1 order has' : `${filled.length} orders have`
  alert(
    context,
    `${orders} an id of this journal, and the journal does not know them: their fills (${nets.join(', ')}) are not ` +
      'booked. The journal is older than the account: it may come from a backup. fix: compare rungs status with the ' +
      'positions at the venue, and correct them with rungs resolve STRATEGY.LADDER gone',
  )
}

/** Such as `3 open orders that this journal has not placed (2 of sgrid in BTC_PERP with the tag k7, 1 …)`. */
function textOf(state: State, open: readonly UnownedOrder[]): string {
  const groups = Map.groupBy(open, ({ id, market }) => {
    const { strategy = '', tag } = readOrderId(id) ?? {}
    const which = tag === undefined ? 'without a tag' : `with the tag ${tag}`
    const whose = tag === state.tag ? ', as in this journal' : ''
    return `of ${strategy} in ${market} ${which}${whose}`
  })
  const parts = [...groups].map(([text, { length }]) => `${length} ${text}`).join('; ')
  const orders = open.length === 1 ? '1 open order' : `${open.length} open orders`
  return `${orders} of Rungs that this journal has not placed: ${parts}`
}
