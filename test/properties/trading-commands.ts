import type { World } from '#src/exchange/world.ts'
import { paperWorld } from '../exchange/venue-in-hand.ts'
import { chanceOf, type Chance } from '../fuzz/chance.ts'

/** Every command that trading takes, drawn by chance, in a small world where everybody meets all the time. */

const one = 10n ** 18n
const somePercent = one / 10_000n

/** A future, a market of both accounts, and a future in another currency, in which atoms are rounded. */
const rules = {
  SOL_PERP: { kind: 'futures', base: 'SOL', money: 'USDT', priceDigits: 2, amountDigits: 1 },
  SOL_USDT: { kind: 'spot', base: 'SOL', money: 'USDT', priceDigits: 2, amountDigits: 3 },
  BTC_PERP: { kind: 'futures', base: 'BTC', money: 'EUR', priceDigits: 4, amountDigits: 7 },
} as const
const marketNames = ['SOL_PERP', 'SOL_USDT', 'BTC_PERP'] as const

/** The last one hedges in the beginning. */
const leverages = { ann: 1, bob: 10, eve: 50, tom: 20 }
export const people = ['ann', 'bob', 'eve', 'tom'] as const
/** Makes the market for the house: nobody asks it for money. */
export const maker = 'maker'

const tradingWorld: World = {
  ...paperWorld,
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
        collateral: { USDT: 150n * one, EUR: 150n * one },
        leverage: leverages[name],
        subAccounts: [],
        mining: [],
        deposits: [],
        withdrawals: [],
      },
    ]),
  ),
}

/** As the packaged world has it, and with the other answers to its questions about orders. */
export const tradingWorlds = {
  usual: tradingWorld,
  other: {
    ...tradingWorld,
    switches: { ...tradingWorld.switches, postOnlyCross: 'canceled', clientIds: 'live' },
  },
} as const satisfies Record<string, World>
export type WorldName = keyof typeof tradingWorlds

function asset(): World['assets'][string] {
  return { fiat: true, networks: [], minDeposit: 0n, deposits: false, price: 0n }
}

type By = (typeof people)[number] | typeof maker
export type Shape = {
  market: (typeof marketNames)[number]
  sells: boolean
  /** Rather against the position that the account has there, if it has one. */
  closes: boolean
  ticks: number
  lots: number
  position: 'LONG' | 'SHORT' | 'BOTH'
  selfTrade: 'no' | 'cb' | 'cn' | 'co'
  flags: ('postOnly' | 'ioc' | 'rpi' | 'reduceOnly' | 'spot' | 'market')[]
  named: boolean
}
export type When = { activation: number; rises: boolean }

export type Command =
  | { kind: 'order'; by: By; shape: Shape }
  | { kind: 'cancel'; by: By; which: number }
  | { kind: 'modify'; by: By; which: number; ticks: number; lots: number }
  | { kind: 'wait'; by: By; shape: Shape; when: When }
  /** A limit order, and beside it one that waits to come in its place. */
  | { kind: 'pair'; by: By; shape: Shape; beside: Shape; when: When }
  | { kind: 'call off'; which: number }
  | { kind: 'mark'; market: Shape['market']; ticks: number }
  | { kind: 'fund' }
  /** At any time: whoever cannot hold what is open any more loses it. */
  | { kind: 'leverage'; by: By; leverage: number }
  /** For those who have neither orders nor positions. */
  | { kind: 'hedge'; by: By }
  /** Between the collateral account and elsewhere; without an amount all that may go. */
  | { kind: 'pay in'; by: By; money: 'USDT' | 'EUR'; amount: bigint }
  | { kind: 'take out'; by: By; money: 'USDT' | 'EUR'; amount: bigint | undefined }

/** The command of a number, the same one always. */
export function commandOf(number: number): Command {
  const chance = chanceOf(number)
  const by = chance.oneOf([...people, maker] as const)
  const share = chance.below(100)
  if (share < 56) return { kind: 'order', by, shape: shapeOf(chance) }
  if (share < 62) return { kind: 'cancel', by, which: chance.below(3) }
  if (share < 70) {
    const { ticks, lots } = shapeOf(chance)
    return { kind: 'modify', by, which: chance.below(3), ticks, lots }
  }
  if (share < 75) return { kind: 'wait', by, shape: shapeOf(chance), when: whenOf(chance) }
  if (share < 81) return { kind: 'pair', by, ...pairOf(chance), when: whenOf(chance) }
  if (share < 82) return { kind: 'call off', which: chance.below(4) }
  if (share < 91) return { kind: 'mark', market: chance.oneOf(marketNames), ticks: indexOf(chance) }
  if (share < 94) return { kind: 'fund' }
  if (share < 95) return { kind: 'leverage', by, leverage: chance.oneOf([1, 2, 3, 5, 10, 20, 50, 100]) }
  if (share < 96) return { kind: 'hedge', by }
  const money = chance.oneOf(['USDT', 'EUR'] as const)
  const amount = BigInt(chance.below(10 ** 9)) * 10n ** 11n
  if (share < 97) return { kind: 'pay in', by, money, amount }
  return { kind: 'take out', by, money, amount: chance.percent(30) ? amount : undefined }
}

/** In ticks: around 10000 most often, sometimes up to so many percent away from it. */
function priceOf(chance: Chance, farthest: number): number {
  if (chance.percent(70)) return 9800 + 50 * chance.below(9)
  if (chance.percent(70)) return 9700 + chance.below(601)
  return Math.max(1, 10_000 + chance.below(200 * farthest) - 100 * farthest)
}

function indexOf(chance: Chance): number {
  const farthest = chance.oneOf([200, 200, 1500, 1500, 4000])
  return 10_000 - farthest + chance.below(2 * farthest + 1)
}

function shapeOf(chance: Chance): Shape {
  const market = chance.percent(35) ? 'SOL_PERP' : chance.oneOf(marketNames)
  const atMarket = chance.percent(12)
  const flags: Shape['flags'] = []
  if (atMarket) flags.push('market')
  else if (chance.percent(30)) flags.push(chance.oneOf(['postOnly', 'ioc', 'rpi']))
  if (market === 'SOL_USDT' && chance.percent(50)) flags.push('spot')
  else if (chance.percent(15)) flags.push('reduceOnly')
  return {
    market,
    sells: chance.percent(50),
    closes: flags.includes('reduceOnly') ? chance.percent(80) : chance.percent(25),
    ticks: priceOf(chance, 90),
    lots: odd[market] * (1 + chance.below(chance.percent(85) ? 15 : 300)),
    position: chance.oneOf(['LONG', 'SHORT', 'BOTH']),
    selfTrade: chance.oneOf(['no', 'no', 'no', 'cb', 'cn', 'co']),
    flags,
    named: chance.percent(30),
  }
}
/** Lots of similar worth, and not all of them round. */
const odd = { SOL_PERP: 1, SOL_USDT: 73, BTC_PERP: 70_000_003 }

/** The second one stands on the same side of the same market, as a stop beside a take profit does. */
function pairOf(chance: Chance): { shape: Shape; beside: Shape } {
  const { market, sells, closes, position, ...shape } = shapeOf(chance)
  const beside = shapeOf(chance)
  const flags = shape.flags.filter((flag) => flag !== 'market' && flag !== 'spot')
  const besides = beside.flags.filter((flag) => flag !== 'spot')
  return {
    shape: { ...shape, market, sells, closes, position, flags },
    beside: { ...beside, market, sells, closes, position, flags: besides },
  }
}

function whenOf(chance: Chance): When {
  return { activation: priceOf(chance, 20), rises: chance.percent(50) }
}
