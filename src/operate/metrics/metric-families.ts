/** Names and labels never change: dashboards and alert rules depend on them. */
type Family = {
  type: 'counter' | 'gauge' | 'histogram'
  /** Values come from strategy files and fixed tables, so their number is bounded. */
  labels: readonly string[]
  help: string
}

const family =
  <Type extends Family['type']>(type: Type) =>
  <const Labels extends readonly string[]>(help: string, ...labels: Labels) => ({ type, help, labels })
const counter = family('counter')
const gauge = family('gauge')
const histogram = family('histogram')

/** The help of each family, then its labels. */
export const families = {
  rungs_build_info: gauge('Always 1; the labels hold the versions of Rungs and of Node.', 'version', 'node'),
  process_start_time_seconds: gauge('Start time of the process, in Unix seconds.'),
  process_cpu_seconds_total: counter('CPU time of the process.'),
  process_resident_memory_bytes: gauge('Resident memory of the process.'),
  nodejs_heap_size_used_bytes: gauge('Used heap of the process.'),
  rungs_event_loop_delay_seconds: gauge(
    'Event loop delay since the last scrape; quantile 1 is the maximum.',
    'quantile',
  ),
  rungs_step_seconds: histogram('Duration of one step of the engine, by kind of event.', 'event'),
  rungs_journal_commit_seconds: histogram(
    'Duration of a journal write, which must finish before orders are sent.',
  ),
  rungs_lane_wait_seconds: histogram('Time that a call waited for its turn and for the rate limit.', 'lane'),
  rungs_lane_waiting: gauge('Calls in the queue.', 'lane'),
  rungs_rate_used: gauge('Calls within the current rate window.', 'path'),
  rungs_rate_most: gauge('Calls that the rate window allows.', 'path'),
  rungs_events_waiting: gauge('Events that wait for the engine.'),
  rungs_events_total: counter('Log events.', 'type', 'level'),
  rungs_stopped: gauge('1 while all strategies are stopped.'),
  rungs_account_age_seconds: gauge('Age of the last complete read of the account, in venue time.'),
  rungs_venue_silent_seconds: gauge(
    'Seconds since the first of the failed account reads in a row; 0 without one.',
  ),
  rungs_stream_connects_total: counter('Stream connections.'),
  rungs_stream_losses_total: counter('Lost stream connections.'),
  rungs_feed_age_seconds: gauge('Age of the last data of a feed, in venue time.', 'strategy', 'feed'),
  rungs_equity: gauge('Equity of the account, as the venue reports it.'),
  rungs_strategy_running: gauge('1 while the strategy runs.', 'strategy'),
  rungs_strategy_halted: gauge('1 while the strategy is halted, until an operator resumes it.', 'strategy'),
  rungs_strategy_paused: gauge('1 while entries of the strategy are paused.', 'strategy'),
  rungs_result: gauge(
    'Result of the strategy since its start: fees paid, open positions at the current price.',
    'strategy',
  ),
  rungs_result_today: gauge('Result of the strategy since 00:00 UTC.', 'strategy'),
  rungs_drawdown: gauge('Drawdown from the best result, as the drawdown limits count it.', 'strategy'),
  rungs_max_drawdown: gauge('Maximum drawdown since the start.', 'strategy'),
  rungs_fees: gauge('Fees that the strategy has paid since its start.', 'strategy'),
  rungs_grid_profit: gauge('Profit of matched pairs, after the fees of both sides.', 'strategy'),
  rungs_floating: gauge(
    'Unrealized profit: open amounts at the current price, less their cost and fees.',
    'strategy',
  ),
  rungs_pairs: gauge('Entry orders whose fills were closed completely.', 'strategy'),
  rungs_position: gauge('Position by the fills of the strategy; short is negative.', 'strategy', 'market'),
  rungs_exposure: gauge('Notional of the position at the current price.', 'strategy', 'market'),
  rungs_limit_used: gauge('Current use of a limit.', 'strategy', 'limit'),
  rungs_limit_most: gauge('Value of the limit.', 'strategy', 'limit'),
  rungs_orders: gauge(
    'Active orders: resting, sending (in flight) or doubtful (unknown outcome).',
    'strategy',
    'status',
  ),
  rungs_doubt_age_seconds: gauge(
    'Age of the oldest unknown outcome of an order, in venue time; 0 without one.',
    'strategy',
  ),
  rungs_orders_total: counter(
    'Outcomes of orders: accepted, refused, would_take, unknown, not_sent, not_attempted.',
    'strategy',
    'outcome',
  ),
  rungs_doubts_ended_total: counter('Resolved unknown outcomes: placed or absent.', 'strategy', 'outcome'),
  rungs_fills_total: counter('Fills.', 'strategy'),
  rungs_alerts_total: counter('Outcomes of alerts: told, failed, dropped.', 'target', 'outcome'),
  rungs_alerts_waiting: gauge('Alerts in the queue.', 'target'),
} satisfies Record<`${'rungs' | 'process' | 'nodejs'}_${string}`, Family>

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
