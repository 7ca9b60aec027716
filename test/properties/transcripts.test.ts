import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import { canonical, hashOf } from '#test/exchange/state-text.ts'
import { beginsAt, openVenue, signedCall, type TestExchange } from '#test/exchange/exchange-fixture.ts'
import { callOf, command, traders, tradersWorld, type ExchangeCommand, type TraderName } from './commands.ts'
import { runs } from './runs.ts'

type Tape = { by: string; line: string }

/** Reads everything that an account can see of itself. */
const looks = [
  'tradingBalance',
  'mainBalance',
  'orderHistory',
  'flexInvestments',
  'flexHistory',
  'fixedInterest',
] as const
type Look = { kind: 'look'; by: TraderName; at: (typeof looks)[number] }
type Step = ExchangeCommand | Look

const look: fc.Arbitrary<Look> = fc.record({
  kind: fc.constant('look'),
  by: fc.constantFrom(...traders),
  at: fc.constantFrom(...looks),
})
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: command }, { weight: 1, arbitrary: look }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
})

function play(
  venue: TestExchange,
  script: readonly Step[],
  after: (index: number) => void = () => {},
): Tape[] {
  const tape: Tape[] = []
  const nonces = new Map<string, number>()
  const send = (by: TraderName, name: EndpointName, parameters: Record<string, unknown>) => {
    const nonce = (nonces.get(by) ?? beginsAt) + 1
    nonces.set(by, nonce)
    const response = venue.exchange.handle(
      signedCall(by, contract[name], parameters, String(nonce)),
      venue.now(),
    )
    tape.push({ by, line: JSON.stringify(response) })
  }
  for (const [index, step] of script.entries()) {
    if (step.kind === 'wait') {
      const ms = step.minutes * 60_000
      // Only clock changes by an operator are recorded, not the passing of time.
      if (step.minutes % 3 === 0) venue.exchange.moveClock(ms, venue.now())
      venue.pass(ms)
    } else if (step.kind === 'look') send(step.by, step.at, {})
    else {
      const opened = [...(venue.exchange.state.accounts.get(step.by)?.fixed.keys() ?? [])]
      const { row, parameters } = callOf(step, opened)
      send(step.by, row, parameters)
    }
    after(index)
  }
  return tape
}

test('the same seed and the same calls give the same answers to the byte, ids included', () => {
  fc.assert(
    fc.property(steps, (script) => {
      const [once, again] = [1, 2].map(() => {
        const venue = openVenue({ world: tradersWorld })
        const tape = play(venue, script)
        return { tape: hashOf(JSON.stringify(tape)), state: hashOf(canonical(venue.exchange.state)) }
      })
      expect(again).toEqual(once)
    }),
    runs(100, 1000),
  )
})

test('another seed gives other ids and the same money', () => {
  const invest: ExchangeCommand = {
    kind: 'flex',
    by: 'one',
    plan: tradersWorld.flexPlans[0]?.id ?? '',
    amount: '10',
    reinvest: true,
  }
  const [one, other] = ['a', 'b'].map((seed) => {
    const venue = openVenue({ world: tradersWorld, seed })
    return {
      ids: play(venue, [invest])[0]?.line,
      money: canonical(venue.exchange.state).match(/"ledger":.*?"books"/)?.[0],
    }
  })
  expect(one?.ids).toContain('transaction_id')
  expect(other?.ids).not.toBe(one?.ids)
  expect(other?.money).toBe(one?.money)
})

/** Far from every price of the other accounts, or in a market in which they do not trade. */
const farPrices: Record<string, { buy: string; sell: string }> = {
  SOL_PERP: { buy: '2', sell: '900' },
  BTC_USDT: { buy: '30000', sell: '90000' },
}

function apart(step: Step): Step {
  if (step.kind !== 'bulk') return step
  const orders = step.orders.map((order, index) => {
    const price = farPrices[order.market]?.[order.side] ?? order.price
    return Object.assign({}, order, index % 2 === 0 ? { price } : { market: 'ETH_PERP' })
  })
  return { ...step, orders }
}

/** The other accounts do not trade at the far prices either. */
function near(step: Step): Step {
  if (step.kind !== 'bulk') return step
  const orders = step.orders.map((order) =>
    Number(order.price) > 80_000 ? Object.assign({}, order, { price: '100' }) : order,
  )
  return { ...step, orders }
}

function toldToOthers(script: readonly Step[], venue = openVenue({ world: tradersWorld })): Tape[] {
  return play(venue, script).filter(({ by }) => by !== 'three')
}

/** A liquidation takes any price: it can reach an order of the third account, which then has traded with the others. */
function tradesWithThird({ exchange: { state } }: TestExchange): boolean {
  const [one, two, three] = traders.map((name) => state.accounts.get(name))
  const thirds = new Set(three?.deals.order.subarray(0, three.deals.count))
  return [one, two].some((trader) =>
    trader?.deals.other.subarray(0, trader.deals.count).some((id) => thirds.has(id)),
  )
}

test('the answers to two accounts do not depend on a third one that never trades with them', () => {
  const places = fc.array(fc.nat(100), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(steps, steps, places, (own, foreign, places) => {
      const ours = own.filter((step) => step.kind === 'wait' || step.by !== 'three').map(near)
      const theirs = foreign.filter((step) => step.kind !== 'wait' && step.by === 'three').map(apart)
      const mixed = [...ours]
      for (const [index, step] of theirs.entries())
        mixed.splice((places[index] ?? 0) % (mixed.length + 1), 0, step)
      const venue = openVenue({ world: tradersWorld })
      const told = toldToOthers(mixed, venue)
      fc.pre(!tradesWithThird(venue))
      expect(told).toEqual(toldToOthers(ours))
    }),
    runs(150, 1500),
  )
})

test('a replay of the records, from the start or from any snapshot, gives the same state', () => {
  fc.assert(
    fc.property(steps, fc.nat(), (script, point) => {
      const entries: Entry[] = []
      const record = (entry: Entry) => entries.push(deserialize(serialize(JSON.parse(JSON.stringify(entry)))))
      const venue = openVenue({ world: tradersWorld, record })
      let snapshot: { bytes: Buffer; entries: number } | undefined
      play(venue, script, (index) => {
        if (index === point % script.length)
          snapshot = { bytes: serialize(venue.exchange.state), entries: entries.length }
      })
      const rebuilt = (begin: number | ExchangeState, from: number) => {
        const exchange = new Exchange({ world: tradersWorld, seed: 'a seed', begin })
        for (const entry of entries.slice(from)) exchange.redo(entry)
        exchange.advance(venue.now())
        return canonical(exchange.state)
      }
      venue.exchange.advance(venue.now())
      const expected = canonical(venue.exchange.state)
      expect(rebuilt(beginsAt, 0)).toBe(expected)
      const state: ExchangeState = deserialize(snapshot?.bytes ?? Buffer.of())
      expect(rebuilt(state, snapshot?.entries ?? 0)).toBe(expected)
    }),
    runs(100, 1000),
  )
})
