import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { resolveUnknown } from '#src/runtime/execute/resolve-unknown.ts'
import { ourOrder } from '#src/runtime/account/order-identity.ts'
import type { ListedOrder } from '#src/venue/port.ts'
import { AccountReading } from '#src/runtime/account/account-reading.ts'
import { cancelAtVenue } from '#src/runtime/execute/cancel-orders.ts'
import type { Command } from '#src/engine/commands.ts'
import { Engine } from '#src/engine/engine.ts'
import type { Event, VenueFacts } from '#src/engine/events.ts'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { openVenue, type TestVenue } from '#test/support/venue.ts'
import { times } from '#test/properties/runs.ts'
import { adapterOf } from '#test/support/adapter.ts'

/** A window of resting lines, so that moving prices make the bot take lines back as well. */
const text = `
version: 1
name: story
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  book: { source: book, market: btc, stale_after: 10m }
ladder:
  grid:
    market: btc
    side: both
    anchor: 60000
    levels: 10
    spacing: { kind: arithmetic, first: 0.04%, step: 0.04% }
    size: { total: 6000 quote }
    resting: { max: 8 }
    exit: { mirror: 1 }
rules:
  - { id: go, when: 1 < 2, do: [ensure: grid] }
risk:
  max_notional: { btc: 20000 }
  max_open_orders: 40
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 50%, halt: 90% }
  in_doubt: { block: level, halt_after: 1h }
submit:
  chunk: 4
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 20, per: 1s }
`
const market = 'BTC_PERP'
/** The last of them are quiet. */
const seconds = 36
/** What the rival does at some seconds: prices go down through some lines, up through others, and come back. */
const script: Readonly<Record<number, { side: 'buy' | 'sell'; price: string; amount: string }>> = {
  3: { side: 'sell', price: '59940', amount: '0.012' },
  7: { side: 'buy', price: '60010', amount: '0.02' },
  11: { side: 'buy', price: '60060', amount: '0.014' },
  15: { side: 'sell', price: '59980', amount: '0.03' },
}
const middles: Readonly<Record<number, number>> = { 4: 59_950, 8: 60_000, 12: 60_060, 16: 59_990 }

class Death extends Error {}

type Ending = { orders: string[]; boundaries: number; position: string; unsettled: string[] }

/**
 * One life after the other: the first dies at the boundary of that number, before a record is durable, after it and
 * before anything is sent, or after it was sent and before the answer is known. The next one has the records only.
 */
async function live(deathAt: number, clientIds: VenueFacts['clientIds']): Promise<Ending> {
  const ids = clientIds === 'forever' ? 'forever' : 'live'
  const venue = await openVenue('process', { profile: 'full', world: { switches: { clientIds: ids } } })
  try {
    return await liveAt(venue, deathAt, clientIds)
  } finally {
    await venue.close()
  }
}

