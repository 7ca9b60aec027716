import { createHmac } from 'node:crypto'
import { z } from 'zod'

/** Amounts in units of 10^-18, so that sums are exact. */
export type Units = bigint

export function units(text: string): Units {
  const [whole = '0', part = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole) * 10n ** 18n + BigInt(part.padEnd(18, '0'))
  return text.startsWith('-') ? -value : value
}

export type AccountOrder = {
  id: number
  clientId: string
  market: string
  buys: boolean
  price: Units
  amount: Units
  filled: Units
  fee: Units
  /** Unix seconds; Infinity while the order is open. */
  from: number
  to: number
}
export type DealRecord = {
  id: number
  clientId: string
  market: string
  time: number
  amount: Units
  price: Units
  fee: Units
}

/** All that the exchange knows of the account. */
export type AccountRecords = { orders: AccountOrder[]; deals: DealRecord[]; positions: Record<string, Units> }

const number = z.string().transform(units)
const order = z.object({
  client_order_id: z.string(),
  side: z.enum(['buy', 'sell']),
  price: number.optional(),
  amount: number,
  deal_stock: number,
  deal_fee: number,
})
const open = z.array(order.extend({ order_id: z.int(), market: z.string(), timestamp: z.number() }))
const none = z.array(z.never()).transform(() => ({}))
const finished = z.union([
  none,
  z.record(z.string(), z.array(order.extend({ id: z.int(), ctime: z.number(), ftime: z.number() }))),
])
const deals = z.union([
  none,
  z.record(
    z.string(),
    z.array(
      z.object({
        id: z.int(),
        client_order_id: z.string(),
        time: z.number(),
        amount: number,
        price: number,
        fee: number,
      }),
    ),
  ),
])
const positions = z.array(z.object({ market: z.string(), amount: number }))

/** The key that only reads, of the account on which the bot trades. */
export const auditor = { key: 'auditor-key', secret: 'auditor-secret' }

let nonce = Date.now()

/** A signed call with none of the code of the bot. */
async function call(url: string, path: string, parameters: object): Promise<unknown> {
  nonce = Math.max(nonce + 1, Date.now())
  const body = JSON.stringify({ ...parameters, request: path, nonce: String(nonce) })
  const payload = Buffer.from(body).toString('base64')
  const answer = await fetch(url + path, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-txc-apikey': auditor.key,
      'x-txc-payload': payload,
      'x-txc-signature': createHmac('sha512', auditor.secret).update(payload).digest('hex'),
    },
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** Reads what has come to the account since it was read last: lists are newest first. */
export class AccountReader {
  readonly #ended = new Map<number, AccountOrder>()
  readonly #deals = new Map<number, DealRecord>()

  async read(url: string): Promise<AccountRecords> {
    const resting = new Map<number, AccountOrder>()
    await newest(100, resting, async (offset) => {
      const rows = open.parse(await call(url, '/api/v4/orders', { limit: 100, offset }))
      return rows.map((row) => recordOf({ ...row, id: row.order_id, from: row.timestamp, to: Infinity }))
    })
    await newest(500, this.#ended, async (offset) => {
      const path = '/api/v4/trade-account/order/history'
      const found = finished.parse(await call(url, path, { limit: 500, offset }))
      return Object.entries(found).flatMap(([market, rows]) =>
        rows.map((row) => recordOf({ ...row, market, from: row.ctime, to: row.ftime })),
      )
    })
    await newest(500, this.#deals, async (offset) => {
      const path = '/api/v4/trade-account/executed-history'
      const found = deals.parse(await call(url, path, { limit: 500, offset }))
      return Object.entries(found).flatMap(([market, rows]) =>
        rows.map(({ id, client_order_id: clientId, time, amount, price, fee }) => {
          return { id, clientId, market, time, amount, price, fee }
        }),
      )
    })
    const held = positions.parse(await call(url, '/api/v4/collateral-account/positions/open', {}))
    return {
      // One that ends while the lists are read stands in both of them.
      orders: [...new Map([...resting, ...this.#ended]).values()].toSorted((a, b) => a.id - b.id),
      deals: [...this.#deals.values()].toSorted((a, b) => a.id - b.id),
      positions: Object.fromEntries(held.map(({ market, amount }) => [market, amount])),
    }
  }
}

/** Pages of a list until one of them has a row that is known. */
async function newest<Row extends { id: number }>(
  limit: number,
  known: Map<number, Row>,
  page: (offset: number) => Promise<readonly Row[]>,
): Promise<void> {
  const fresh: Row[] = []
  for (let offset = 0; ; offset += limit) {
    const rows = await page(offset)
    fresh.push(...rows)
    if (rows.length < limit || rows.some(({ id }) => known.has(id))) break
  }
  for (const row of fresh) known.set(row.id, row)
}

type Row = z.output<typeof order> & { id: number; market: string; from: number; to: number }

function recordOf({ id, market, from, to, ...row }: Row): AccountOrder {
  return {
    id,
    market,
    from,
    to,
    clientId: row.client_order_id,
    buys: row.side === 'buy',
    price: row.price ?? 0n,
    amount: row.amount,
    filled: row.deal_stock,
    fee: row.deal_fee,
  }
}
