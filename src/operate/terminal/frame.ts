import { averageText, Decimal, moneyText } from '#src/core/money/decimal.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import {
  beside,
  cellsOf,
  cut,
  fitted,
  lineCells,
  padded,
  type TextLine,
  type Size,
  type TextSpan,
} from './line.ts'
import { gainText, panelOf } from './panel.ts'
import { picturesOf } from './ladder-pictures.ts'

type EventRow = { level: string; time: string; type: string; about: string; text: string }
export type TerminalView = {
  tables: Tables
  /** The venue's time, as text. */
  time: string
  /** The latest last. */
  events: readonly EventRow[]
  /** Name of the selected strategy. */
  chosen: string | undefined
  /** Link to the dashboard, with the token. */
  link: string | null
  /** Whether there is a keyboard. */
  keys: boolean
  /** What the operator must confirm, or why a command was refused. */
  question?: string | undefined
  /** Lines to show in place of the pictures and events. */
  explained?: readonly string[] | undefined
}

type Row = Tables['strategies'][string]

/** Width from which there is room for a second column. */
const wideColumns = 104
/** With fewer rows, the events have no title. */
const titledRowsMin = 4

/** Draws the view of a bot: exactly as many lines as the terminal has rows, none longer than its columns. */
export function frame(view: TerminalView, { columns, rows }: Size): TextLine[] {
  const top = [headLine(view, columns), ...alarms(view.tables), ...chosenLines(view, columns)]
  const foot = footLines(view, columns, rows)
  const room = Math.max(0, rows - top.length - foot.length)
  if (view.explained !== undefined) {
    const text = explainedLines(view.explained, room, view.chosen)
    return [...top, ...text, ...foot].slice(0, rows).map((line) => fitted(line, columns))
  }
  const isWide = columns >= wideColumns
  const left = isWide ? Math.floor(columns * 0.6) : columns
  const panel = isWide ? panelOf(view.tables, view.chosen) : []
  const { needed, draw } = picturesOf(view.tables, view.chosen)
  const eventRows = eventRowCount(room, Math.max(needed, panel.length))
  const bodyRows = room - eventRows
  const pictures = draw({ columns: left - (isWide ? 2 : 0), rows: Math.min(bodyRows, needed) })
  const body = Array.from({ length: bodyRows }, (_, row) =>
    isWide ? beside(pictures[row] ?? [], panel[row] ?? [], left) : (pictures[row] ?? []),
  )
  const events = eventLines(view.events, columns, eventRows)
  // With few events the last line stays at the bottom.
  const all = [...top, ...body, ...Array.from({ length: eventRows }, (_, row) => events[row] ?? []), ...foot]
  return Array.from({ length: rows }, (_, row) => fitted(all[row] ?? [], columns))
}

/** As many lines as there is room for; the last one names the command that prints all. */
function explainedLines(lines: readonly string[], room: number, chosen: string | undefined): TextLine[] {
  const missing = lines.length - room
  const more = `… ${missing + 1} more lines: rungs why ${chosen ?? ''}`
  const shown = missing > 0 ? [...lines.slice(0, Math.max(0, room - 1)), more] : lines
  return Array.from({ length: room }, (_, row) => [shown[row] ?? ''])
}

/** The rows that the pictures leave, but at least a third or a quarter. */
function eventRowCount(room: number, needed: number): number {
  const least = room >= 3 * titledRowsMin ? Math.floor(room / 3) : Math.floor(room / 4)
  return Math.max(least, room - needed)
}

/** The most important parts that fit. */
function headLine({ tables, time }: TerminalView, columns: number): TextLine {
  const bot = tables.bot['']
  if (!bot) return []
  const today = Object.values(tables.strategies).reduce((sum, each) => sum.plus(each.today), new Decimal(0))
  const money: TextLine = bot.real ? [['red', 'REAL MONEY']] : [['dim', 'paper money']]
  const parts: { line: TextLine; weight: number }[] = [
    { line: [['bold', 'Rungs']], weight: 0 },
    { line: money, weight: bot.real ? 1 : 4 },
    { line: [`equity ${bot.equity === null ? 'unknown' : new Decimal(bot.equity).toFixed(2)}`], weight: 2 },
    { line: ['today ', gainText(today)], weight: 3 },
    {
      line: [['dim', `venue time ${time}${bot.speed === 1 ? '' : `, ${bot.speed} times as fast`}`]],
      weight: 5,
    },
  ]
  let used = 0
  const kept = new Set<TextLine>()
  for (const { line } of parts.toSorted((one, other) => one.weight - other.weight)) {
    used += lineCells(line) + 2
    if (used <= columns + 2) kept.add(line)
  }
  return parts.flatMap(({ line }) => (kept.has(line) ? line.concat('  ') : []))
}

/** Conditions that need the operator. */
function alarms({ bot, strategies }: Tables): TextLine[] {
  const row = bot['']
  if (!row) return []
  const doubtful = Object.values(strategies).reduce((sum, each) => sum + each.doubtful, 0)
  return [
    ...(row.stopped === null
      ? []
      : [
          `entries stopped${row.exits === 'frozen' ? ', exits frozen' : ''}, resume with npx rungs resume: ${row.stopped}`,
        ]),
    ...(row.lost === null ? [] : [`the venue does not answer: ${row.lost}`]),
    ...(row.unread === null ? [] : [`the account is not read completely: ${row.unread}`]),
    ...(row.drift === null ? [] : [`bot and venue disagree: ${row.drift}`]),
    ...(doubtful === 0 ? [] : [`${doubtful} orders with unknown outcome are being resolved`]),
  ].map((text): TextLine => [['red', text]])
}

