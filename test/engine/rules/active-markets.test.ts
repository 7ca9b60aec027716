import { expect, test } from 'vitest'
import { explanationsNow } from '#src/engine/explain/explanations.ts'
import { limitUsageOf } from '#src/engine/risk/limit-usage.ts'
import { reloadFaults } from '#src/engine/rules/reload-compatibility.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { replayExplanation } from '#test/engine/support/explanation-replay.ts'
import { EngineHarness, venue } from '#test/engine/support/engine-harness.ts'
import { closes, loopedMarkets } from '#test/engine/support/looped-markets.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'

const all = 'BTC_PERP, ETH_PERP, SOL_PERP'
const [BTC_PERP, ETH_PERP, SOL_PERP] = [300, 200, 100]
const ids = (...markets: string[]) =>
  markets.flatMap((market) => [1, 2].map((level) => `many.dip_${market}.${level}.1`))
const restingIn = (harness: EngineHarness) =>
  [...new Set(harness.resting().map((id) => String(id.split('.')[1]).replace('dip_', '')))].toSorted()

test('of three markets the two with the highest rank place entries', () => {
  const harness = new EngineHarness([loopedMarkets(all, 2)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  expect(harness.resting().toSorted()).toEqual(ids('btc', 'eth'))
})

test('of equal ranks the first of the list is active, and a market with an unknown or false condition is not', () => {
  const harness = new EngineHarness([loopedMarkets(all, 2)])
  closes(harness, { BTC_PERP: 200, SOL_PERP: 200, ETH_PERP: 200 })
  expect(restingIn(harness)).toEqual(['btc', 'eth'])
  const late = new EngineHarness([loopedMarkets(all, 2)])
  closes(late, { BTC_PERP: 40, SOL_PERP: 100 })
  expect(restingIn(late)).toEqual(['sol'])
})

/** A process whose feeds come one after the other: the best market has not come yet. */
const started = () => {
  const harness = new EngineHarness([loopedMarkets(all, 2)])
  harness.begin({ readsFirst: true })
  harness.tell({ kind: 'accountRead' })
  const come = (market: string, price: number) => {
    harness.settle(harness.quote(market, price, 0.02))
    harness.settle(harness.candle(market, '1m', price))
    harness.settle(harness.wait(1000))
  }
  come('SOL_PERP', SOL_PERP)
  come('ETH_PERP', ETH_PERP)
  return { harness, come }
}

test('at a start, feeds come one after the other, and the worst market does not trade because its feed came first', () => {
  const { harness, come } = started()
  expect(restingIn(harness)).toEqual(['eth'])
  come('BTC_PERP', BTC_PERP)
  harness.settle(harness.wait(1000))
  expect(restingIn(harness)).toEqual(['btc', 'eth'])
  // A feed that does not come blocks the others for a minute only.
  const { harness: other } = started()
  other.at += 60_000
  for (const [market, price] of Object.entries({ SOL_PERP, ETH_PERP }))
    other.settle(other.quote(market, price, 0.02))
  other.settle(other.wait(1000))
  expect(restingIn(other)).toEqual(['eth', 'sol'])
})

test('a market that is not selected any more is retired, and the next one waits until its orders have ended', () => {
  const harness = new EngineHarness([loopedMarkets(all, 1)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  expect(harness.resting()).toEqual(ids('btc'))
  harness.at += 60_000
  harness.quote('ETH_PERP', 400, 0.02)
  const step = harness.candle('ETH_PERP', '1m', 400)
  const next = harness.wait(1000)
  const commands = [...step.commands, ...next.commands]
  expect(commands.map(({ kind }) => kind)).toEqual(['cancel'])
  const { state } = harness.engine
  const compiled = compileStrategy(loopedMarkets(all, 1), venue)!
  const why = explanationsNow(state, compiled, state.strategies['many']!).map(({ ladder, rungs }) => {
    return [ladder, rungs[0]?.why, rungs[0]?.change]
  })
  expect(why).toEqual([
    ['dip_btc', expect.anything(), expect.anything()],
    [
      'dip_eth',
      'for_each active m 1 would be 2 with this order',
      'another market of the loop must be flat first, without open orders',
    ],
    ['dip_sol', 'the goal of the ladder is retire', 'rule place_sol needs active(sol), which is false'],
  ])
  harness.settle({ ...next, commands })
  harness.settle(harness.wait(1000))
  harness.settle(harness.wait(1000))
  expect(harness.resting()).toEqual(ids('eth'))
})

test('a market with a position stays active until it is flat, counts, and its exits go on', () => {
  const harness = new EngineHarness([loopedMarkets(all, 1)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  harness.settle(harness.fill('many.dip_btc.1.1'))
  closes(harness, { BTC_PERP: 45, ETH_PERP, SOL_PERP })
  expect(restingIn(harness)).toEqual(['btc'])
  closes(harness, { BTC_PERP, ETH_PERP: 400, SOL_PERP })
  expect(restingIn(harness)).toEqual(['btc'])
  expect(usage(harness)).toEqual(['for_each active m: 1 of 1'])
  // The take profit closes the position.
  closes(harness, { BTC_PERP: 310, ETH_PERP: 400, SOL_PERP })
  expect(harness.engine.state.strategies['many']?.holdings['btc']?.position).toBe('0')
  closes(harness, { BTC_PERP: 310, ETH_PERP: 400, SOL_PERP })
  expect(restingIn(harness)).toEqual(['eth'])
})

test('a position that the venue would not close keeps no place', () => {
  const harness = new EngineHarness([loopedMarkets(all, 1)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  harness.settle(harness.fill('many.dip_btc.1.1', 0.01))
  closes(harness, { BTC_PERP, ETH_PERP: 400, SOL_PERP })
  closes(harness, { BTC_PERP, ETH_PERP: 400, SOL_PERP })
  expect(restingIn(harness)).toEqual(['eth'])
})

test('after a restart the same markets are active, and no order is placed again', () => {
  const harness = new EngineHarness([loopedMarkets(all, 2)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  harness.settle(harness.fill('many.dip_eth.1.1'))
  const before = harness.resting()
  const count = Object.keys(harness.engine.state.orders).length
  harness.begin()
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  expect(harness.resting()).toEqual(before)
  expect(Object.keys(harness.engine.state.orders)).toHaveLength(count)
})

test('candles that are stale after a long downtime cancel nothing, and place nothing', () => {
  const harness = new EngineHarness([loopedMarkets(all, 1)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  harness.at += 3_600_000
  const steps = [harness.begin(), harness.wait(1000), harness.wait(1000)]
  expect(steps.flatMap(({ commands }) => commands.filter(({ kind }) => kind !== 'look'))).toEqual([])
  expect(harness.resting()).toEqual(ids('btc'))
  closes(harness, { ETH_PERP: 400, BTC_PERP, SOL_PERP })
  expect(harness.resting()).toEqual(ids('eth'))
})

test('a market that a reload adds joins, and nothing of the others changes', () => {
  const two = loopedMarkets('BTC_PERP, ETH_PERP', 3).replace('last(px_$m) > 0', 'last(px_$m) > 0, for: 90s')
  const harness = new EngineHarness([two])
  closes(harness, { BTC_PERP, ETH_PERP })
  closes(harness, { BTC_PERP, ETH_PERP })
  closes(harness, { BTC_PERP, ETH_PERP })
  expect(harness.resting().toSorted()).toEqual(ids('btc', 'eth'))
  const own = () => structuredClone(harness.engine.state.strategies['many']!)
  const before = own()
  const three = two.replace('BTC_PERP, ETH_PERP', 'SOL_PERP, BTC_PERP, ETH_PERP')
  harness.settle(harness.tell({ kind: 'reloaded', name: 'many', text: three }))
  const after = own()
  for (const name of ['btc', 'eth']) {
    expect(after.ladders[`dip_${name}`]).toEqual(before.ladders[`dip_${name}`])
    expect(after.rules[`place_${name}`]).toEqual(before.rules[`place_${name}`])
    expect(after.feeds[`px_${name}`]).toEqual(before.feeds[`px_${name}`])
  }
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  expect(harness.resting().toSorted()).toEqual(ids('btc', 'eth', 'sol'))
})

test('a market with a position cannot leave the list', () => {
  const harness = new EngineHarness([loopedMarkets(all, 2)])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  harness.settle(harness.fill('many.dip_btc.1.1'))
  const { strategy } = strategyIn(loopedMarkets('ETH_PERP, SOL_PERP', 2))
  const [message] = reloadFaults(harness.engine.state, strategy).map((fault) => fault.message)
  expect(message).toBe('a position is open under the name "btc", which means BTC_PERP long')
})

test('each explanation can be repeated from its inputs', () => {
  const text = loopedMarkets(all, 1)
  const harness = new EngineHarness([text])
  closes(harness, { BTC_PERP, ETH_PERP, SOL_PERP })
  closes(harness, { BTC_PERP, ETH_PERP: 400, SOL_PERP })
  const explained = harness.steps.flatMap(({ step }) => step.decisions).filter(({ seen }) => seen !== null)
  expect(explained.length).toBeGreaterThan(2)
  for (const explanation of explained) expect(replayExplanation(explanation, text)).toEqual(explanation)
})

function usage(harness: EngineHarness): string[] {
  const { strategy } = strategyIn(loopedMarkets(all, 1))
  return limitUsageOf(harness.engine.state, strategy)
    .filter(({ limit }) => limit.startsWith('for_each'))
    .map(({ limit, used, most }) => `${limit}: ${used} of ${most}`)
}
