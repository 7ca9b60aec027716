import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { DraftPlace } from './bounds.ts'
import type { KindName } from './kind-names.ts'
import { kinds, type StrategyDraft } from './kinds.ts'

/** The parts of a file that differ between the kinds. */
type Parts = {
  title: string
  remark: string
  feeds: string
  lets: string
  ladders: string
  rules: string
  /** The input of the file's test, and the rule that is true then. */
  given: string
  begins: string
}

const pricesFeed = `  # A value older than stale_after is stale, and a strategy never acts on it.
  px: { source: candles, market: coin, interval: 1m, stale_after: 3m }`

export const partsByKind: Readonly<Record<KindName, (draft: StrategyDraft, place: DraftPlace) => Parts>> = {
  grid: gridParts,
  dip: dipParts,
  dca: dcaParts,
  'market-making': makerParts,
}

function gridParts({ levels, step, money }: StrategyDraft, { price }: DraftPlace): Parts {
  return {
    title: 'A grid',
    remark: `#
# A fill places the opposite order one line away: each pair earns one step less its fees. The risk is a price that
# leaves the grid: then one side has no orders left, and the position stays open until the price comes back.
#`,
    feeds: pricesFeed,
    lets: '  price: last(px)',
    ladders: `  grid:
    market: coin
    side: both
    anchor: price at episode_start # the price at the start; the grid does not follow the price
    levels: ${levels} # per side
    spacing: { kind: geometric, first: ${percent(step)}, step: ${percent(step)} }
    size: { total: ${decimalText(money)} quote } # distributed evenly over all lines
    exit: { mirror: 1 } # a fill places the opposite order one line away
    min_edge: 2 x fee # check refuses a step that does not pay both fees
    below_min: drop`,
    rules: `  - id: place
    when: price > 0 # always, while a price is known
    do: [ensure: grid]
  - id: used_up
    when: filled_levels(grid) >= ${levels}
    once: episode
    do: [alert: one side of the grid has no orders left]`,
    given: `{ px: ${decimalText(price)} }`,
    begins: 'place',
  }
}

function dipParts(draft: StrategyDraft, { price }: DraftPlace): Parts {
  const { step, dip } = draft
  const waits = dip.gt(0)
  const fallen = decimalText(new Decimal(1).minus(dip))
  const isFlat = 'position(coin) == 0 # only while the position is flat'
  return {
    title: 'A ladder for dips',
    remark: `#
# Distances grow from rung to rung, and each rung is 15 % larger than the one above it. The risk is a fall far below
# the last rung: worst_case limits that loss.
#`,
    feeds: waits ? `${pricesFeed}\n  h1: { source: candles, market: coin, interval: 1h }` : pricesFeed,
    lets: `  price: last(px)${waits ? '\n  top: highest(h1, 24) # highest price of a day' : ''}`,
    ladders: buyLadder('dip', draft, step.div(2), 'recompute the ladder when the position is flat'),
    rules: waits
      ? `  - id: open
    when:
      all:
        - price < ${fallen} * top
        - ${isFlat}
    do: [ensure: dip]`
      : `  - id: open
    when: price > 0 && ${isFlat}
    do: [ensure: dip]`,
    given: waits
      ? `{ px: ${decimalText(price)}, h1: ${decimalText(price.times(2).div(fallen).toDecimalPlaces(9))} }`
      : `{ px: ${decimalText(price)} }`,
    begins: 'open',
  }
}

function dcaParts(draft: StrategyDraft, { price }: DraftPlace): Parts {
  return {
    title: 'Averaging down with one take profit',
    remark: `#
# The first buy is at the price; the others wait below, each farther away and 30 % larger. The take profit sells the
# whole position, then a new episode starts. The risk is a long fall: an alert is sent when every level has filled.
#`,
    feeds: pricesFeed,
    lets: '  price: last(px)',
    ladders: buyLadder('safety', draft, new Decimal(0), 'a new episode starts when the position is flat'),
    rules: `  - id: start
    when: price > 0 && position(coin) == 0 # add a condition, such as && rsi(px, 14) < 40
    do: [ensure: safety]
  - id: stuck
    when: filled_levels(safety) >= ${draft.levels} && open_hours(safety) > 24
    once: episode
    do: [alert: all levels have filled]`,
    given: `{ px: ${decimalText(price)} }`,
    begins: 'start',
  }
}

function makerParts({ levels, step, money }: StrategyDraft, { market, price }: DraftPlace): Parts {
  const tick = new Decimal(10).pow(-market.priceDigits)
  const half = decimalText(money.div(2))
  const { grow, weigh } = kinds['market-making']
  const side = (name: string, side: string, scale: string) => `  ${name}:
    market: coin
    side: ${side}
    anchor: middle * (1 - ${decimalText(step)} * tilt) # a long position moves all quotes down, a short one up
    rebase: { drift: 0.5 step, min_gap: 3s }
    levels: ${levels}
    spacing: { kind: geometric, first: ${percent(step)}, step: ${percent(step)}, grow: ${decimalText(grow)} }
    size: { total: ${half} quote, shape: { geometric: ${decimalText(weigh)} }, scale_by: "${scale}" }
    below_min: drop
    flags: { postOnly: true }`
  return {
    title: 'Quotes on both sides',
    remark: `#
# tilt is the position as a share of its limit: with a long position, bids get smaller and all quotes move down, so the
# next trades reduce it. The risk is a fast price move: after many fills on one side, both sides are cancelled.
#`,
    feeds: `  # A value older than stale_after is stale, and a strategy never acts on it.
  book: { source: book, market: coin, depth: 5, stale_after: 10s }`,
    lets: `  middle: mid(book)
  held: position(coin) * middle
  tilt: clamp(held / ${half}, -1, 1)`,
    ladders: `${side('bids', 'buy', '1 - max(tilt, 0)')}
${side('asks', 'sell', '1 + min(tilt, 0)')}`,
    rules: `  - id: quote
    when: between(tilt, -0.9, 0.9)
    do: [ensure: bids, ensure: asks]
  - id: too_long
    when: tilt > 0.9
    do: [retire: bids, ensure: asks]
  - id: too_short
    when: tilt < -0.9
    do: [retire: asks, ensure: bids]
  - id: run_over
    when: abs(net_fills(coin)) > ${decimalText(money.div(4))} # money, within the last minute
    cooldown: 2m
    do: [retire: bids, retire: asks]`,
    given: `{ book: { bid: ${decimalText(price.minus(tick))}, ask: ${decimalText(price.plus(tick))} } }`,
    begins: 'quote',
  }
}

/** `onFlat` is the comment on its rebase. */
function buyLadder(name: string, draft: StrategyDraft, first: Decimal, onFlat: string): string {
  const { kind, levels, step, money, profit } = draft
  const { grow, weigh } = kinds[kind]
  return `  ${name}:
    market: coin
    side: buy
    anchor: price at episode_start # the price at the start of an episode
    rebase: on_flat # ${onFlat}
    levels: ${levels}
    spacing: { kind: geometric, first: ${percent(first)}, step: ${percent(step)}, grow: ${decimalText(grow)} }
    size: { total: ${decimalText(money)} quote, shape: { geometric: ${decimalText(weigh)} } }
    exit:
      tp: { pct: ${percent(profit)} } # above the average entry, for the whole position
    below_min: merge # a rung below the minimum adds its share to the next rung`
}

export function percent(ratio: Decimal): string {
  return `${decimalText(ratio.times(100))}%`
}
