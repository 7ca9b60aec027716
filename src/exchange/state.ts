import { createHmac } from 'node:crypto'
import { beginAccountData, type AccountData } from '#src/exchange/account-data/account-data.ts'
import { emptyBook } from '#src/exchange/trading/book/book.ts'
import type { SimulationState } from '#src/exchange/simulation/simulation-records.ts'
import { move, type Ledger } from '#src/exchange/ledger/ledger.ts'
import { dayMs } from './time-units.ts'
import { beginPublicTrades, startTicks, type PublicTrades } from '#src/exchange/trades/public-trades.ts'
import { noOrders, type OrderColumns } from '#src/exchange/trading/book/order-columns.ts'
import { nextFunding } from '#src/exchange/trading/positions/funding-times.ts'
import type { Attached, MarketState, Trigger } from './trading/records.ts'
import { beginHouse, beginTrader, type Trader } from './trading/trader.ts'
import type { World } from './world-file.ts'

/**
 * The whole state of the exchange, as plain data: it is copied, hashed and stored as one. What follows from the world
 * file alone (keys, plans, market rules) is not part of it.
 */
export type ExchangeState = {
  /** Time of the last event, Unix milliseconds: the exchange's time never runs backwards. */
  at: number
  /** How far the exchange's clock is ahead of the machine's. */
  turnedMs: number
  /** How many times as fast as the machine's clock it runs. */
  speed: number
  seed: string
  ledger: Ledger
  /** In the order of the world file. */
  markets: MarketState[]
  tapes: PublicTrades[]
  orders: OrderColumns
  /** Counters; the ids of the newest ones. */
  trades: number
  positions: number
  /** Prices have changed, and positions and waiting orders have not been checked since. */
  stirred: boolean
  accounts: Map<string, ExchangeAccount>
  /** The exchange's own accounts, numbered on from the other accounts. The first one is the insurance. */
  houses: Trader[]
  /** Orders that wait for an activation price, oldest first. */
  triggers: Trigger[]
  /** Orders with attached exits, oldest first. Absent before the first one. */
  attached?: Attached[]
  /** When the next funding is due, and the next kill switch. */
  fundingAt: number
  switchAt: number
  /** Per key: the highest ascending nonce, and the nonces used inside the nonce window. */
  nonces: Map<string, { last: bigint; recent: Map<number, Set<number>> }>
  /** When the next interest payment, end of term or timed event is due. */
  dueAt: number
  outbox: Notice[]
  /** The market simulation, if there is one. */
  flow: SimulationState | undefined
}

export type ExchangeAccount = Trader &
  AccountData & {
    /** Number of random draws: with the seed it makes every id reproducible, and unguessable without. */
    draws: number
  }

/** A webhook that waits for delivery. */
export type Notice = {
  id: string
  account: string
  method: 'deposit.canceled'
  depositId: string
  at: number
  attempts: number
  dueAt: number
}

/** The state of a new world at `at`. */
export function beginState(world: World, seed: string, at: number): ExchangeState {
  const state: ExchangeState = {
    at,
    turnedMs: 0,
    speed: 1,
    seed,
    ledger: new Map(),
    markets: Object.keys(world.markets).map(() => ({
      book: emptyBook(),
      last: 0,
      mark: 0,
      indexed: false,
      recorded: false,
      fundings: [],
    })),
    tapes: Object.values(world.markets).map((rules) => beginPublicTrades(startTicks(world, rules))),
    orders: noOrders(),
    trades: 0,
    positions: 0,
    stirred: false,
    accounts: new Map(),
    houses: [],
    triggers: [],
    fundingAt: nextFunding(at, Object.values(world.markets)),
    switchAt: Infinity,
    nonces: new Map(),
    dueAt: Infinity,
    outbox: [],
    flow: undefined,
  }
  for (const [index, [name, rules]] of Object.entries(world.accounts).entries()) {
    const wallets = { main: `main/${name}`, spot: `spot/${name}`, collateral: `collateral/${name}` } as const
    const account: ExchangeAccount = {
      ...beginTrader(name, index + 1, wallets, rules.leverage),
      ...beginAccountData(rules, at),
      draws: 0,
    }
    state.accounts.set(name, account)
    for (const wallet of ['main', 'spot', 'collateral'] as const) {
      for (const [asset, amount] of Object.entries(rules[wallet])) {
        move(state.ledger, 'outside', account.wallets[wallet], asset, amount)
      }
    }
    for (const { id, ...deposit } of rules.deposits) {
      account.deposits.set(id, { ...deposit, createdAt: at - dayMs })
      // A successful deposit is part of the balances above; the exchange holds the others until they are resolved.
      if (deposit.status !== 'successful') {
        move(state.ledger, 'outside', 'suspense', deposit.ticker, deposit.amount)
      }
      if (deposit.status === 'canceled' && rules.webhook) announceCancel(state, account, id, at)
    }
  }
  openHouse(state, 'insurance')
  return state
}

export function openHouse(state: ExchangeState, name: string): Trader {
  const house = beginHouse(name, state.accounts.size + state.houses.length + 1)
  state.houses.push(house)
  return house
}

/**
 * Random bytes for ids and codes: sixteen, unpredictable without the seed. Each account has its own sequence, so its
 * ids do not depend on other accounts.
 */
function draw({ seed }: ExchangeState, account: ExchangeAccount): Buffer {
  account.draws += 1
  return createHmac('sha256', seed).update(`${account.number} ${account.draws}`).digest().subarray(0, 16)
}

export function drawUuid(state: ExchangeState, account: ExchangeAccount): string {
  const bytes = draw(state, account)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

export function announceCancel(
  state: ExchangeState,
  account: ExchangeAccount,
  depositId: string,
  at: number,
): void {
  state.outbox.push({
    id: drawUuid(state, account),
    account: account.name,
    method: 'deposit.canceled',
    depositId,
    at,
    attempts: 0,
    dueAt: at,
  })
}
