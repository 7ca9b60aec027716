import type { World } from '#src/exchange/world-file.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'

/** Every command of trading, at random, in a small world in which accounts meet all the time. */

const one = 10n ** 18n
const somePercent = one / 10_000n

/** A futures market, a market of both accounts, and a futures market in another currency, in which atoms are rounded. */
const rules = {
  SOL_PERP: { kind: 'futures', base: 'SOL', money: 'USDT', priceDigits: 2, amountDigits: 1 },
  SOL_USDT: { kind: 'spot', base: 'SOL', money: 'USDT', priceDigits: 2, amountDigits: 3 },
  BTC_PERP: { kind: 'futures', base: 'BTC', money: 'EUR', priceDigits: 4, amountDigits: 7 },
} as const
export const marketNames = ['SOL_PERP', 'SOL_USDT', 'BTC_PERP'] as const

/** The last account starts in hedge mode. */
const leverages = { ann: 3, bob: 10, eve: 50, tom: 20 }
export const people = ['ann', 'bob', 'eve', 'tom'] as const
/** Makes the market for the house, without a balance check. */
export const maker = 'maker'

const tradingWorld: World = {
  ...paperWorld,
  // The naive model has the rules of worlds that do not state it; `colluding-accounts.test.ts` has the others.
  shortfalls: undefined,
  assets: { USDT: asset(), EUR: asset(), SOL: asset(), BTC: asset() },
  flexPlans: [],
  fixedPlans: [],
  markets: Object.fromEntries(
    marketNames.map((name, index) => [
      name,
      {
        ...rules[name],
        minAmount: one / 10n,
        minTotal: one,
        maxTotal: 10n ** 25n,
        makerFee: somePercent,
        takerFee: BigInt(3 + index) * somePercent,
      },
    ]),
  ),
  accounts: Object.fromEntries(
    people.map((name) => [
      name,
      {
        partner: false,
        keys: [],
        main: {},
        spot: { USDT: 700n * one, SOL: 7n * one },
        collateral: { USDT: 60n * one, EUR: 8000n * one },
        leverage: leverages[name],
        subAccounts: [],
        mining: [],
        deposits: [],
        withdrawals: [],
      },
    ]),
  ),
}

/** As in the packaged world, and with the other values of its switches. */
export const tradingWorlds = {
  usual: tradingWorld,
  other: {
    ...tradingWorld,
    switches: { ...tradingWorld.switches, postOnlyCross: 'canceled', clientIds: 'live' },
  },
} as const satisfies Record<string, World>
export type TradingWorldName = keyof typeof tradingWorlds

function asset(): World['assets'][string] {
  return { fiat: true, networks: [], minDeposit: 0n, deposits: false, price: 0n }
}

type By = (typeof people)[number] | typeof maker
export type OrderShape = {
  market: (typeof marketNames)[number]
  sells: boolean
  /** Preferably against the account's position there, if it has one. */
  closes: boolean
  ticks: number
  lots: number
  position: 'LONG' | 'SHORT' | 'BOTH'
  selfTrade: 'no' | 'cb' | 'cn' | 'co'
  flags: ('postOnly' | 'ioc' | 'rpi' | 'reduceOnly' | 'spot' | 'market')[]
  named: boolean
}
export type When = { activation: number; rises: boolean }

export type TradingCommand =
  | { kind: 'order'; by: By; shape: OrderShape }
  | { kind: 'cancel'; by: By; which: number }
  | { kind: 'modify'; by: By; which: number; ticks: number; lots: number }
  | { kind: 'wait'; by: By; shape: OrderShape; when: When }
  /** A limit order, and beside it one that waits to replace it. */
  | { kind: 'pair'; by: By; shape: OrderShape; beside: OrderShape; when: When }
  | { kind: 'call off'; which: number }
  | { kind: 'mark'; market: OrderShape['market']; ticks: number }
  | { kind: 'fund' }
  /** At any time: accounts whose margin no longer suffices are liquidated. */
  | { kind: 'leverage'; by: By; leverage: number }
  /** For accounts with neither orders nor positions. */
  | { kind: 'hedge'; by: By }
  /** Between the collateral account and the other wallets; without an amount as much as possible. */
  | { kind: 'pay in'; by: By; money: 'USDT' | 'EUR'; amount: bigint }
  | { kind: 'take out'; by: By; money: 'USDT' | 'EUR'; amount: bigint | undefined }

