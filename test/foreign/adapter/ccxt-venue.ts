import type { ApprovedOrder } from '#src/engine/commands.ts'
import type { MarketFacts, OrderAnswer, Refusal } from '#src/engine/events.ts'
import type { VenueDescription } from '#src/venue/capabilities.ts'
import type { CancelResult, EndsWanted, ListedOrder, OrderList, ReadResult, Venue } from '#src/venue/port.ts'
import {
  attempt,
  connected,
  digitsOf,
  doneOf,
  isThrottled,
  library,
  mapped,
  messageOf,
  nested,
  text,
  texts,
  valueOr,
  type Balance,
  type CcxtExchange,
  type Row,
} from './ccxt-class.ts'

const pageMax = 100
/** An adapter over the unified API of ccxt: orders leave one by one, since its class offers no bulk. */
export async function ccxtVenue(url: string): Promise<Venue> {
  const exchange = await connected(url)
  const symbolOf = (market: string): string => exchange.market(market).symbol
  const ends = async (wanted: readonly EndsWanted[]) => {
    const found = new Map<string, ListedOrder>()
    for (const { market, ids, isOurs } of wanted) {
      const read = await closedOrders(exchange, symbolOf(market))
      if (read.kind !== 'read') continue
      for (const listed of read.value.orders.values())
        if (ids.has(listed.id) && isOurs(listed)) found.set(listed.id, listed)
    }
    return { ends: found, unread: new Set<string | null>() }
  }
  return {
    address: url,
    cancelMax: pageMax,
    describe: async () => describe(exchange),
    offers: async () => false,
    time: async () => valueOr(await attempt<number>(() => exchange.fetchTime()), null),
    async submit(orders, { stopOnFail, withinMs, signal }) {
      const answers: OrderAnswer[] = []
      for (const order of orders) {
        if (stopOnFail && answers.some(({ kind }) => kind !== 'accepted'))
          answers.push({ kind: 'not-attempted' })
        else if (signal.aborted)
          answers.push({ kind: 'not-sent', cause: 'aborted', reason: 'it was aborted before it was sent' })
        else if (withinMs() <= 0)
          answers.push({ kind: 'not-sent', cause: 'late', reason: 'its deadline passed before it was sent' })
        else answers.push(await submitOne(exchange, order))
      }
      return { answers, pausedMs: 0 }
    },
    async cancel(orders, wanted) {
      const results: CancelResult[] = []
      for (const order of orders) {
        if (!('venueId' in order)) results.push({ outcome: 'refused', message: 'ccxt cancels by venue id' })
        else results.push(await cancelOne(exchange, order.venueId, symbolOf(order.market)))
      }
      return { results, ...(await ends(wanted)) }
    },
    // Nonces rise from call to call, and the venue takes none that does not.
    fence: async () => (await attempt(() => exchange.fetchBalance())).kind === 'read',
    account: {
      openOrders: () => openOrders(exchange),
      async endedOrders(since) {
        const read = await closedOrders(exchange)
        if (read.kind !== 'read') return read
        const orders = [...read.value.orders].filter(([, { endedAt }]) => (endedAt ?? Infinity) >= since)
        return { kind: 'read', value: { ...read.value, orders: new Map(orders) } }
      },
      ends,
      async deals(market) {
        const params = { limit: pageMax }
        return mapped(
          await attempt<Row[]>(() => exchange.fetchMyTrades(symbolOf(market), undefined, undefined, params)),
          (trades) => ({
            deals: trades.toReversed().map((trade) => ({
              id: Number(trade['id']),
              venueId: String(trade['order']),
              at: Number(trade['timestamp']),
              amount: text(exchange, trade['amount']),
              money: text(exchange, trade['cost']),
              fee: text(exchange, nested(trade['fee'])['cost']),
            })),
            isAll: trades.length < pageMax,
          }),
        )
      },
      async positions() {
        return mapped(
          await attempt<{ info: { market: string; amount: string } }[]>(() => exchange.fetchPositions()),
          (rows) => ({
            liquidation: {},
            held: Object.fromEntries(
              // The class has no amount of a position in its own words.
              rows.map(({ info }) => {
                const isShort = info.amount.startsWith('-')
                const amount = info.amount.replace('-', '')
                return [info.market, isShort ? { long: '0', short: amount } : { long: amount, short: '0' }]
              }),
            ),
          }),
        )
      },
      async balances() {
        return mapped(await attempt<Balance>(() => exchange.fetchBalance()), ({ free, used }) => ({
          available: texts(exchange, free),
          freeze: texts(exchange, used),
        }))
      },
      async mainBalances() {
        const read = await attempt<Balance>(() => exchange.fetchBalance({ account: 'main' }))
        return mapped(read, ({ total }) => texts(exchange, total))
      },
      equity: async () => ({ kind: 'denied', reason: 'the class has no equity' }),
    },
    market: {
      async lastPrices() {
        return mapped(await attempt<Record<string, Row>>(() => exchange.fetchTickers()), (tickers) => {
          const rows = Object.entries(tickers)
          return new Map(
            rows.map(([symbol, row]) => [exchange.market(symbol).id, text(exchange, row['last'])]),
          )
        })
      },
      async quote(market) {
        const symbol = symbolOf(market)
        const book = await attempt<Record<'bids' | 'asks', number[][]>>(() =>
          exchange.fetchOrderBook(symbol, 1),
        )
        if (book.kind !== 'read') return book
        return mapped(await attempt<{ last?: number }>(() => exchange.fetchTicker(symbol)), ({ last }) => ({
          bid: book.value.bids[0]?.[0] ?? null,
          ask: book.value.asks[0]?.[0] ?? null,
          last: last ?? null,
        }))
      },
      futures: async () => ({ kind: 'denied', reason: 'the class does not list futures' }),
      orderBook: async () => ({ kind: 'denied', reason: 'this adapter reads no order books' }),
      trades: async () => ({ kind: 'denied', reason: 'this adapter reads no public trades' }),
      async candles({ market, interval, from }) {
        const most = 1440
        return mapped(
          await attempt<number[][]>(() =>
            exchange.fetchOHLCV(symbolOf(market), interval, Math.floor(from), most),
          ),
          (rows) => ({
            candles: rows.map(([opened = 0, open = 0, high = 0, low = 0, close = 0, volume = 0]) => {
              return { opened, open, high, low, close, volume }
            }),
            isFull: rows.length >= most,
          }),
        )
      },
      stream: () => ({ close: async () => {} }),
    },
    setLeverage: async (leverage) => doneOf(await attempt(() => exchange.setLeverage(leverage))),
    async deadman(market, silenceMs) {
      const about = { symbol: symbolOf(market) }
      return doneOf(await attempt(() => exchange.cancelAllOrdersAfter(silenceMs, about)))
    },
    invest: async () => ({ outcome: 'refused', message: 'the class has no plans' }),
    close: () => exchange.close(),
  }
}

