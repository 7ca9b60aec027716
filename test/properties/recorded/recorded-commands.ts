import type { FillRule, RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type { PaidThen } from '#src/exchange/trading/positions/funding-times.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import type { World } from '#src/exchange/world-file.ts'
import { recordedFile, type RecordedPoint } from '#test/exchange/simulation/recorded-fixture.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'

/** Random recorded markets and random calls of accounts: the same number gives the same case. */

const names = ['SOL_USDT', 'BTC_PERP', 'SOL_PERP'] as const
type Name = (typeof names)[number]
const steps: Record<Name, { price: number; digits: number; lot: number; lotDigits: number }> = {
  SOL_USDT: { price: 100, digits: 2, lot: 0.1, lotDigits: 3 },
  BTC_PERP: { price: 70_000, digits: 1, lot: 0.001, lotDigits: 3 },
  SOL_PERP: { price: 100, digits: 2, lot: 0.1, lotDigits: 1 },
}
const people = ['ann', 'bob', 'eve'] as const
/** Ten minutes around a settlement of funding. */
const lengthMs = 600_000

function worldOf(chance: Chance): World {
  const one = 10n ** 18n
  const accounts = people.map((name) => [
    name,
    {
      ...paperWorld.accounts['rival'],
      keys: [],
      spot: { USDT: 5000n * one, SOL: 50n * one },
      collateral: { USDT: BigInt(chance.oneOf([20, 60, 200, 3000])) * one },
      leverage: chance.oneOf([3, 20, 50, 100]),
    },
  ])
  const switches = { ...paperWorld.switches, postOnlyCross: chance.oneOf(['refused', 'canceled'] as const) }
  return { ...paperWorld, switches, accounts: Object.fromEntries(accounts) }
}

/** Bars of four points each, some of them after a pause. */
function barsOf(points: readonly RecordedPoint[], chance: Chance): RecordedPoint[] {
  const barMs = chance.oneOf([1000, 7001, 60_000])
  const whole = points.slice(0, points.length - (points.length % 4))
  let begins = 0
  return whole.map(([, price, amount], place): RecordedPoint => {
    if (place % 4 === 0 && place > 0) begins += barMs * (chance.percent(90) ? 1 : 2)
    const after = [0, Math.floor(barMs / 4), barMs - Math.floor(barMs / 4), barMs - 1][place % 4]
    return amount === undefined ? [begins + after!, price] : [begins + after!, price, amount]
  })
}

/** On the tick most of the time with small moves, and a jump sometimes. */
function pointsOf(chance: Chance, name: Name): RecordedPoint[] {
  const { price: begin, lot } = steps[name]
  const tick = begin / 10_000
  const points: RecordedPoint[] = []
  const amount = chance.oneOf([
    () => Infinity,
    () => lot * chance.below(30),
    () => (lot * chance.below(4000)) / 100,
  ])
  let price = begin
  let at = chance.percent(70) ? 0 : 500 * chance.below(120)
  while (at < lengthMs) {
    points.push([at, Number((chance.percent(90) ? price : price + tick * 0.37).toFixed(9)), amount()])
    const leap = chance.percent(3) ? 80 : 3
    price = Math.max(begin * 0.5, price + tick * (chance.below(2 * leap + 1) - leap))
    // Points of several markets, and of one, often have the same time.
    at += chance.percent(20) ? 0 : 500 * chance.below(chance.percent(5) ? 60 : 6)
  }
  return points
}

/** A request of an account, near the start price. */
function writeOf(
  chance: Chance,
  number: number,
  stake: number | undefined,
): [endpoint: string, parameters: Record<string, unknown>] {
  const market = chance.oneOf(names)
  const { price: begin, digits, lot, lotDigits } = steps[market]
  const side = chance.oneOf(['buy', 'sell'] as const)
  const priceAround = (ticks: number) =>
    (begin + (begin / 10_000) * (chance.below(2 * ticks + 1) - ticks)).toFixed(digits)
  const amount = (lot * (1 + chance.below(chance.percent(70) ? 10 : 200))).toFixed(lotDigits)
  const id = { client_order_id: `c.${number}` }
  const other = { client_order_id: `c.${chance.below(number + 1)}` }
  const flags = chance.oneOf([
    {},
    {},
    {},
    { postOnly: true },
    { ioc: true },
    { reduceOnly: true },
    { rpi: true, postOnly: true },
  ])
  const limit = { market, side, amount, price: priceAround(60), ...id }
  if (stake !== undefined && chance.percent(80)) {
    const lots = Math.floor((stake * (20 + chance.below(80))) / (100 * begin * lot))
    return ['collateralMarket', { market, side, amount: (lots * lot).toFixed(lotDigits), ...id }]
  }
  const share = chance.below(100)
  if (share < 30) return ['collateralLimit', { ...limit, ...flags }]
  if (share < 40) {
    const orders = [3, 10, 40, 90].map((away) => ({ market, side, amount, price: priceAround(away) }))
    return ['collateralBulk', { orders }]
  }
  if (share < 50) return ['collateralMarket', { market, side, amount, ...id }]
  if (share < 58)
    return [
      'spotLimit',
      { ...limit, market: 'SOL_USDT', price: (100 + (chance.below(161) - 80) / 100).toFixed(2) },
    ]
  if (share < 64)
    return ['collateralTriggerMarket', { market, side, amount, activation_price: priceAround(80), ...id }]
  if (share < 70) return ['collateralStopLimit', { ...limit, activation_price: priceAround(80) }]
  if (share < 75)
    return [
      'collateralOco',
      { ...limit, activation_price: priceAround(80), stop_limit_price: priceAround(90) },
    ]
  if (share < 80) return ['cancelOrder', { market, ...other }]
  if (share < 84) return ['modifyOrder', { market, ...other, price: priceAround(50) }]
  if (share < 86) return ['cancelAll', { market }]
  if (share < 89) return ['setLeverage', { leverage: chance.oneOf([5, 20, 50, 100]) }]
  if (share < 91) return ['setHedgeMode', { hedgeMode: chance.percent(50) }]
  if (share < 93) return ['closePosition', { market, positionId: 1 + chance.below(12) }]
  if (share < 95) return ['killSwitch', { market, timeout: String(5 + chance.below(60)) }]
  const [from, to] = chance.percent(60) ? ['collateral', 'main'] : ['main', 'collateral']
  return ['transfer', { ticker: 'USDT', amount: String(1 + chance.below(80)), from, to }]
}

/** Rates of up to two percent, often one a minute, at the times of points and between them. */
function fundingOf(chance: Chance, begin: number): PaidThen {
  const paid = new Map<string, { at: number; rate: number }[]>()
  for (const name of names.filter((each) => each.endsWith('_PERP') && chance.percent(70))) {
    const rates = []
    for (
      let at = begin;
      at < begin + lengthMs;
      at += chance.oneOf([1, 500, 1500, 40_000]) * (1 + chance.below(4))
    )
      rates.push({ at, rate: chance.below(4_000_001) - 2_000_000 })
    paid.set(name, rates)
  }
  return paid
}

/** A case with this many points of trades, or bars, in each block. */
export function recordedCase(number: number, perBlock: number) {
  const chance = chanceOf(number)
  const world = worldOf(chance)
  const fill: FillRule = chance.oneOf(['touch', 'through', 'queue'])
  const recordedNames = names.filter(() => chance.percent(80))
  const files = recordedNames.map((name) => {
    const points = pointsOf(chance, name)
    if (chance.percent(50)) return recordedFile(name, points, perBlock)
    return recordedFile(name, barsOf(points, chance), 4 * perBlock, 'bars')
  })
  const recorded: RecordedMarkets = { files, fill, moved: true }
  // Funding is due in the middle of it.
  const begin = 62_200 * 8 * 3_600_000 - lengthMs / 2 - chance.below(1000)
  // No orders rest and positions are large: the next event is mostly a liquidation.
  const daring = chance.percent(40)
  const entries: Entry[] = []
  let at = begin
  for (let index = 0; at < begin + lengthMs; index++) {
    at += chance.percent(30) ? 0 : chance.below(daring ? 60_000 : 12_000)
    const account = chance.oneOf(people)
    const { leverage = 1, collateral = {} } = world.accounts[account] ?? {}
    const stake = daring ? (Number(collateral['USDT']) / 1e18) * leverage : undefined
    const [endpoint, parameters] = writeOf(chance, index, stake)
    entries.push({ kind: 'write', at, account, endpoint, parameters })
    if (chance.percent(1)) entries.push({ kind: 'rested', at, ms: chance.below(5000) })
  }
  if (chance.percent(50)) recorded.funding = fundingOf(chance, begin)
  return {
    world,
    entries,
    options: { world, seed: 'a seed', begin, sources: { seeded: chance.percent(daring ? 20 : 5), recorded } },
  }
}
