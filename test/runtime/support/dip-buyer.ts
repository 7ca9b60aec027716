import { readFileSync, writeFileSync } from 'node:fs'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange } from '#test/cli/support/process.ts'
import { volatileWorld } from '#test/support/volatile-market.ts'

/** Buys near the price; nothing closes what they fill. */
const dips = `
version: 1
name: open
needs: [bulk, history, balance]
markets:
  btc: { symbol: BTC_PERP }
feeds:
  book: { source: book, market: btc, stale_after: 10m }
ladder:
  grid:
    market: btc
    side: buy
    anchor: mid(book)
    levels: 3
    spacing: { kind: arithmetic, first: 0.02%, step: 0.05% }
    size: { total: 3000 quote }
rules:
  - { id: go, when: 1 < 2, do: [ensure: grid] }
risk:
  max_notional: { btc: 10000 }
  max_open_orders: 20
  worst_case: { move: -30%, max_loss: 10000 }
  drawdown: { pause: 50%, halt: 90% }
  in_doubt: { block: level, halt_after: 1h }
submit:
  chunk: 6
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 20, per: 1s }
`

/** An exchange with a volatile market, the strategy file, and what is open there, read with a key of its own. */
export async function startDipBuying(folder: { path: string; file(name: string): string }) {
  const world = volatileWorld(folder)
  // A key of its own for the reads of this test: keys have their own nonces.
  const paper = '      - { key: paper-key, '
  const looking = paper.replace('paper-key', 'looking-key')
  const withReader = readFileSync(world, 'utf8').replace(
    paper,
    `${looking}secret: looking, permissions: [read] }\n${paper}`,
  )
  writeFileSync(world, withReader)
  const market = ['--profile', 'full', '--market', 'seeded', '--speed', '60', '--seed', 'flat']
  const exchange = await startExchange([...market, '--world', world])
  const venueFile = (name: string, secret: string) => {
    const words = ['clientIds: forever', 'settle: 0s', `key: ${name}-key`, `secret: ${secret}`]
    writeFileSync(folder.file(name), [`url: ${exchange.url}`, ...words].join('\n'))
    return folder.file(name)
  }
  const [venue, reader] = [venueFile('paper', 'paper-secret'), venueFile('looking', 'looking')]
  const list = async (name: string): Promise<unknown> => {
    const words = ['api', name, '--venue', reader, '--json', '--state-dir', folder.path]
    return JSON.parse((await rungsHere(words)).stdout)
  }
  const file = folder.file('open.yaml')
  writeFileSync(file, dips)
  return {
    file,
    venue,
    url: exchange.url,
    words: [file, '--venue', venue, '--speed', '60'],
    openOrders: () => list('open-orders'),
    openPositions: () => list('open-positions'),
    [Symbol.asyncDispose]: () => exchange[Symbol.asyncDispose](),
  }
}