async function liveAt(
  venue: TestVenue,
  deathAt: number,
  clientIds: VenueFacts['clientIds'],
): Promise<Ending> {
  const { clock, paper: client } = venue
  const venueClock = { now: () => clock.now(), speed: 1, isSure: () => true }
  const adapter = adapterOf(client, { clock, terms: { clientIds } })
  const { facts } = await adapter.describe()
  const { capabilities } = facts
  const parts = { venue: adapter, capabilities, venueClock, settleMs: 0 } as const
  const signal = new AbortController().signal
  const durable: Event[] = []
  let [engine, reading, boundaries, middle] = [new Engine(null), new AccountReading(parts), 0, 60_000]

  const inDealOrder = (listed: readonly ListedOrder[]) => reading.inDealOrder(engine.state, listed)

  function boundary(): void {
    if (boundaries++ === deathAt) throw new Death()
  }

  async function tell(told: NewEvent): Promise<void> {
    const event: Event = { ...told, at: clock.now() }
    const { commands } = engine.step(event)
    boundary()
    durable.push(event)
    boundary()
    for (const command of commands) {
      const results = await carry(command)
      boundary()
      for (const result of results) await tell(result)
    }
  }

  async function carry(command: Command): Promise<readonly NewEvent[]> {
    const told: NewEvent[] = []
    switch (command.kind) {
      case 'submit': {
        const { chunk, orders, stopOnFail, priority } = command
        const { answers } = await adapter.submit(orders, {
          stopOnFail,
          priority,
          signal,
          withinMs: () => 10_000,
          onTime: () => {},
        })
        return [{ kind: 'answered', chunk, orders: answers }]
      }
      case 'cancel':
        await cancelAtVenue(
          {
            venue: adapter,
            isListed: true,
            tell: (event) => told.push(event),
            settled: async () => true,
            isOurs: (listed) => ourOrder(engine.state, listed, venueClock) !== undefined,
            inDealOrder,
          },
          command.orders,
        )
        return told
      case 'look': {
        const looking = {
          ...parts,
          clock,
          settleMs: 0,
          listed: true,
          inDealOrder,
          signal,
        } as const
        return passing(
          resolveUnknown(
            looking,
            command,
            () => engine.state.orders,
            (event) => told.push(event),
          ),
        )
      }
      case 'invest':
        throw new Error('this strategy invests nothing')
    }
  }

  /** Lets time pass for whoever waits. */
  async function passing<Value>(waiting: Promise<Value>): Promise<Value> {
    const over = new AbortController()
    const watched = waiting.finally(() => over.abort())
    while (!over.signal.aborted) {
      await nextTurn()
      clock.advance(100)
    }
    return watched
  }

  async function second(number: number): Promise<void> {
    clock.advance(1000)
    const deal = script[number]
    if (deal) await done(venue.rival.collateralLimit({ market, ...deal, ioc: true }))
    // Told again and again, as prices are: one that was lost with its record is no loss.
    middle = middles[number] ?? middle
    await tell({ kind: 'quote', market, bid: middle - 1, ask: middle + 1, last: middle })
    for (const event of await reading.read(engine.state)) await tell(event)
    await tell({ kind: 'tick' })
  }

  async function begin(): Promise<void> {
    await tell({ kind: 'began', venue: facts, strategies: [{ name: 'story', text }] })
  }

  /** What stands in the journal is all that is left. */
  async function surviving(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Death)) throw error
      engine = new Engine(null)
      for (const event of durable) engine.step(event)
      reading = new AccountReading(parts)
      await begin()
    }
  }

  await surviving(begin)
  for (let number = 0; number < seconds; number++) await surviving(() => second(number))
  return endingOf(venue, engine, boundaries)
}

async function endingOf({ paper }: TestVenue, { state }: Engine, boundaries: number): Promise<Ending> {
  const resting = await done(paper.openOrders({ limit: 100 }))
  const history = Object.values(await done(paper.orderHistory({ limit: 100 }))).flat()
  const alive = resting.map(({ client_order_id: id, side, price, amount, deal_stock: filled }) => {
    return `${labelOf(id)} ${side} ${amount} at ${price}, ${filled} filled, rests`
  })
  const traded = history
    .filter(({ deal_stock: filled }) => Number(filled) > 0)
    .map(({ client_order_id: id, side, price, deal_stock: filled }) => {
      return `${labelOf(id)} ${side} ${filled} at ${price}`
    })
  const known = Object.values(state.orders).filter(({ status }) => status !== 'ended')
  expect(known.map(({ id }) => id).toSorted()).toEqual(resting.map((each) => each.client_order_id).toSorted())
  return {
    orders: [...alive, ...traded].toSorted(),
    boundaries,
    position: state.strategies['story']?.holdings['btc']?.position ?? '0',
    unsettled: known.filter(({ status }) => status !== 'resting').map(({ id }) => id),
  }
}

test.each(['forever', 'unproven'] as const)(
  'after a crash at any boundary of its journal a bot decides as without it, ids used %s',
  async (clientIds) => {
    const whole = await live(Infinity, clientIds)
    expect(whole.orders.filter((text) => text.endsWith('rests')).length).toBeGreaterThan(5)
    expect(whole.orders.filter((text) => !text.endsWith('rests')).length).toBeGreaterThan(4)
    const every = Math.max(1, Math.round(whole.boundaries / times(30, whole.boundaries, 6)))
    for (let deathAt = 0; deathAt < whole.boundaries; deathAt += every) {
      const { orders, position, unsettled } = await live(deathAt, clientIds)
      expect({ deathAt, orders, position, unsettled }).toEqual({
        deathAt,
        orders: whole.orders,
        position: whole.position,
        unsettled: [],
      })
    }
  },
)

function labelOf(id: string): string {
  return id.slice(0, id.lastIndexOf('.'))
}
