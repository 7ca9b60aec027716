import { durationText, moneyFigure, timeText } from './figures.ts'
import type { BacktestResult } from './result.ts'

/** Events besides orders and fills: a title, a name or a count, and a sentence. */
export type EventSection = { id: string; title: string; rows: [lead: string, text: string][] }

/** Halts and pauses have their own section: a halted strategy does not follow its file. Absent kinds are left out. */
export function eventSectionsOf(result: BacktestResult): { stops: EventSection[]; others: EventSection[] } {
  const stops = [{ id: 'stops', title: 'Halted or paused', rows: stopRows(result) }]
  const others = [
    { id: 'blocked', title: 'Blocked by limits', rows: blockRows(result) },
    { id: 'alerts', title: 'Alerts', rows: alertRows(result) },
    { id: 'invested', title: 'Flexible investments', rows: investedRows(result) },
  ]
  const isThere = ({ rows }: EventSection) => rows.length > 0
  return { stops: stops.filter(isThere), others: others.filter(isThere) }
}

function stopRows({ stops }: BacktestResult): EventSection['rows'] {
  return stops.map(({ strategy, kind, rule, reason, times, first, last, resumed }) => {
    const often = times === 1 ? '' : `${times} times since ${timeText(first)}, the last time `
    const until = resumed === null ? 'to the end' : `to ${timeText(resumed)}`
    const by = rule === null ? '' : ` by rule ${rule}`
    return [strategy, `${kind}${by} ${often}from ${timeText(last)} ${until}: ${reason}`]
  })
}

function blockRows({ blocked }: BacktestResult): EventSection['rows'] {
  return blocked.map(({ strategy, ladder, reason, count, totalMs, first }) => {
    const often = count === 1 ? 'once, on' : `${count} times, first on`
    const lead = totalMs === undefined ? `${count} ×` : durationText(totalMs)
    return [lead, `${strategy}.${ladder}, blocked ${often} ${timeText(first)}: ${reason}`]
  })
}

function alertRows({ alerts: { count, texts } }: BacktestResult): EventSection['rows'] {
  const rows: EventSection['rows'] = texts.map(({ strategy, text, count: times, first }) => [
    `${times} ×`,
    `${strategy === null ? '' : `${strategy}, `}first on ${timeText(first)}: ${text}`,
  ])
  const left = count - texts.reduce((sum, { count: times }) => sum + times, 0)
  return left === 0 ? rows : [...rows, [`${left} ×`, 'other texts']]
}

function investedRows({ invested }: BacktestResult): EventSection['rows'] {
  return invested.map(({ strategy, currency, outcome, message, count, amount }) => [
    `${count} ×`,
    `${strategy}: ${moneyFigure(amount).text} ${currency} in total, ${outcome}${message === null ? '' : `: ${message}`}`,
  ])
}
