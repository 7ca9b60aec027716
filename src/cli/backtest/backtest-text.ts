import { styleText } from 'node:util'
import {
  amountFigure,
  moneyFigure,
  pairPartsOf,
  partsOf,
  spanText,
  strategiesOf,
  sumsOf,
  timeText,
} from '#src/research/backtest/result/figures.ts'
import { eventSectionsOf, type EventSection } from '#src/research/backtest/result/event-texts.ts'
import { measuresOf } from '#src/research/backtest/result/measure-figures.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { columns, paragraphs } from '#src/cli/words/text.ts'

const rungsShownMax = 20

/** Prints a result for people: the inputs, the result, its parts, and its assumptions. */
export function backtestText(result: BacktestResult, elapsedMs: number): string {
  const { rungs, rules, rejected, market, assumptions } = result
  const markets = market.map(({ symbol, kind, gaps }) => `${symbol} (${kind}${gapText(gaps)})`).join(', ')
  const shown = rungs.slice(0, rungsShownMax)
  const { stops, others } = eventSectionsOf(result)
  const left = rungs.length - shown.length
  return [
    bold(`${strategiesOf(result).join(', ')} on ${markets}`),
    printable(`${spanText(result)} in ${(elapsedMs / 1000).toFixed(2)} s`),
    '',
    ...table([...sumsOf(result), ...measuresOf(result)].map(({ name, text, about }) => [name, text, about])),
    ...stops.flatMap(toldLines),
    '',
    bold('rungs, most fills first'),
    ...(shown.length === 0 ? ['  no rung had an order'] : rungTable(shown)),
    ...(left > 0 ? [`  and ${left} more, see --json`] : []),
    ...pairLines(result),
    ...strategyLines(result),
    '',
    bold('positions at the end'),
    ...(result.held.length === 0 ? ['  none'] : heldTable(result.held)),
    ...profitLines(result).map((line) => `  ${line}`),
    '',
    bold('rules'),
    ...table([
      ['', 'fired', 'first', 'last'],
      ...rules.map(({ rule, fired, first, last }) => [
        rule,
        String(fired),
        momentText(first),
        momentText(last),
      ]),
    ]),
    ...(rejected.length === 0
      ? []
      : ['', bold('refused'), ...table(rejected.map(({ reason, count }) => [String(count), reason]))]),
    ...others.flatMap(toldLines),
    '',
    bold('assumptions of this result'),
    ...paragraphs(assumptions.map((text) => ['  -', printable(text)])),
  ].join('\n')
}

function toldLines({ title, rows }: EventSection): string[] {
  const lines = rows.map(([lead, text]) => [`  ${printable(lead)}`, printable(text)])
  return ['', bold(title.toLowerCase()), ...paragraphs(lines)]
}

function rungTable(rungs: BacktestResult['rungs']): string[] {
  return table([
    ['', 'side', 'mean price', 'orders', 'fills', 'amount', 'profit', 'fees'],
    ...rungs.map(({ id, side, price, orders, fills, amount, profit, fees }) => [
      id,
      side,
      price,
      String(orders),
      String(fills),
      amountFigure(amount).text,
      moneyFigure(profit).text,
      moneyFigure(fees).text,
    ]),
  ])
}

/** Profit of each rung in matched pairs, and its open amount. */
function pairLines({ rungs }: BacktestResult): string[] {
  const paired = rungs.filter(({ pairs = 0, open = '0' }) => pairs > 0 || open !== '0')
  if (paired.length === 0) return []
  const left = paired.length - rungsShownMax
  const rows = paired
    .slice(0, rungsShownMax)
    .map(({ id, pairs = 0, gridProfit = '0', open = '0', floating = '0' }) => [
      id,
      String(pairs),
      moneyFigure(gridProfit).text,
      amountFigure(open).text,
      moneyFigure(floating).text,
    ])
  return [
    '',
    bold('matched pairs by rung'),
    ...table([['', 'pairs', 'grid profit', 'open', 'floating'], ...rows]),
    ...(left > 0 ? [`  and ${left} more, see --json`] : []),
  ]
}

/** Grid profit, floating result and drawdown of each strategy, if there are several. */
function strategyLines({ strategies }: BacktestResult): string[] {
  if (strategies.length < 2) return []
  const rows = strategies.map(({ strategy, pairs, gridProfit, floating, maxDrawdown }) => [
    strategy,
    String(pairs),
    moneyFigure(gridProfit).text,
    moneyFigure(floating).text,
    maxDrawdown === undefined ? '' : moneyFigure(maxDrawdown).text,
  ])
  const head = ['', 'pairs', 'grid profit', 'floating', 'max drawdown']
  return ['', bold('strategies'), ...table([head, ...rows])]
}

function heldTable(held: BacktestResult['held']): string[] {
  return table([
    ['', '', 'amount', 'entry', 'mark', 'profit'],
    ...held.map(({ strategy, market, amount, entry, mark, unrealised }) => [
      strategy,
      market,
      amountFigure(amount).text,
      amountFigure(entry).text,
      mark,
      moneyFigure(unrealised).text,
    ]),
  ])
}

/** How matched pairs and the open amount add up to the net profit, and the same at average cost. */
function profitLines(result: BacktestResult): string[] {
  const { fees, funding, liquidations } = result.summary
  const { closed, open, liquidated } = partsOf(result)
  const paired = pairPartsOf(result)
  const average: [name: string, exact: string][] = [
    ['closed', closed],
    ['held', open],
    ...(liquidations > 0 ? [['liquidated', liquidated] satisfies [string, string]] : []),
    ['fees', new Decimal(fees).neg().toFixed()],
    ['funding', funding],
  ]
  const atAverage = paired === undefined ? '' : ', at average cost'
  return [
    ...(paired === undefined ? [] : [sumText(paired, result)]),
    `${sumText(average, result)}${atAverage}`,
  ]
}

function sumText(parts: readonly [name: string, exact: string][], { summary }: BacktestResult): string {
  const words = parts.map(([name, exact], place) => {
    const { text } = moneyFigure(exact)
    if (place === 0) return `${text} ${name}`
    return text.startsWith('-') ? ` - ${text.slice(1)} ${name}` : ` + ${text} ${name}`
  })
  return `${words.join('')} = ${moneyFigure(summary.netProfit).text} net profit`
}

function bold(text: string): string {
  return styleText('bold', printable(text))
}

/** Indented columns, numbers aligned right. */
function table(rows: readonly string[][]): string[] {
  const isNumber = (rows.at(-1) ?? []).map((cell) => /^-?\d+(?:\.\d+)?%?$/.test(cell) || cell === 'none')
  const widths = isNumber.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const aligned = rows.map((row) =>
    row.map((cell, index) => printable(isNumber[index] === true ? cell.padStart(widths[index] ?? 0) : cell)),
  )
  return columns(aligned).map((line) => `  ${line}`)
}

function gapText(gaps: number): string {
  if (gaps === 0) return ''
  return gaps === 1 ? ', 1 gap' : `, ${gaps} gaps`
}

function momentText(at: number | null): string {
  return at === null ? '-' : timeText(at)
}
