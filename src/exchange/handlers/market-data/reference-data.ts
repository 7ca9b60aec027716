import { minTotalOf } from '#src/exchange/trading/book/market.ts'
import { atomDigits, formatAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { seconds } from '#src/exchange/time-units.ts'
import type { PublicHandler } from '#src/exchange/venue-context.ts'

export const time: PublicHandler<'time'> = ({ now }) => ({ time: seconds(now) })

/** An exchange that answers is operational. */
export const platformStatus: PublicHandler<'platformStatus'> = () => ({ status: 'system operational' })

export const assets: PublicHandler<'assets'> = ({ venue }) => {
  const spots = Object.values(venue.world.markets).filter(({ kind }) => kind === 'spot')
  return Object.fromEntries(
    Object.entries(venue.world.assets).map(([name, { fiat, networks, minDeposit, deposits }]) => {
      const min = formatAtoms(minDeposit)
      const spot = spots.find(({ base }) => base === name) ?? spots[0]
      const open = deposits && !fiat
      return [
        name,
        {
          name,
          unified_cryptoasset_id: 0,
          can_withdraw: false,
          can_deposit: open,
          min_withdraw: '0',
          max_withdraw: '0',
          min_deposit: min,
          max_deposit: '0',
          ...(spot && { maker_fee: percent(spot.makerFee), taker_fee: percent(spot.takerFee) }),
          currency_precision: atomDigits,
          is_memo: false,
          ...(fiat ? { providers: { deposits: [], withdraws: [] } } : {}),
          ...(open && networks[0] !== undefined
            ? {
                networks: { deposits: networks, default: networks[0] },
                limits: { deposit: Object.fromEntries(networks.map((network) => [network, { min }])) },
              }
            : {}),
        },
      ]
    }),
  )
}

function percent(rate: Atoms): string {
  return formatAtoms(rate * 100n)
}

export const markets: PublicHandler<'markets'> = ({ venue }) =>
  [...venue.markets.values()].map(({ name, rules, priceStep, amountStep }) => ({
    name,
    stock: rules.base,
    money: rules.money,
    stockPrec: String(rules.amountDigits),
    moneyPrec: String(rules.priceDigits),
    // Fees are not rounded.
    feePrec: String(atomDigits),
    makerFee: percent(rules.makerFee),
    takerFee: percent(rules.takerFee),
    minAmount: formatAtoms(rules.minAmount),
    minTotal: formatAtoms(minTotalOf(rules)),
    maxTotal: formatAtoms(rules.maxTotal),
    tradesEnabled: true,
    isCollateral: true,
    type: rules.kind,
    isTradFiFutures: false,
    delistedAt: null,
    tickSize: priceStep,
    stepSize: amountStep,
  }))

/** All markets: the collateral account also trades spot markets. */
export const collateralMarkets: PublicHandler<'collateralMarkets'> = ({ venue }) => ({
  success: true,
  message: null,
  result: [...venue.markets.keys()],
})

export const fee: PublicHandler<'fee'> = ({ venue }) =>
  Object.fromEntries(
    Object.entries(venue.world.assets).map(([name, { fiat, minDeposit, deposits }]) => {
      const free = { max_amount: '0', fixed: null, flex: null }
      const open = deposits && !fiat
      return [
        name,
        {
          ticker: name,
          name,
          providers: [],
          is_depositable: open,
          is_withdrawal: false,
          is_api_depositable: open,
          is_api_withdrawal: false,
          deposit: { ...free, min_amount: formatAtoms(minDeposit) },
          withdraw: { ...free, min_amount: '0' },
        },
      ]
    }),
  )
