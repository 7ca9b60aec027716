import { styleText } from 'node:util'
import type { Rung } from '#src/ladder/plan.ts'
import { type Decimal, decimalText } from '#src/money/decimal.ts'
import { pointed } from '#src/settings/mistake.ts'
import { percentText, type LadderPreview, type Preview } from '#src/strategy/preview.ts'
import type { Strategy } from '#src/strategy/schema.ts'
import type { Problem } from '#src/strategy/sources.ts'
import type { SourceFile } from './strategy-file.ts'
import { columns, printable, printableLines } from './text.ts'

const problemsShownMax = 50

/** Every problem with its line, a caret under its place, and what to do. */
export function problemsText(
  sourceOf: (problem: Problem) => SourceFile,
  problems: readonly Problem[],
): string {
  const shown = problems.slice(0, problemsShownMax).map((problem) => {
    const { line, column, message, hint } = problem
    const { path, text } = sourceOf(problem)
    const sourceLine = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '')
    const parts = [`${path}:${line}:${column} ${message}`, pointed(sourceLine, String(line), column)]
    return [...parts, ...(hint === '' ? [] : [`  ${hint}`])].join('\n')
  })
  const left = problems.length - shown.length
  const heading = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return printableLines([heading, ...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('\n'))
}

/** The ladders as tables, and below them what all of it comes to beside what is allowed. */
export function previewText(strategy: Strategy, preview: Preview): string {
  const seen = preview.scene.lets.map(({ name, text }) => `  ${name} = ${text}`)
  const rules = preview.rules.map(({ id, truth }, index) => [
    `  ${id}`,
    truth,
    (strategy.rules[index]?.do ?? []).map(actionText).join(', '),
  ])
  return [
    styleText('bold', `${strategy.name}, needs ${strategy.needs.join(', ')}`),
    ...(seen.length > 0 ? ['sees', ...seen.map(printable)] : []),
    'rules',
    ...columns(rules).map(printable),
    ...preview.ladders.flatMap((ladder) => ['', ...ladderText(strategy, ladder)]),
    '',
    ...columns(sums(strategy, preview)),
    '',
  ].join('\n')
}

function actionText(action: Strategy['rules'][number]['do'][number]): string {
  return Object.entries(action)
    .map(
      ([name, value]) => `${name} ${typeof value === 'object' ? `${value.amount} ${value.ticker}` : value}`,
    )
    .join(', ')
}

function ladderText({ markets }: Strategy, ladder: LadderPreview): string[] {
  const { name, file, market } = ladder
  const symbol = markets[file.market]?.symbol ?? ''
  if ('missing' in ladder) return [`${name}  ${symbol}  ${file.side}: not computed, ${ladder.missing}`]
  const { placed, edges } = ladder
  const head = ['level', 'side', 'price', 'amount', 'notional', 'rests', 'edge', 'over minimum']
  const rows = placed.rungs.map((rung) => [
    rung.level,
    rung.side,
    rung.price.toFixed(market.priceDigits),
    rung.amount.toFixed(market.amountDigits),
    rung.notional.toFixed(2),
    placed.resting.has(rung) ? 'yes' : 'later',
    percentOrNone(edges.get(rung)?.net),
    `${roomOf(rung, market).toFixed(1)} x`,
  ])
  const leftover = file.size.leftover === 'spread' ? ', lots left over are spread' : ''
  const unit = placed.budgetOf
  const share = placed.budget.isZero() ? placed.unused : placed.unused.div(placed.budget)
  return [
    styleText('bold', `${name}  ${symbol}  ${file.side}, anchor ${decimalText(placed.anchor)}`),
    ...columns([head, ...rows]).map((line) => `  ${line}`),
    `  budget ${rounded(placed.budget)} ${unit}, unused ${rounded(placed.unused)} (${percentText(share)})${leftover}`,
    `  exits: ${Object.keys(file.exit ?? {}).join(', ') || 'none of its own'}`,
    ...(placed.merged.length > 0 ? [`  merged into the next one: ${placed.merged.join(', ')}`] : []),
    ...(placed.dropped.length > 0 ? [`  dropped, too small: ${placed.dropped.join(', ')}`] : []),
  ]
}

/** How many times the least that the market takes: the amount or the total, whichever is nearer. */
function roomOf({ amount, notional }: Rung, { minAmount, minTotal }: LadderPreview['market']): Decimal {
  const [one, other] = [amount.div(minAmount), notional.div(minTotal)]
  return one.lt(other) ? one : other
}

function sums({ risk, submit }: Strategy, preview: Preview): string[][] {
  const moves = risk.worst_case.move.map((move) => percentText(move)).join(' or ')
  const most = Object.entries(risk.max_notional).map(([name, limit]) => `${rounded(limit)} ${name}`)
  return [
    ['notional', rounded(preview.notional), `of ${most.join(', ')}`],
    ['orders at once', String(preview.openOrders), `of ${risk.max_open_orders}`],
    [
      `loss if the price moves ${moves}`,
      rounded(preview.worstLoss),
      `of ${rounded(risk.worst_case.max_loss)}`,
    ],
    ['requests to place them', String(preview.requests), `${submit.chunk} orders each`],
    ['requests a second', String(preview.requestsPerSecond), `of ${preview.allowedPerSecond}`],
    ['drawdown', `pause ${percentText(risk.drawdown.pause)}`, `halt ${percentText(risk.drawdown.halt)}`],
  ]
}

function percentOrNone(ratio: Decimal | undefined): string {
  return ratio === undefined ? '-' : percentText(ratio)
}

function rounded(value: Decimal): string {
  return value.toDecimalPlaces(6).toFixed()
}
