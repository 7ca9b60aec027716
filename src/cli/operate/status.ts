import { styleText } from 'node:util'
import { z } from 'zod'
import type { Connectivity } from '#src/runtime/account/connectivity.ts'
import type { BotStatus, StrategyStatus } from '#src/operate/dashboard/status.ts'
import type { LimitUsage } from '#src/engine/risk/limit-usage.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { averageText, moneyText, withShortNumbers } from '#src/core/money/decimal.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { exitsText } from '#src/engine/rules/halts.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { callBot } from './control-call.ts'
import { botFolder } from './bot-folder.ts'
import { columns, labelled, paragraphs } from '#src/cli/words/text.ts'
import { exitRows } from '#src/cli/words/exit-text.ts'
import { terminalWidth } from '#src/cli/words/printed.ts'

/** `rungs status`: the state of a folder's bot, or of its journal if none runs. */
export async function status(
  strategy: string | undefined,
  flags: { json?: boolean; stateDir?: string },
): Promise<number> {
  const folder = botFolder(flags.stateDir)
  // Only the journal needs the engine.
  const all = (await statusOfBot(folder)) ?? (await import('./journal-status.ts')).journalStatus(folder)
  const found = strategy === undefined ? all : onlyStrategy(strategy, all)
  const text =
    flags.json === true
      ? JSON.stringify(found)
      : statusText(found, { hasPairs: strategy !== undefined, width: terminalWidth() })
  process.stdout.write(`${text}\n`)
  if (found.process !== null) return exitCodes.ok
  process.stderr.write(`No bot runs in ${printable(folder)}: last state from the journal.\n`)
  return exitCodes.unavailable
}

/** Undefined if no bot runs. */
export async function statusOfBot(folder: string): Promise<BotStatus | undefined> {
  const answered = await callBot(folder, 'status')
  if (answered === undefined) return undefined
  const { error } = z.object({ error: z.string().optional() }).parse(answered.body)
  if (error !== undefined) throw new BotError('BOT_SILENT', { seen: printable(error) })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of this same program, behind a token
  return answered.body as BotStatus
}

export function onlyStrategy(strategy: string, status: BotStatus): BotStatus {
  const found = status.strategies.filter(({ name }) => name === strategy)
  if (found.length > 0) return { ...status, strategies: found }
  throw noSuch('strategy', strategy, status.strategies)
}

export function noSuch(kind: string, name: string, known: readonly { name: string }[]): BotError {
  const names = known.map((each) => each.name)
  return usage(
    `there is no ${kind} "${printable(name.slice(0, 60))}"${suggestion(name, names)}`,
    names.length === 0 ? 'No strategy has run in this folder yet' : `Use one of ${names.join(', ')}`,
  )
}

/** `hasPairs`: also the pairs of each rung. `width`: of a line, where a longer text continues on the next one. */
export type StatusLayout = { hasPairs: boolean; width: number }

export function statusText(status: BotStatus, layout: StatusLayout): string {
  const { process: running, at, stopped, exits, capabilities, pending, equity, drift } = status
  const where =
    running === null
      ? 'not running'
      : `process ${running.pid} at ${running.url}, ${running.waiting} events queued`
  const worth = equity === null ? 'unknown' : moneyText(equity)
  const { width } = layout
  const paragraph = (text: string) => labelled('', printable(text), width)
  return [
    styleText('bold', where),
    ...(running === null ? [] : contactText(running, { at, width })),
    ...paragraph(`venue time ${new Date(at).toISOString()}, equity ${worth}, ${capabilities.join(', ')}`),
    ...(pending.length === 0
      ? []
      : paragraph(
          `unknown capabilities of the venue, asked again every minute: ${pending.join(', ')}; dependent functions wait`,
        )),
    ...(drift === null ? [] : red(paragraph(`bot and venue disagree: ${drift}`))),
    ...(stopped === null ? [] : red(paragraph(`stopped: ${stopped}. ${exitsText(exits)}.`))),
    ...status.strategies.map((each) => strategyText(each, layout)),
  ].join('\n')
}

function red(lines: readonly string[]): string[] {
  return lines.map((line) => styleText('red', line))
}

