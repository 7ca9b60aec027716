import type { LedgerHolder, Wallet } from '#src/exchange/ledger/ledger.ts'
import { noDeals, noFinished, type Deals, type Finished } from '#src/exchange/trading/orders/order-history.ts'
import {
  noPositionEvents,
  type FundingPayment,
  type PositionEvents,
} from '#src/exchange/trading/positions/position-events.ts'
import type { Exposure, KillSwitch, Stop } from './records.ts'
import type { TradedVolumes } from './traded-volume.ts'
import { noUsedIds, type UsedIds } from '#src/exchange/trading/orders/used-client-ids.ts'

/** A trading account: an account of the world or one of the house. Plain data, a part of the state. */
export type Trader = TradedVolumes & {
  name: string
  /** From 1, the accounts of the world first. */
  number: number
  /** The ledger holders of its wallets. */
  wallets: Readonly<Record<Wallet, LedgerHolder>>
  /** An account of the exchange itself: it needs no funds, holds no margin, and has no history. */
  house: boolean
  nextOrder: number
  usedIds: UsedIds
  /** Ends of its list of resting orders. */
  oldest: number
  newest: number
  /** Length of that list. */
  resting: number
  finished: Finished
  deals: Deals
  positionEvents: PositionEvents
  /** Oldest first. */
  fundingPayments: FundingPayment[]
  /** Per asset: what resting spot orders reserve. */
  spotHeld: Map<string, bigint>
  /** The newest, by order id. */
  stops: Map<number, Stop>
  /** By market number. */
  killSwitches: Map<number, KillSwitch>
  collateral: {
    leverage: number
    hedged: boolean
    /** Two places a market, the second for short positions in hedge mode. */
    exposures: (Exposure | undefined)[]
    /** The exposures with a position. */
    open: Exposure[]
    /** Per money currency: what the insurance has advanced against unrealised profit. */
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

/** Adds an account of the house. */
export function beginHouse(name: string, number: number): Trader {
  return { ...beginTrader(name, number, ofTheHouse, 1), house: true }
}
