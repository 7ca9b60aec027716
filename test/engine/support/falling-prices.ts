import type { Submit } from '#src/engine/commands.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import type { EngineHarness } from './engine-harness.ts'

export const market = 'BTC_PERP'

/** The risk and submit settings of strategies that halt by these limits of `drawdown`. */
export const haltingAt = (drawdown: string, maxNotional: string): string => `
risk:
  max_notional: ${maxNotional}
  max_open_orders: 20
  worst_case: { move: -30%, max_loss: 60000 }
  drawdown: ${drawdown}
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: 10
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 3, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }
`

/** Sends a price and the next tick with it: the orders of both steps. `answer` is that of the venue. */
export function priced(
  harness: EngineHarness,
  price: number,
  answer?: (order: Submit['orders'][number]) => OrderAnswer,
): Submit['orders'] {
  harness.at += 1000
  return [
    ...harness.settle(harness.quote(market, price), answer),
    ...harness.settle(harness.wait(1000), answer),
  ]
}
