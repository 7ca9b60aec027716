import { isLoopback } from '#src/core/network/loopback.ts'
import type { AnyOutcome, ReadOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { isDenied } from '#src/venues/whitebit/client/answers/outcome.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { bad, good, note, type Finding } from './doctor-checks.ts'

/** With real orders, the account must be named. */
export function accountFinding({ url, account }: VenueSettings, fingerprint: string): Finding {
  const about = 'account'
  if (account === fingerprint) return good(about, account, 'the key belongs to the account of the venue file')
  const found =
    account === undefined
      ? 'the venue file names no account'
      : `the venue file names ${account}, and the key belongs to another account`
  const fix = `If the key is correct, write into the venue file: account: ${fingerprint}`
  if (!isLoopback(url)) return bad(about, found, 'rungs run refuses to trade at this venue', fix)
  const means = 'orders on this machine are not real, so rungs run trades without it'
  if (account === undefined)
    return good(about, `${found}; the fingerprint of the key is ${fingerprint}`, means)
  return note(about, found, means, fix)
}

type Summary = ReadOutcome<{ leverage?: number | undefined }>
type PositionMode = ReadOutcome<{ hedgeMode: boolean }>

/** The venue of this family has one leverage for the account, and no isolated margin. */
export function leverageFinding(summary: Summary, declared: number | undefined): Finding {
  const about = 'leverage'
  const means = 'all positions share the collateral: isolated margin does not exist in this API'
  const leverage = summary.kind === 'answer' ? summary.value.leverage : undefined
  if (leverage === undefined) return note(about, unread('leverage', summary), means)
  const found = `${leverage} for the whole account, cross margin`
  const change = 'rungs api set-leverage --leverage NUMBER changes it; do this before the first run'
  if (declared === undefined || declared === leverage) return good(about, found, `${means}. ${change}`)
  return bad(
    about,
    `${found}; the venue file names ${declared}`,
    'the bot computes what orders freeze from the venue file, and would draw wrong conclusions about unknown orders',
    `Write leverage: ${leverage} into the venue file, or change the account: ${change}`,
  )
}

export function positionModeFinding(mode: PositionMode, shortSide: boolean): Finding {
  const about = 'position mode'
  if (mode.kind !== 'answer')
    return note(about, unread('position mode', mode), 'the bot assumes one-way mode')
  const change =
    'rungs api set-hedge-mode --hedge-mode true (or false) changes it, without positions and orders'
  if (mode.value.hedgeMode)
    return good(about, 'hedge mode', `each market has a long and a short position. ${change}`)
  const own = shortSide
    ? 'shortSide: true: the bot separates long and short by its own fills'
    : 'a strategy that holds long and short at the same time needs hedge mode, or shortSide: true in the venue file'
  return good(about, 'one-way mode', `each market has one net position; ${own}. ${change}`)
}

function unread(what: string, outcome: AnyOutcome): string {
  return isDenied(outcome)
    ? `the venue does not report the ${what}`
    : `the venue gave no clear answer about the ${what}`
}
