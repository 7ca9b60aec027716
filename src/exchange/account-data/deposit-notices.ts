import type { z } from 'zod'
import type { depositCanceled } from '#src/venues/whitebit/contract/account/webhooks.ts'
import { announceCancel, type Notice, type ExchangeState } from '#src/exchange/state.ts'
import { depositRecord } from './transactions.ts'
import { type VenueContext } from '#src/exchange/venue-context.ts'

/** Webhooks as far as they are state: what waits for whom, and when it is tried again. */
const noticeAttemptsMax = 5
const retryMs = 600_000

/** A pending deposit that will never be credited: held for a refund, and its owner is told. */
export function cancelDeposit(venue: VenueContext, id: string, at: number): boolean {
  for (const account of venue.state.accounts.values()) {
    const deposit = account.deposits.get(id)
    if (deposit?.status !== 'pending') continue
    deposit.status = 'canceled'
    if (venue.world.accounts[account.name]?.webhook) announceCancel(venue.state, account, id, at)
    return true
  }
  return false
}

/** What the receiver reads: the same id at every try, a higher nonce at each. */
export function noticeBody(
  venue: VenueContext,
  notice: Notice,
  nonce: number,
): z.input<typeof depositCanceled> | undefined {
  const deposit = venue.state.accounts.get(notice.account)?.deposits.get(notice.depositId)
  if (deposit === undefined) return undefined
  return {
    method: notice.method,
    params: { ...depositRecord(notice.account, notice.depositId, deposit), nonce },
    id: notice.id,
  }
}

/** Received notices are forgotten, others come again until nobody can say they were not tried. */
export function noticeSent(state: ExchangeState, id: string, received: boolean, at: number): void {
  const index = state.outbox.findIndex((notice) => notice.id === id)
  const notice = state.outbox[index]
  if (notice === undefined) return
  notice.attempts += 1
  notice.dueAt = at + retryMs
  if (received || notice.attempts >= noticeAttemptsMax) state.outbox.splice(index, 1)
}
