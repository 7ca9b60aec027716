import { styleText } from 'node:util'
import { moneyText } from '#src/core/money/decimal.ts'
import { journalPath } from '#src/journal/sqlite/schema.ts'
import { logFolder } from '#src/operate/logs/log-files.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import type { Summary } from './run-tally.ts'
import { doubtText } from '#src/cli/words/event-text.ts'
import { columns, counted, shellWord } from '#src/cli/words/text.ts'

/** The summary of a run for people: numbers, where the files are, and what to check next. */
export function exitSummaryText(
  summary: Summary,
  about: {
    stateDir: string
    isNamed: boolean
    dashboard: string
    file: string
    lastOrder: string | undefined
    /** What `on_exit` could not close. */
    left: readonly string[]
  },
): string {
  const { fills, orders, refused, unknown, profit, fees, tookMs, strategies } = summary
  const parts = `grid profit ${moneyText(summary.gridProfit)}, floating ${moneyText(summary.floating)}`
  const folder = about.isNamed ? ` --state-dir ${shellWord(about.stateDir)}` : ''
  const { lastOrder } = about
  const busy = strategies.filter((each) => each.fills > 0)
  const next = [
    ...(lastOrder === undefined
      ? []
      : [[`why ${lastOrder}${folder}`, 'explains why the bot sent this order']]),
    [`logs --type fill${folder}`, 'shows all fills'],
    [`check ${shellWord(about.file)}`, 'shows the orders and the maximum loss of a strategy'],
    ['new', 'creates a strategy file'],
  ]
  return [
    '',
    styleText('bold', `Stopped after ${spanText(tookMs)}`),
    `  fills      ${fills}`,
    `  orders     ${orders}${refused === 0 ? '' : `, and ${refused} refused`}`,
    ...(unknown === 0 ? [] : [`  unknown    ${unknown} ${doubtText(summary)}`]),
    ...('difference' in summary
      ? [`  venue      bot and venue disagree: ${printable(summary.difference)}`]
      : []),
    `  profit     ${moneyText(profit)}, positions at market: ${parts}`,
    `  fees       ${moneyText(fees)}`,
    ...(busy.length < 2 ? [] : columns(busy.map(strategyRow))),
    '',
    styleText('bold', 'Kept'),
    `  journal    ${printable(journalPath(about.stateDir))}`,
    `  logs       ${printable(logFolder(about.stateDir))}`,
    `  dashboard  ${about.dashboard}, while a bot runs`,
    '',
    styleText('bold', 'Next'),
    ...next.flatMap(([words = '', says = '']) => [`  npx rungs ${words}`, styleText('dim', `      ${says}`)]),
    '',
    ...about.left.map((each) => styleText('red', `on_exit: ${printable(each)}`)),
    'Open orders stay at the venue. The same command continues this run.',
    '',
  ].join('\n')
}

/** The same for a run that was ended while it waited for its venue. */
export function neverStartedText(
  url: string,
  about: { stateDir: string; venueFile: string | undefined },
): string {
  const { stateDir, venueFile } = about
  return [
    '',
    styleText('bold', 'Stopped before start'),
    `  ${url} did not report all that the bot needs; no order was placed`,
    ...(venueFile === undefined ? [] : [`  npx rungs doctor --venue ${shellWord(venueFile)}`]),
    `  logs       ${printable(logFolder(stateDir))}`,
    '',
  ].join('\n')
}

function strategyRow({ strategy, fills, profit }: Summary['strategies'][number]): string[] {
  return [`    ${strategy}`, counted(fills, 'fill'), `profit ${moneyText(profit)}`]
}

function spanText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
