import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { Command, Submit } from '#src/engine/commands.ts'
import { Engine } from '#src/engine/engine.ts'
import type {
  SessionStarted,
  Event,
  MarketFacts,
  OrderAnswer,
  Progress,
  VenueFacts,
  CancelledOrder,
} from '#src/engine/events.ts'
import type { LadderState, Order, State } from '#src/engine/state/state.ts'
import type { Step } from '#src/engine/step-context.ts'
import { recordHorizon } from '#src/research/backtest/jump/horizon.ts'
import { refusalOf } from '#src/venues/whitebit/adapter/refusals.ts'
import { strategyFiles } from '#test/strategy/strategy-files.ts'

export type HarnessOrder = Submit['orders'][number]
type Untimed<Some> = Some extends { at: number } ? Omit<Some, 'at'> : never

const facts: MarketFacts = {
  money: 'USDT',
  priceDigits: 2,
  amountDigits: 6,
  minAmount: '0.000001',
  minTotal: '5',
  maxTotal: '1000000',
  makerFee: '0.0001',
  takerFee: '0.00035',
}

export const venue: VenueFacts = {
  capabilities: [
    'bulk',
    'history',
    'balance',
    'cancel',
    'open_orders',
    'market_data',
    'streams',
    'flex',
    'position_side_short',
  ],
  batchMax: 20,
  clientIds: 'forever',
  speed: 1,
  leverage: 10,
  markets: Object.fromEntries(
    ['BTC_USDT', 'BTC_PERP', 'ETH_USDT', 'ETH_PERP', 'SOL_USDT', 'SOL_PERP'].map((name) => [name, facts]),
  ),
}

/** A Thursday at noon, in UTC. */
export const noon = Date.UTC(2026, 0, 1, 12)
export const minute = 60_000
export const hour = 3_600_000

export function fileOf(part: string): string {
  const found = strategyFiles.find(({ name }) => name.includes(part))
  if (!found) throw new Error(`no strategy has ${part} in its name`)
  return found.text
}

/** An engine at a harness: the test tells it what happens, and answers for the venue. */
export class EngineHarness {
  engine = new Engine(null)
  /** Of the first engine. */
  readonly recorder = recordHorizon(this.engine)
  at = noon
  readonly #began: Untimed<SessionStarted>
  readonly steps: { event: Event; step: Step }[] = []

  constructor(strategies: readonly string[], facts: Partial<VenueFacts> = {}, tag?: string) {
    // As live: each tick evaluates all strategies.
    this.recorder.isDue = () => true
    for (const text of strategies) {
      const read = readStrategyText(text)
      if (Array.isArray(read))
        throw new Error(`no valid strategy: ${read.map(({ message }) => message).join('; ')}`)
    }
    const named = strategies.map((text) => ({ name: /^name: (\w+)$/m.exec(text)?.[1] ?? '', text }))
    this.#began = { kind: 'began', venue: { ...venue, ...facts }, strategies: named, tag }
    this.begin()
  }

