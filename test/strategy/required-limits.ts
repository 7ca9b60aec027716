/** The end of a strategy with the required limits, which are never reached. */
export const guards = `
risk:
  max_notional: { total: 100000 }
  max_open_orders: 120
  worst_case: { move: -50%, max_loss: 100000 }
  drawdown: { pause: 90%, halt: 95% }
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: 20
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }
`
