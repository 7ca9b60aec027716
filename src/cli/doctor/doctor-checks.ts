import { nonceWindowMs } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { accountLimit, orderLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import type { NonceMode } from '#src/venues/whitebit/client/calls/nonces.ts'
import { nonceFix, type AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import type { MarketFacts } from '#src/engine/events.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { capabilities, type Capability } from '#src/strategy/schema/strategy-schema.ts'

/** The result of one check of `rungs doctor`. */
export type Finding = {
  about: string
  /** note: nothing is broken, but the user should know. */
  verdict: 'good' | 'note' | 'bad'
  found: string
  means: string
  /** The remedy; empty if nothing is wrong. */
  do?: string
}

const gib = 2 ** 30
const roomLeast = 2 * gib
const nodeLeast = 24

export function nodeFinding(version: string): Finding {
  const found = `Node ${version}`
  if (Number.parseInt(version, 10) >= nodeLeast) return good('node', found, 'all functions work with it')
  return bad('node', found, 'it is older than the tested versions', `Install Node ${nodeLeast} or newer`)
}

/** Permissions of the trading process; the process of this check has no limits. */
export function confinementFinding(setting: string | undefined): Finding {
  const about = 'confinement'
  const means = 'rungs run may start programs, and may read and write all files of your user'
  if (setting === 'off') {
    const fix = 'Remove RUNGS_PERMISSION from the environment'
    return note(about, 'RUNGS_PERMISSION is off', means, fix)
  }
  if (process.allowedNodeEnvironmentFlags.has('--permission')) {
    const found = 'this Node has a permission model'
    return good(about, found, 'rungs run starts no program, and writes only to its state folder and its tape')
  }
  return note(about, 'this Node has no permission model', means)
}

export function folderFinding(folder: {
  path: string
  isThere: boolean
  isFolder: boolean
  writable: boolean
  freeBytes: number
}): Finding {
  const { path, isThere, isFolder, writable, freeBytes } = folder
  const free = `${(freeBytes / gib).toFixed(1)} GiB are free`
  const found = `${path}${isThere ? '' : ', which does not exist yet'}; ${free}`
  const about = 'state folder'
  const fix = 'Name another folder with --state-dir'
  if (!isFolder) return bad(about, `${path} is not a folder`, 'a bot cannot start here', fix)
  if (!writable) return bad(about, found, 'a bot cannot write its journal here and does not start', fix)
  if (freeBytes < roomLeast)
    return bad(
      about,
      found,
      'journal and logs may need more; a bot that cannot write its journal stops',
      'Free some space, or name a folder on another disk with --state-dir',
    )
  return good(about, found, 'there is space for journal, logs and nonces')
}

export function clockFinding(ours: number, theirs: number, mode: NonceMode, tookMs: number): Finding {
  // Timestamps are whole seconds, and half of the round trip has passed since.
  const off = Math.max(0, Math.abs(ours - theirs) - 1000 - tookMs / 2)
  const seconds = Math.round(off / 100) / 10
  const found =
    seconds === 0
      ? 'the local clock and the venue clock agree'
      : `the local clock differs from the venue clock by ${seconds} s`
  const fix = 'Synchronize the system clock with the network (timedatectl set-ntp true)'
  if (mode === 'window' && off > nonceWindowMs / 2)
    return bad(
      'clock',
      found,
      `the venue refuses each call beyond a difference of ${nonceWindowMs / 1000} s`,
      fix,
    )
  if (off < nonceWindowMs)
    return good('clock', found, 'the venue accepts calls, and log times are comparable')
  return note('clock', found, 'the bot uses the venue clock; log times of other programs differ', fix)
}

export function wayFinding(tookMs: readonly number[]): Finding {
  const sorted = [...tookMs].sort((a, b) => a - b)
  const middle = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
  const longest = Math.round(sorted.at(-1) ?? 0)
  const found = `round trip ${middle} ms (median), ${longest} ms (maximum) of ${sorted.length}`
  if (middle < 1000)
    return good('venue', `the venue answers: ${found}`, 'an order arrives after about half of the round trip')
  const fix = 'Run the bot closer to the venue, or use wider steps'
  return note('venue', `the venue answers: ${found}`, 'the price can move during a round trip', fix)
}

export function keyFinding(fingerprint: string, outcome: AnyOutcome): Finding {
  const found = `API key ${fingerprint}`
  if (outcome.kind === 'answer')
    return good('key', `the venue knows ${found}`, 'signature and read permission are valid')
  if (outcome.kind === 'refused' && outcome.throttle === 'nonce')
    return bad(
      'key',
      `the venue refused the nonce of ${found}: ${outcome.message}`,
      'the venue accepted a higher nonce of this key before, or its clock differs. It refuses signed calls meanwhile',
      nonceFix,
    )
  if (outcome.kind === 'refused')
    return bad(
      'key',
      `the venue refused ${found}: ${outcome.message}`,
      'a bot cannot trade with this key',
      'Check key and secret, and the permissions and IP addresses that the venue allows for the key',
    )
  const reason = 'reason' in outcome ? outcome.reason : outcome.kind
  return bad(
    'key',
    `no answer to a signed call: ${reason}`,
    'the state of the key is unknown',
    'Try again; if the problem stays, read the status page of the venue',
  )
}

/** A list that needs the permission to move money; only the first order shows whether orders are allowed. */
export function permissionFinding(funds: AnyOutcome, isPaper: boolean): Finding {
  const trade = 'Only the first order shows whether the key may trade: no other call needs this permission'
  if (funds.kind === 'answer' && isPaper)
    return good('permissions', 'the key may withdraw money; the money is paper money', trade)
  if (funds.kind === 'answer')
    return note(
      'permissions',
      'the key may withdraw money',
      `only flex plans need this permission. ${trade}`,
      'Use a key with read and trade permission only, restricted to the IP address of this machine',
    )
  if (funds.kind === 'refused' && (funds.status === 401 || funds.status === 403))
    return good('permissions', 'the key may read, but may not withdraw money', trade)
  return note('permissions', 'the venue does not report its capabilities', trade)
}

export function capabilityFinding(has: readonly Capability[], pending: readonly Capability[] = []): Finding {
  const missing = capabilities.filter((each) => !has.includes(each) && !pending.includes(each))
  const found = [...has, ...pending.map((each) => `${each} (unknown)`)].join(', ')
  const refused =
    missing.length > 0 ? [`strategies that need ${missing.join(', ')} are refused at this venue`] : []
  const asked =
    pending.length > 0
      ? [`The venue has not yet reported ${pending.join(', ')}; a running bot asks again`]
      : []
  if (refused.length + asked.length === 0)
    return good('capabilities', found, 'all strategies can run at this venue')
  return note(
    'capabilities',
    found,
    [...refused, ...asked].join('. '),
    'rungs check FILE --venue FILE lists the capabilities that a strategy needs and the venue lacks',
  )
}

export function limitFinding(batchMax: number): Finding {
  const calls = `${perSecond(orderLimit)} order calls per second, ${perSecond(accountLimit)} other calls`
  return good(
    'limits',
    `${batchMax} orders per call; ${calls}`,
    'the client keeps these limits, also after a restart',
  )
}

export function feeFinding(markets: Readonly<Record<string, MarketFacts>>): Finding {
  const all = Object.values(markets)
  const [makers, takers] = [all.map(({ makerFee }) => makerFee), all.map(({ takerFee }) => takerFee)]
  const found = `${all.length} markets; maker fee ${spanOf(makers)}, taker fee ${spanOf(takers)}`
  return good('fees', found, 'a grid step must be larger than two maker fees to make a profit')
}

function spanOf(texts: readonly string[]): string {
  const shares = texts.map((text) => new Decimal(text).times(100))
  const [least, most] = [Decimal.min(...shares), Decimal.max(...shares)]
  return least.eq(most) ? `${least.toFixed()}%` : `${least.toFixed()}% to ${most.toFixed()}%`
}

function perSecond({ calls, perMs }: { calls: number; perMs: number }): number {
  return (calls * 1000) / perMs
}

export function good(about: string, found: string, means: string): Finding {
  return { about, verdict: 'good', found, means }
}

export function note(about: string, found: string, means: string, fix?: string): Finding {
  return { about, verdict: 'note', found, means, ...(fix !== undefined && { do: fix }) }
}

export function bad(about: string, found: string, means: string, fix: string): Finding {
  return { about, verdict: 'bad', found, means, do: fix }
}