  /** A process begins, with the same strategies as the one before it; as `rungs run` begins it, it reads the account first. */
  begin(about: { readsFirst?: true; venue?: State['venue'] } = {}): Step {
    return this.tell({ ...this.#began, ...about })
  }

  tell(event: Untimed<Event>): Step {
    const timed = { ...event, at: this.at }
    const step = this.engine.step(timed)
    this.steps.push({ event: timed, step })
    if (step.commands.length > 0) this.tell({ kind: 'carried' })
    return step
  }

  wait(ms: number): Step {
    this.at += ms
    return this.tell({ kind: 'tick' })
  }

  /** A candle that has just closed at this price. */
  candle(market: string, interval: string, close: number, swing = 0): Step {
    const span = { m: minute, h: hour, d: 24 * hour }[interval.slice(-1)] ?? 0
    const length = Number.parseInt(interval, 10) * span
    const opened = Math.floor(this.at / length) * length - length
    return this.tell({ kind: 'candle', market, interval, opened, ...bar(close, swing) })
  }

  /** Candles of the past, the last of which has just closed; gives what came of that one. */
  past(market: string, interval: string, closes: readonly number[], swing = 0): Step {
    const span = { m: minute, h: hour, d: 24 * hour }[interval.slice(-1)] ?? 0
    const length = Number.parseInt(interval, 10) * span
    const last = Math.floor(this.at / length) * length - length
    const steps = closes.map((close, index) => {
      const opened = last - (closes.length - 1 - index) * length
      return this.tell({ kind: 'candle', market, interval, opened, ...bar(close, swing) })
    })
    return steps.at(-1) ?? this.wait(0)
  }

  quote(market: string, price: number, spread = 2): Step {
    return this.tell({ kind: 'quote', market, bid: price - spread / 2, ask: price + spread / 2, last: price })
  }

  account(
    available: Record<string, string>,
    main: Record<string, string> = {},
    equity: string | null = null,
  ): Step {
    return this.tell({ kind: 'account', equity, available, freeze: {}, main })
  }

  /** The venue answers, and takes everything back, until nothing is wanted any more; gives all that was sent. */
  settle(step: Step, answer: (order: Submit['orders'][number]) => OrderAnswer = accepted): Submit['orders'] {
    const sent: Submit['orders'] = []
    const commands = [...step.commands]
    for (let command = commands.shift(); command; command = commands.shift()) {
      if (sent.length > 1000) throw new Error('it never stops sending')
      if (command.kind === 'submit') {
        const { chunk, orders, stopOnFail } = command
        sent.push(...orders)
        let isStopped = false
        const answers = orders.map((order): OrderAnswer => {
          if (isStopped) return { kind: 'not-attempted' }
          const answered = answer(order)
          isStopped = stopOnFail && answered.kind === 'refused'
          return answered
        })
        commands.push(...this.tell({ kind: 'answered', chunk, orders: answers }).commands)
      } else if (command.kind === 'cancel') {
        commands.push(...this.takenBack(...command.orders.map(({ id }) => id)).commands)
      }
    }
    return sent
  }

  fill(id: string, part = 1): Step {
    const order = this.order(id)
    const filled = String(Number((Number(order.amount) * part).toFixed(6)))
    return this.tell({ kind: 'seen', orders: [{ id, ...progress(order, filled, part === 1) }] })
  }

  /** All of them by one read. */
  seenEnded(ids: readonly string[], filledOf: (order: Order) => string): Step {
    const found = ids.map((id) => this.order(id))
    const orders = found.map((order) =>
      Object.assign({ id: order.id }, progress(order, filledOf(order), true)),
    )
    return this.tell({ kind: 'seen', orders })
  }

  /** All of them by one request. */
  takenBack(...ids: string[]): Step {
    return this.withdrawn(ids, 'canceled')
  }

  withdrawn(ids: readonly string[], outcome: CancelledOrder['outcome'], message = ''): Step {
    return this.tell({ kind: 'withdrawn', orders: ids.map((id) => ({ id, outcome, message })) })
  }

  order(id: string): Order {
    const order = this.engine.state.orders[id]
    if (!order) throw new Error(`there is no order ${id}`)
    return order
  }

  ladder(strategy: string, name: string): LadderState {
    const ladder = this.engine.state.strategies[strategy]?.ladders[name]
    if (!ladder) throw new Error(`there is no ladder ${name}`)
    return ladder
  }

  resting(): string[] {
    return Object.values(this.engine.state.orders)
      .filter(({ status }) => status === 'resting')
      .map(({ id }) => id)
  }

  notes(): string[] {
    return this.steps.flatMap(({ step }) => step.notes.map(({ type }) => type))
  }
}

/** The static grid with its first price, and the step in which it asks for its lines. */
export function askingGrid(
  facts: Partial<VenueFacts> = {},
  tag?: string,
): { harness: EngineHarness; step: Step } {
  const harness = new EngineHarness([fileOf('static-grid')], facts, tag)
  harness.quote('BTC_USDT', 60_000)
  return { harness, step: harness.candle('BTC_USDT', '1m', 60_000) }
}

/** The same once all of them rest. */
export function restingGrid(facts: Partial<VenueFacts> = {}, tag?: string): EngineHarness {
  const { harness, step } = askingGrid(facts, tag)
  harness.settle(step)
  return harness
}

/** Ten buys that have followed a rising market, one hundredth of its average range apart from each other. */
export function trailingBuys(text = fileOf('trailing-volatility')): EngineHarness {
  const harness = new EngineHarness([text])
  const closes = Array.from({ length: 260 }, () => 60_000)
  harness.past('BTC_PERP', '1h', closes, 0.003)
  harness.past('BTC_PERP', '1m', closes.slice(200))
  harness.quote('BTC_PERP', 60_500, 0.02)
  harness.account({}, {}, '10000')
  for (let round = 0; round < 7; round++) {
    harness.at += 60_000
    harness.quote('BTC_PERP', 60_500, 0.02)
    harness.settle(harness.candle('BTC_PERP', '1m', 60_500))
  }
  return harness
}

export function submitsOf(step: Step): Submit[] {
  return step.commands.filter((command) => command.kind === 'submit')
}

export function cancelsOf(step: Step): string[] {
  return step.commands.flatMap((command: Command) =>
    command.kind === 'cancel' ? command.orders.map(({ id }) => id) : [],
  )
}

export function accepted(order: { amount: string; price: string; ioc: boolean }): OrderAnswer {
  return { kind: 'accepted', ...progress(order, order.ioc ? order.amount : '0', order.ioc) }
}

/** A refusal, as the adapter classifies it. */
export function refusal(code: number, message: string, fields: string[] = []): OrderAnswer {
  const refusal = refusalOf({ code, message, fields })
  return { kind: 'refused', code, message, alreadyUsed: false, fields, refusal }
}

export function progress(order: { price: string }, filled: string, ended: boolean): Progress {
  const money = (Number(filled) * Number(order.price)).toFixed(8)
  return { venueId: '1', filled, money: money.replace(/\.?0+$/, ''), fee: '0', ended }
}

function bar(close: number, swing: number) {
  return { open: close, high: close * (1 + swing), low: close * (1 - swing), close, volume: 1 }
}

/** Rungs as text, for short. */
export function told(
  orders: readonly { id: string; side: string; amount: string; price: string }[],
): string[] {
  return orders.map(({ id, side, amount, price }) => `${id} ${side} ${amount} at ${price}`)
}
