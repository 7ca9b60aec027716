import { existsSync } from 'node:fs'
import { journalPath } from '#src/journal/sqlite/schema.ts'
import { lastOf, linkAfter, seedJournal, setAside } from '#src/journal/sqlite/seed.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { SharedAccount } from './shared-account.ts'

/** What was done to a folder, for people. */
export type Prepared = 'same' | 'began' | { setAside: string }

/**
 * Before the journal of a folder is opened: makes sure that the records of the server continue it. A journal that went another
 * way has records that the server never confirmed, so their commands never left: it is moved aside, and the folder begins
 * with the newest state of the server.
 */
export async function prepareFolder(
  folder: string,
  account: string,
  shared: SharedAccount,
  suffix: string,
): Promise<Prepared> {
  const confirmed = await shared.confirmed()
  const isNew = !existsSync(journalPath(folder))
  if (confirmed === 0) return 'same'
  if (!isNew) {
    if (await continues(folder, account, shared, confirmed)) return 'same'
    setAside(folder, suffix)
  }
  const state = await shared.newestState()
  if (state !== undefined) seedJournal(folder, account, state)
  else if ((await shared.linkAfter(1)) === undefined)
    throw new BotError('DATA_DAMAGED', {
      seen: `the server has confirmed ${confirmed} records of ${account}, and has neither a state nor the first record`,
      fix: 'Restore the database of the fleet from a backup',
    })
  return isNew ? 'began' : { setAside: suffix }
}

/** Whether the journal of the folder has a record in common with the server, and none that differs before `confirmed`. */
async function continues(
  folder: string,
  account: string,
  shared: SharedAccount,
  confirmed: number,
): Promise<boolean> {
  const { seq, link } = lastOf(folder, account)
  if (seq >= confirmed) return linkAfter(folder, confirmed) === (await shared.linkAfter(confirmed))
  if (seq > 0) return link === (await shared.linkAfter(seq))
  // The server may begin with a state, also with one after the first record.
  const [first] = await shared.after(0)
  return first?.records[0]?.seq === 1
}
