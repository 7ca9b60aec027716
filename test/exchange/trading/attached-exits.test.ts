import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { beginsAt, openVenue, paperWorld, type TestExchange } from '#test/exchange/exchange-fixture.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { seed, times } from '#test/properties/runs.ts'

const stepsPerRun = 200
const market = 'BTC_PERP'
const { paper, rival } = paperWorld.accounts
if (paper === undefined || rival === undefined) throw new Error('the packaged world has both')
const little = { collateral: { USDT: 2000n * 10n ** 18n }, leverage: 20 }
const world = { ...paperWorld, accounts: { paper: { ...paper, ...little }, rival } }

/** Something that one of two accounts does around a price of 60000. */
function act(venue: TestExchange, chance: Chance): void {
  const account = chance.oneOf(['paper', 'rival'])
  const side = chance.oneOf(['buy', 'sell'])
  const amount = `0.0${1 + chance.below(9)}`
  const price = 59_000 + 100 * chance.below(21)
  const away = (sign: number) =>
    String(price + sign * (side === 'buy' ? 1 : -1) * (100 + 100 * chance.below(6)))
  const exits = {
    ...(chance.percent(70) && { takeProfit: away(1) }),
    ...(chance.percent(70) && { stopLoss: away(-1) }),
  }
  const list = () => venue.ask(contract.conditionalOrders, account, {}).records
  const open = () => venue.ask(contract.openOrders, account, {})
  const kind = chance.below(100)
  if (kind < 55)
    venue.send(contract.collateralLimit, account, { market, side, amount, price: String(price), ...exits })
  else if (kind < 75) venue.send(contract.collateralMarket, account, { market, side, amount, ...exits })
  else if (kind < 80) {
    const [oto] = list()
    if (oto) venue.ask(contract.cancelOto, account, { market, otoId: oto.id })
  } else if (kind < 90) {
    const orders = open()
    if (orders.length === 0) return
    const { order_id } = chance.oneOf(orders)
    if (chance.percent(50)) venue.ask(contract.cancelOrder, account, { market, order_id })
    else venue.send(contract.modifyOrder, account, { market, order_id, price: String(price) })
  } else if (kind < 95) {
    const [position] = venue.ask(contract.openPositions, account, {})
    if (position) venue.send(contract.closePosition, account, { market, positionId: position.positionId })
  } else venue.ask(contract.cancelAll, account, {})
}

/** What holds after each command, whatever it was. */
function judge(venue: TestExchange): void {
  const { state } = venue.exchange
  expect(imbalances(state.ledger)).toEqual(new Map())
  for (const account of ['paper', 'rival']) {
    const [position] = venue.ask(contract.openPositions, account, {})
    const exits = venue
      .ask(contract.openOrders, account, {})
      .filter(({ type }) => type === 'margin stop market')
    for (const { side, reduceOnly } of exits) {
      expect(reduceOnly).toBe(true)
      expect(side).toBe(Number(position?.amount) > 0 ? 'sell' : 'buy')
    }
    expect(position?.tpsl === null || position === undefined).toBe(exits.length === 0)
  }
  for (const { id, takeProfit, stopLoss, order, isOpen } of state.attached ?? []) {
    const exits = state.triggers.filter(({ oto }) => oto === id)
    expect([0, Number(takeProfit > 0) + Number(stopLoss > 0)]).toContain(exits.length)
    expect(new Set(exits.map(({ draft }) => draft.lots)).size).toBeLessThan(2)
    expect(isOpen).toBe(
      [...state.orders.id].some((each, row) => each === order && state.orders.status[row] === 0),
    )
    expect(isOpen || exits.length > 0).toBe(true)
  }
}

const runs = times(12, 150, 2)

test(`${runs} runs of ${stepsPerRun} random commands keep exits with their positions, and can be repeated`, () => {
  let most = 0
  for (let run = 0; run < runs; run++) {
    const chance = chanceOf(seed + run)
    const entries: string[] = []
    const record = (entry: Entry) => entries.push(JSON.stringify(entry))
    const venue = openVenue({ profile: 'full', world, record })
    for (let step = 0; step < stepsPerRun; step++) {
      venue.pass(1000)
      act(venue, chance)
      judge(venue)
      most = Math.max(most, venue.exchange.state.triggers.length)
    }
    const { state } = venue.exchange
    const again = new Exchange({ world, profile: 'full', seed: state.seed, begin: beginsAt })
    for (const text of entries) {
      const entry: Entry = JSON.parse(text)
      again.redo(entry)
    }
    again.advance(state.at)
    expect(canonical(again.state)).toBe(canonical(state))
  }
  expect(most).toBeGreaterThan(3)
})
