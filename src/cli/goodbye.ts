import { styleText } from 'node:util'
import { moneyText } from '#src/money/decimal.ts'
import { journalPath } from '#src/journal/schema.ts'
import { logFolder } from '#src/logs/files.ts'
import { printable } from '#src/terminal/printable.ts'
import type { Summary } from './summary.ts'
import { doubtText } from './event-text.ts'
import { columns, shellWord } from './text.ts'

/** What a run came to, for the person who has ended it: numbers, where all of it is kept, and what to look at next. */
export function goodbyeText(
  summary: Summary,
  about: {
    stateDir: string
    isNamed: boolean
    dashboard: string
    file: string
    lastOrder: string | undefined
  },
): string {
  const { fills, orders, refused, unknown, profit, fees, tookMs, strategies } = summary
  const parts = `grid profit ${moneyText(summary.gridProfit)}, floating ${moneyText(summary.floating)}`
  const folder = about.isNamed ? ` --state-dir ${shellWord(about.stateDir)}` : ''
  const { lastOrder } = about
  const busy = strategies.filter((each) => each.fills > 0)
  const next = [
    ...(lastOrder === undefined ? [] : [[`why ${lastOrder}${folder}`, 'why this order was sent']]),
    [`logs --type fill${folder}`, 'all that has filled'],
    [`check ${shellWord(about.file)}`, 'what a strategy does, and what it can lose'],
    ['new', 'a strategy of your own, by a few questions'],
  ]
  return [
    '',
    styleText('bold', `Ended after ${spanText(tookMs)}`),
    `  fills      ${fills}`,
    `  orders     ${orders}${refused === 0 ? '' : `, and ${refused} refused`}`,
    ...(unknown === 0 ? [] : [`  in doubt   ${unknown} ${doubtText(summary)}`]),
    ...('agrees' in summary && !summary.agrees
      ? ['  venue      not all that it says fits what the bot knows: npx rungs status']
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
    'Orders at rest stay at the venue. The same command goes on from here.',
    '',
  ].join('\n')
}

/** The same for a run that was told to end while it waited for its venue. */
export function neverBegunText(
  url: string,
  about: { stateDir: string; venueFile: string | undefined },
): string {
  const { stateDir, venueFile } = about
  return [
    '',
    styleText('bold', 'Ended before it began'),
    `  ${url} had not told all that a bot has to know; nothing was placed`,
    ...(venueFile === undefined ? [] : [`  npx rungs doctor --venue ${shellWord(venueFile)}`]),
    `  logs       ${printable(logFolder(stateDir))}`,
    '',
  ].join('\n')
}

function strategyRow({ strategy, fills, profit }: Summary['strategies'][number]): string[] {
  return [`    ${strategy}`, `${fills} fills`, `profit ${moneyText(profit)}`]
}

function spanText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