/** The command of a number, always the same; mostly about one market. */
export function commandOf(number: number, focus: OrderShape['market']): TradingCommand {
  const chance = chanceOf(number)
  const by = chance.oneOf([...people, maker] as const)
  const shape = () => shapeOf(chance, by, focus)
  const which = chance.below(3)
  const share = chance.below(100)
  if (share < 56) return { kind: 'order', by, shape: shape() }
  if (share < 62) return { kind: 'cancel', by, which }
  if (share < 70) {
    const { ticks, lots } = shape()
    return { kind: 'modify', by, which, ticks, lots }
  }
  if (share < 75) return { kind: 'wait', by, shape: shape(), when: whenOf(chance) }
  if (share < 81) return { kind: 'pair', by, ...pairOf(shape(), shape()), when: whenOf(chance) }
  if (share < 82) return { kind: 'call off', which }
  if (share < 91) return { kind: 'mark', market: marketOf(chance, focus), ticks: indexOf(chance) }
  if (share < 94) return { kind: 'fund' }
  if (share < 95) return { kind: 'leverage', by, leverage: chance.oneOf([1, 2, 3, 5, 10, 20, 50, 100]) }
  if (share < 96) return { kind: 'hedge', by }
  const money = chance.oneOf(['USDT', 'EUR'] as const)
  const amount = BigInt(chance.below(10 ** 9)) * 10n ** 11n
  if (share < 97) return { kind: 'pay in', by, money, amount }
  return { kind: 'take out', by, money, amount: chance.percent(30) ? amount : undefined }
}

function marketOf(chance: Chance, focus: OrderShape['market']): OrderShape['market'] {
  return chance.percent(60) ? focus : chance.oneOf(marketNames)
}

/** In ticks: mostly around 10000, sometimes up to this percentage away from it. */
function priceOf(chance: Chance, farthest: number): number {
  if (chance.percent(70)) return 9800 + 50 * chance.below(9)
  if (chance.percent(70)) return 9700 + chance.below(601)
  return Math.max(1, 10_000 + chance.below(200 * farthest) - 100 * farthest)
}

function indexOf(chance: Chance): number {
  const farthest = chance.oneOf([200, 200, 1500, 1500, 4000])
  return 10_000 - farthest + chance.below(2 * farthest + 1)
}

function shapeOf(chance: Chance, by: By, focus: OrderShape['market']): OrderShape {
  const market = marketOf(chance, focus)
  const atMarket = chance.percent(15)
  const flags: OrderShape['flags'] = []
  if (atMarket) flags.push('market')
  else if (chance.percent(25)) flags.push(chance.oneOf(['postOnly', 'ioc', 'rpi']))
  if (market === 'SOL_USDT' && chance.percent(40)) flags.push('spot')
  else if (chance.percent(12)) flags.push('reduceOnly')
  const lots = odd[market] * (1 + chance.below(chance.percent(75) ? 15 : 100))
  return {
    market,
    sells: chance.percent(50),
    closes: flags.includes('reduceOnly') ? chance.percent(80) : chance.percent(20),
    ticks: priceOf(chance, 90),
    // The house has no balance check, so its amounts are limited here.
    lots: by === maker && market === 'BTC_PERP' ? Math.ceil(lots / 64) : lots,
    position: chance.oneOf(['LONG', 'SHORT', 'BOTH']),
    selfTrade: chance.oneOf(['no', 'no', 'no', 'cb', 'cn', 'co']),
    flags,
    named: chance.percent(30),
  }
}
/** Some odd amounts; in the last market as many as can be exact, or more. */
const odd = { SOL_PERP: 1, SOL_USDT: 73, BTC_PERP: 9_000_000_001 }

/** The second order has the same side and market, like a stop beside a take profit. */
function pairOf(shape: OrderShape, beside: OrderShape): { shape: OrderShape; beside: OrderShape } {
  const { market, sells, closes, position } = shape
  return {
    shape: { ...shape, flags: shape.flags.filter((flag) => flag !== 'market' && flag !== 'spot') },
    beside: {
      ...beside,
      market,
      sells,
      closes,
      position,
      flags: beside.flags.filter((flag) => flag !== 'spot'),
    },
  }
}

function whenOf(chance: Chance): When {
  return { activation: priceOf(chance, 20), rises: chance.percent(50) }
}
