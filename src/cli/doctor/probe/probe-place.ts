import { BotError } from '#src/core/errors/bot-error.ts'
import { Decimal, moneyText } from '#src/core/money/decimal.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { readOrderId } from '#src/engine/orders/order-ids.ts'
import { marketFacts } from '#src/venues/whitebit/adapter/market-facts.ts'
import { isDenied, nonceFix } from '#src/venues/whitebit/client/answers/outcome.ts'
import {
  farOrder,
  largerOrder,
  openAtOnceMax,
  probePrefix,
  usualAwayPercent,
  type ProbeOrder,
  type ProbePlace,
} from '#src/venues/whitebit/probe/probe-orders.ts'
import { usage } from '#src/cli/words/usage.ts'
import type { ProbeDriver } from './probe-driver.ts'

const noOrders = (what: string) => ({ why: `the venue ${what}, so the probe places no order` })

/**
 * The market of a probe: the named one, or the futures market with the smallest order. Only reads; `why` if no order can be
 * placed so that it can also be found and cancelled.
 */
export async function placeOf(
  driver: ProbeDriver,
  named: string | undefined,
  startedAt: number,
): Promise<ProbePlace | { why: string }> {
  const time = await driver.read('time')
  await refuseWithoutKey(driver)
  const open = await driver.read('openOrders', { limit: 100 })
  if (time.kind !== 'answer' || open.kind !== 'answer')
    return noOrders('does not answer the list of open orders')
  const bots = open.value.filter(({ client_order_id }) => readOrderId(client_order_id) !== undefined)
  if (bots.length > 0)
    throw new BotError('DATA_BUSY', {
      seen: `${bots.length} open orders of the account have ids of rungs run, such as ${bots[0]?.client_order_id}`,
      fix: 'Stop the bot and cancel its orders, or probe with the key of another account',
    })
  const [markets, prices] = [await driver.read('markets'), await driver.read('ticker')]
  if (markets.kind !== 'answer' || prices.kind !== 'answer')
    return noOrders('does not report markets and prices')
  const facts = marketFacts(markets.value)
  const mode = await driver.read('hedgeMode')
  if (mode.kind !== 'answer' && !(mode.kind === 'refused' && isDenied(mode)))
    return noOrders('does not report the position mode')
  const hedged = mode.kind === 'answer' && mode.value.hedgeMode
  const tag = `${probePrefix}${Math.floor(startedAt / 1000).toString(36)}-`
  const places = markets.value.flatMap(({ name, type, tradesEnabled, isCollateral }) => {
    const [rules, ticker] = [facts[name], prices.value[name]]
    const isTraded = tradesEnabled !== false && (type === 'futures' || isCollateral === true)
    if (rules === undefined || ticker === undefined || !isTraded || !new Decimal(ticker.last_price).gt(0))
      return []
    const { money, priceDigits, amountDigits } = rules
    const [minAmount, minTotal] = [new Decimal(rules.minAmount), new Decimal(rules.minTotal)]
    const price = new Decimal(ticker.last_price)
    const place = { market: name, money, priceDigits, amountDigits, minAmount, minTotal, price, hedged, tag }
    return [{ type, place }]
  })
  if (named !== undefined) {
    const found = places.find(({ place }) => place.market === named)
    if (found) return found.place
    const names = places.map(({ place }) => place.market)
    throw usage(
      `--market ${named} is no market for collateral orders at this venue${suggestion(named, names)}`,
      `Use one of ${names.slice(0, 20).join(', ')}`,
    )
  }
  const usual = places
    .filter(({ type }) => type === 'futures')
    .map(({ place }) => ({ place, least: moneyOf(farOrder(place, '', usualAwayPercent)) }))
    .toSorted((one, other) => one.least.cmp(other.least))
  return usual[0]?.place ?? noOrders('has no futures market; name another one with --market')
}

async function refuseWithoutKey(driver: ProbeDriver): Promise<void> {
  const balance = await driver.read('tradingBalance')
  if (balance.kind === 'answer') return
  const isNonce = balance.kind === 'refused' && balance.throttle === 'nonce'
  throw new BotError('VENUE_REFUSED', {
    seen: `the trading balance: ${balance.kind === 'refused' ? balance.message : balance.reason}`,
    fix: isNonce ? nonceFix : 'Run rungs doctor without --probe: it checks the key',
  })
}

function moneyOf({ price, amount }: ProbeOrder): Decimal {
  return new Decimal(price).times(amount)
}

/** What the probe will do, for the person who confirms it. */
export function planText(place: ProbePlace, url: string): string[] {
  const { market, money, price } = place
  const far = farOrder(place, '', usualAwayPercent)
  const larger = largerOrder(place, '', usualAwayPercent)
  const resting = moneyOf(larger).times(openAtOnceMax)
  // The order that crosses after a change keeps its amount, and may stay beside what it bought.
  const taken = price.times(far.amount)
  const most = Decimal.max(resting, taken.plus(moneyOf(far)))
  return [
    `The probe places and cancels about 30 small orders at ${url}, in the market ${market} (last price ${price.toFixed()}).`,
    `Each order is a postOnly buy, about ${usualAwayPercent} % below the last price: at most ${larger.amount} at ${far.price}.`,
    `At most ${openAtOnceMax} are open at the same time: ${moneyText(resting)} ${money}.`,
    `Two postOnly orders cross the book, one after the other: at most ${far.amount}, ${moneyText(taken)} ${money}.`,
    'A venue that ignores postOnly buys one of them.',
    `The most money at risk is ${moneyText(most)} ${money}. The probe ends with no order open.`,
  ]
}