function contactText({ readAt, lost }: Connectivity, { at, width }: { at: number; width: number }): string[] {
  const read =
    readAt === null ? 'the account was never read completely' : `account read ${agoText(at - readAt)}`
  if (lost === null) return [read]
  const since = `${new Date(lost.since).toISOString()}, ${agoText(at - lost.since)}`
  const what = lost.unreadable === true ? 'the account is not read completely' : 'the venue does not answer'
  return [...red(labelled('', `${what} since ${since}: ${printable(lost.reason)}`, width)), read]
}

function strategyText(each: StrategyStatus, { hasPairs, width }: StatusLayout): string {
  const {
    name,
    running,
    halted,
    exits,
    flattening,
    pauses,
    result,
    drawdown,
    maxDrawdown,
    fees,
    ladders,
    feeds,
    margins,
  } = each
  const rows = ladders.map((ladder) => [
    `  ${ladder.name}`,
    ladder.goal,
    ladder.rungs === 0 ? 'no rungs' : `${ladder.resting} of ${ladder.rungs} resting`,
    ladder.anchor === null ? '' : `from ${withShortNumbers(ladder.anchor)}`,
    printable(ladder.missing ?? ''),
  ])
  const field = (name: string, text: string) => labelled(`  ${name} `, printable(text), width)
  return [
    '',
    styleText('bold', `${name}${running ? '' : ' (not running)'}`),
    ...(halted === null ? [] : red(field('halted:', `${halted}. ${exitsText(exits)}.`))),
    ...(flattening === null ? [] : [styleText('red', `  ${flatteningTexts[flattening]}`)]),
    ...Object.entries(pauses).flatMap(([by, why]) => field('paused by', `${by}: ${why}`)),
    `  result ${moneyText(result)}, drawdown ${moneyText(drawdown)} (at most ${moneyText(maxDrawdown)})`,
    `  fees ${moneyText(fees)}, orders ${ordersText(each)}`,
    `  ${pairText(each)}`,
    ...(hasPairs ? pairRows(each) : []),
    ...field('position', positionText(each)),
    ...paragraphs(rows, width),
    ...paragraphs(ladders.flatMap(exitRows), width),
    ...ladders.flatMap(({ name: ladder, writtenOff }) =>
      writtenOff === null ? [] : field('written off', `of ${ladder}: ${writtenOff}`),
    ),
    ...field('feeds', feeds.map(({ name: feed, ageMs }) => `${feed} ${ageText(ageMs)}`).join(', ')),
    ...columns(margins.map(limitRow)),
  ].join('\n')
}

const flatteningTexts = {
  closing: 'closes all positions at the market',
  done: 'all positions were closed at the market',
}

export function ordersText({
  orders: { resting, sending, doubtful },
}: Pick<StrategyStatus, 'orders'>): string {
  const unknown = doubtful.length === 0 ? '' : `, unknown outcome ${doubtful.join(' ')}`
  return `${resting} resting, ${sending} in flight${unknown}`
}

export function positionText({ holdings }: Pick<StrategyStatus, 'holdings'>): string {
  const held = holdings
    .filter(({ position }) => position !== '0')
    .map(
      ({ market, position, entry }) =>
        `${market} ${position}${entry === null ? '' : ` from ${averageText(entry)}`}`,
    )
  return held.length === 0 ? 'none' : held.join(', ')
}

function pairText({ pairs, gridProfit, floating, earlier }: StrategyStatus): string {
  const made = earlier === '0' ? '' : `, earlier result ${moneyText(earlier)}`
  const matched = `${pairs} matched ${pairs === 1 ? 'pair' : 'pairs'}`
  return `grid profit ${moneyText(gridProfit)} of ${matched}, floating ${moneyText(floating)}${made}`
}

function pairRows({ rungPairs }: StrategyStatus): string[] {
  return columns(
    rungPairs.map(({ ladder, level, pairs, profit, open, floating }) => [
      `  ${level === '' ? 'earlier' : `${ladder}.${level}`}`,
      `pairs ${pairs}`,
      `profit ${moneyText(profit)}`,
      `open ${open}`,
      `floating ${floating === null ? 'unknown' : moneyText(floating)}`,
    ]),
  )
}

function limitRow({ limit, measures, used, most }: LimitUsage): string[] {
  const text = measures === 'money' ? moneyText : withShortNumbers
  const value = most === null ? 'unknown' : withShortNumbers(most)
  return [`  ${limit}`, `${used === null ? 'unknown' : text(used)} of ${value}`]
}

function ageText(ageMs: number | null): string {
  return ageMs === null ? 'silent' : `${Math.round(ageMs / 1000)} s old`
}

function agoText(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s ago`
}
