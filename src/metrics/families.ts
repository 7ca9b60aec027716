/** What is measured, one row for each name. Names and labels are never changed: dashboards and alert rules hang on them. */
type Family = {
  type: 'counter' | 'gauge' | 'histogram'
  /** Their values come from files of the operator and from tables of ours, so there are only so many. */
  labels: readonly string[]
  help: string
}

export const families = {
  rungs_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    help: 'Always 1; the labels say what runs.',
  },
  process_start_time_seconds: { type: 'gauge', labels: [], help: 'When the process began, since 1970.' },
  process_cpu_seconds_total: { type: 'counter', labels: [], help: 'Time of processors that it took.' },
  process_resident_memory_bytes: { type: 'gauge', labels: [], help: 'Memory that it holds.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', labels: [], help: 'Memory that its objects take.' },
  rungs_event_loop_delay_seconds: {
    type: 'gauge',
    labels: ['quantile'],
    help: 'How late what was due ran, since the last time somebody asked; quantile 1 is the worst.',
  },
  rungs_step_seconds: {
    type: 'histogram',
    labels: ['event'],
    help: 'What one step of the engine takes, by the kind of event.',
  },
  rungs_journal_commit_seconds: {
    type: 'histogram',
    labels: [],
    help: 'What it takes until something is on disk, before orders leave.',
  },
  rungs_lane_wait_seconds: {
    type: 'histogram',
    labels: ['lane'],
    help: 'How long a call waited for its turn and its place under the rate limit.',
  },
  rungs_lane_waiting: { type: 'gauge', labels: ['lane'], help: 'Calls that wait for their turn.' },
  rungs_rate_used: { type: 'gauge', labels: ['path'], help: 'Calls within the rate window of now.' },
  rungs_rate_most: { type: 'gauge', labels: ['path'], help: 'Calls that the rate window allows.' },
  rungs_events_waiting: { type: 'gauge', labels: [], help: 'Events that wait for a step of the engine.' },
  rungs_events_total: { type: 'counter', labels: ['type', 'level'], help: 'What was said in the log.' },
  rungs_stopped: { type: 'gauge', labels: [], help: '1 while an operator has stopped everything.' },
  rungs_account_age_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the last whole reading of the account, in the time of the venue.',
  },
  rungs_venue_silent_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Since when readings of the account fail, in the time of the venue; 0 while they do not.',
  },
  rungs_stream_connects_total: { type: 'counter', labels: [], help: 'Streams that were connected.' },
  rungs_stream_losses_total: { type: 'counter', labels: [], help: 'Streams that were lost.' },
  rungs_feed_age_seconds: {
    type: 'gauge',
    labels: ['strategy', 'feed'],
    help: 'Age of the last news of a feed, in the time of the venue.',
  },
  rungs_equity: { type: 'gauge', labels: [], help: 'Equity of the account, as the venue tells it.' },
  rungs_strategy_running: { type: 'gauge', labels: ['strategy'], help: '1 while it takes part.' },
  rungs_strategy_halted: { type: 'gauge', labels: ['strategy'], help: '1 until an operator resumes it.' },
  rungs_strategy_paused: { type: 'gauge', labels: ['strategy'], help: '1 while it places no entries.' },
  rungs_result: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'What it has made since it began, fees paid, open positions at the price of now.',
  },
  rungs_result_today: { type: 'gauge', labels: ['strategy'], help: 'The same since midnight UTC.' },
  rungs_drawdown: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'How far its result is below the best one, as the drawdown limits count it.',
  },
  rungs_max_drawdown: { type: 'gauge', labels: ['strategy'], help: 'The largest drawdown since it began.' },
  rungs_fees: { type: 'gauge', labels: ['strategy'], help: 'Fees that it has paid since it began.' },
  rungs_grid_profit: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'What its matched pairs have made, after the fees of both sides.',
  },
  rungs_floating: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'What is open, at the price of the result, less what it has cost with its fees.',
  },
  rungs_pairs: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'Entry orders whose fills were closed in full.',
  },
  rungs_position: {
    type: 'gauge',
    labels: ['strategy', 'market'],
    help: 'What it holds by its own fills, below zero short.',
  },
  rungs_exposure: {
    type: 'gauge',
    labels: ['strategy', 'market'],
    help: 'What that is worth at the price of now.',
  },
  rungs_limit_used: { type: 'gauge', labels: ['strategy', 'limit'], help: 'What is used of a limit.' },
  rungs_limit_most: { type: 'gauge', labels: ['strategy', 'limit'], help: 'How much the limit allows.' },
  rungs_orders: {
    type: 'gauge',
    labels: ['strategy', 'status'],
    help: 'Living orders: resting, sending (on their way) or doubtful.',
  },
  rungs_doubt_age_seconds: {
    type: 'gauge',
    labels: ['strategy'],
    help: 'How long the oldest doubt about an order lasts, in the time of the venue; 0 without one.',
  },
  rungs_orders_total: {
    type: 'counter',
    labels: ['strategy', 'outcome'],
    help: 'What came of orders: accepted, refused, would_take, unknown, not_sent, not_attempted.',
  },
  rungs_doubts_ended_total: {
    type: 'counter',
    labels: ['strategy', 'outcome'],
    help: 'Doubts that have ended: placed or absent.',
  },
  rungs_fills_total: { type: 'counter', labels: ['strategy'], help: 'Parts of orders that were executed.' },
  rungs_alerts_total: {
    type: 'counter',
    labels: ['target', 'outcome'],
    help: 'What came of alerts: told, failed, dropped.',
  },
  rungs_alerts_waiting: { type: 'gauge', labels: ['target'], help: 'Alerts that are still to be told.' },
} as const satisfies Record<`${'rungs' | 'process' | 'nodejs'}_${string}`, Family>

export type MetricName = keyof typeof families
export type NameOf<Type extends Family['type']> = {
  [Name in MetricName]: (typeof families)[Name]['type'] extends Type ? Name : never
}[MetricName]
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof families)[Name]['labels'][number], string>
>

/** What somebody knows at the moment: a row of its family. Decimal text is written as it is. */
export type Sample = {
  [Name in MetricName]: { name: Name; labels: LabelsOf<Name>; value: number | string }
}[MetricName]
