import { BotError } from '#src/core/errors/bot-error.ts'
import type { State } from '#src/engine/state/state.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { Venue } from '#src/venue/port.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import type { StrategyFile } from './strategy-files.ts'

/** `path`: the first file that needs it. */
type Wanted = { leverage: number; path: string }

/** The leverage that all these files need, which is one for the whole account; undefined if none names one. */
export function leverageWanted(files: Iterable<Pick<StrategyFile, 'path' | 'read'>>): Wanted | undefined {
  let first: Wanted | undefined
  for (const { path, read } of files) {
    const { leverage } = read.strategy
    if (leverage === undefined) continue
    first ??= { leverage, path }
    if (first.leverage === leverage) continue
    throw new BotError('LEVERAGE_DIFFERS', {
      seen: `${first.path} needs ${first.leverage}, and ${path} needs ${leverage}: an account has one leverage`,
      fix: 'Write the same leverage into both files, or run each file with an account of its own',
    })
  }
  return first
}

function hasPositions({ strategies }: Pick<State, 'strategies'>): boolean {
  return Object.values(strategies).some(({ holdings }) =>
    Object.values(holdings).some(({ position }) => position !== '0'),
  )
}

type About = {
  /** `setsLeverage`: whether to set another leverage at the venue, or to refuse the start. */
  ground: { venue: Pick<Venue, 'account' | 'setLeverage'>; setsLeverage: boolean }
  /** What the venue file states, by which frozen money is explained. */
  declared: number | null
  /** While positions are open, nothing may keep the bot from its exits, and the venue would refuse another leverage. */
  state: Pick<State, 'strategies'>
  say: LogEvent
}

/**
 * Compares the leverage of the account with that of the files, and sets it if that is wanted. If it stays another one, the start
 * is refused, or only reported while positions are open.
 */
export async function agreeOnLeverage(wanted: Wanted | undefined, about: About): Promise<void> {
  if (!wanted) return
  await setOrRefuse(wanted, about).catch((error: unknown) => {
    if (!hasPositions(about.state) || !(error instanceof BotError)) throw error
    about.say({ type: 'leverage-differs', reason: error.seen })
  })
}

async function setOrRefuse(
  { leverage, path }: Wanted,
  { ground: { venue, setsLeverage }, declared, state, say }: About,
): Promise<void> {
  if (declared !== null && declared !== leverage)
    throw differs(
      `the venue file states ${declared}, and ${path} needs ${leverage}`,
      `Write leverage: ${leverage} into the venue file, or leverage: ${declared} into the strategy`,
    )
  const read = await venue.account.equity()
  if (read.kind !== 'read' || read.value.leverage === null) {
    const why = 'reason' in read ? read.reason : 'it does not show one'
    const seen = `the leverage of the account cannot be read, and ${path} needs ${leverage}: ${why}`
    throw new BotError(read.kind === 'failed' ? 'VENUE_UNREACHABLE' : 'LEVERAGE_DIFFERS', {
      seen,
      fix: 'Start again when the venue answers. At a venue that does not show its leverage, omit leverage from the file',
    })
  }
  const { leverage: before } = read.value
  if (before === leverage) return
  if (!setsLeverage || hasPositions(state))
    throw differs(
      `the account has ${before}, and ${path} needs ${leverage}`,
      `Run again with --yes to set ${leverage} for the whole account, or write leverage: ${before} into the file`,
    )
  const done = await venue.setLeverage(leverage)
  if (done.kind === 'failed')
    throw differs(
      `the venue does not change the leverage from ${before} to ${leverage}, which ${path} needs: ${done.reason}`,
      `Close all positions and orders of the account first, or write leverage: ${before} into the file`,
    )
  say({ type: 'leverage-set', leverage, reason: `${path} needs it, and the account had ${before}` })
}

function differs(seen: string, fix: string): BotError {
  return new BotError('LEVERAGE_DIFFERS', { seen, fix })
}

/** A running bot does not set the leverage: a changed file must keep what the start has agreed on. */
export function leverageFaults({ leverage }: Strategy, agreed: number | undefined): StrategyFault[] {
  if (leverage === undefined || leverage === agreed) return []
  const message = `this run did not compare the leverage ${leverage} with the account`
  return [
    { path: ['leverage'], message, hint: 'start the bot again: it sets the leverage only at its start' },
  ]
}
