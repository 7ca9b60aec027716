import { WebSocket } from 'ws'
import { Stream } from '#src/venues/whitebit/client/streams/stream.ts'
import { ccxt } from '#test/support/peers.ts'

/** Reads the trades of a stream, and says after so many of them what they come to. */
const [name = '', url = '', count = ''] = process.argv.slice(2)
const wsUrl = `${url.replace('http', 'ws')}/ws`
const say = (text: string) => process.stdout.write(`${text}\n`)
const market = 'BTC_PERP'

let trades = 0
let sum = 0
let since: NodeJS.CpuUsage | undefined

function take(ids: readonly number[]): void {
  since ??= process.cpuUsage()
  for (const id of ids) {
    trades += 1
    sum += id
  }
  if (trades < Number(count)) return
  const { user, system } = process.cpuUsage(since)
  say(JSON.stringify({ trades, sum, cpuUs: user + system }))
  trades = 0
  sum = 0
  since = undefined
}

function ours(): void {
  const stream = new Stream({
    url: wsUrl,
    wanted: [{ channel: 'trades', markets: [market] }],
    onEvent: (event) => {
      if (event.kind === 'connected') say('ready')
      else if (event.kind === 'trades') take(event.trades.map(({ id }) => id))
    },
  })
  process.on('SIGTERM', () => void stream.close())
}

async function theirs(): Promise<void> {
  const made = new (ccxt().pro.whitebit)({ enableRateLimit: false, newUpdates: true })
  const addresses = JSON.stringify(made.urls.api)
  made.urls.api = JSON.parse(
    addresses.replaceAll('https://whitebit.com', url).replaceAll('wss://api.whitebit.com/ws', wsUrl),
  )
  await made.loadHttpProxyAgent()
  await made.loadMarkets()
  say('ready')
  for (;;) {
    const told = await made.watchTrades('BTC/USDT:USDT')
    take(told.map(({ id }: { id: string }) => Number(id)))
  }
}

function bare(): void {
  const socket = new WebSocket(wsUrl, { perMessageDeflate: false })
  socket.on('open', () => {
    socket.send(JSON.stringify({ id: 1, method: 'trades_subscribe', params: [market] }))
    say('ready')
  })
  socket.on('message', (data: Buffer) => {
    const told = JSON.parse(data.toString())
    if (told.method !== 'trades_update') return
    const ids: number[] = []
    for (const { id } of told.params[1]) ids.push(id)
    take(ids)
  })
}

if (name === 'bare') bare()
else if (name === 'ccxt.pro') await theirs()
else ours()
