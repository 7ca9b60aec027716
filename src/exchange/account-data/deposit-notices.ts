import type { z } from 'zod'
import type { depositCanceled } from '#src/venues/whitebit/contract/account/webhooks.ts'
import { announceCancel, type Notice, type ExchangeState } from '#src/exchange/state.ts'
import { depositRecord } from './transactions.ts'
import { type VenueContext } from '#src/exchange/venue-context.ts'

/** The webhooks that are part of the state: the notices that wait for delivery, and the time of the next attempt. */
const noticeAttemptsMax = 5
const retryMs = 600_000

/** Cancels a pending deposit: the exchange holds the money for a refund and notifies the owner. */
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

/** The body that the receiver reads. Every attempt has the same id and a higher nonce. */
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

/** Removes a notice that the receiver accepted, or schedules the next attempt while attempts are left. */
export function noticeSent(state: ExchangeState, id: string, received: boolean, at: number): void {
  const index = state.outbox.findIndex((notice) => notice.id === id)
  const notice = state.outbox[index]
  if (notice === undefined) return
  notice.attempts += 1
  notice.dueAt = at + retryMs
  if (received || notice.attempts >= noticeAttemptsMax) state.outbox.splice(index, 1)
}
