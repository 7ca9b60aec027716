import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { depthKey, refreshDepth } from '#src/engine/state/depth.ts'
import { readListing } from '#src/market/data/listed-futures.ts'
import { readDepth, readMarket } from '#src/market/data/read-market.ts'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { DepthObject } from '#src/strategy/expressions/context-objects.ts'
import { functions } from '#src/strategy/expressions/functions.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { pythonOf } from '#test/support/peers.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const depth = z.object({ bid: z.number(), ask: z.number(), imbalance: z.number(), micro: z.number() })
const answer = z.object({
  depth: z.record(z.string(), depth),
  futures: z.record(z.string(), z.array(z.number())),
  volumes: z.record(z.string(), z.tuple([z.number(), z.number()])),
})

/** A rule for each value, so that each is read. */
const strategy = `version: 1
name: reads
markets: { btc: BTC_PERP }
feeds:
  deep: { source: depth, market: btc, within: 0.1% }
  fut: { source: futures, market: btc }
  flow: { source: trades, market: btc }
ladder:
  entry: { market: btc, side: buy, anchor: 60000, levels: 1, spacing: { kind: offsets, at: [20%] }, size: { total: 100 quote } }
rules:
  - { id: tilt, when: imbalance(deep) > 0.3 && micro_price(deep) > 1, do: [alert: tilt] }
  - { id: listed, when: open_interest(fut) > 1 && index(fut) > 1 && mark(fut) > 1 && funding(fut) > 1, do: [alert: listed] }
  - { id: soon, when: funding_hours(fut) < 1, do: [alert: soon] }
  - { id: flow, when: 'buy_volume(flow, "1m") > sell_volume(flow, "1m")', do: [ensure: entry] }
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -10%, max_loss: 500 }
  drawdown: { pause: 50%, halt: 60% }
`

async function simulated(what: string): Promise<string> {
  const path = folder.file(`${what}.csv`)
  const words = ['market', '--seeded', 'BTC_PERP', '--for', '20m', '--what', what, '--write', path]
  const { code, stderr } = await rungsHere(words)
  expect(code, stderr).toBe(0)
  return path
}

test('a backtest reads the values that Python computes from the same files', async ({ skip }) => {
  const python = pythonOf()
  skip(python === undefined, 'no python3 of version 3.11 or later was found')
  const [books, futures, trades] = [
    await simulated('depth'),
    await simulated('futures'),
    await simulated('trades'),
  ]
  const script = fileURLToPath(new URL('inputs.py', import.meta.url))
  const { stdout, stderr, status } = spawnSync(python ?? '', [script, books, futures, trades], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  expect(status, stderr).toBe(0)
  const expected = answer.parse(JSON.parse(stdout))
  const stage = await openSimulation({
    strategies: [{ path: 'reads.yaml', text: strategy }],
    markets: new Map([['BTC_PERP', readMarket(trades)]]),
    depth: new Map([['BTC_PERP', readDepth(books)]]),
    futures: new Map([['BTC_PERP', readListing(futures)]]),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  })
  const read = { depth: 0, futures: 0, trades: 0 }
  const journal: typeof stage.journal = {
    ...stage.journal,
    append: (event) => {
      const { state } = stage.engine
      if (event.kind === 'depth') {
        const deep = new DepthObject()
        refreshDepth(state, deep, { key: depthKey('BTC_PERP', { within: '0.001' }), staleMs: 5000 })
        const { bidVolume: bid, askVolume: ask, microPrice: micro } = deep
        const imbalance = functions['imbalance(Depth): double'](deep)
        expect({ bid, ask, imbalance, micro }).toEqual(expected.depth[event.at])
      } else if (event.kind === 'futures') {
        const { mark, index, openInterest, funding, fundingAt } = event
        expect([mark, index, openInterest, funding, fundingAt]).toEqual(expected.futures[event.at])
      } else if (event.kind === 'trades') {
        const window = state.trades?.['BTC_PERP']?.windows['60000']
        if (!window) return
        expect([Number(window.bought), Number(window.sold)]).toEqual(expected.volumes[event.at])
      } else return
      read[event.kind] += 1
    },
  }
  const { rules } = await runSimulation({ ...stage, journal })
  // The backtest begins with the first trade.
  expect(read.depth).toBeGreaterThan(1150)
  expect(read.futures).toBe(119)
  expect(read.trades).toBeGreaterThan(500)
  expect(rules.find(({ rule }) => rule === 'tilt')?.fired).toBeGreaterThan(0)
  expect(rules.find(({ rule }) => rule === 'flow')?.fired).toBeGreaterThan(0)
}, 60_000)
