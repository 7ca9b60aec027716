import { nonceWindowMs } from '#src/contract/envelope.ts'
import { accountLimit, orderLimit } from '#src/contract/limits.ts'
import type { NonceMode } from '#src/client/nonce.ts'
import type { AnyOutcome } from '#src/client/outcome.ts'
import type { MarketFacts } from '#src/engine/events.ts'
import { Decimal } from '#src/money/decimal.ts'
import { capabilities, type Capability } from '#src/strategy/schema.ts'

/** One thing that `rungs doctor` has looked at. */
export type Finding = {
  about: string
  /** note: nothing is broken, but somebody should know. */
  verdict: 'good' | 'note' | 'bad'
  found: string
  means: string
  /** What to do; nothing where all is well. */
  do?: string
}

const gib = 2 ** 30
const roomLeast = 2 * gib
const nodeLeast = 24

export function nodeFinding(version: string): Finding {
  const found = `Node ${version}`
  if (Number.parseInt(version, 10) >= nodeLeast) return good('node', found, 'it runs all of this')
  return bad(
    'node',
    found,
    'it is older than what this was tested with',
    `Install Node ${nodeLeast} or newer`,
  )
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
  const found = `${path}${isThere ? '' : ', which is not there yet'}; ${free}`
  const about = 'state folder'
  if (!isFolder)
    return bad(about, `${path} is no folder`, 'no bot starts there', 'Name another with --state-dir')
  if (!writable)
    return bad(
      about,
      found,
      'the journal could not be written, and no bot starts',
      'Name another with --state-dir',
    )
  if (freeBytes < roomLeast)
    return bad(
      about,
      found,
      'journal and logs may take that much; a bot whose journal cannot be written stops',
      'Make room, or name a folder on another disk with --state-dir',
    )
  return good(about, found, 'journal, logs and nonces have room there')
}

export function clockFinding(ours: number, theirs: number, mode: NonceMode, tookMs: number): Finding {
  // They tell whole seconds, and half of the way has passed since.
  const off = Math.max(0, Math.abs(ours - theirs) - 1000 - tookMs / 2)
  const seconds = Math.round(off / 100) / 10
  const found =
    seconds === 0 ? 'ours and that of the venue agree' : `ours is ${seconds} s off that of the venue`
  const fix = 'Let the system set its clock from the network (timedatectl set-ntp true)'
  if (mode === 'window' && off > nonceWindowMs / 2)
    return bad('clock', found, `beyond ${nonceWindowMs / 1000} s the venue refuses each call`, fix)
  if (off < nonceWindowMs) return good('clock', found, 'calls are taken, and times in logs can be compared')
  return {
    about: 'clock',
    verdict: 'note',
    found,
    means: 'the bot goes by the clock of the venue; logs of others will not match',
    do: fix,
  }
}

export function wayFinding(tookMs: readonly number[]): Finding {
  const sorted = [...tookMs].sort((a, b) => a - b)
  const middle = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
  const longest = Math.round(sorted.at(-1) ?? 0)
  const found = `${middle} ms there and back, ${longest} ms at worst, of ${sorted.length}`
  if (middle < 1000) return good('venue', `it answers: ${found}`, 'an order is there in about half of that')
  const fix = 'Run the bot nearer to the venue, or leave wider steps'
  return {
    about: 'venue',
    verdict: 'note',
    found: `it answers: ${found}`,
    means: 'prices move on meanwhile',
    do: fix,
  }
}

export function keyFinding(fingerprint: string, outcome: AnyOutcome): Finding {
  const found = `the key ${fingerprint}`
  if (outcome.kind === 'answer')
    return good('key', `${found} is known there`, 'signature and permission to read are right')
  if (outcome.kind === 'refused')
    return bad(
      'key',
      `${found} was refused: ${outcome.message}`,
      'no bot can trade with it',
      'Check key, secret and the permissions and addresses that the venue has for it',
    )
  const reason = 'reason' in outcome ? outcome.reason : outcome.kind
  return bad(
    'key',
    `no answer to a signed call: ${reason}`,
    'it is not known whether the key is good',
    'Try again; if it stays so, look at the status page of the venue',
  )
}

/** A list that asks for the permission to move money; whether orders are allowed shows with the first order only. */
export function permissionFinding(funds: AnyOutcome, isPaper: boolean): Finding {
  const trade = 'Whether it may trade shows with the first order: nothing else asks for that'
  if (funds.kind === 'answer' && isPaper)
    return good('permissions', 'the key may move money, which is paper here', trade)
  if (funds.kind === 'answer')
    return {
      about: 'permissions',
      verdict: 'note',
      found: 'the key may move money',
      means: `a bot needs that for flex plans alone. ${trade}`,
      do: 'Use a key that may read and trade, and is tied to the address of this machine',
    }
  if (funds.kind === 'refused' && (funds.status === 401 || funds.status === 403))
    return good('permissions', 'the key may read, and may move no money', trade)
  return { about: 'permissions', verdict: 'note', found: 'the venue does not tell them', means: trade }
}

export function capabilityFinding(has: readonly Capability[], pending: readonly Capability[] = []): Finding {
  const missing = capabilities.filter((each) => !has.includes(each) && !pending.includes(each))
  const found = [...has, ...pending.map((each) => `${each} (not known yet)`)].join(', ')
  const refused = missing.length > 0 ? [`a strategy that needs ${missing.join(', ')} is refused there`] : []
  const asked =
    pending.length > 0
      ? [`The venue has not said whether it has ${pending.join(', ')}; a running bot asks again`]
      : []
  if (refused.length + asked.length === 0) return good('capabilities', found, 'each strategy can run there')
  return {
    about: 'capabilities',
    verdict: 'note',
    found,
    means: [...refused, ...asked].join('. '),
    do: 'rungs check FILE --venue FILE says for each of yours what it would lack',
  }
}

export function limitFinding(batchMax: number): Finding {
  const calls = `${perSecond(orderLimit)} calls a second that place orders, ${perSecond(accountLimit)} of others`
  return good(
    'limits',
    `${batchMax} orders in one call; ${calls}`,
    'the client keeps to that by itself, also after a restart',
  )
}

export function feeFinding(markets: Readonly<Record<string, MarketFacts>>): Finding {
  const all = Object.values(markets)
  const [makers, takers] = [all.map(({ makerFee }) => makerFee), all.map(({ takerFee }) => takerFee)]
  const found = `${all.length} markets; makers pay ${spanOf(makers)}, takers ${spanOf(takers)}`
  return good('fees', found, 'a step has to earn twice the fee of a maker before it earns anything')
}

function spanOf(texts: readonly string[]): string {
  const shares = texts.map((text) => new Decimal(text).times(100))
  const [least, most] = [Decimal.min(...shares), Decimal.max(...shares)]
  return least.eq(most) ? `${least.toFixed()}%` : `${least.toFixed()}% to ${most.toFixed()}%`
}

function perSecond({ calls, perMs }: { calls: number; perMs: number }): number {
  return (calls * 1000) / perMs
}

function good(about: string, found: string, means: string): Finding {
  return { about, verdict: 'good', found, means }
}

export function bad(about: string, found: string, means: string, fix: string): Finding {
  return { about, verdict: 'bad', found, means, do: fix }
}