async function submitOne(exchange: CcxtExchange, order: ApprovedOrder): Promise<OrderAnswer> {
  const { market, side, amount, price, id, ioc, postOnly } = order
  const flags = { ...(ioc && { timeInForce: 'IOC' }), ...(postOnly && { postOnly }) }
  try {
    const { symbol } = exchange.market(market)
    const about = { clientOrderId: id, ...flags }
    const placed = await exchange.createOrder(symbol, 'limit', side, amount, price, about)
    const ended = ioc || placed.status === 'closed' || placed.status === 'canceled'
    return { kind: 'accepted', ...progressOf(exchange, placed, ended) }
  } catch (error) {
    return answerOf(error)
  }
}

/** The classes of ccxt's errors say whether the venue has refused, and some of them why. */
function answerOf(error: unknown): OrderAnswer {
  const reason = messageOf(error)
  if (isThrottled(error)) return { kind: 'not-sent', cause: 'throttled', reason }
  const isAnswered = error instanceof library.ExchangeError && !(error instanceof library.BadResponse)
  if (!isAnswered) return { kind: 'unknown', reason }
  const alreadyUsed =
    error instanceof library.DuplicateOrderId || /client.?order.?id.*(?:used|exist|unique)/i.test(reason)
  return { kind: 'refused', code: null, message: reason, alreadyUsed, refusal: refusalOf(error, reason) }
}

