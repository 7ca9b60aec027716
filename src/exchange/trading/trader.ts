import type { LedgerHolder, Wallet } from '#src/exchange/ledger/ledger.ts'
import { noDeals, noFinished, type Deals, type Finished } from '#src/exchange/trading/orders/order-history.ts'
import {
  noPositionEvents,
  type FundingPayment,
  type PositionEvents,
} from '#src/exchange/trading/positions/position-events.ts'
import type { Exposure, KillSwitch, Stop } from './records.ts'
import { noUsedIds, type UsedIds } from '#src/exchange/trading/orders/used-client-ids.ts'

/** Whoever trades: an account of the world, or one of the house. Plain data, a part of the state. */
export type Trader = {
  name: string
  /** From 1, the accounts of the world first. */
  number: number
  /** The names under which the ledger knows its wallets. */
  wallets: Readonly<Record<Wallet, LedgerHolder>>
  /** The venue's own: it needs no funds, holds no margin, and its history is nobody's to ask for. */
  house: boolean
  nextOrder: number
  usedIds: UsedIds
  /** The ends of its chain of resting orders. */
  oldest: number
  newest: number
  /** How many are in the chain. */
  resting: number
  finished: Finished
  deals: Deals
  positionEvents: PositionEvents
  /** Oldest first. */
  fundingPayments: FundingPayment[]
  /** Per asset: what resting spot orders hold. */
  spotHeld: Map<string, bigint>
  /** By the id of their order, the newest of them. */
  stops: Map<number, Stop>
  /** By the number of their market. */
  killSwitches: Map<number, KillSwitch>
  collateral: {
    leverage: number
    hedged: boolean
    /** Two places a market, the second one for the short positions of hedge mode. */
    exposures: (Exposure | undefined)[]
    /** Those with a position. */
    open: Exposure[]
    /** Per money currency: what the insurance has advanced while it stood in open profits. */
    owed: Map<string, bigint>
  }
}

type Wallets = Trader['wallets']

export function beginTrader(name: string, number: number, wallets: Wallets, leverage: number): Trader {
  return {
    name,
    number,
    wallets,
    house: false,
    nextOrder: 1,
    usedIds: noUsedIds(),
    oldest: 0,
    newest: 0,
    resting: 0,
    finished: noFinished(),
    deals: noDeals(),
    positionEvents: noPositionEvents(),
    fundingPayments: [],
    spotHeld: new Map(),
    stops: new Map(),
    killSwitches: new Map(),
    collateral: { leverage, hedged: false, exposures: [], open: [], owed: new Map() },
  }
}

const ofTheHouse: Wallets = { main: 'house', spot: 'house', collateral: 'house' }

/** One more account of the house. */
export function beginHouse(name: string, number: number): Trader {
  return { ...beginTrader(name, number, ofTheHouse, 1), house: true }
}
