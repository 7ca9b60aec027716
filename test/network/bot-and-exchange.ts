import { readFileSync, writeFileSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { startExchange, temporaryFolder, type ExchangeProcess } from '#test/cli/support/process.ts'
import { seed } from '#test/properties/runs.ts'
import { AccountReader, auditor, units } from './account-records.ts'
import { viewOf } from './bot-view.ts'
import { startFaultProxy, type TcpFaultProxy } from './fault-proxy.ts'
import { disagreements, repeatedCalls, violations, type JudgedLimits } from './judge.ts'
import { realTime } from '#test/support/real-time.ts'

/** How many times as fast as the clock the market moves. */
const speed = '10'

/** Quotes that follow the price, so that bulks and cancels never stop. */
const quotes = `
version: 1
name: quotes
needs: [bulk, history, balance, cancel, streams]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  book: { source: book, market: btc, depth: 5, stale_after: 60s }
ladder:
  bids:
    market: btc
    side: buy
    anchor: mid(book)
    rebase: { drift: 0.01%, min_gap: 8s }
    levels: 3
    spacing: { kind: geometric, first: 0.03%, step: 0.05%, grow: 1 }
    size: { total: 900 quote }
    below_min: drop
    flags: { postOnly: true }
  asks:
    market: btc
    side: sell
    anchor: mid(book)
    rebase: { drift: 0.01%, min_gap: 8s }
    levels: 3
    spacing: { kind: geometric, first: 0.03%, step: 0.05%, grow: 1 }
    size: { total: 900 quote }
    below_min: drop
    flags: { postOnly: true }
rules:
  - id: quote
    when: spread(book) < 0.01
    do: [ensure: bids, ensure: asks]
risk:
  max_notional: { btc: 2000 }
  max_open_orders: 7
  worst_case: { move: 20%, max_loss: 2000 }
  drawdown: { pause: 80%, halt: 90% }
  in_doubt: { block: level, halt_after: 24h }
submit:
  chunk: 4
  order: interleave
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 100, backoff: 100ms..2s }
  rate: { requests: 8, per: 1s }
`

/** Buys that average down, with one exit for the whole position. */
const dips = `
version: 1
name: dips
needs: [bulk, history, balance]
markets:
  sol: { symbol: SOL_PERP }
feeds:
  px: { source: candles, market: sol, interval: 1m, stale_after: 10m }
let:
  price: last(px)
ladder:
  safety:
    market: sol
    side: buy
    anchor: price at episode_start
    rebase: on_flat
    levels: 6
    spacing: { kind: geometric, first: 0%, step: 0.15%, grow: 1.2 }
    size: { total: 900 quote }
    exit:
      tp: { pct: 0.2% }
rules:
  - id: start
    when: price > 0
    do: [ensure: safety]
risk:
  max_notional: { sol: 1000 }
  max_open_orders: 8
  worst_case: { move: -20%, max_loss: 1000 }
  drawdown: { pause: 80%, halt: 90% }
  in_doubt: { block: ladder, halt_after: 24h }
submit:
  chunk: 3
  order: nearest_first
  stopOnFail: true
  on_reject: skip_level
  throttled: { max: 100, backoff: 100ms..2s }
  rate: { requests: 8, per: 1s }
`

const limits: JudgedLimits = {
  // An exit is no entry: the take profit stands beside the ladder.
  orders: 7 + 8 + 1,
  money: { BTC_PERP: units('2000'), SOL_PERP: units('1000') },
}

/** The packaged world, in which an id is free again when its order has ended, and a key that only reads. */
function worldText(): string {
  const text = readFileSync(fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url)), 'utf8')
  const owner = '      - { key: paper-key,'
  const reader = `      - { key: ${auditor.key}, secret: ${auditor.secret}, permissions: [read] }\n`
  const changed = text.replace(owner, reader + owner).replace('clientIds: forever', 'clientIds: live')
  expect(changed.length).toBe(text.length + reader.length - 'forever'.length + 'live'.length)
  return changed
}

export type BotAndExchange = Awaited<ReturnType<typeof startBotAndExchange>>

/** The two programs as processes of their own, with the proxy between them. */
export async function startBotAndExchange(about: { tls?: SecureContextOptions; trusted?: string } = {}) {
  const folder = temporaryFolder()
  const file = (name: string, text: string) => {
    writeFileSync(folder.file(name), text)
    return folder.file(name)
  }
  const flags = ['--profile', 'full', '--market', 'seeded', '--seed', String(seed), '--speed', speed]
  const world = ['--world', file('world.yaml', worldText()), '--data', folder.file('world'), '--admin', '0']
  let exchange: ExchangeProcess = await startExchange([...flags, ...world])
  const proxy: TcpFaultProxy = await startFaultProxy({
    target: () => exchange.url,
    ...(about.tls && { tls: about.tls }),
  })
  const venue = [
    `url: ${proxy.url}`,
    'key: paper-key',
    'secret: paper-secret',
    'nonce: strict',
    'clientIds: until-ended',
    'settle: 0s',
    '',
  ]
  const stateDir = folder.file('state')
  const account = new AccountReader()
  const words = [
    file('quotes.yaml', quotes),
    file('dips.yaml', dips),
    '--venue',
    file('venue.yaml', venue.join('\n')),
    '--state-dir',
    stateDir,
    '--speed',
    speed,
  ]
  const environment =
    about.trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: file('trusted.pem', about.trusted) }
  const newBot = () => startBot(words, { environment })
  let bot: StartedBot = newBot()

  const parts = {
    proxy,
    stateDir,
    get bot() {
      return bot
    },
    get exchange() {
      return exchange
    },
    async killExchange(): Promise<void> {
      await proxy.refuse()
      await exchange.end('SIGKILL')
      exchange = await startExchange([...flags, ...world])
      await proxy.open()
    },
    async killBot(): Promise<void> {
      bot.kill('SIGKILL')
      await bot.ended
      bot = newBot()
    },
    /**
     * What must never be is not; and what bot and exchange know of the account becomes the same. The market moves on while
     * it is read, so each subject has to agree in one of the looks, not all of them in the same look.
     */
    async agree(): Promise<void> {
      await bot.said(({ type }) => type === 'dashboard-ready')
      let left: ReadonlyMap<string, string> | undefined
      let dealsBefore = (await account.read(exchange.url)).deals.length
      const until = performance.now() + agreementMsMax
      while (left?.size !== 0 && performance.now() < until) {
        await realTime(100)
        const view = await viewOf(stateDir).catch(() => undefined)
        const records = await account.read(exchange.url)
        expect([...violations(records, limits), ...repeatedCalls(proxy.calls)].join('\n')).toBe('')
        const known = dealsBefore
        dealsBefore = records.deals.length
        if (view === undefined) continue
        const found = disagreements(records, view, known)
        left = new Map([...found].filter(([subject]) => left === undefined || left.has(subject)))
      }
      expect([...(left?.values() ?? ['the bot shows nothing'])].join('\n')).toBe('')
      const admin = await exchange.heard(/clock and deposits: (http:\/\/\S+)/)
      expect(await (await fetch(`${admin}/ledger`)).json()).toEqual({ imbalances: [] })
    },
    async close(): Promise<void> {
      await bot[Symbol.asyncDispose]()
      await proxy.close()
      await exchange[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
  return parts
}

/** Far longer than it takes; without it a bot that never agrees would never say in what. */
const agreementMsMax = 120_000
