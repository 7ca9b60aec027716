import fc from 'fast-check'
import type { Command, Submit } from '#src/engine/commands.ts'
import { Engine } from '#src/engine/engine.ts'
import type { Event, OrderAnswer } from '#src/engine/events.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import type { Step } from '#src/engine/step-context.ts'
import { fileOf, minute, noon, venue } from '#test/engine/support/engine-harness.ts'

/** The next event; the numbers choose among the existing objects. */
export type Act = { kind: (typeof kinds)[number]; one: number; other: number }

const often = ['quote', 'candle', 'answer', 'seen', 'withdrawn', 'tick'] as const
const seldom = [
  'account',
  'evidence',
  'operator',
  'restart',
  'reload',
  'invested',
  'found',
  'signal',
] as const
const kinds = [...often, ...often, ...often, ...often, 'answer', 'quote', ...seldom] as const

export const acts = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), one: fc.nat(10_000), other: fc.nat(10_000) }),
  { minLength: 20, maxLength: 300, size: 'max' },
)

const changed = (part: string, ...changes: (readonly [string, string])[]) =>
  changes.reduce((text, [from, to]) => text.replace(from, to), fileOf(part))

/** Strategies of the package that act without days of candles. */
const texts: Readonly<Record<string, string>> = {
  sgrid: fileOf('static-grid'),
  mm2s: fileOf('market-making'),
  hedg: fileOf('hedged'),
  sigent: changed('signal-entry', ['stale_after: 4h', 'stale_after: 20s']),
  dcam: changed('dca', ['rsi(px, 14) < 40', 'price > 1'], ['cooldown: 15m', 'cooldown: 1m']),
  tvol: changed(
    'trailing',
    ['unit: "atr(h1, 14)"', 'unit: price * 0.004'],
    ['- vol < 0.03', '- price > 1'],
    ['- price > ema(h1, 200)', '- price > 2'],
    ['anchor: ema(px, 20)', 'anchor: price'],
    ['atr(h1, 14) / price', 'price / 1e7'],
    ['for: 5m', 'for: 1m'],
  ),
}
const names = Object.keys(texts)
const markets = [
  ['BTC_USDT', 60_000],
  ['BTC_PERP', 60_000],
  ['ETH_PERP', 2500],
  ['SOL_PERP', 150],
] as const

/** The environment of an engine: its commands, and random answers to them. */
class RandomEnvironment {
  at = noon
  readonly #chunks: Submit[] = []
  readonly #cancels: string[] = []
  readonly #prices = new Map<string, number>(markets)
  #looked: string[] = []
  #investing: string[] = []

  begin(): Event {
    return {
      kind: 'began',
      at: this.at,
      venue,
      strategies: names.map((name) => ({ name, text: texts[name] ?? '' })),
    }
  }

