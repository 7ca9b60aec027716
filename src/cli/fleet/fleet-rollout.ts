import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemClock } from '#src/core/time/clock.ts'
import type { CommandOutcome, FleetCommand } from '#src/fleet/commands.ts'
import type { Database } from '#src/fleet/database.ts'
import type { MemberReport } from '#src/fleet/member-report.ts'
import { textHash } from '#src/fleet/rollouts.ts'
import { isAlive, roster, type RosterRow } from '#src/fleet/roster.ts'
import { readStrategies } from '#src/runtime/compose/strategy-files.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import { counted, shellWord, spanText } from '#src/cli/words/text.ts'
import { usage } from '#src/cli/words/usage.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { accountsOf, atFleet } from './fleet-address.ts'
import { answeredOf, send } from './fleet-operate.ts'

type RolloutFlags = { to: number; soak?: number; account?: string[]; wait?: number }

const soakMsUsually = 60_000
const pollMs = 500

/**
 * `rungs fleet rollout`: replaces the text of a strategy in a share of the accounts that run it. Each bot checks the file against
 * its venue. If one refuses it, or reports a problem during the observation, all changed accounts run the previous text again.
 */
export async function fleetRollout(address: string, path: string, flags: RolloutFlags): Promise<number> {
  const { files, faulty } = readStrategies([path], () => [])
  const [file] = files
  if (file === undefined) return printFaulty(faulty)
  const { name } = file.read.strategy
  const text = file.read.text()
  return atFleet(address, async (database) => {
    const running = (await accountsOf(database, flags.account)).filter(
      (row) => isAlive(row) && strategyIn(row, name)?.running,
    )
    if (running.length === 0)
      throw usage(
        `no bot of the fleet runs a strategy with the name ${name}`,
        'List the strategies with rungs fleet status: a rollout changes strategies that run',
      )
    const wanted = Math.ceil(running.length * flags.to)
    const [has, others] = partition(running, (row) => strategyIn(row, name)?.text === textHash(text))
    const chosen = others.slice(0, Math.max(0, wanted - has.length))
    const command = { kind: 'replace' as const, strategy: name, text }
    const problem = await changed(database, chosen, { command, ...flags })
    if (problem !== undefined) {
      process.stdout.write(`${problem}\n`)
      return exitCodes.findings
    }
    const all = has.length + chosen.length
    const next =
      all < running.length
        ? `To continue: rungs fleet rollout ${shellWord(address)} ${shellWord(path)} --to 100%\n`
        : ''
    process.stdout.write(`${all} of ${counted(running.length, 'account')} run the file as ${name}.\n${next}`)
    return exitCodes.ok
  })
}

type Change = { command: Extract<FleetCommand, { kind: 'replace' }>; soak?: number; wait?: number }

/** Changes these accounts, and observes them. Returns the problem after which they run the previous text again. */
async function changed(
  database: Database,
  chosen: readonly RosterRow[],
  { command, soak = soakMsUsually, ...flags }: Change,
): Promise<string | undefined> {
  if (chosen.length === 0) return undefined
  const outcomes = await send(database, chosen, { command, done: 'runs the file', ...flags })
  const answered = answeredOf(outcomes)
  const problem =
    answered.length < chosen.length
      ? 'not every bot runs the file'
      : await problemWithin(database, chosen, { strategy: command.strategy, soak })
  if (problem === undefined) return undefined
  const texts = Map.groupBy(outcomes.filter(isChanged), ({ answer }) => answer.before ?? '')
  for (const [before, those] of texts) {
    const rows = chosen.filter(({ account }) => those.some((each) => each.account === account))
    await send(database, rows, {
      command: { ...command, text: before },
      done: 'runs the previous text',
      ...flags,
    })
  }
  return `Rolled back: ${problem}.`
}

type Answered = Extract<CommandOutcome, { kind: 'answered' }>

function isChanged(outcome: CommandOutcome): outcome is Answered {
  return outcome.kind === 'answered' && outcome.answer.before !== undefined
}

/** The first problem of an account within the time. What was so before the rollout is none. */
async function problemWithin(
  database: Database,
  chosen: readonly RosterRow[],
  { strategy, soak }: { strategy: string; soak: number },
): Promise<string | undefined> {
  process.stdout.write(`Observing ${counted(chosen.length, 'account')} for ${spanText(soak)}.\n`)
  const before = new Map(chosen.map((row) => [row.account, row]))
  const end = systemClock.monotonic() + soak
  for (;;) {
    for (const row of await roster(database)) {
      const was = before.get(row.account)
      const problem = was && problemOf(was, row, strategy)
      if (problem !== undefined) return `${printable(row.account)} ${problem}`
    }
    if (systemClock.monotonic() >= end) return undefined
    await systemClock.sleep(pollMs)
  }
}

function problemOf(was: RosterRow, row: RosterRow, strategy: string): string | undefined {
  const { report } = row
  if (!isAlive(row)) return 'does not trade or report any more'
  if (row.epoch !== was.epoch) return 'was taken over by another process'
  if (report === null) return 'does not report its strategies'
  const own = strategyIn(row, strategy)
  if (own?.running !== true) return `does not run ${strategy} any more`
  if (own.halted !== null && strategyIn(was, strategy)?.halted === null)
    return `has halted ${strategy}: ${printable(own.halted)}`
  if (report.stopped !== null && was.report?.stopped === null)
    return `has stopped all entries: ${printable(report.stopped)}`
  return report.alerts > (was.report?.alerts ?? 0)
    ? 'has logged an alert or an error: see rungs logs there'
    : undefined
}

function strategyIn({ report }: RosterRow, name: string): MemberReport['strategies'][number] | undefined {
  return report?.strategies.find((each) => each.name === name)
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
