import { Decimal, decimalText } from '#src/money/decimal.ts'
import type { Place } from './bounds.ts'
import { kinds, type Draft } from './kinds.ts'

/** What tells one kind from another in its file. */
type Parts = {
  title: string
  remark: string
  needs: string
  feeds: string
  lets: string
  ladders: string
  rules: string
  move: string
  drawdown: [string, string]
  block: string
  chunk: number
  order: string
  stopOnFail: boolean
  /** What a test gives it, and the rule that is true then. */
  given: string
  begins: string
}

const pricesFeed = `  # Older than stale_after it is unknown, and what is unknown never acts.
  px: { source: candles, market: coin, interval: 1m, stale_after: 3m }`
const bulk = 'bulk, history, balance'

export function parts(draft: Draft, place: Place): Parts {
  switch (draft.kind) {
    case 'grid':
      return gridParts(draft, place)
    case 'dip':
      return dipParts(draft, place)
    case 'dca':
      return dcaParts(draft, place)
    case 'market-making':
      return makerParts(draft, place)
  }
}

function gridParts({ levels, step, money }: Draft, { price, batchMax }: Place): Parts {
  return {
    title: 'A grid',
    remark: `#
# A fill arms the opposite order one line away, so each pair earns one step less its fees. What hurts is a price that
# leaves the grid: one side is used up then, and what was bought or sold on the way stays until the price comes back.
#`,
    needs: bulk,
    feeds: pricesFeed,
    lets: '  price: last(px)',
    ladders: `  grid:
    market: coin
    side: both
    anchor: price at episode_start # where the price stands when it begins; the grid does not follow
    levels: ${levels} # on each side
    spacing: { kind: geometric, first: ${percent(step)}, step: ${percent(step)} }
    size: { total: ${decimalText(money)} quote } # spread evenly over all lines
    exit: { mirror: 1 } # a fill arms the other side, one line away
    min_edge: 2 x fee # a step that cannot pay both of its fees is refused
    below_min: drop`,
    rules: `  - id: place
    when: price > 0 # always, as long as a price is known
    do: [ensure: grid]
  - id: used_up
    when: filled_levels(grid) >= ${levels}
    once: episode
    do: [alert: one side of the grid is used up]`,
    move: '30%',
    drawdown: ['10%', '20%'],
    block: 'level',
    chunk: Math.min(2 * levels, batchMax),
    order: 'nearest_first',
    stopOnFail: false,
    given: `{ px: ${decimalText(price)} }`,
    begins: 'place',
  }
}

function dipParts({ levels, step, money, profit, dip }: Draft, { price, batchMax }: Place): Parts {
  const waits = dip.gt(0)
  const fallen = decimalText(new Decimal(1).minus(dip))
  const isFlat = 'position(coin) == 0 # only when nothing is held'
  return {
    title: 'A ladder for dips',
    remark: `#
# Gaps widen from rung to rung, and each rung weighs 15 % more than the one above it. What hurts is a fall that goes on
# below the last rung: worst_case says how much that may cost.
#`,
    needs: bulk,
    feeds: waits ? `${pricesFeed}\n  h1: { source: candles, market: coin, interval: 1h }` : pricesFeed,
    lets: `  price: last(px)${waits ? '\n  top: highest(h1, 24) # of a day' : ''}`,
    ladders: `  dip:
    market: coin
    side: buy
    anchor: price at episode_start # where the price stands when it begins
    rebase: on_flat # laid anew when all has been sold
    levels: ${levels}
    spacing: { kind: geometric, first: ${percent(step.div(2))}, step: ${percent(step)}, grow: ${decimalText(kinds.dip.grow)} }
    size: { total: ${decimalText(money)} quote, shape: { geometric: ${decimalText(kinds.dip.weigh)} } }
    exit:
      tp: { pct: ${percent(profit)} } # above the average entry, for all of it
    below_min: merge # a rung that is too small gives its share to the next one`,
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
    move: '-30%',
    drawdown: ['20%', '30%'],
    block: 'ladder',
    chunk: Math.min(levels, batchMax),
    order: 'nearest_first',
    stopOnFail: true,
    given: waits
      ? `{ px: ${decimalText(price)}, h1: ${decimalText(price.times(2).div(fallen).toDecimalPlaces(9))} }`
      : `{ px: ${decimalText(price)} }`,
    begins: 'open',
  }
}

function dcaParts({ levels, step, money, profit }: Draft, { price, batchMax }: Place): Parts {
  return {
    title: 'Averaging down with one take profit',
    remark: `#
# The first buy goes in at the price, the others wait below, each farther away and 30 % heavier. Whatever was bought is
# sold together; only then does it begin anew. What hurts is a fall that does not end: a person is called when every
# level is used up.
#`,
    needs: bulk,
    feeds: pricesFeed,
    lets: '  price: last(px)',
    ladders: `  safety:
    market: coin
    side: buy
    anchor: price at episode_start # where the price stands when it begins
    rebase: on_flat # a new episode only after all has been sold
    levels: ${levels}
    spacing: { kind: geometric, first: 0%, step: ${percent(step)}, grow: ${decimalText(kinds.dca.grow)} }
    size: { total: ${decimalText(money)} quote, shape: { geometric: ${decimalText(kinds.dca.weigh)} } }
    exit:
      tp: { pct: ${percent(profit)} } # above the average entry, for all of it
    below_min: merge # a rung that is too small gives its share to the next one`,
    rules: `  - id: start
    when: price > 0 && position(coin) == 0 # add your own, such as && rsi(px, 14) < 40
    do: [ensure: safety]
  - id: stuck
    when: filled_levels(safety) >= ${levels} && open_hours(safety) > 24
    once: episode
    do: [alert: all levels are used up]`,
    move: '-30%',
    drawdown: ['20%', '30%'],
    block: 'ladder',
    chunk: Math.min(levels, batchMax),
    order: 'nearest_first',
    stopOnFail: true,
    given: `{ px: ${decimalText(price)} }`,
    begins: 'start',
  }
}

function makerParts({ levels, step, money }: Draft, { market, price, batchMax }: Place): Parts {
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
# tilt says how far the position is from flat: held long, bids get smaller and all quotes move down, so that the next
# trades bring it back. What hurts is a price that runs away: both sides are taken back when one of them is hit hard.
#`,
    needs: `${bulk}, cancel, streams`,
    feeds: `  # Older than stale_after it is unknown, and what is unknown never acts.
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
    move: '10%',
    drawdown: ['5%', '10%'],
    block: 'market',
    chunk: Math.min(2 * levels, batchMax),
    order: 'interleave',
    stopOnFail: false,
    given: `{ book: { bid: ${decimalText(price.minus(tick))}, ask: ${decimalText(price.plus(tick))} } }`,
    begins: 'quote',
  }
}

function percent(ratio: Decimal): string {
  return `${decimalText(ratio.times(100))}%`
}
