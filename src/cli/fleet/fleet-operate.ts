import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { sendCommand, type CommandOutcome, type FleetCommand } from '#src/fleet/commands.ts'
import type { Database } from '#src/fleet/database.ts'
import { roster, type RosterRow } from '#src/fleet/roster.ts'
import { stopActs } from '#src/cli/operate/operator-commands.ts'
import { confirm } from '#src/cli/words/confirm.ts'
import { counted } from '#src/cli/words/text.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { accountsOf, atFleet } from './fleet-address.ts'
import { positionsText } from './fleet-tables.ts'

type OperateFlags = {
  account?: string[]
  reason?: string
  cancel?: boolean
  freeze?: boolean
  yes?: boolean
  wait?: number
}

const waitMsUsually = 10_000
const flattenMsUsually = 60_000
/** An account whose lease ended longer ago has no process that starts just now. */
const endedMs = 60_000
const pollMs = 250

/** `rungs fleet stop`: no new entries until `rungs fleet resume`; exits work, unless `--freeze` stops them, too. */
export function fleetStop(address: string, flags: OperateFlags): Promise<number> {
  const { reason = 'stopped by an operator of the fleet', cancel = false, freeze = false } = flags
  return atFleet(address, async (database) => {
    const rows = await accountsOf(database, flags.account)
    const acts = stopActs(undefined, { reason, cancel, freeze })
    return exitCodeOf(
      await send(database, rows, { command: { kind: 'operate', acts }, done: 'stopped', ...flags }),
    )
  })
}

/** `rungs fleet resume`: trading goes on after a stop, a halt or a pause. */
export function fleetResume(address: string, flags: OperateFlags): Promise<number> {
  const { reason = 'resumed by an operator of the fleet' } = flags
  return atFleet(address, async (database) => {
    const rows = await accountsOf(database, flags.account)
    const command = { kind: 'operate' as const, acts: [act('resume', { strategy: null, reason })] }
    return exitCodeOf(await send(database, rows, { command, done: 'resumed', ...flags }))
  })
}

/** `rungs fleet flatten`: cancels the orders and closes the positions of all strategies, and names what remains. */
export function fleetFlatten(address: string, flags: OperateFlags): Promise<number> {
  const { reason = 'flattened by an operator of the fleet', yes = false, wait = flattenMsUsually } = flags
  return atFleet(address, async (database) => {
    const rows = await accountsOf(database, flags.account)
    if (!yes)
      await confirm({
        seen: `rungs fleet flatten closes the positions of ${counted(rows.length, 'account')} at the market`,
        question: `Cancel the orders of ${counted(rows.length, 'account')} and close the positions at the market?`,
        details: rows.flatMap(openLines).join('\n'),
      })
    const command = {
      kind: 'operate' as const,
      acts: [act('halt', { strategy: null, reason, flatten: true })],
    }
    const sent = await send(database, rows, { command, done: 'closes its positions', wait: waitMsUsually })
    const answered = answeredOf(sent)
    if (answered.length === 0) return exitCodes.findings
    const lines = (await untilFlat(database, answered, wait)).flatMap(openLines)
    const none = `No order and no position is open in ${counted(answered.length, 'account')}.`
    process.stdout.write(`${lines.length === 0 ? none : lines.join('\n')}\n`)
    return lines.length === 0 ? exitCodeOf(sent) : exitCodes.findings
  })
}

function act(name: string, body: Record<string, unknown>): [string, Record<string, unknown>] {
  return [name, body]
}

/** Sends a command, and prints what becomes of it in each account as soon as that is known. */
export async function send(
  database: Database,
  rows: readonly RosterRow[],
  about: { command: FleetCommand; done: string; wait?: number },
): Promise<CommandOutcome[]> {
  const { command, done, wait = waitMsUsually } = about
  const print = (outcome: CommandOutcome) =>
    process.stdout.write(`${printable(outcome.account)}: ${outcomeText(outcome, done)}\n`)
  const ended: CommandOutcome[] = rows
    .filter(({ holds, ms }) => !holds && ms > endedMs)
    .map(({ account }) => ({ account, kind: 'undelivered' }))
  ended.forEach(print)
  const accounts = rows
    .map(({ account }) => account)
    .filter((name) => !ended.some(({ account }) => account === name))
  const at = { database, clock: systemClock }
  return [...ended, ...(await sendCommand(at, accounts, command, wait, print))]
}

function outcomeText(outcome: CommandOutcome, done: string): string {
  if (outcome.kind === 'undelivered') return 'not delivered, since no process trades for the account'
  if (outcome.kind === 'unanswered')
    return 'no answer: the command may have been executed. Check with rungs fleet status'
  const { refused } = outcome.answer
  return refused === null ? done : `refused: ${printable(refused)}`
}

/** The accounts that have executed the command. */
export function answeredOf(outcomes: readonly CommandOutcome[]): string[] {
  return outcomes.flatMap((outcome) =>
    outcome.kind === 'answered' && outcome.answer.refused === null ? [outcome.account] : [],
  )
}

function exitCodeOf(outcomes: readonly CommandOutcome[]): number {
  return answeredOf(outcomes).length === outcomes.length ? exitCodes.ok : exitCodes.findings
}

/** What is still open in these accounts, once nothing more happens or the time has passed. */
async function untilFlat(
  database: Database,
  accounts: readonly string[],
  withinMs: number,
): Promise<RosterRow[]> {
  const end = systemClock.monotonic() + withinMs
  for (;;) {
    await systemClock.sleep(pollMs)
    const rows = (await roster(database)).filter(({ account }) => accounts.includes(account))
    const isClosing = rows.some(({ report }) =>
      report?.strategies.some(({ running, flattening }) => running && flattening !== 'done'),
    )
    if (!isClosing || systemClock.monotonic() >= end) return rows
  }
}

/** Open orders and positions, a line for each strategy. */
function openLines({ account, report }: RosterRow): string[] {
  if (report === null) return [`${printable(account)}: orders and positions are unknown`]
  return report.strategies
    .filter(({ orders, holdings }) => orders > 0 || holdings.some(({ position }) => position !== '0'))
    .map(
      (each) =>
        `${printable(account)}: ${each.name}: ${counted(each.orders, 'open order')}; position ${positionsText(each)}`,
    )
}
