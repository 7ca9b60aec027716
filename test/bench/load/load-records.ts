import { z } from 'zod'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { units } from '#test/network/account-records.ts'
import { collateral } from './load-keys.ts'
import type { Answer, Caller, Witness } from './load-traffic.ts'

const ordersPerBulk = 20
const all = 2 ** ordersPerBulk - 1
const pageMax = 500

type Row = { id: number; client_order_id: string; deal_stock: string; deal_fee: string }
const history = z.object({
  BTC_PERP: z.array(
    z.object({ id: z.int(), client_order_id: z.string(), deal_stock: z.string(), deal_fee: z.string() }),
  ),
})
const none = z.array(z.never())

/** What was sent, beside the lists of the exchange: each order of each bulk must be in them once, filled. */
export class Records implements Witness {
  readonly problems: string[] = []
  bulks = 0
  orders = 0
  /** By bulk: a bit for each order that was found. */
  readonly #open = new Map<string, number>()
  readonly #newest = new Map<string, number>()
  readonly #fees = new Map<string, bigint>()

  sent(bulk: string): void {
    this.bulks += 1
    this.#open.set(bulk, 0)
  }

  answered(bulk: string, { text }: Answer): void {
    const placed = text.split('"error":null').length - 1
    if (placed !== ordersPerBulk) this.problems.push(`${bulk} was answered with ${text.slice(0, 200)}`)
  }

  /** The orders of an account that have ended since it was read last: the list is newest first, and goes on growing. */
  async read(caller: Caller): Promise<void> {
    const known = this.#newest.get(caller.key)
    const fresh = new Map<number, Row>()
    for (let offset = 0; ; offset += pageMax) {
      const rows = await page(caller, offset)
      const place = rows.findIndex(({ id }) => id === known)
      if (offset === 0 && rows[0]) this.#newest.set(caller.key, rows[0].id)
      for (const row of place === -1 ? rows : rows.slice(0, place)) fresh.set(row.id, row)
      if (place !== -1 || rows.length < pageMax) break
    }
    for (const row of fresh.values()) this.#found(caller.key, row)
  }

  #found(key: string, { client_order_id: id, deal_stock: filled, deal_fee: fee }: Row): void {
    const end = id.lastIndexOf('.')
    const bulk = id.slice(0, end)
    const bit = 2 ** Number(id.slice(end + 1))
    const found = this.#open.get(bulk)
    if (found === undefined || (found & bit) !== 0)
      this.problems.push(`${id} exists twice, or was never sent`)
    else if (found + bit === all) this.#open.delete(bulk)
    else this.#open.set(bulk, found + bit)
    if (units(filled) !== units('0.001')) this.problems.push(`${id} has filled ${filled}`)
    this.orders += 1
    this.#fees.set(key, (this.#fees.get(key) ?? 0n) + units(fee))
  }

  /** When all has been read: what is lost, and whether each account has paid its fees and nothing else. */
  async judge(auditors: readonly Caller[]): Promise<string[]> {
    for (const bulk of this.#open.keys()) this.problems.push(`an order of ${bulk} is lost`)
    for (const auditor of auditors) {
      const { text } = await auditor.call(contract.collateralBalance.path, { ticker: 'USDT' })
      const { USDT: balance } = z.object({ USDT: z.string() }).parse(JSON.parse(text))
      const expected = collateral - (this.#fees.get(auditor.key) ?? 0n)
      if (units(balance) !== expected)
        this.problems.push(`${auditor.key} sees ${balance}, and ${expected} atoms are left of what it had`)
    }
    return this.problems
  }
}

async function page(caller: Caller, offset: number): Promise<readonly Row[]> {
  const about = { market: 'BTC_PERP', limit: pageMax, offset }
  const { text } = await caller.call(contract.orderHistory.path, about)
  const read = z.union([none, history]).parse(JSON.parse(text))
  return Array.isArray(read) ? [] : read.BTC_PERP
}
