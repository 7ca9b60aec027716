import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { beginsAt, openVenue, paperWorld, type TestExchange } from '#test/exchange/exchange-fixture.ts'
import { runs } from './runs.ts'

/** Property: no calls of two accounts other than trading, accepted or refused, create or destroy money. */
const people = ['paper', 'rival'] as const
type Person = (typeof people)[number]
type Step = { by: Person; name: EndpointName; parameters: Record<string, unknown> }

const desk = '44444444-4444-4444-8444-000000000001'
const flexPlan = '22222222-2222-4222-8222-000000000001'
const fixedPlan = '33333333-3333-4333-8333-000000000001'
const amount = fc.oneof(
  fc.integer({ min: 1, max: 60_000 }).map(String),
  fc.constantFrom('0', '0.00000001', '12.345678', '0.000000001', '10', '100000'),
)
const wallet = fc.constantFrom('main', 'spot', 'collateral')
const ticker = fc.constantFrom('USDT', 'USDT', 'USDT', 'BTC', 'NONE')

/** Names that only the exchange can assign are drawn by number: which code, which investment. */
type Play = (venue: TestExchange, by: Person) => Omit<Step, 'by'>
const named =
  (name: EndpointName, parameters: Record<string, unknown>): Play =>
  () => ({ name, parameters })
const play: fc.Arbitrary<Play> = fc.oneof(
  fc.record({ ticker, amount, from: wallet, to: wallet }).map((parameters) => named('transfer', parameters)),
  fc.record({ ticker, amount }).map((parameters) => named('createCode', parameters)),
  fc.nat(4).map((which): Play => (venue) => {
    const codes = Array.from(venue.exchange.state.accounts.values().flatMap(({ codes }) => codes.keys()))
    return { name: 'applyCode', parameters: { code: codes[which] ?? 'none' } }
  }),
  fc
    .record({ ticker, amount, direction: fc.constantFrom('main_to_sub', 'sub_to_main') })
    .map((parameters) => named('subAccountTransfer', { id: desk, ...parameters })),
  amount.map((amount) => named('flexInvest', { plan: flexPlan, amount })),
  amount.map((amount) => named('flexWithdraw', { plan: flexPlan, amount })),
  fc.constant(named('flexClose', { plan: flexPlan })),
  amount.map((amount) => named('fixedInvest', { planId: fixedPlan, amount })),
  fc.nat(2).map((which): Play => (venue, by) => {
    const ids = [...(venue.exchange.state.accounts.get(by)?.fixed.keys() ?? [])]
    return { name: 'fixedClose', parameters: { id: ids[which] ?? desk } }
  }),
)
const plays = fc.array(fc.tuple(fc.constantFrom(...people), play), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
})

const world = {
  ...paperWorld,
  accounts: Object.fromEntries(
    Object.entries(paperWorld.accounts).map(([name, rules]) => [name, { ...rules, partner: true }]),
  ),
}

/** Decimal text as units of its eighteenth decimal: separate arithmetic of this test. */
function units(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

/** The amount of a currency that both accounts can see; the collateral account is read from the ledger. */
function visible(venue: TestExchange, asset: string): bigint {
  const reported: string[] = []
  for (const by of people) {
    reported.push(venue.ask(contract.mainBalance, by, { ticker: asset })[asset]?.main_balance ?? '')
    reported.push(venue.ask(contract.tradingBalance, by, { ticker: asset })[asset]?.available ?? '')
    for (const code of readAll(venue, 'myCodes', by))
      if (code['status'] === 'New' && code['ticker'] === asset) reported.push(String(code['amount']))
    for (const investment of readAll(venue, 'flexInvestments', by))
      if (investment['currency'] === asset) reported.push(String(investment['invested']))
    for (const { amount } of readAll(venue, 'fixedInvestments', by, { status: 1, ticker: asset }))
      reported.push(String(amount))
    for (const { id } of readAll(venue, 'subAccounts', by)) {
      const balances: Record<string, [{ main: string }]> = JSON.parse(
        venue.send(contract.subAccountBalances, by, { id, ticker: asset }).body,
      )
      reported.push(balances[asset]?.[0].main ?? '')
    }
  }
  const collateral = people.map((by) => venue.exchange.state.ledger.get(`collateral/${by}`)?.get(asset) ?? 0n)
  return [...reported.map(units), ...collateral].reduce((sum, each) => sum + each, 0n)
}

function readAll(
  venue: TestExchange,
  name: EndpointName,
  by: Person,
  parameters: Record<string, unknown> = {},
): Record<string, unknown>[] {
  const { data, records }: Record<string, Record<string, unknown>[] | undefined> = JSON.parse(
    venue.send(contract[name], by, { ...parameters, limit: 100 }).body,
  )
  return data ?? records ?? []
}

test('no money appears or vanishes, and a replay of the records gives the same state', () => {
  let [done, refused] = [0, 0]
  fc.assert(
    fc.property(plays, fc.nat(), (script, point) => {
      const entries: Entry[] = []
      const record = (entry: Entry) => entries.push(JSON.parse(JSON.stringify(entry)))
      const venue = openVenue({ world, profile: 'full', record })
      const began = ['USDT', 'BTC'].map((asset) => visible(venue, asset))
      let snapshot: { bytes: Buffer; entries: number } | undefined
      for (const [index, [by, next]] of script.entries()) {
        const { name, parameters } = next(venue, by)
        const before = entries.length
        if (venue.send(contract[name], by, parameters).status < 300) done += 1
        else refused += 1
        expect(entries.length).toBeGreaterThan(before)
        if (index === point % script.length)
          snapshot = { bytes: serialize(venue.exchange.state), entries: entries.length }
      }
      expect(['USDT', 'BTC'].map((asset) => visible(venue, asset))).toEqual(began)
      for (const [holder, assets] of venue.exchange.state.ledger) {
        for (const held of assets.values()) if (holder.includes('/')) expect(held).toBeGreaterThanOrEqual(0n)
      }
      const rebuilt = (begin: number | ExchangeState, from: number) => {
        const exchange = new Exchange({ world, seed: 'a seed', begin, profile: 'full' })
        for (const entry of entries.slice(from)) exchange.redo(entry)
        return canonical(exchange.state)
      }
      const expected = canonical(venue.exchange.state)
      expect(rebuilt(beginsAt, 0)).toBe(expected)
      const state: ExchangeState = deserialize(snapshot?.bytes ?? Buffer.of())
      expect(rebuilt(state, snapshot?.entries ?? 0)).toBe(expected)
    }),
    runs(100, 3000, 100),
  )
  // Both happen often, else the test proves nothing.
  expect(Math.min(done, refused)).toBeGreaterThan(200)
})
