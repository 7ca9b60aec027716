import type { Readings } from '#src/indicators/readings.ts'
import type { Compiled } from './compiled.ts'
import type { VenueFacts } from './events.ts'
import type { LadderState, State, StrategyState } from './state.ts'

/** All that a decision about a ladder was made from, cut out of the state: enough to make it again. */
export type Seen = Pick<State, 'at' | 'venue' | 'quotes' | 'account' | 'orders' | 'chunks' | 'stopped'> & {
  own: Omit<StrategyState, 'text'>
}

export function seenBy(state: State, { name, strategy }: Compiled, own: StrategyState): Seen {
  const symbols = new Set(Object.values(strategy.markets).map(({ symbol }) => symbol))
  const alive = Object.values(state.orders).filter(
    (order) => order.strategy === name && order.status !== 'ended',
  )
  const { text: _, feeds, ladders, ...rest } = own
  const venue: VenueFacts = {
    ...state.venue,
    markets: some(state.venue.markets, (symbol) => symbols.has(symbol)),
  }
  const seen = copyOf({
    at: state.at,
    venue,
    quotes: some(state.quotes, (symbol) => symbols.has(symbol)),
    account: state.account,
    chunks: some(state.chunks, (_, { strategy }) => strategy === name),
    stopped: state.stopped,
    own: {
      ...rest,
      feeds: Object.fromEntries(
        Object.entries(feeds).map(([feed, known]) => [
          feed,
          Object.assign({}, known, { readings: read(known.readings) }),
        ]),
      ),
    },
  })
  // Most of it are orders, which have no parts, and rungs.
  const orders = Object.fromEntries(alive.map((order) => [order.id, { ...order }]))
  const copies: StrategyState['ladders'] = {}
  for (const [name, { rungs, ...ladder }] of Object.entries(ladders)) {
    const copy: LadderState = { ...copyOf(ladder), rungs: [] }
    for (const rung of rungs) copy.rungs.push({ ...rung, wait: { ...rung.wait } })
    copies[name] = copy
  }
  return { ...seen, orders, own: { ...seen.own, ladders: copies } }
}

/** Of plain data, as the state is; several times as fast as the copy that knows every kind of object. */
function copyOf<Value>(value: Value): Value
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => copyOf(each))
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = copyOf(copy[key])
  return copy
}

/** What indicators say, without what they keep in order to go on. */
function read(readings: Readings): Readings {
  const running: Readings['running'] = {}
  for (const [key, reading] of Object.entries(readings.running)) running[key] = { ...reading, state: null }
  return { ...readings, running }
}

function some<Value>(
  all: Record<string, Value>,
  isWanted: (key: string, value: Value) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([key, value]) => isWanted(key, value)))
}