function refusalOf(error: unknown, reason: string): Refusal {
  if (error instanceof library.OrderImmediatelyFillable || /maker order/i.test(reason)) return 'would-take'
  if (error instanceof library.InsufficientFunds || /not enough|balance/i.test(reason)) return 'no-funds'
  return error instanceof library.InvalidOrder || error instanceof library.BadRequest
    ? 'breaks-rule'
    : 'unknown-text'
}

async function cancelOne(exchange: CcxtExchange, venueId: string, symbol: string): Promise<CancelResult> {
  try {
    await exchange.cancelOrder(venueId, symbol)
    return { outcome: 'canceled', message: '' }
  } catch (error) {
    const message = messageOf(error)
    const isGone = error instanceof library.OrderNotFound || /not found|unexecuted/i.test(message)
    if (isGone) return { outcome: 'gone', message }
    if (isThrottled(error)) return { outcome: 'throttled', message }
    return { outcome: error instanceof library.ExchangeError ? 'refused' : 'unknown', message }
  }
}

function openOrders(exchange: CcxtExchange): Promise<ReadResult<OrderList>> {
  return wholePage(exchange, () => exchange.fetchOpenOrders(undefined, undefined, pageMax), false)
}

function closedOrders(exchange: CcxtExchange, symbol?: string): Promise<ReadResult<OrderList>> {
  return wholePage(exchange, () => exchange.fetchClosedOrders(symbol, undefined, pageMax), true)
}

/** One page: a list that may have more is not read at all, since absence from it would prove nothing. */
async function wholePage(
  exchange: CcxtExchange,
  call: () => Promise<Row[]>,
  ended: boolean,
): Promise<ReadResult<OrderList>> {
  const read = await attempt(call)
  if (read.kind !== 'read') return read
  if (read.value.length >= pageMax) return { kind: 'failed', reason: 'the list has more than one page' }
  const orders = read.value.map((order) => listedOrder(exchange, order, ended))
  return {
    kind: 'read',
    value: { orders: new Map(orders.map((each) => [each.venueId, each])), unread: new Set() },
  }
}

function listedOrder(exchange: CcxtExchange, order: Row, ended: boolean): ListedOrder {
  const market = exchange.market(order['symbol']).id
  const side = order['side'] === 'sell' ? 'sell' : 'buy'
  const { clientOrderId: id, id: venueId } = order
  const [price, amount] = [text(exchange, order['price']), text(exchange, order['amount'])]
  return {
    venueId: String(venueId),
    id: typeof id === 'string' ? id : '',
    market,
    side,
    price,
    amount,
    placedAt: Number(order['timestamp']),
    // The class has no time of the end in its own words.
    endedAt: ended ? Number(nested(order['info'])['ftime']) * 1000 : null,
    progress: progressOf(exchange, order, ended),
    text: `${market}: ${side} ${amount} at ${price}, venue id ${String(venueId)}`,
  }
}

function progressOf(exchange: CcxtExchange, order: Row, ended: boolean) {
  return {
    venueId: String(order['id']),
    filled: text(exchange, order['filled'] ?? 0),
    money: text(exchange, order['cost'] ?? 0),
    fee: text(exchange, nested(order['fee'])['cost'] ?? 0),
    ended,
  }
}

function describe(exchange: CcxtExchange): VenueDescription {
  const markets: Record<string, MarketFacts> = {}
  for (const market of Object.values<Row>(exchange.markets)) {
    const [limits, precision] = [nested(market['limits']), nested(market['precision'])]
    const [amount, cost] = [nested(limits['amount']), nested(limits['cost'])]
    markets[String(market['id'])] = {
      money: String(market['settle'] ?? market['quote']),
      priceDigits: digitsOf(precision['price']),
      amountDigits: digitsOf(precision['amount']),
      minAmount: text(exchange, amount['min']),
      minTotal: text(exchange, cost['min']),
      maxTotal: text(exchange, cost['max'] ?? 10_000_000),
      makerFee: text(exchange, market['maker']),
      takerFee: text(exchange, market['taker']),
    }
  }
  const facts: VenueDescription['facts'] = {
    capabilities: ['history', 'balance', 'open_orders', 'cancel', 'market_data'],
    batchMax: 1,
    clientIds: 'forever',
    leverage: null,
    speed: 1,
    settleMs: 0,
    markets,
  }
  return { facts, orderLimit: { calls: 20, perMs: 1000 }, unread: [] }
}
