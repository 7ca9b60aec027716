/** Names and labels never change: dashboards and alert rules depend on them. */
type Family = {
  type: 'counter' | 'gauge' | 'histogram'
  /** Values come from strategy files and fixed tables, so their number is bounded. */
  labels: readonly string[]
  help: string
}

export const families = {
  rungs_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    help: 'Always 1; the labels hold versions, venue and profile.',
  },
  process_start_time_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Start time of the process, in Unix seconds.',
  },
  process_cpu_seconds_total: { type: 'counter', labels: [], help: 'CPU time of the process.' },
  process_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Resident memory of the process.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', labels: [], help: 'Used heap of the process.' },
  rungs_event_loop_delay_seconds: {
    type: 'gauge',
    labels: ['quantile'],
    help: 'Event loop delay since the last scrape; quantile 1 is the maximum.',
  },
  rungs_step_seconds: {
    type: 'histogram',
    labels: ['event'],
    help: 'Duration of one step of the engine, by kind of event.',
  },
  rungs_journal_commit_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Duration of a journal write, which must finish before orders are sent.',
  },
  rungs_lane_wait_seconds: {
    type: 'histogram',
    labels: ['lane'],
    help: 'Time that a call waited for its turn and for the rate limit.',
  },
  rungs_lane_waiting: { type: 'gauge', labels: ['lane'], help: 'Calls in the queue.' },
  rungs_rate_used: { type: 'gauge', labels: ['path'], help: 'Calls within the current rate window.' },
  rungs_rate_most: { type: 'gauge', labels: ['path'], help: 'Calls that the rate window allows.' },
  rungs_events_waiting: { type: 'gauge', labels: [], help: 'Events that wait for the engine.' },
  rungs_events_total: { type: 'counter', labels: ['type', 'level'], help: 'Log events.' },
  rungs_stopped: { type: 'gauge', labels: [], help: '1 while an operator has stopped all strategies.' },
  rungs_account_age_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the last complete read of the account, in venue time.',
  },
  rungs_venue_silent_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Start of the current series of failed account reads, in venue time; 0 without one.',
  },
  rungs_stream_connects_total: { type: 'counter', labels: [], help: 'Stream connections.' },
  rungs_stream_losses_total: { type: 'counter', labels: [], help: 'Lost stream connections.' },
  rungs_feed_age_seconds: {
    type: 'gauge',
    labels: ['strategy', 'feed'],
    help: 'Age of the last data of a feed, in venue time.',
  },
  rungs_equity: { type: 'gauge', labels: [], help: 'Equity of the account, as the venue reports it.' },
  rungs_strategy_running: { type: 'gauge', labels: ['strategy'], help: '1 while the strategy runs.' },
  rungs_strategy_halted: {
    type: 'gauge',
    labels: ['strategy'],
    help: '1 while the strategy is halted, until an operator resumes it.',
  },
  rungs_strategy_paused: {
    type: 'gauge',
    labels: ['strategy'],
    help: '1 while entries of the strategy are paused.',
  },
  rungs_result: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Result of the strategy since its start: fees paid, open positions at the current price.',
  },
  rungs_result_today: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Result of the strategy since 00:00 UTC.',
  },
  rungs_drawdown: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Drawdown from the best result, as the drawdown limits count it.',
  },
  rungs_max_drawdown: { type: 'gauge', labels: ['strategy'], help: 'Maximum drawdown since the start.' },
  rungs_fees: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Fees that the strategy has paid since its start.',
  },
  rungs_grid_profit: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Profit of matched pairs, after the fees of both sides.',
  },
  rungs_floating: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Unrealized profit: open amounts at the current price, less their cost and fees.',
  },
  rungs_pairs: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Entry orders whose fills were closed completely.',
  },
  rungs_position: {
    type: 'gauge',
    labels: ['strategy', 'market'],
    help: 'Position by the fills of the strategy; short is negative.',
  },
  rungs_exposure: {
    type: 'gauge',
    labels: ['strategy', 'market'],
    help: 'Notional of the position at the current price.',
  },
  rungs_limit_used: { type: 'gauge', labels: ['strategy', 'limit'], help: 'Current use of a limit.' },
  rungs_limit_most: { type: 'gauge', labels: ['strategy', 'limit'], help: 'Value of the limit.' },
  rungs_orders: {
    type: 'gauge',
    labels: ['strategy', 'status'],
    help: 'Active orders: resting, sending (in flight) or doubtful (unknown outcome).',
  },
  rungs_doubt_age_seconds: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Age of the oldest unknown outcome of an order, in venue time; 0 without one.',
  },
  rungs_orders_total: {
    type: 'counter',
    labels: ['strategy', 'outcome'],
    help: 'Outcomes of orders: accepted, refused, would_take, unknown, not_sent, not_attempted.',
  },
  rungs_doubts_ended_total: {
    type: 'counter',
    labels: ['strategy', 'outcome'],
    help: 'Resolved unknown outcomes: placed or absent.',
  },
  rungs_fills_total: { type: 'counter', labels: ['strategy'], help: 'Fills.' },
  rungs_alerts_total: {
    type: 'counter',
    labels: ['target', 'outcome'],
    help: 'Outcomes of alerts: told, failed, dropped.',
  },
  rungs_alerts_waiting: { type: 'gauge', labels: ['target'], help: 'Alerts in the queue.' },
} as const satisfies Record<`${'rungs' | 'process' | 'nodejs'}_${string}`, Family>

export type MetricName = keyof typeof families
export type NameOf<Type extends Family['type']> = {
  [Name in MetricName]: (typeof families)[Name]['type'] extends Type ? Name : never
}[MetricName]
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof families)[Name]['labels'][number], string>
>

/** A current value. Decimal text is written as it is. */
export type Sample = {
  [Name in MetricName]: { name: Name; labels: LabelsOf<Name>; value: number | string }
}[MetricName]
