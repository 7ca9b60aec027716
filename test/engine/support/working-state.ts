import { beginLadder, beginState, beginStrategy } from '#src/engine/state/initial-state.ts'
import { newHolding } from '#src/engine/holdings/holdings.ts'
import { newOrder } from '#src/engine/orders/new-order.ts'
import type { Order, LadderState, State, StrategyState } from '#src/engine/state/state.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import { beginReadings } from '#src/market/indicators/indicator-values.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'

/** What any ladder could have, and three ways to hold: long, short beside it, and one that may be either. */
const text = `
version: 1
name: work
needs: [bulk, position_side_short, cancel]
markets:
  long: { symbol: BTC_PERP }
  short: { symbol: BTC_PERP, positionSide: short }
  both: { symbol: ETH_PERP }
feeds:
  btc: { source: candles, market: long, interval: 1m }
  eth: { source: candles, market: both, interval: 1m }
ladder:
  dip:
    market: long
    side: buy
    anchor: 1000
    levels: 6
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 600 quote }
  top:
    market: short
    side: sell
    anchor: 1000
    levels: 6
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 600 quote }
  grid:
    market: both
    side: both
    anchor: 1000
    levels: 6
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 1200 quote }
rules:
  - { id: go, when: 1 < 2, do: [ensure: dip, ensure: top, ensure: grid] }
risk:
  max_notional: { total: 100000 }
  max_open_orders: 100
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 10%, halt: 20% }
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: 10
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 3, backoff: 1s..8s }
  rate: { requests: 8, per: 1s }
`

export const { strategy, programs } = strategyIn(text)

export const now = 1_790_000_000_000

const facts = {
  money: 'USDT',
  priceDigits: 2,
  amountDigits: 3,
  minAmount: '0.001',
  minTotal: '0.01',
  maxTotal: '1000000',
  makerFee: '0.0001',
  takerFee: '0.00035',
}

function ladderState(): LadderState {
  return { ...beginLadder(), goal: 'ensure', episode: 1, openedAt: now, anchor: '1000', laidAt: now }
}

export function strategyState(): StrategyState {
  return {
    ...beginStrategy(text),
    feeds: {
      btc: { at: now, opened: now, readings: beginReadings([]) },
      eth: { at: now, opened: now, readings: beginReadings([]) },
    },
    ladders: { dip: ladderState(), top: ladderState(), grid: ladderState() },
    holdings: { long: newHolding(), short: newHolding(), both: newHolding() },
  }
}

export function stateAtWork(): State {
  const quote = { at: now, bid: 999.5, ask: 1000.5, last: 1000 }
  return {
    ...beginState(),
    at: now,
    venue: {
      capabilities: [...strategy.needs],
      batchMax: 20,
      speed: 1,
      leverage: null,
      clientIds: 'forever',
      markets: { BTC_PERP: { ...facts }, ETH_PERP: { ...facts } },
    },
    quotes: { BTC_PERP: { ...quote }, ETH_PERP: { ...quote } },
    strategies: { work: strategyState() },
    running: ['work'],
    prunedAt: now,
  }
}

type Basics = Pick<OrderDraft, 'ladder' | 'level' | 'side' | 'role' | 'price' | 'amount'>

export function draftOf(basics: Basics, more: Partial<OrderDraft> = {}): OrderDraft {
  const market = strategy.markets[strategy.ladder[basics.ladder]?.market ?? '']
  const generation = more.generation ?? 1
  return {
    id: `work.${basics.ladder}.${basics.level}.${generation}`,
    strategy: 'work',
    generation,
    market: market?.symbol ?? '',
    positionSide: market?.positionSide === 'short' ? 'SHORT' : 'LONG',
    postOnly: false,
    ioc: false,
    rpi: false,
    ...basics,
    ...more,
  }
}

export function orderOf(basics: Basics, more: Partial<Order> = {}): Order {
  return { ...newOrder(draftOf(basics, more), { at: now }), status: 'resting', venueId: '1', ...more }
}
