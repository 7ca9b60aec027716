import type { Account } from '#src/engine/state/state.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { accountEquity, mainBalances, spotBalance } from '#src/exchange/ledger/account-views.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import type { EquityExposure } from '#src/research/backtest/loop/loop-parts.ts'
import type { Holdings } from './measures.ts'
import { account } from '#src/research/backtest/world.ts'

/** Balances and positions of an account, from the records of the exchange. */
export class AccountBooks {
  readonly #venue: Exchange['venue']
  readonly #floor: Exchange['venue']['trading']
  readonly #owner: Exchange['venue']['trading']['accounts'][number]
  readonly #monies: ReadonlySet<string>

  constructor({ venue }: Exchange) {
    const { trading } = venue
    const owner = trading.accounts.find(({ name }) => name === account.name)
    if (!owner) throw new RangeError(`there is no account ${account.name}`)
    this.#venue = venue
    this.#floor = trading
    this.#owner = owner
    this.#monies = new Set(trading.markets.map(({ rules }) => rules.money))
  }

  /** Whether the account has an open position, so that its equity changes with prices. */
  get isExposed(): boolean {
    return this.#owner.collateral.open.length > 0
  }

  /** Whether invested money earns interest. No other account of a backtest invests. */
  get isInvested(): boolean {
    const { ledger } = this.#floor.state
    return (
      ledger
        .get('invested')
        ?.values()
        .some((amount) => amount > 0n) === true
    )
  }

  /** As the bot reads it by signed calls. */
  get equity(): string {
    return formatAtoms(accountEquity(this.#floor, this.#owner))
  }

  /** As the bot reads them by signed calls. */
  get balances(): Pick<Account, 'available' | 'freeze' | 'main'> {
    const [available, freeze]: [Account['available'], Account['freeze']] = [{}, {}]
    for (const asset in this.#venue.world.assets) {
      const balance = spotBalance(this.#venue, this.#owner, asset)
      available[asset] = balance.available
      freeze[asset] = balance.freeze
    }
    return { available, freeze, main: mainBalances(this.#venue, this.#owner) }
  }

  /** The equity, and by market how much of it 10^-9 of the price is. */
  get exposed(): EquityExposure {
    const amounts = this.#floor.markets.map(() => 0)
    for (const { market, lots } of this.#owner.collateral.open) {
      const { lotAtoms = 0n } = this.#floor.markets[market] ?? {}
      amounts[market] = (amounts[market] ?? 0) + lots * Number(formatAtoms(lotAtoms)) * 1e-9
    }
    return { equity: Number(this.equity), amounts }
  }

  /** Money, less debts and the cost of positions; and the positions. */
  holdings(): Holdings {
    const { wallets, collateral } = this.#owner
    let cash = 0n
    for (const money of this.#monies)
      cash +=
        balanceOf(this.#floor.state.ledger, wallets.collateral, money) - (collateral.owed.get(money) ?? 0n)
    const [longs, shorts] = [this.#floor.markets.map(() => 0n), this.#floor.markets.map(() => 0n)]
    for (const { market, lots, cost } of collateral.open) {
      cash -= lots > 0 ? cost : -cost
      const side = lots > 0 ? longs : shorts
      const { lotAtoms = 0n } = this.#floor.markets[market] ?? {}
      side[market] = (side[market] ?? 0n) + BigInt(Math.abs(lots)) * lotAtoms
    }
    return { cash, longs, shorts }
  }
}
