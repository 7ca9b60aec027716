import { expect, test } from 'vitest'
import fc from 'fast-check'
import { z } from 'zod'
import { contract } from '#src/contract/table.ts'
import { newestFirst } from '#src/exchange/trading/history.ts'
import { balanceOf, imbalances } from '#src/exchange/ledger.ts'
import { sideOf } from '#src/exchange/trading/orders.ts'
import { held } from '#src/exchange/trading/settling.ts'
import type { State } from '#src/exchange/state.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import { restingRows } from '../exchange/orders-in-hand.ts'
import { openVenue, type VenueInHand } from '../exchange/venue-in-hand.ts'
import { callOf, command, depositOf, traders, tradersWorld, type Command, type Trader } from './commands.ts'
import { NaiveSavings } from './naive-savings.ts'
import { exact, NaiveVenue, type NaiveAccount, type NaiveOrder } from './naive-venue.ts'
import { runs } from './runs.ts'

type Partner = { trading: NaiveAccount; savings: NaiveSavings }
type Model = { venue: NaiveVenue; partners: Record<Trader, Partner> }

function partner(name: Trader, index: number): Partner {
  const rules = tradersWorld.accounts[name]
  return {
    trading: {
      name,
      leverage: BigInt(rules?.leverage ?? 1),
      collateral: rules?.collateral['USDT'] ?? 0n,
      positions: {},
      usedIds: new Set(),
    },
    savings: new NaiveSavings(rules?.main ?? {}, new Set([depositOf(index)])),
  }
}

function beginModel(): Model {
  const partners = { one: partner('one', 0), two: partner('two', 1), three: partner('three', 2) }
  const accounts = Object.values(partners).map(({ trading }) => trading)
  return { venue: new NaiveVenue(tradersWorld.markets, accounts), partners }
}

/** What the model says to a command, in the form in which the exchange's answer is compared with it. */
function answerOf(
  { venue, partners }: Model,
  command: Exclude<Command, { kind: 'wait' }>,
  now: number,
): unknown {
  const { trading, savings } = partners[command.by]
  switch (command.kind) {
    case 'bulk': {
      const answers: unknown[] = []
      for (const raw of command.orders) {
        const placed = venue.place(trading, raw)
        answers.push(placed === 'refused' ? placed : factsOf(placed, raw.ioc))
        if (placed === 'refused' && command.stopOnFail) break
      }
      return answers
    }
    case 'flex': {
      const plan = tradersWorld.flexPlans.find(({ id }) => id === command.plan)
      return savings.investFlex(command.plan, plan, command.amount, command.reinvest, now)
    }
    case 'fixed': {
      const plan = tradersWorld.fixedPlans.find(({ id }) => id === command.plan)
      return savings.investFixed(plan, command.amount, now)
    }
    case 'close':
      return savings.closeFixed(savings.fixed[command.which])
    case 'code':
      return command.ticker !== 'NONE' && savings.makeCode(command.ticker, command.amount)
    case 'refund':
      return command.address.endsWith('W') && savings.refundable.delete(command.deposit)
  }
}

function factsOf({ amount, left, money, fee }: NaiveOrder, ioc: boolean) {
  const open = left === amount ? 'OPEN' : 'PARTIALLY_FILLED'
  return {
    status: left === 0n ? 'FILLED' : ioc ? 'CANCELED' : open,
    left: formatAtoms(left),
    deal_stock: formatAtoms(amount - left),
    deal_money: formatAtoms(money),
    deal_fee: formatAtoms(fee),
  }
}

const fillFacts = z.object({
  status: z.string(),
  left: z.string(),
  deal_stock: z.string(),
  deal_money: z.string(),
  deal_fee: z.string(),
})
const elements = z.array(z.object({ result: fillFacts.nullable() }))

function send(venue: VenueInHand, command: Exclude<Command, { kind: 'wait' }>): unknown {
  const opened = [...(venue.exchange.state.accounts.get(command.by)?.fixed.keys() ?? [])]
  const { row, parameters } = callOf(command, opened)
  const { status, body } = venue.send(contract[row], command.by, parameters)
  expect([200, 400, 422]).toContain(status)
  if (command.kind !== 'bulk') return status === 200
  return elements.parse(JSON.parse(body)).map(({ result }) => result ?? 'refused')
}

