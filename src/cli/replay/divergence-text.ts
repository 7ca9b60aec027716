import { styleText } from 'node:util'
import { z } from 'zod'
import type { Change, Divergence, Request } from '#src/research/replay/divergence.ts'
import type { RungExplanation } from '#src/engine/explain/explanation.ts'
import { explanationsNow } from '#src/engine/explain/explanations.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import type { State } from '#src/engine/state/state.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { columns } from '#src/cli/words/text.ts'

/** A difference with the reasons of the engine for its present commands. */
export type Explained = Divergence & { why: string[] }

const shownMax = 20
const ordersMax = 5
const orderList = z.object({ orders: z.array(z.looseObject({ client_order_id: z.string() })) })

export function explained(divergence: Divergence, state: State): Explained {
  const orders = ordersIn(divergence).slice(0, ordersMax)
  const lines = orders.map((order) => reasonsOf(order, state))
  // What orders of one ladder share is printed once.
  return {
    ...divergence,
    why: [...new Set([...lines.flatMap(([first = []]) => first), ...lines.flatMap(([, more = []]) => more)])],
  }
}

/** For a person who knows the strategy, and not this program. */
export function divergenceText(found: Explained, begin: string): string {
  const { at, request, why } = found
  const where = request === null ? 'a stream frame' : `request ${request}`
  return [
    styleText('bold', `${begin} ${where}, at ${new Date(at).toISOString()}`),
    ...whatText(found),
    ...(why.length === 0 ? [] : ['because', ...why.map((line) => `  ${printable(line)}`)]),
  ].join('\n')
}

function whatText({ kind, recorded, made, changes }: Divergence): string[] {
  switch (kind) {
    case 'additional':
      return [...requestText(made), '  was sent now, and the rest of the tape has no such request']
    case 'missing':
      return [...requestText(recorded), '  is on the tape, and was not sent now']
    case 'early':
      return [...requestText(made), '  is on the tape, but later', ...requestText(recorded)]
    case 'changed':
    case 'stream':
      return made === null
        ? ['  the tape opened a stream that was not opened now']
        : [`  ${made.method} ${made.path}`, ...table(changes)]
  }
}

function table(changes: readonly Change[]): string[] {
  const rows = changes.slice(0, shownMax).map(({ field, recorded, made }) => {
    return [`    ${printable(field)}`, valueText(recorded), valueText(made)]
  })
  const left = changes.length - rows.length
  return [
    ...columns([['    ', 'on the tape', 'now'], ...rows]),
    ...(left > 0 ? [`    and ${left} more`] : []),
  ]
}

function requestText(request: Request | null): string[] {
  if (request === null) return []
  const { method, path, query, body } = request
  const orders = orderList.safeParse(body).data?.orders ?? []
  const parameters =
    orders.length > 0 ? orders.map(valueText) : [query, body === null ? '' : JSON.stringify(body)]
  const shown = parameters.filter((text) => text !== '').slice(0, shownMax)
  return [`  ${method} ${path}`, ...shown.map((line) => `    ${printable(line)}`)]
}

function valueText(value: unknown): string {
  if (value === null) return 'not on the tape'
  const order = z
    .looseObject({ side: z.string(), amount: z.string(), market: z.string(), price: z.string() })
    .safeParse(value)
  if (!order.success) return printable(typeof value === 'string' ? value : JSON.stringify(value))
  const { side, amount, market, price, client_order_id: id = '' } = order.data
  return printable(`${String(id)} ${side} ${amount} ${market} at ${price}`.trim())
}

/** The ids of the orders that differ. */
function ordersIn({ recorded, made }: Divergence): string[] {
  const [one, other] = [textsOf(recorded), textsOf(made)]
  return [...new Set([...other.keys(), ...one.keys()])].filter((id) => one.get(id) !== other.get(id))
}

function textsOf(request: Request | null): Map<string, string> {
  const orders = orderList.safeParse(request?.body)
  const texts = orders.data?.orders.map((order) => [order.client_order_id, JSON.stringify(order)] as const)
  return new Map(texts)
}

/** About the order, and about its ladder. */
function reasonsOf(order: string, state: State): string[][] {
  const [strategy = '', ladder = '', level = ''] = order.split('.')
  const own = state.strategies[strategy]
  const compiled = own && compileStrategy(own.text, state.venue)
  const decision =
    own && compiled && explanationsNow(state, compiled, own).find((each) => each.ladder === ladder)
  if (!decision) return []
  const { goal, anchor, rules } = decision
  const rung = decision.rungs.find((each) => each.level === level)
  const acting = rules.filter(({ fired }) => fired)
  const because = (acting.length > 0 ? acting : rules.filter(({ truth }) => truth === 'true')).map(
    ({ id, leaves }) => {
      const values = leaves.map(({ text, value }) => `${text} = ${value}`).join(', ')
      return `rule ${id} is true${values === '' ? '' : `: ${values}`}`
    },
  )
  const from = anchor === null ? '' : ` from ${anchor}`
  return [
    [`${order}: ${rungText(rung)}`],
    [`ladder ${strategy}.${ladder}: ${goal}${from}`, ...because.map((line) => `  ${line}`)],
  ]
}

function rungText(rung: RungExplanation | undefined): string {
  if (rung === undefined) return 'is not a rung of the current ladder'
  const { state, side, amount, price, why } = rung
  const order = price === '' ? [] : [`${side} ${amount} at ${price}`]
  return [state, ...order, ...(why === null ? [] : [`because ${why}`])].join(', ')
}