function chosenLines({ tables, chosen }: TerminalView, columns: number): TextLine[] {
  const row = chosen === undefined ? undefined : tables.strategies[chosen]
  if (chosen === undefined || !row) return [[['dim', 'no strategy runs yet']]]
  return [tabs(tables, chosen, columns), stateLine(tables, chosen, row), ...haltLines(row)]
}

/** Names of strategies, the selected one in brackets; if they do not fit, those around it. */
function tabs({ strategies }: Tables, chosen: string, columns: number): TextLine {
  const names = Object.keys(strategies)
  const words = names.map((name) => {
    const isHalted = strategies[name]?.halted !== null
    return name === chosen ? `[${name}]` : ` ${name}${isHalted ? '!' : ' '}`
  })
  let first = names.indexOf(chosen)
  let used = cellsOf(words[first] ?? '')
  while (first > 0 && used + cellsOf(words[first - 1] ?? '') < columns / 2) {
    first -= 1
    used += cellsOf(words[first] ?? '')
  }
  if (cellsOf(words.join('')) <= columns) first = 0
  return words.slice(first).map((word): TextSpan => {
    if (word.startsWith('[')) return ['bold', word]
    return word.endsWith('!') ? ['red', word] : ['dim', word]
  })
}

function stateLine({ holdings }: Tables, name: string, row: Row): TextLine {
  const { result, drawdown, maxDrawdown, gridProfit, floating, fees, resting, sending, running } = row
  const held = Object.values(holdings)
    .filter(({ strategy, position }) => strategy === name && position !== '0')
    .map(
      ({ market, position, entry }) =>
        `${market} ${position}${entry === null ? '' : ` from ${averageText(entry)}`}`,
    )
  return [
    'result ',
    gainText(new Decimal(result)),
    '  grid profit ',
    gainText(new Decimal(gridProfit)),
    '  floating ',
    gainText(new Decimal(floating)),
    `  drawdown ${moneyText(drawdown)} (at most ${moneyText(maxDrawdown)})`,
    `  fees ${moneyText(fees)}  ${resting} resting`,
    ...(sending === 0 ? [] : [`, ${sending} in flight`]),
    `  position ${held.length === 0 ? 'none' : held.join(', ')}`,
    ...(running ? [] : ['  (not running)']),
  ]
}

function haltLines({ halted, pauses }: Row): TextLine[] {
  return [
    ...(halted === null ? [] : [[['red', `halted: ${halted}`]] as const]),
    ...(pauses === null
      ? []
      : pauses.split('\n').map((pause): TextLine => [['yellow', `paused by ${pause}`]])),
  ]
}

const eventTones: Readonly<Record<string, 'yellow' | 'red'>> = { warn: 'yellow', error: 'red' }

function eventLines(events: readonly EventRow[], columns: number, rows: number): TextLine[] {
  if (rows === 0) return []
  const heading = '── last events '
  const title: TextLine[] =
    rows < titledRowsMin ? [] : [[['dim', heading + '─'.repeat(Math.max(0, columns - heading.length))]]]
  const isNarrow = columns < 70
  return [
    ...title,
    ...events.slice(title.length - rows).map(({ level, time, type, about, text }): TextLine => {
      const tone = eventTones[level] ?? (type === 'fill' ? 'bold' : undefined)
      const line = isNarrow ? `${type} ${about} ${text}` : `${padded(type, 15)} ${padded(about, 17)} ${text}`
      return [['dim', `${time} `], tone === undefined ? line : [tone, line]]
    }),
  ]
}

/** The link may take several rows: only the whole of it is useful. */
function footLines(
  { link, keys, question, explained }: TerminalView,
  columns: number,
  rows: number,
): TextLine[] {
  if (question !== undefined) return pieces(question, columns).map((line): TextLine => [['bold', line]])
  if (explained !== undefined) return [[['dim', 'any key: back']]]
  const help = keys ? (helps.find((each) => cellsOf(each) <= columns) ?? helps[1]) : 'Ctrl-C: stop'
  if (link === null || rows < 8) return [[['dim', help]]]
  const labelled = `dashboard ${link}`
  if (cellsOf(labelled) + cellsOf(help) + 2 <= columns) return [[labelled, ['dim', `  ${help}`]]]
  const whole = cellsOf(labelled) <= columns ? labelled : link
  const lines = pieces(whole, columns).map((line): TextLine => [line])
  return lines.length > 3 ? [[['dim', cut(help, columns)]]] : [...lines, [['dim', help]]]
}

function pieces(text: string, columns: number): string[] {
  const width = Math.max(1, columns)
  return Array.from({ length: Math.ceil(text.length / width) }, (_, piece) =>
    text.slice(piece * width, (piece + 1) * width),
  )
}

/** The longest one that fits is shown. */
const helps = [
  'tab: next strategy  w: why  p: pause  s: stop entries  f: flatten  r: resume  q or Ctrl-C: stop',
  'tab: next strategy  q or Ctrl-C: stop',
] as const