/** Everything that the exchange holds for an account, beside what the model says that it holds. */
function compare({ exchange }: VenueInHand, { venue, partners }: Model): void {
  const { state } = exchange
  const { floor } = exchange.venue
  for (const name of traders) {
    const { trading, savings } = partners[name]
    const account = state.accounts.get(name)
    const { reserved, margin } = account ? held(floor, account, 'USDT') : { reserved: 0n, margin: 0n }
    expect({
      collateral: balanceOf(state.ledger, `collateral/${name}`, 'USDT'),
      reserved,
      margin,
      usdt: balanceOf(state.ledger, `main/${name}`, 'USDT'),
      btc: balanceOf(state.ledger, `main/${name}`, 'BTC'),
      flex: [...(account?.flex.values() ?? [])].map(({ invested }) => invested),
      fixed: [...(account?.fixed.values() ?? [])].map(({ open }) => open),
      positions: positionsOf(state, name),
    }).toEqual({
      collateral: trading.collateral,
      reserved: venue.heldForOrders(trading),
      margin: venue.margins(trading),
      usdt: savings.main['USDT'],
      btc: savings.main['BTC'],
      flex: [...savings.flex.values()].map(({ invested }) => invested),
      fixed: savings.fixed.map(({ open }) => open),
      positions: Object.fromEntries(
        Object.entries(trading.positions).filter(([, { amount }]) => amount !== 0n),
      ),
    })
  }
  expect(balanceOf(state.ledger, 'fees', 'USDT')).toBe(venue.fees)
  expect(balanceOf(state.ledger, 'insurance', 'USDT')).toBe(venue.insurance)
}

function positionsOf(state: State, name: string) {
  return Object.fromEntries(
    (state.accounts.get(name)?.collateral.open ?? []).map(({ market, lots, cost }) => {
      const [traded = '', rules] = Object.entries(tradersWorld.markets)[market] ?? []
      return [traded, { amount: BigInt(lots) * 10n ** BigInt(18 - (rules?.amountDigits ?? 0)), cost }]
    }),
  )
}

/** What must be true of any state, whatever a model says: no money made or lost, both sides of trades equal. */
function checkInvariants(venue: VenueInHand): void {
  const { state } = venue.exchange
  expect(imbalances(state.ledger)).toEqual(new Map())
  for (const [holder, assets] of state.ledger) {
    if (!holder.includes('/')) continue
    for (const amount of assets.values()) expect(amount, holder).toBeGreaterThanOrEqual(0n)
  }
  let clearing = 0n
  const lots = new Map<number, number>()
  const dealt = { buy: 0n, sell: 0n }
  const moneyOf = (market = 0, quanta = 0) => venue.exchange.venue.floor.markets[market]?.money(quanta) ?? 0n
  for (const { collateral } of [...state.accounts.values(), ...state.houses]) {
    for (const position of collateral.open) {
      lots.set(position.market, (lots.get(position.market) ?? 0) + position.lots)
      clearing += position.lots > 0 ? -position.cost : position.cost
    }
  }
  for (const account of state.accounts.values()) {
    const { name, finished } = account
    const { freeze } = venue.ask(contract.tradingBalance, name, { ticker: 'USDT' })['USDT'] ?? {}
    expect(exact(freeze ?? '')).toBe(held(venue.exchange.venue.floor, account, 'USDT').reserved)
    for (const row of restingRows(state, account)) {
      dealt[sideOf(state.orders, row)] += moneyOf(state.orders.market[row], state.orders.quanta[row])
    }
    for (const place of newestFirst(finished)) {
      dealt[finished.sells[place] === 1 ? 'sell' : 'buy'] += moneyOf(
        finished.market[place],
        finished.quanta[place],
      )
    }
  }
  expect(dealt.buy).toBe(dealt.sell)
  expect([...lots.values()].filter((sum) => sum !== 0)).toEqual([])
  expect(balanceOf(state.ledger, 'clearing', 'USDT')).toBe(clearing)
}

test('after any commands the exchange has done what the naive model does, and no money appeared or vanished', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 1, maxLength: 60, size: 'max' }), (commands) => {
      const venue = openVenue({ world: tradersWorld })
      const model = beginModel()
      for (const command of commands) {
        if (command.kind === 'wait') venue.pass(command.minutes * 60_000)
        else {
          for (const { savings } of Object.values(model.partners)) savings.passUntil(venue.now())
          const expected = answerOf(model, command, venue.now())
          expect(send(venue, command)).toEqual(expected)
        }
        for (const { savings } of Object.values(model.partners)) savings.passUntil(venue.now())
        venue.exchange.advance(venue.now())
        compare(venue, model)
        checkInvariants(venue)
      }
    }),
    runs(150, 3000),
  )
})
