import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'

type ContactFields = Pick<Tables['bot'][string], 'readAt' | 'lost' | 'lostSince' | 'unread'>

/** Distinguishes a venue that does not answer from a part of the account that the bot cannot read. */
export function contactFields({ readAt, lost }: Connectivity): ContactFields {
  const isUnreadable = lost?.unreadable === true
  return {
    readAt,
    lost: isUnreadable ? null : (lost?.reason ?? null),
    lostSince: lost?.since ?? null,
    unread: isUnreadable ? lost.reason : null,
  }
}
