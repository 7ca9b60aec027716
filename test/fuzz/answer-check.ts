import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { gateCodes } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Profile } from '#src/exchange/venue-context.ts'

/** Rules that every answer must meet, whatever the request was. */
const statuses = new Set([200, 201, 400, 401, 403, 404, 405, 413, 415, 422, 429])
const specCodes: readonly number[] = [0, 2, 30, 422]

/** What is wrong with an answer, or undefined. */
export function complaintAbout(
  row: Endpoint | undefined,
  { status, body }: WireResponse,
  profile: Profile = 'spec',
): string | undefined {
  if (!statuses.has(status)) return `status ${status}`
  if (body === '') return 'no body'
  const answer: unknown = JSON.parse(body)
  if (status < 300) {
    return row?.response.safeParse(answer).success ? undefined : 'a success that does not fit its row'
  }
  if (!isRecord(answer)) return 'no object'
  const { code, message, errors, success, params, ...rest } = answer
  if (Object.keys(rest).length > 0) return `unknown members ${Object.keys(rest).join()}`
  if (typeof message !== 'string' || /\n\s+at |Error:|\.ts:/.test(body))
    return 'no message, or one that tells too much'
  if (success !== undefined)
    return success === false && Array.isArray(params) ? undefined : 'not the public shape'
  const codes = profile === 'spec' ? specCodes : [...gateCodes, ...(row?.errors ?? [])]
  if (typeof code !== 'number' || !codes.includes(code)) return `code ${String(code)}`
  if (code === 422) return errors === undefined ? undefined : 'errors beside code 422'
  // The only refusal that has no errors beside code 0.
  if (row?.path === contract.refundDeposit.path && profile === 'full' && errors === undefined)
    return undefined
  return isRecord(errors) && Object.values(errors).every((texts) => Array.isArray(texts) && texts.length > 0)
    ? undefined
    : 'errors are not lists of messages'
}

/** Whether an answer proves that nothing was done. */
export function isRefusal(row: Endpoint | undefined, { status, body }: WireResponse): boolean {
  if (status >= 300 || row?.effect !== 'write') return true
  const answer: unknown = JSON.parse(body)
  // Some successful calls answer with an empty list.
  return (
    Array.isArray(answer) &&
    answer.length > 0 &&
    answer.every((element) => isRecord(element) && element['result'] === null)
  )
}

/** Everything that accounts own or are owed, as one text: balances, books, investments, codes, deposits, settings. */
export function belongings(state: ExchangeState): string {
  const parts: string[] = []
  for (const [holder, assets] of state.ledger) {
    for (const [asset, amount] of assets) parts.push(holder, asset, formatAtoms(amount))
  }
  for (const {
    name,
    nextOrder,
    oldest,
    finished,
    collateral,
    flex,
    flexClosed,
    fixed,
    codes,
    deposits,
    pools,
    subAccounts,
    usedIds,
  } of state.accounts.values()) {
    parts.push(name, `${nextOrder} ${finished.count} ${usedIds.ids.length}`)
    for (const { market, lots, cost } of collateral.open) parts.push(`${market} ${lots} ${cost}`)
    const { orders } = state
    for (let row = oldest; row !== 0; row = orders.newer[row] ?? 0) {
      parts.push(`${orders.id[row]} ${orders.left[row]} ${orders.ticks[row]}`)
    }
    for (const { id, invested, reinvest } of [...flexClosed, ...flex.values()])
      parts.push(`${id} ${invested} ${reinvest}`)
    for (const { id, amount, open } of fixed.values()) parts.push(`${id} ${amount} ${open}`)
    for (const [code, { amount, applied }] of codes) parts.push(`${code} ${amount} ${applied}`)
    for (const [id, { status }] of deposits) parts.push(id, status)
    for (const pool of pools.values()) parts.push(JSON.stringify(pool.payout))
    for (const sub of subAccounts.values()) parts.push(JSON.stringify(sub))
  }
  return parts.join('\n')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
