import { createClient, type Client } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { Nonces } from '#src/client/nonce.ts'
import { Secret } from '#src/contract/signing.ts'
import { systemClock } from '#src/time/clock.ts'
import { startExchange, type Exchange } from '#test/cli/process.ts'
import { ccxt } from '#test/support/ccxt.ts'

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
  exchange: Exchange
  /** The stranger, who trades as paper; another one is somebody who has only just come. */
  stranger: Stranger
  another(): Promise<Stranger>
  close(): Promise<void>
}

export type Stranger = Awaited<ReturnType<typeof stranger>>

/** A stranger's client and ours at one exchange, which is a process of its own. */
export async function meet(): Promise<Meeting> {
  const exchange = await startExchange(['--profile', 'full', '--spelling', 'camel', '--market', 'still'])
  const clients = { paper: clientOf('paper', exchange), rival: clientOf('rival', exchange) }
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
    async close() {
      await Promise.all(strangers.map((each) => each.close()))
      await Promise.all(accounts.map((name) => clients[name].close()))
      await exchange.end()
    },
  }
}

/** As its documentation has it but for the addresses and the key: they are all that a user of it would set. */
async function stranger({ url, wsUrl }: Exchange) {
  const made = new foreign.pro.whitebit({ apiKey: 'paper-key', secret: 'paper-secret' })
  const addresses = JSON.stringify(made.urls.api)
  made.urls.api = JSON.parse(
    addresses.replaceAll('https://whitebit.com', url).replaceAll('wss://api.whitebit.com/ws', wsUrl),
  )
  // What it asks of everybody whose stream is not encrypted.
  await made.loadHttpProxyAgent()
  return made
}

function clientOf(name: AccountName, { url }: Exchange): Client {
  return createClient({
    transport: httpTransport(url),
    key: {
      credentials: { key: `${name}-key`, secret: new Secret(`${name}-secret`) },
      // Beside the rising ones of the stranger, who has the same key.
      nonces: new Nonces({ clock: systemClock, mode: 'window' }),
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
