import { expect, test } from 'vitest'
import { worldNames, worlds, type SimulatedWorld } from '#src/research/simulate/worlds.ts'
import { switches, type Switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import { experiments } from '#src/venues/whitebit/probe/experiments.ts'
import { usualAmendments } from './other-venues.ts'
import { ProbeGround } from './probe-ground.ts'

const usual = {
  spelling: 'spec',
  unknownParameters: 'split',
  blanksInBody: 'accept',
  historySpan: 'none',
  nonce: 'strict',
  refusalStatus: 'split',
  batchMax: '20',
  restingStatus: 'OPEN',
  executionDelay: '0s',
  historyLag: '0s',
  settle: '0s',
  collateralFreeze: 'shown',
  clientIds: 'forever',
  postOnlyCross: 'refused',
  ...usualAmendments,
  failedElement: 'continues',
  stopOnFailAnswer: 'included',
  shortSide: 'accepted',
  tooManyRequests: null,
  rateLimits: null,
  takerBand: null,
}

/** What a probe must find where a switch stands like this. */
function expectedFor(turned: Partial<Switches>) {
  const { clientIds, batchMax, historyLag = 0, executionDelay = 0, historySpan = Infinity, ...rest } = turned
  const { tooManyRequests: _rates, rateLimits: _limits, takerBand: _band, priceBand: _prices, ...told } = rest
  const seconds = (historyLag + executionDelay) / 1000
  return {
    ...usual,
    ...told,
    ...(told.postOnlyCross && { amendCross: told.postOnlyCross }),
    ...(clientIds === 'live' && { clientIds: 'until-ended' }),
    ...(batchMax !== undefined && { batchMax: batchMax === Infinity ? '40 or more' : String(batchMax) }),
    ...(historySpan < Infinity && { historySpan: `${historySpan / 86_400_000}d` }),
    historyLag: `${historyLag / 1000}s`,
    executionDelay: `${executionDelay / 1000}s`,
    settle: `${seconds}s`,
  }
}

test('each switch of a world has an experiment, or a reason against one', () => {
  const topics = new Set<string>(experiments.flatMap(({ finds }) => finds))
  expect(Object.keys(switches.shape).filter((name) => !topics.has(name))).toEqual([])
})

const simulated: [string, Partial<Switches>][] = worldNames.map((name) => {
  const world: SimulatedWorld = worlds[name]
  return [name, world.switches]
})
const more: [string, Partial<Switches>][] = [
  ['no batch maximum', { batchMax: Infinity }],
  ['a batch maximum of 3', { batchMax: 3 }],
  ['short side refused', { shortSide: 'refused' }],
  ['status NEW', { restingStatus: 'NEW' }],
  ['status 400', { refusalStatus: '400' }],
  ['unknown parameters ignored', { unknownParameters: 'ignore' }],
  ['unknown parameters refused', { unknownParameters: 'refuse' }],
  ['blanks refused', { blanksInBody: 'refuse' }],
  ['a history of 31 days', { historySpan: 31 * 86_400_000 }],
  ['all late', { historyLag: 10_000, executionDelay: 4000 }],
]

for (const [name, turned] of [...simulated, ...more]) {
  test(`each switch of the world "${name}" is named, and no order is left`, async () => {
    const ground = new ProbeGround({ switches: turned })
    const { priceBand, ...values } = await ground.values()
    expect(values).toEqual(expectedFor(turned))
    // The price moves while the band is searched.
    expect(Math.abs(Number(priceBand) - 50)).toBeLessThanOrEqual(1)
    expect(ground.openOrders()).toBe(0)
    expect(ground.nonceAheadMs).toBeLessThanOrEqual(5000)
  })
}

test('in the other spelling, the probe finds the name of the client order id, and its orders have ids', async () => {
  const ground = new ProbeGround({ spelling: 'camel' })
  const { priceBand: _, ...values } = await ground.values()
  expect(values).toEqual({ ...usual, spelling: 'camel' })
})

for (const [priceBand, found] of [
  [Infinity, 'none'],
  [12, '12'],
] as const) {
  test(`a price band of ${priceBand} percent is found, and orders stay within it`, async () => {
    const ground = new ProbeGround({ switches: { priceBand } })
    const { priceBand: value, ...values } = await ground.values()
    expect(values).toEqual(usual)
    if (found === 'none') expect(value).toBe(found)
    else expect(Math.abs(Number(value) - Number(found))).toBeLessThanOrEqual(1)
  })
}

test('what an experiment cannot tell is not guessed: a bulk of two orders shows no stop', async () => {
  const results = await new ProbeGround({ switches: { batchMax: 2 } }).results()
  const stop = results.find(({ about }) => about === 'stopOnFailAnswer')
  expect(stop).toMatchObject({
    value: null,
    found: expect.stringContaining('may not have more than 2 items'),
  })
  expect(stop?.settings).toBeUndefined()
})

test('where no call lists and cancels orders, the probe only reads', async () => {
  const ground = new ProbeGround({ profile: 'spec' })
  const { blanksInBody, nonce, refusalStatus, ...rest } = await ground.values()
  expect({ blanksInBody, nonce, refusalStatus }).toEqual({
    blanksInBody: 'accept',
    nonce: 'strict',
    refusalStatus: 'split',
  })
  expect(new Set(Object.values(rest))).toEqual(new Set([null]))
  expect(ground.paths).not.toContain('/api/v4/order/collateral/bulk')
})

test('without money in the account, each finding names the reason why nothing was found out', async () => {
  const ground = new ProbeGround({ switches: {}, poor: true })
  const results = await ground.results()
  const values = Object.fromEntries(results.map(({ about, value, found }) => [about, value ?? found]))
  expect(values).toMatchObject({
    spelling: 'spec',
    batchMax: '20',
    priceBand: 'not found out: code 10, "Validation failed; amount: Not enough balance."',
    clientIds: expect.stringContaining('no price is known'),
  })
  expect(ground.openOrders()).toBe(0)
})

test('in hedge mode, orders name their side', async () => {
  const ground = new ProbeGround()
  const account = ground.exchange.state.accounts.get('paper')
  if (account) account.collateral.hedged = true
  const { priceBand: _, ...values } = await ground.values()
  expect(values).toEqual(usual)
})

test('the market can be named, and an unknown one is refused with the names of others', async () => {
  const ground = new ProbeGround()
  const { priceBand: _, ...values } = await ground.values(undefined, 'BTC_PERP')
  expect(values).toEqual(usual)
  await expect(ground.values(undefined, 'BTC_PREP')).rejects.toThrow(/BTC_PERP/)
})

test('a nonce that an earlier process reserved ahead of the time is waited for', async () => {
  const ground = new ProbeGround()
  const ceiling = ground.clock.now() + 30_000
  ground.trace = { ceiling, recent: [] }
  expect(await ground.values()).toMatchObject({ nonce: 'strict', clientIds: 'forever' })
  expect(ground.clock.now()).toBeGreaterThan(ceiling)
  expect(ground.nonceAheadMs).toBeLessThanOrEqual(5000)
})
