import { styleText } from 'node:util'
import type { Explanation, RungExplanation } from '#src/engine/explain/explanation.ts'
import type { Amended } from '#src/engine/commands.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import { holderOf } from '#src/engine/orders/order-ids.ts'
import { exitName } from '#src/strategy/schema/exit-labels.ts'
import type { ExitStatus } from '#src/engine/exits/exit-reasons.ts'
import type { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import {
  parseOrderQuery,
  findOrder,
  readable,
  type OrderQuery,
  type OrderRecord,
} from '#src/operate/dashboard/find-order.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import type { History, SentRequest } from '#src/journal/port.ts'
import { Decimal, moneyText } from '#src/core/money/decimal.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { botFolder } from '#src/cli/operate/bot-folder.ts'
import { lastStateOf } from '#src/cli/operate/journal-status.ts'
import { statusOfBot } from '#src/cli/operate/status.ts'
import { offerText } from '#src/cli/words/exit-text.ts'
import { labelled, paragraphs } from '#src/cli/words/text.ts'
import { findingsOf, findingsText, scopeOf } from './why-strategy.ts'
import { printed, terminalWidth } from '#src/cli/words/printed.ts'

/** `rungs why ORDER|STRATEGY.LADDER.LEVEL`: explains an order or a rung from the journal, whether the bot runs or not. */
export async function why(what: string, flags: { json?: boolean; stateDir?: string }): Promise<number> {
  const asked = parseOrderQuery(what)
  const scope = scopeOf(what)
  if (asked === undefined && scope !== undefined) return whyStrategy(scope, flags)
  if (asked === undefined)
    throw usage(
      `"${printable(what.slice(0, 60))}" is not a strategy, ladder, rung or order`,
      'Write STRATEGY, STRATEGY.LADDER, STRATEGY.LADDER.LEVEL such as sgrid.grid.b1, or the client_order_id of an order',
    )
  using history = new SqliteHistory(botFolder(flags.stateDir))
  const found = findOrder(history, asked, () => lastStateOf(history))
  if (found === undefined) throw unknownLadder(history, asked, what)
  const levels = found.decided?.decision.rungs.map(({ level }) => level) ?? []
  if (found.rung === null && found.exit === null && found.sendings.length === 0 && levels.length > 0)
    throw unknownRung(found, levels)
  if (flags.json === true) return printed(JSON.stringify(found))
  const text = whyText(readable(found), { isOneOrder: asked.order !== null, width: terminalWidth() })
  return printed([text, ...holderText(history, found)].join('\n'))
}

/** The open order that the venue lists under the client order id of this former one. */
function holderText(history: History, { order, rung, exit }: OrderRecord): string[] {
  if (order === null || rung !== null || exit !== null) return []
  const holder = holderOf(lastStateOf(history).state, order)
  return holder ? [`at the venue, ${holder.id} has this client order id: rungs why ${holder.id}`] : []
}

/** Why a strategy, or a ladder, does nothing: from the running bot, or else from its journal. */
async function whyStrategy(
  scope: NonNullable<ReturnType<typeof scopeOf>>,
  flags: { json?: boolean; stateDir?: string },
): Promise<number> {
  const folder = botFolder(flags.stateDir)
  using history = new SqliteHistory(folder)
  const { state, known } = lastStateOf(history)
  const status = (await statusOfBot(folder)) ?? statusOf(state, known, null)
  const found = findingsOf(scope, { status, known, state, history })
  return printed(flags.json === true ? JSON.stringify(found) : findingsText(found, terminalWidth()))
}

function unknownLadder(history: History, { strategy, ladder }: OrderQuery, what: string): BotError {
  const ladders = history.ladders()
  return usage(
    `the journal knows nothing of ${printable(what)}${suggestion(`${strategy}.${ladder}`, ladders)}`,
    ladders.length === 0 ? 'No ladder has placed orders yet' : `Use one of ${ladders.join(', ')}`,
  )
}

function unknownRung({ strategy, ladder, level }: OrderQuery, levels: readonly string[]): BotError {
  const [first = '', last = ''] = [levels[0], levels.at(-1)]
  return usage(
    `${strategy}.${ladder} has no rung ${printable(level)}${suggestion(level, levels)}`,
    `Use one of its ${levels.length} rungs, ${first} to ${last}: rungs why ${strategy}.${ladder}.${first}`,
  )
}

function whyText(
  { order, strategy, ladder, level, decided, rung, anchor, exit, pairs, sendings }: OrderRecord,
  { isOneOrder, width }: { isOneOrder: boolean; width: number },
): string {
  return [
    styleText('bold', order ?? `${strategy}.${ladder}.${level}`),
    ...(rung !== null
      ? rungText(rung, anchor, width)
      : exit !== null
        ? exitText(exit, width)
        : (sentText(sendings, order, width) ?? ['The current ladder has no rung with this id.'])),
    ...(pairs === null ? [] : [pairText(pairs)]),
    ...sendings.flatMap((sending, index) => sendingText(sending, { index, id: order ?? '', width })),
    ...(decided === null
      ? []
      : decisionText(
          decided.decision,
          isOneOrder ? 'decision that sent the order' : 'latest decision',
          width,
        )),
  ].join('\n')
}

function pairText({ pairs, profit, open, floating }: NonNullable<OrderRecord['pairs']>): string {
  const made = `matched pairs ${pairs}, grid profit ${moneyText(profit)}`
  if (open === '0') return `${made}, nothing open`
  return `${made}, open ${open}, floating ${floating === null ? 'unknown' : moneyText(floating)}`
}

function exitText(exit: ExitStatus, width: number): string[] {
  const { label, amount, state, why: reason } = exit
  const order = amount === '0' ? '' : `: ${offerText(exit)}`
  return [
    `exit, ${exitName(label)}${order}${state === undefined ? '' : `: ${state}`}`,
    ...labelled('  because ', printable(reason), width),
  ]
}

/** An order as it was sent, if its rung has another one by now, or if it was an exit. */
function sentText(sendings: readonly SentRequest[], id: string | null, width: number): string[] | undefined {
  const order = sendings[0]?.command.orders.find((sent) => sent.id === id)
  return (
    order && [
      `${order.side} ${order.amount} at ${order.price}`,
      ...(order.because === undefined
        ? []
        : labelled(`  exit, ${exitName(order.level)}, because `, printable(order.because), width)),
      `  result: rungs logs --order ${order.id}`,
    ]
  )
}

function rungText(rung: RungExplanation, anchor: string | null, width: number): string[] {
  const { side, amount, price, state, why: reason, change } = rung
  return [
    // While the rungs of a ladder cannot be computed, they have no numbers.
    `${side}${price === '' ? '' : ` ${amount} at ${price}`}: ${state}`,
    ...(price === ''
      ? []
      : [`  notional ${moneyText(new Decimal(price).times(amount))}${fromAnchor(price, anchor)}`]),
    ...(reason === null ? [] : labelled('  because ', printable(reason), width)),
    ...(change === null ? [] : labelled('  next: ', printable(change), width)),
  ]
}

function fromAnchor(price: string, anchor: string | null): string {
  if (anchor === null || new Decimal(anchor).isZero()) return ''
  const percent = new Decimal(price).div(anchor).minus(1).times(100)
  return `, ${percent.abs().toFixed(3)} % ${percent.lt(0) ? 'below' : 'above'} the anchor ${anchor}`
}

function sendingText(
  { seq, event, command, answer }: SentRequest,
  { index, id, width }: { index: number; id: string; width: number },
): string[] {
  const { chunk, orders, stopOnFail, priority } = command
  return [
    `sent${index === 0 ? '' : ' again'} at ${timeText(event.at)} by record ${seq}`,
    inRequest(chunk, orders, orders.find((order) => order.id === id)?.amends),
    `  priority ${priority}, stopOnFail ${stopOnFail}`,
    ...(answer === null
      ? ['  no answer recorded']
      : labelled(
          `  answered at ${timeText(answer.at)}: `,
          answerText(answer.orders[orders.findIndex((order) => order.id === id)]),
          width,
        )),
  ]
}

function inRequest(chunk: number, { length }: readonly unknown[], amends: Amended | undefined): string {
  if (amends === undefined) return `  in chunk ${chunk}, with ${length} order${length === 1 ? '' : 's'}`
  return `  in the place of ${amends.id}, whose client order id ${amends.clientId} it has at the venue`
}

function answerText(answer: OrderAnswer | undefined): string {
  switch (answer?.kind) {
    case 'accepted':
      return `accepted as ${answer.venueId}, ${answer.filled} filled at once`
    case 'refused':
      return `refused, code ${answer.code}: ${printable(answer.message)}`
    case 'not-sent':
    case 'unknown':
      return `${answer.kind}: ${printable(answer.reason)}`
    case 'not-attempted':
      return 'the bulk stopped before this order'
    case undefined:
      return 'no answer for this order'
  }
}

function decisionText(
  { at, goal, anchor, writtenOff, rules, lets }: Explanation,
  which: string,
  width: number,
): string[] {
  return [
    `${which}, at ${timeText(at)}: ${goal}${anchor === null ? '' : `, from ${anchor}`}`,
    ...(writtenOff === null ? [] : labelled('  written off: ', printable(writtenOff), width)),
    // A waiting ladder is explained once: inputs that were unknown then may be known by now.
    ...(rules.some(({ truth }) => truth === 'unknown')
      ? ['  values are those of the decision; for current values: rungs dashboard']
      : []),
    ...lets.map(({ name, text }) => `  ${name} = ${printable(text)}`),
    ...rules.flatMap(({ id, truth, fired, leaves }) => [
      `  rule ${id} is ${truth}${fired ? ', and acts' : ''}`,
      ...paragraphs(
        leaves.map(({ text, value }) => [`    ${printable(text)}`, printable(value)]),
        width,
      ),
    ]),
  ]
}

function timeText(at: number): string {
  return new Date(at).toISOString()
}
