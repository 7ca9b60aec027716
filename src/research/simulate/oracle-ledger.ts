import { z } from 'zod'
import type { State } from '#src/engine/state/state.ts'

/** Reads raw JSON of the account from the exchange, without code of the bot's client. */
export type RawRead = (path: string, parameters: Record<string, unknown>) => unknown

const pageMax = 100
const moneyAsset = 'USDT'

const openOrder = z.object({
  order_id: z.number(),
  client_order_id: z.string(),
  market: z.string(),
  side: z.enum(['buy', 'sell']),
  amount: z.string(),
  left: z.string(),
  price: z.string().default('0'),
  reduceOnly: z.boolean().default(false),
})
const endedOrder = z.object({
  id: z.number(),
  client_order_id: z.string(),
  side: z.enum(['buy', 'sell']),
  deal_stock: z.string(),
})
const deal = z.object({
  side: z.enum(['buy', 'sell']),
  deal: z.string(),
  fee: z.string(),
  feeAsset: z.string(),
})
const summary = z.array(z.object({ asset: z.string(), balance: z.string() }))
const position = z.object({ market: z.string(), amount: z.string(), basePrice: z.string() })

export type OpenOrder = {
  /** The client order id, and the id of the exchange. */
  id: string
  venueId: string
  market: string
  sells: boolean
  left: bigint
  filled: bigint
  price: bigint
  /** It opens no position. */
  reduces: boolean
}
export type Position = { market: string; amount: bigint; cost: bigint }

/** Open orders whose ids begin with one of these names. */
export function openOrders(read: RawRead): OpenOrder[] {
  return pages(read, '/api/v4/orders', z.array(openOrder)).map((row) => ({
    id: row.client_order_id,
    venueId: String(row.order_id),
    market: row.market,
    sells: row.side === 'sell',
    left: quanta(row.left),
    filled: quanta(row.amount) - quanta(row.left),
    price: quanta(row.price),
    reduces: row.reduceOnly,
  }))
}

export function endedOrders(
  read: RawRead,
  markets: readonly string[],
): { id: string; venueId: string; filled: bigint }[] {
  const path = '/api/v4/trade-account/order/history'
  const form = z.record(z.string(), z.array(endedOrder)).or(z.array(endedOrder))
  const rows = markets.flatMap((market) => pages(read, path, form, { market }))
  return rows.map((row) => ({
    id: row.client_order_id,
    venueId: String(row.id),
    filled: quanta(row.deal_stock),
  }))
}

export function positions(read: RawRead): Position[] {
  const rows = z.array(position).parse(read('/api/v4/collateral-account/positions/open', {}))
  return rows.map(({ market, amount, basePrice }) => ({
    market,
    amount: quanta(amount),
    cost: product(quanta(amount), quanta(basePrice)),
  }))
}

/** Cash flow of the fills of these markets after fees: sells are positive. */
export function cashOf(read: RawRead, markets: readonly string[]): { cash: bigint; fees: bigint } {
  let [cash, fees] = [0n, 0n]
  const path = '/api/v4/trade-account/executed-history'
  const rows = markets.flatMap((market) => pages(read, path, z.array(deal), { market }))
  for (const { side, deal: money, fee, feeAsset } of rows) {
    cash += (side === 'sell' ? quanta(money) : -quanta(money)) - quanta(fee)
    fees += quanta(fee)
    if (feeAsset !== moneyAsset) throw new Error(`a fee in ${feeAsset}`)
  }
  return { cash, fees }
}

/** Balance of the collateral money, free or not. */
export function collateral(read: RawRead): bigint {
  const rows = summary.parse(read('/api/v4/collateral-account/balance-summary', {}))
  return quanta(rows.find(({ asset }) => asset === moneyAsset)?.balance ?? '0')
}

function pages<Row>(
  read: RawRead,
  path: string,
  form: z.ZodType<Row[] | Record<string, Row[]>>,
  parameters: Record<string, unknown> = {},
): Row[] {
  const found: Row[] = []
  for (let offset = 0; ; offset += pageMax) {
    const page = form.parse(read(path, { ...parameters, limit: pageMax, offset }))
    const rows = Array.isArray(page) ? page : Object.values(page).flat()
    found.push(...rows)
    if (rows.length < pageMax) return found
  }
}

/** A decimal text in units of 10^-18. */
export function quanta(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const value = BigInt(whole + fraction.padEnd(18, '0').slice(0, 18))
  return sign === '-' ? -value : value
}

export function product(one: bigint, other: bigint): bigint {
  return (one * other) / 10n ** 18n
}

export function decimalText(value: bigint): string {
  return (Number(value) / 1e18).toString()
}

type Order = State['orders'][string]

/** The orders of a bot by client order id: an amended order has that of the order that it has replaced. */
export class KnownOrders {
  readonly #byClientId: ReadonlyMap<string, readonly Order[]>

  constructor(state: State | undefined) {
    this.#byClientId = Map.groupBy(
      Object.values(state?.orders ?? {}),
      ({ id, amends }) => amends?.clientId ?? id,
    )
  }

  /** The order with this id of the exchange; otherwise all with the client order id whose id there the bot does not know. */
  mayBe(clientId: string, venueId: string): readonly Order[] {
    const orders = this.#byClientId.get(clientId) ?? []
    const known = orders.filter((order) => order.venueId === venueId)
    return known.length > 0 ? known : orders.filter((order) => order.venueId === null || order.venueId === '')
  }
}
