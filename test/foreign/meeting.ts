import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { startExchange, temporaryFolder, type ExchangeProcess } from '#test/cli/support/process.ts'
import { ccxt } from '#test/support/peers.ts'
import { realTime } from '#test/support/real-time.ts'
import { secondKey, worldWithSecondKey } from './second-key.ts'

const keys = { paper: secondKey, rival: { key: 'rival-key', secret: 'rival-secret' } }
const accounts = ['paper', 'rival'] as const
type AccountName = (typeof accounts)[number]

/** Here, where no test waits for it: the first time it is fetched. */
const foreign = ccxt()

/** What can be traded, and how the stranger says with which account. */
export const products = [
  { name: 'spot', symbol: 'BTC/USDT', market: 'BTC_USDT', about: {} },
  { name: 'margin', symbol: 'BTC/USDT', market: 'BTC_USDT', about: { marginMode: 'cross' } },
  { name: 'futures', symbol: 'BTC/USDT:USDT', market: 'BTC_PERP', about: {} },
] as const

export type Meeting = Record<AccountName, Client> & {
  exchange: ExchangeProcess
  /** The stranger, who trades as paper; another one is somebody who has only just come. */
  stranger: Stranger
  another(): Promise<Stranger>
  /** Lets time pass at the exchange. */
  advance(seconds: number): Promise<void>
  close(): Promise<void>
}

type Stranger = Awaited<ReturnType<typeof stranger>>

/** A stranger's client and ours at one exchange, which is a process of its own. */
export async function meet(moving: readonly string[] = ['still']): Promise<Meeting> {
  using folder = temporaryFolder()
  const words = [
    '--profile',
    'full',
    '--spelling',
    'camel',
    '--admin',
    '0',
    '--world',
    worldWithSecondKey(folder.path),
  ]
  const exchange = await startExchange([...words, '--market', ...moving])
  const adminUrl = await exchange.heard(/clock and deposits: (http:\S+)/)
  let turnedMs = 0
  const clock = { now: () => systemClock.now() + turnedMs, monotonic: () => systemClock.monotonic() }
  const clients = { paper: clientOf('paper', exchange, clock), rival: clientOf('rival', exchange, clock) }
  const strangers: Stranger[] = []
  const another = async () => {
    const made = await stranger(exchange)
    strangers.push(made)
    return made
  }
  return {
    ...clients,
    exchange,
    stranger: await another(),
    another,
    async advance(seconds) {
      await fetch(`${adminUrl}/clock/turn/${seconds}`, { method: 'POST' })
      turnedMs += seconds * 1000
    },
    async close() {
      await Promise.all(strangers.map((each) => each.close()))
      await Promise.all(accounts.map((name) => clients[name].close()))
      await exchange.end()
    },
  }
}

/** As its documentation has it but for the addresses and the key: they are all that a user of it would set. */
async function stranger({ url, wsUrl }: ExchangeProcess) {
  const made = new foreign.pro.whitebit({ apiKey: 'paper-key', secret: 'paper-secret' })
  const addresses = JSON.stringify(made.urls.api)
  made.urls.api = JSON.parse(
    addresses.replaceAll('https://whitebit.com', url).replaceAll('wss://api.whitebit.com/ws', wsUrl),
  )
  // What it asks of everybody whose stream is not encrypted.
  await made.loadHttpProxyAgent()
  return made
}

function clientOf(
  name: AccountName,
  { url }: ExchangeProcess,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Client {
  return createClient({
    transport: httpTransport(url),
    key: {
      credentials: { key: keys[name].key, secret: new Secret(keys[name].secret) },
      nonces: new Nonces({ clock, mode: 'window' }),
    },
    spelling: 'camel',
  })
}

/** Its name for a market of ours. */
export function symbolOf(market: string): string {
  const [base, money] = market.split('_')
  return money === 'PERP' ? `${base}/USDT:USDT` : `${base}/${money}`
}

/** What the stranger read while nothing changed: minutes end, and resting takes a moment. */
export async function steady<Ours, Foreign>(
  ours: () => Promise<Ours>,
  theirs: () => Promise<Foreign>,
): Promise<{ before: Ours; foreign: Foreign }> {
  for (;;) {
    const before = await ours()
    const foreign = await theirs()
    if (JSON.stringify(await ours()) === JSON.stringify(before)) return { before, foreign }
  }
}

/** The deals of an order, as our client reads them, in its words. */
export async function dealsOf({ paper }: Meeting, market: string, id: string) {
  const deals = await done(paper.executedHistory({ market }))
  return (Array.isArray(deals) ? deals : [])
    .filter((deal) => deal.order_id === Number(id))
    .toReversed()
    .map((deal) => ({
      id: String(deal.id),
      order: id,
      timestamp: Math.trunc(deal.time * 1000),
      side: deal.side,
      takerOrMaker: deal.role === 1 ? 'maker' : 'taker',
      price: Number(deal.price),
      amount: Number(deal.amount),
      cost: Number(deal.deal),
      fee: { cost: Number(deal.fee), currency: deal.feeAsset },
    }))
}

/** Waits for the first news of a subscription that nobody says is there, making some until it comes. */
export async function heard<News>(news: Promise<News>, make: () => Promise<unknown>): Promise<News> {
  const waiting = { ended: false }
  const first = news.finally(() => {
    waiting.ended = true
  })
  first.catch(() => {})
  while (!waiting.ended) {
    await make()
    await realTime(50)
  }
  return first
}
