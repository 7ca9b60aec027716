import { styleText } from 'node:util'
import type { Rung } from '#src/market/ladder/plan.ts'
import { Decimal, decimalText, moneyText, withShortNumbers } from '#src/core/money/decimal.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { exitWords } from '#src/strategy/schema/exit-schema.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import { sumOf, type LadderPreview, type Preview } from '#src/strategy/check/preview.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { Placed } from '#src/strategy/check/rungs.ts'
import { growthOf } from '#src/strategy/check/growth.ts'
import { ladderPicture } from '#src/operate/terminal/ladder-picture.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { inMoney, moneyOfLimit, mostActive } from '#src/strategy/file/capital.ts'
import { rangeIn } from '#src/strategy/expressions/range.ts'
import { limitRows, limitText, rebaseText, ruleLines } from '#src/cli/words/strategy-text.ts'
import { colored } from '#src/cli/words/colors.ts'
import { loopLines } from './loop-text.ts'
import { columns, paragraphs, wrapped } from '#src/cli/words/text.ts'

/** Wide enough for bars and names, and short enough that the table below stays visible. */
const pictureSize = { columns: 60, rows: 21 }

/** The strategy in words, the ladders as tables, and below them the totals beside the limits. */
export function previewText({ strategy, programs, parameters }: Read, preview: Preview): string {
  const seen = preview.testInput.lets.map(({ name, text }) => `  ${name} = ${withShortNumbers(text)}`)
  const [needs = '', ...more] = wrapped(
    `${strategy.name}, needs capabilities ${strategy.needs.join(', ')}`,
    '',
  )
  const rules = strategy.rules.flatMap((rule, index) =>
    ruleLines(rule, programs.conditions.get(rule.id)).map((line, at) =>
      at === 0 ? [`  ${rule.id}`, preview.rules[index]?.truth ?? '', line] : ['', '', line],
    ),
  )
  return [
    styleText('bold', needs),
    ...more,
    ...(parameters.length > 0
      ? ['parameters', ...columns(parameters.map(parameterCells)).map(printable)]
      : []),
    ...loopLines(strategy).map(printable),
    ...(seen.length > 0 ? ['sees', ...seen.map(printable)] : []),
    'rules',
    ...paragraphs(rules).map(printable),
    ...preview.ladders.flatMap((ladder) => ['', ...ladderText(strategy, ladder)]),
    '',
    ...paragraphs(sums(strategy, preview)),
    '',
    ...paragraphs(limitRows(strategy, preview.equity)),
    '',
  ].join('\n')
}

function parameterCells({ name, default: value, values, isUsed }: Read['parameters'][number]): string[] {
  const count = values.length === 1 ? 'fixed' : `${values.length} values, ${values[0]} to ${values.at(-1)}`
  return [`  ${name}`, value, isUsed ? count : `${count}, not used`]
}

export function ladderText({ markets }: Strategy, ladder: LadderPreview): string[] {
  const { name, file, market } = ladder
  const symbol = markets[file.market]?.symbol ?? ''
  if ('missing' in ladder) {
    const { missing } = ladder
    const head = `${name}  ${symbol}  ${file.side}`
    if ('none' in missing) return [`${head}: no rungs, ${missing.none}`]
    return [`${head}: not computed, ${'unknown' in missing ? missing.unknown : missing.refusal}`]
  }
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
  const leftover = file.size.leftover === 'spread' ? ', remaining lots are distributed' : ''
  const unit = placed.budgetOf
  const unusedText = unit === 'quote' ? moneyText(placed.unused) : rounded(placed.unused)
  const share = placed.budget.isZero() ? placed.unused : placed.unused.div(placed.budget)
  return [
    styleText('bold', `${name}  ${symbol}  ${file.side}, anchor ${decimalText(placed.anchor)}`),
    ...pictureLines(placed, market),
    '',
    ...columns([head, ...rows]).map((line) => `  ${line}`),
    `  budget ${rounded(placed.budget)} ${unit}${riskText(file)}, unused ${unusedText} (${percentText(share)})${leftover}`,
    ...paragraphs(manners(file).map(([label, text]) => [`  ${label}`, text])).map(printable),
    ...(placed.merged.length > 0 ? [`  merged into the next rung: ${placed.merged.join(', ')}`] : []),
    ...(placed.dropped.length > 0 ? [`  dropped, below the minimum: ${placed.dropped.join(', ')}`] : []),
  ]
}

function riskText({ size: { risk } }: LadderFile): string {
  if (!risk) return ''
  const loss = risk.of === 'equity' ? `${percentText(risk.amount)} of the equity` : decimalText(risk.amount)
  return ` (loses ${loss} at its stop, with fees)`
}

