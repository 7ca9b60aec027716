import { expect, test } from 'vitest'
import fc from 'fast-check'
import { z } from 'zod'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { marginInUse } from '#src/exchange/trading/positions/fill-settlement.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { openVenue, type TestExchange } from '#test/exchange/exchange-fixture.ts'
import {
  callOf,
  command,
  depositOf,
  traders,
  tradersWorld,
  type ExchangeCommand,
  type RawOrder,
  type TraderName,
} from './commands.ts'
import { exact, times } from '#test/properties/models/naive-arithmetic.ts'
import {
  beginAccount,
  beginVenue,
  offHand,
  type NaiveOrder,
  type NaiveVenue,
} from '#test/properties/models/naive-records.ts'
import { NaiveSavings } from '#test/properties/models/naive-savings.ts'
import { place, react } from '#test/properties/models/naive-exchange.ts'
import { runs } from './runs.ts'
import { factsOfExchange, factsOfModel } from '#test/properties/trading/trading-facts.ts'
import { broken } from '#test/properties/trading/trading-rules.ts'

type Model = { venue: NaiveVenue; savings: Record<TraderName, NaiveSavings> }

function beginModel(): Model {
  const accounts = traders.map((name, index) => {
    const { leverage = 1, collateral = {}, spot = {} } = tradersWorld.accounts[name] ?? {}
    const purses = { collateral: { ...collateral }, spot: { ...spot } }
    return beginAccount(name, index + 1, { leverage: BigInt(leverage), ...purses })
  })
  const insurer = beginAccount('insurance', traders.length + 1, { house: true })
  return {
    venue: beginVenue(tradersWorld.markets, [...accounts, insurer], insurer),
    savings: { one: beginSavings('one', 0), two: beginSavings('two', 1), three: beginSavings('three', 2) },
  }
}

function beginSavings(name: TraderName, index: number): NaiveSavings {
  return new NaiveSavings(tradersWorld.accounts[name]?.main ?? {}, new Set([depositOf(index)]))
}

/** One order of a bulk, with its form checked as the assumptions say. */
function placeRaw(venue: NaiveVenue, by: TraderName, raw: RawOrder): NaiveOrder | 'refused' {
  const account = venue.accounts.find(({ name }) => name === by)
  const rules = venue.rules[raw.market]
  const amount = exact(raw.amount, rules?.amountDigits)
  const price = exact(raw.price, rules?.priceDigits)
  if (!account || !rules || amount === undefined || price === undefined) return 'refused'
  const total = times(amount, price)
  if (amount < rules.minAmount || price === 0n) return 'refused'
  if (total < rules.minTotal || total > rules.maxTotal) return 'refused'
  if ([raw.postOnly, raw.ioc, raw.rpi].filter(Boolean).length > 1) return 'refused'
  if (account.usedIds.has(raw.client_order_id)) return 'refused'
  const { market, side, client_order_id: clientId, postOnly, ioc, rpi } = raw
  const wish = { ...offHand, market, side, amount, price, clientId, postOnly, ioc, rpi }
  const placed = place(venue, account, wish)
  react(venue)
  return typeof placed === 'string' ? 'refused' : placed
}

/** The model's answer to a command, in the form in which it is compared with the exchange's answer. */
function answerOf(
  { venue, savings: all }: Model,
  command: Exclude<ExchangeCommand, { kind: 'wait' }>,
  now: number,
): unknown {
  const savings = all[command.by]
  switch (command.kind) {
    case 'bulk': {
      const answers: unknown[] = []
      for (const raw of command.orders) {
        const placed = placeRaw(venue, command.by, raw)
        answers.push(placed === 'refused' ? placed : answerTo(placed))
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

function answerTo({ status, amount, left, money, fee }: NaiveOrder) {
  return {
    status: status === 'OPEN' && left < amount ? 'PARTIALLY_FILLED' : status,
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

function send(venue: TestExchange, command: Exclude<ExchangeCommand, { kind: 'wait' }>): unknown {
  const opened = [...(venue.exchange.state.accounts.get(command.by)?.fixed.keys() ?? [])]
  const { row, parameters } = callOf(command, opened)
  const { status, body } = venue.send(contract[row], command.by, parameters)
  expect([200, 400, 422]).toContain(status)
  if (command.kind !== 'bulk') return status === 200
  return elements.parse(JSON.parse(body)).map(({ result }) => result ?? 'refused')
}

/** Compares everything that the exchange stores for an account with the model. */
function compare(venue: TestExchange, model: Model): void {
  const { state, venue: inside } = venue.exchange
  for (const name of traders) {
    const savings = model.savings[name]
    const account = state.accounts.get(name)
    expect({
      usdt: balanceOf(state.ledger, `main/${name}`, 'USDT'),
      btc: balanceOf(state.ledger, `main/${name}`, 'BTC'),
      flex: [...(account?.flex.values() ?? [])].map(({ invested }) => invested),
      fixed: [...(account?.fixed.values() ?? [])].map(({ open }) => open),
      freeze: venue.ask(contract.tradingBalance, name, { ticker: 'USDT' })['USDT']?.freeze,
    }).toEqual({
      usdt: savings.main['USDT'],
      btc: savings.main['BTC'],
      flex: [...savings.flex.values()].map(({ invested }) => invested),
      fixed: savings.fixed.map(({ open }) => open),
      freeze: formatAtoms(account ? marginInUse(inside.trading, account, 'USDT').reserved : 0n),
    })
  }
  expect(factsOfExchange(inside.trading)).toEqual(factsOfModel(model.venue))
  expect(broken(inside.trading)).toEqual([])
}

test('after any commands the exchange equals the naive model, and no money appeared or vanished', () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 1, maxLength: 60, size: 'max' }), (commands) => {
      const venue = openVenue({ world: tradersWorld })
      const model = beginModel()
      for (const command of commands) {
        if (command.kind === 'wait') venue.pass(command.minutes * 60_000)
        else {
          for (const savings of Object.values(model.savings)) savings.passUntil(venue.now())
          const expected = answerOf(model, command, venue.now())
          expect(send(venue, command)).toEqual(expected)
        }
        for (const savings of Object.values(model.savings)) savings.passUntil(venue.now())
        venue.exchange.advance(venue.now())
        compare(venue, model)
      }
    }),
    runs(150, 750, 60),
  )
})
