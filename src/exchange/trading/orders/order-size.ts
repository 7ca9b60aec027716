import { fitsDigits, formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { shareDown, type Market } from '#src/exchange/trading/book/market.ts'
import { refuse, type OrderRefusal } from './order-refusal.ts'
import { flag, type ExchangeSide } from '#src/exchange/trading/book/order-columns.ts'
import { takerBand } from './order-matching.ts'
import { marketOrderReach } from './market-order-size.ts'
import type { AttachedExits } from './order-draft.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

const tooLarge = 'Given amount is too large.'

/** Checks the amount, the price and the total against the rules of the market, in this order. */
type Size = { lots: number; ticks: number } | { refusal: OrderRefusal }

export function limitSize(
  market: Market,
  { side, amount, price }: { side: ExchangeSide; amount: string; price: string },
): Size {
  const lots = market.lots(amount)
  if (lots === undefined || lots < market.minLots)
    return refuse(32, { amount: amountProblems(market, amount) })
  const ticks = market.ticks(price)
  if (!ticks) return refuse(33, { price: [priceProblem(market, price)] })
  const quanta = lots * ticks
  if (quanta < market.minQuantaOf[side]) {
    const least = market.moneyText(market.minQuantaOf[side])
    return refuse(30, { total: [`Total (amount * price) is less than ${least}`] })
  }
  if (quanta > market.maxQuanta) {
    const most = formatAtoms(market.rules.maxTotal)
    return refuse(30, { total: [`Total (amount * price) is more than ${most}`] })
  }
  return { lots, ticks }
}

/**
 * The size of a market order. Its price is the end of its price band, or nearer where the book shows it. An order that
 * waits for activation has neither yet.
 */
export function marketSize(
  venue: VenueContext,
  account: Trader,
  market: Market,
  order: {
    sells: boolean
    amount: string
    flags: number
    selfTrade: number
    activation?: string | undefined
  },
): Size {
  const { sells, amount, flags, selfTrade, activation } = order
  const ticks = takerBand(venue.trading, market, sells)
  const waits = (flags & flag.stop) !== 0
  const buys = !sells && (flags & flag.spot) !== 0
  if (buys && (flags & flag.stock) === 0 && (!waits || activation !== undefined))
    return moneySize(venue, account, market, { amount, selfTrade, activation }, ticks)
  const lots = market.lots(amount)
  if (lots === undefined || lots < market.minLots)
    return refuse(32, { amount: amountProblems(market, amount) })
  if (!buys || waits) return { lots, ticks }
  return marketOrderReach(venue.trading, market, account, { selfTrade, lots }, ticks)
}

/** The lots that an amount of money can buy. */
function moneySize(
  venue: VenueContext,
  account: Trader,
  market: Market,
  { amount, selfTrade, activation }: { amount: string; selfTrade: number; activation: string | undefined },
  limit: number,
): Size {
  const quanta = market.quanta(amount)
  if (quanta === undefined) {
    const fits = fitsDigits(parseAtoms(amount), market.rules.priceDigits + market.rules.amountDigits)
    return refuse(32, { amount: [fits ? tooLarge : `Min amount step = ${market.moneyStep}`] })
  }
  if (quanta < market.minQuantaOf.buy) {
    const least = market.moneyText(market.minQuantaOf.buy)
    return refuse(32, { amount: [`Given amount is less than min amount ${least}`] })
  }
  const ticks = activation === undefined ? limit : market.ticks(activation)
  if (!ticks) return refuse(33, { activation_price: [priceProblem(market, activation ?? '0')] })
  const size =
    activation === undefined
      ? marketOrderReach(venue.trading, market, account, { selfTrade, quanta }, limit)
      : { lots: Math.floor(quanta / ticks), ticks }
  if (size.lots >= market.minLots) return size
  return refuse(32, { amount: [`It buys less than min amount ${formatAtoms(market.rules.minAmount)}`] })
}

/**
 * Beyond spec.md: a limit too far from the mark price is refused as a mistake. Before the first trade the reference is
 * the start price of the world.
 */
export function bandProblem(
  { state, switches }: VenueContext,
  market: Market,
  ticks: number,
): string | undefined {
  const mark = state.markets[market.number]?.mark || (state.tapes[market.number]?.last ?? 0)
  const band = market.rules.priceBand ?? switches.priceBand
  if (mark === 0 || band === Infinity) return undefined
  const away = shareDown(mark, band, 100)
  if (ticks > mark + away) {
    return `The Price should be less than or equal to ${market.priceText(mark + away)}`
  }
  if (ticks >= mark - away) return undefined
  return `The Price should be greater than or equal to ${market.priceText(mark - away)}`
}

export function priceProblem(market: Market, text: string): string {
  const price = parseAtoms(text)
  if (price === 0n) return 'Price should be greater than 0.'
  const fits = fitsDigits(price, market.rules.priceDigits)
  return fits ? 'Given price is too large.' : `Min price step = ${market.priceStep}`
}

function amountProblems(market: Market, text: string): string[] {
  const amount = parseAtoms(text)
  if (amount === 0n) return ['Amount should be greater than 0.']
  const texts: string[] = []
  if (amount < market.rules.minAmount) {
    texts.push(`Given amount is less than min amount ${formatAtoms(market.rules.minAmount)}`)
  }
  if (!fitsDigits(amount, market.rules.amountDigits)) texts.push(`Min amount step = ${market.amountStep}`)
  return texts.length > 0 ? texts : [tooLarge]
}

type Entry = { sells: boolean; ticks: number; isMarket: boolean; closes: boolean }
type Raw = { takeProfit?: string | undefined; stopLoss?: string | undefined }

/** Reads the exits of a new order. Worlds that do not place them do not know their fields. */
export function readExits(
  venue: VenueContext,
  market: Market,
  raw: Raw,
  { sells, ticks, isMarket, closes }: Entry,
): { exits?: AttachedExits } | { refusal: OrderRefusal } {
  const exits = { takeProfit: 0, stopLoss: 0 }
  const isPlaced = venue.world.attachedExits === 'placed'
  for (const name of ['takeProfit', 'stopLoss'] as const) {
    const text = raw[name]
    if (text === undefined) continue
    if (!isPlaced) return refuse(30, { [name]: ['This field is not known.'] })
    if (closes) return refuse(30, { [name]: ['A reduce-only order has no take profit and no stop loss.'] })
    const price = market.ticks(text)
    if (!price) return refuse(33, { [name]: [priceProblem(market, text)] })
    const tooFar = bandProblem(venue, market, price)
    if (tooFar !== undefined) return refuse(250, { [name]: [tooFar] })
    exits[name] = price
  }
  if (exits.takeProfit === 0 && exits.stopLoss === 0) return {}
  const last = venue.state.markets[market.number]?.last ?? 0
  return exitProblem(exits, sells, isMarket && last !== 0 ? last : ticks) ?? { exits }
}

/** The price of the entry is between the exits: for a buy the take profit is above it. */
export function exitProblem(
  { takeProfit, stopLoss }: AttachedExits,
  sells: boolean,
  ticks: number,
): { refusal: OrderRefusal } | undefined {
  if (takeProfit !== 0 && (sells ? takeProfit >= ticks : takeProfit <= ticks))
    return refuse(105, { takeProfit: ['The take profit is on the wrong side of the price.'] })
  if (stopLoss !== 0 && (sells ? stopLoss <= ticks : stopLoss >= ticks))
    return refuse(106, { stopLoss: ['The stop loss is on the wrong side of the price.'] })
  return undefined
}