/** The rungs around their anchor: those that rest at once and those that come later. */
function pictureLines({ rungs, resting, anchor }: Placed, market: LadderPreview['market']): string[] {
  const shown = rungs.map((rung) => ({
    label: rung.level,
    side: rung.side,
    price: rung.price.toFixed(market.priceDigits),
    amount: rung.amount.toFixed(market.amountDigits),
    mark: resting.has(rung) ? ('rests' as const) : ('waits' as const),
  }))
  const center = { price: decimalText(anchor), label: 'anchor' }
  return ladderPicture(shown, center, pictureSize).map((line) => `  ${colored(line, pictureSize.columns)}`)
}

/** The exits of a ladder and how it follows the market. */
function manners(file: LadderFile): [string, string][] {
  const [first = 'none: the position stays open', ...others] = exitWords(file).map(({ text }) => text)
  const rebase = rebaseText(file)
  return [
    ['exits', first],
    ...others.map((exit): [string, string] => ['', exit]),
    ...(rebase === undefined ? [] : [['moves', rebase] as [string, string]]),
  ]
}

/** How many times the minimum of the market: the amount or the total, whichever is nearer. */
function roomOf({ amount, notional }: Rung, { minAmount, minTotal }: LadderPreview['market']): Decimal {
  const [one, other] = [amount.div(minAmount), notional.div(minTotal)]
  return one.lt(other) ? one : other
}

function sums(strategy: Strategy, preview: Preview): string[][] {
  const { risk, submit } = strategy
  const isBounded = Object.keys(strategy.markets).every((market) => rangeIn(strategy, market))
  const moves = risk.worst_case.move.map((move) => percentText(move)).join(' or ')
  const { equity } = preview
  const most = Object.entries(risk.max_notional).map(([name, cap]) => `${name} ${limitText(cap, equity)}`)
  const positions = Object.entries(risk.max_position ?? {}).map(
    ([name, limit]) => `${rounded(limit)} ${name}`,
  )
  const inTurn = submit.order === 'interleave' ? 'round robin over the ladders' : 'nearest to the price first'
  return [
    ['notional', moneyText(preview.notional), `of ${most.join(', ')}`],
    ...(positions.length > 0 ? [['position', '', `at most ${positions.join(', ')}`]] : []),
    ...groupRows(strategy, preview),
    ['open orders', String(preview.openOrders), `of ${risk.max_open_orders}`],
    [
      `maximum loss if the price moves ${moves}`,
      moneyText(preview.worstLoss),
      `of ${limitText(risk.worst_case.max_loss, equity)}${isBounded ? ', from the worst price of its range' : ''}`,
    ],
    ...growthRows(strategy, preview),
    ['maximum loss of other moves', '', otherLossesText(preview)],
    ['requests to place them', String(preview.requests), `${submit.chunk} orders each, ${inTurn}`],
    [
      'requests per second',
      String(preview.requestsPerSecond),
      `of ${preview.allowedPerSecond}, plus the same for exits`,
    ],
  ]
}

function groupRows(strategy: Strategy, { placed, equity }: Preview): string[][] {
  return Object.entries(strategy.risk.groups ?? {}).map(([name, { markets, max_notional: most, net }]) => {
    const own = placed.filter(({ file }) => markets.includes(file.market))
    const costs = own.map(({ file, placed }) => [file.market, sumOf(placed.rungs, 'notional')] as const)
    const cost = mostActive(strategy, costs)
    const isAbove = most !== undefined && cost.gt(moneyOfLimit(most, equity))
    const limits = [
      ...(most ? [`of ${limitText(most, equity)}`] : []),
      ...(net ? [`net ${limitText(net, equity)}`] : []),
      `for ${markets.join(', ')}`,
      ...(isAbove ? ['the entries beyond it wait'] : []),
    ]
    return [`group ${name}`, moneyText(cost), limits.join(', ')]
  })
}

function growthRows(strategy: Strategy, preview: Preview): string[][] {
  const { equity } = preview
  const growth = growthOf(inMoney(strategy, equity), preview)
  if (growth === undefined) return []
  const most = limitText(strategy.risk.worst_case.max_loss, equity)
  const grows = `${growth.names.join(', ')} ${growth.names.length === 1 ? 'grows' : 'grow'}`
  return [
    [
      `maximum loss after all ${growth.after}s`,
      aboutMost(growth.loss),
      `of ${most}; ${grows} at each ${growth.after}, up to ${growth.limits}`,
    ],
  ]
}

function otherLossesText({ otherLosses }: Preview): string {
  const ways = new Set(otherLosses.flatMap((each) => each.ways))
  const losses = otherLosses.map(({ move, loss }) => `${aboutMost(loss)} at ${percentText(move)}`)
  return `${losses.join(', ')}, ${ways.size === 1 ? [...ways].join() : 'up or down'}`
}

function percentOrNone(ratio: Decimal | undefined): string {
  return ratio === undefined ? '-' : percentText(ratio)
}

/** Four digits, rounded up. */
function aboutMost(value: Decimal): string {
  return value.toSignificantDigits(4, Decimal.ROUND_UP).toFixed()
}

function rounded(value: Decimal): string {
  return value.toDecimalPlaces(6).toFixed()
}