  /** The commands of the engine; a restart forgets them, like a process does. */
  take(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.kind === 'submit') this.#chunks.push(command)
      else if (command.kind === 'cancel') this.#cancels.push(...command.orders.map(({ id }) => id))
      else if (command.kind === 'look') this.#looked = command.ids
      else this.#investing.push(command.id)
    }
  }

  event({ kind, one, other }: Act, state: State): Event | undefined {
    this.at += (one % 7) * 700
    const { at } = this
    const [market = 'BTC_USDT'] = markets[one % markets.length] ?? []
    switch (kind) {
      case 'quote': {
        const price = (this.#prices.get(market) ?? 1) * (1 + (other - 5000) / 400_000)
        this.#prices.set(market, price)
        const [bid, ask] = [Number((price * 0.9999).toFixed(2)), Number((price * 1.0001).toFixed(2))]
        return { kind, at, market, bid: other % 97 === 0 ? null : bid, ask, last: bid }
      }
      case 'candle': {
        const close = this.#prices.get(market) ?? 1
        const opened = Math.floor(at / minute) * minute - minute * (one % 3 === 0 ? 2 : 1)
        return {
          kind,
          at,
          market,
          interval: '1m',
          opened,
          open: close,
          high: close,
          low: close,
          close,
          volume: 1,
        }
      }
      case 'tick':
        this.at += (other % 50) * 1000
        return { kind, at: this.at }
      case 'answer': {
        const [chunk] = this.#chunks.splice(one % Math.max(1, this.#chunks.length), 1)
        if (!chunk) return undefined
        const orders = chunk.orders.map((order, index) => answerOf(order, other + index * 131, state))
        // Sometimes the answer is too short, and arrives twice.
        if (other % 13 === 0) orders.pop()
        if (other % 17 === 0) this.#chunks.push(chunk)
        return { kind: 'answered', at, chunk: chunk.chunk, orders }
      }
      case 'seen': {
        // Sometimes one reading finds several.
        const found = Object.values(state.orders).slice(one % Math.max(1, Object.keys(state.orders).length))
        const orders = found.slice(0, 1 + (other % 3)).filter(({ status }) => status !== 'sending')
        if (orders.length === 0) return undefined
        const isOver = other % 5 === 4 || other % 11 === 0
        const seen = orders.map((order) =>
          Object.assign(
            { id: order.id },
            progressOf(order, (Number(order.amount) * (other % 5)) / 4, isOver),
          ),
        )
        return { kind, at, orders: seen }
      }
      case 'found': {
        const orders = Object.values(state.orders)
        const like = orders[one % Math.max(1, orders.length)]
        // Most sessions find nothing: what cannot be adopted stops all entries.
        if (!like || other % 4 > 0) return undefined
        const { strategy, ladder, level, market: symbol, side, price, amount } = like
        const id = `${strategy}.${ladder}.${level}.q2${(other % 36).toString(36)}`
        if (state.orders[id]) return undefined
        const order = { id, market: symbol, side, price, amount, placedAt: at }
        const filled = other % 3 === 0 ? Number(amount) / 2 : 0
        const choice = (['adopt', 'adopt', 'cancel', 'stop'] as const)[one % 4] ?? 'ignore'
        return { kind, at, choice, orders: [{ ...order, ...progressOf(order, filled, other % 7 === 0) }] }
      }
      case 'withdrawn': {
        const ids = this.#cancels.splice(0, 1 + (one % 5))
        if (ids.length === 0) return undefined
        const outcomes = ['canceled', 'canceled', 'gone', 'refused', 'unknown'] as const
        const outcomeOf = (index: number) => outcomes[(other + (one % 2) * index) % 5] ?? 'gone'
        return {
          kind,
          at,
          orders: ids.map((id, index) => ({ id, outcome: outcomeOf(index), message: '' })),
        }
      }
      case 'account':
        return {
          kind,
          at,
          equity: String(5000 + other),
          available: { USDT: '5000' },
          freeze: {},
          main: { USDT: '100' },
        }
      case 'evidence': {
        const found = this.#looked.flatMap((id, index) => {
          const order = state.orders[id]
          return order && (other + index) % 2 === 0
            ? [[id, progressOf(order, Number(order.filled), (other + index) % 4 === 0)] as const]
            : []
        })
        return {
          kind,
          at,
          ids: this.#looked,
          fencedAt: at,
          found: Object.fromEntries(found),
          listed: other % 3 !== 0,
          freeze: null,
        }
      }
      case 'operator': {
        const reason = 'by chance'
        const strategy = other % 3 === 0 ? null : (names[one % names.length] ?? null)
        const freeze = other % 4 === 0
        if (one % 12 === 0) return { kind, at, reason, act: 'stop', freeze }
        if (one % 12 === 1) return { kind, at, reason, act: 'halt', strategy, freeze }
        const resting = Object.values(state.orders).find(({ status }) => status === 'resting')
        if (one % 12 === 3 && resting) return { kind, at, reason, act: 'cancel', order: resting.id }
        const doubtful = Object.values(state.orders).find(({ status }) => status === 'doubtful')
        if (one % 3 === 2 && doubtful)
          return {
            kind,
            at,
            reason,
            act: 'resolve',
            order: doubtful.id,
            as: other % 2 === 0 ? 'placed' : 'absent',
          }
        return { kind, at, reason, act: 'resume', strategy: null }
      }
      case 'restart':
        if (one % 4 !== 0) return undefined
        this.#chunks.length = 0
        this.#cancels.length = 0
        if (other % 2 === 0) return { kind: 'ending', at }
        return this.begin()
      case 'reload': {
        const name = names[one % names.length] ?? ''
        const text = (texts[name] ?? '').replace(/chunk: \d+/, `chunk: ${1 + (other % 8)}`)
        return { kind: 'reloaded', at, name, text }
      }
      case 'signal': {
        const value = one % 3 === 0 ? 'flat' : 'long'
        return { kind, at, name: other % 4 === 0 ? 'sigent.trend' : 'trend', value }
      }
      case 'invested': {
        const id = this.#investing.shift()
        return id === undefined ? undefined : { kind, at, id, outcome: 'accepted', message: '' }
      }
    }
  }
}

const refusals = ['would-take', 'no-funds', 'price-band', 'breaks-rule', 'transient'] as const

function answerOf(order: Submit['orders'][number], chance: number, state: State): OrderAnswer {
  const isAgain = (state.orders[order.id]?.attempts ?? 1) > 1
  switch (chance % 24) {
    case 0:
      return { kind: 'unknown', reason: 'no answer came' }
    case 1:
      return {
        kind: 'refused',
        code: null,
        refusal: refusals[Math.floor(chance / 24) % refusals.length] ?? 'transient',
        message: 'No.',
        alreadyUsed: isAgain && chance % 2 === 0,
      }
    case 2:
      return chance % 3 === 0
        ? { kind: 'not-sent', cause: 'queue-full', reason: 'no room' }
        : { kind: 'not-attempted' }
    default: {
      const filled = order.ioc
        ? (Number(order.amount) * (chance % 3)) / 2
        : chance % 5 === 0
          ? Number(order.amount) / 2
          : 0
      return { kind: 'accepted', ...progressOf(order, filled, order.ioc) }
    }
  }
}

function progressOf(order: { price: string; amount: string }, filled: number, ended: boolean) {
  const part = plain(Math.min(filled, Number(order.amount)), 6)
  return { venueId: '1', filled: part, money: plain(Number(part) * Number(order.price), 8), fee: '0', ended }
}

function plain(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.?0+$/, '')
}

export const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

type Before = ReadonlyMap<string, Order['status']>

/** Applies all events to one engine, and checks each step. */
export function play(
  acts: readonly Act[],
  look: (event: Event, step: Step, engine: Engine, before: Before) => void,
): Event[] {
  const engine = new Engine(null)
  const mayhem = new RandomEnvironment()
  const events: Event[] = []
  const happen = (event: Event | undefined) => {
    if (!event) return
    const before = new Map(Object.values(engine.state.orders).map(({ id, status }) => [id, status]))
    const step = engine.step(copyOf(event))
    events.push(event)
    look(event, step, engine, before)
    mayhem.take(step.commands)
    if (step.commands.length > 0) happen({ kind: 'carried', at: event.at })
  }
  happen(mayhem.begin())
  for (const act of acts) happen(mayhem.event(act, engine.state))
  return events
}
