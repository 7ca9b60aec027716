import { packageVersion } from '#src/cli/program/package-version.ts'
import { vocabulary } from '#src/core/log-events/vocabulary.ts'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { Check, StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import type { TradingRuntime } from '#src/runtime/compose/trading.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { CommandAnswer, FleetCommand } from '#src/fleet/commands.ts'
import type { Database } from '#src/fleet/database.ts'
import { keepRollout, rolledOut, rolloutsOf } from '#src/fleet/rollouts.ts'
import {
  isOperatorAct,
  operatorCommandFault,
  parseOperatorCommand,
} from '#src/operate/dashboard/operator-commands.ts'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { reportOf } from './fleet-report.ts'
import type { FleetMember } from './run-fleet.ts'
import type { RunOutput } from './run-output.ts'

/** What a command may act on. */
type Service = {
  database: Database
  account: string
  bot: Pick<RunningBot, 'state' | 'operate' | 'reload'>
  /** The check of a reloaded file. */
  check: Check
}

/** Executes a command of the fleet. A command that came twice changes nothing more. */
async function executeCommand(service: Service, command: FleetCommand): Promise<CommandAnswer> {
  if (command.kind === 'replace') return replace(service, command)
  const { bot } = service
  for (const [act, body] of command.acts) {
    const parsed = isOperatorAct(act) ? parseOperatorCommand(act, body) : undefined
    if (parsed === undefined) return { refused: `this version of rungs does not know the command ${act}` }
    const refused = operatorCommandFault(bot.state, parsed)
    if (refused !== undefined) return { refused }
    await bot.operate(parsed)
  }
  return { refused: null }
}

/** Stored before it applies: the next process of the account runs the same text. */
async function replace(
  { database, account, bot, check }: Service,
  { strategy, text }: Extract<FleetCommand, { kind: 'replace' }>,
): Promise<CommandAnswer> {
  const { running, strategies } = bot.state
  const before = strategies[strategy]?.text
  if (before === undefined || !running.includes(strategy)) return { refused: `${strategy} does not run here` }
  const read = readStrategyText(text)
  const problems = Array.isArray(read) ? read : check(read)
  if (Array.isArray(read) || problems.length > 0)
    return { refused: problems.map(({ line, message }) => `line ${line}: ${message}`).join('; ') }
  if (read.strategy.name !== strategy)
    return { refused: `the name of the strategy in the file is ${read.strategy.name}` }
  if (text !== before) {
    await keepRollout(database, { account, strategy, before, text })
    await bot.reload(read)
  }
  return { refused: null, before }
}

/** From here on, the fleet sees this bot, and this bot executes what operators of the fleet want. */
export function serveFleet(
  { database, account, lease, channel }: FleetMember,
  about: {
    trading: TradingRuntime
    bot: Service['bot']
    output: RunOutput
    dashboard: Dashboard
  },
): void {
  const { trading, bot, output, dashboard } = about
  let alerts = 0
  output.listen((events) => {
    alerts += events.filter(({ type }) => type === 'alert' || vocabulary[type].level === 'error').length
  })
  const { check } = trading
  channel.serve({
    report: () => {
      const { lost } = trading.contact()
      return reportOf(bot.state, dashboard.known(), { version: packageVersion, lost, alerts })
    },
    execute: (command) => executeCommand({ database, account, bot, check }, command),
    handOver: (standby) => lease.handOver(`it answers ${standby}`),
  })
}

/** The files that this process runs: with the texts of rollouts in the place of those that they replaced. */
export async function filesOfFleet(
  files: readonly StrategyFile[],
  { database, account }: Pick<FleetMember, 'database' | 'account'>,
  output: RunOutput,
  at: number,
): Promise<StrategyFile[]> {
  const rollouts = await rolloutsOf(database, account)
  return files.map((file) => {
    const { name } = file.read.strategy
    const own = file.read.text()
    const text = rolledOut(own, rollouts.get(name))
    const read = text === own ? file.read : readStrategyText(text)
    if (read === file.read) return file
    const isReadable = !Array.isArray(read)
    const message = isReadable
      ? `a rollout of the fleet has replaced the text of ${file.path}: the new text runs`
      : `this version cannot read the text by which a rollout has replaced ${file.path}: the file runs`
    output.take([{ type: 'alert', at, strategy: name, message }])
    return isReadable ? { ...file, read } : file
  })
}
