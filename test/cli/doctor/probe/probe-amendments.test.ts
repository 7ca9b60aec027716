import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { times } from '#test/properties/runs.ts'
import { otherVenues, usualAmendments } from './other-venues.ts'
import { kills, ProbeGround } from './probe-ground.ts'

const none = Object.fromEntries(Object.keys(usualAmendments).map((about) => [about, null]))

/** What a probe finds at each of them, and what it reports as dangerous. */
const findings: Record<keyof typeof otherVenues, [found: object, dangers?: readonly string[]]> = {
  'keeps the id': [{ amendId: 'kept', amendLists: null }],
  'loses the client order id': [{ amendClientId: 'lost' }, ['amendClientId']],
  'gives another client order id': [{ amendClientId: 'changed' }, ['amendClientId']],
  'keeps the amount': [{ amendTerms: 'other' }],
  'leaves the old order open': [{ amendLists: 'both open' }, ['amendLists']],
  'does not list the end': [{ amendLists: 'no end' }],
  'amends an order that has ended': [{ amendGone: 'accepted' }, ['amendGone']],
  'has other words for an order that has ended': [{ amendGone: 'refused' }],
  'ends an order whose amendment it refuses': [{ amendRefused: 'ended', amendCross: 'refused, ended' }],
  'takes with an amended postOnly order': [{ amendCross: 'ignored' }, ['amendCross']],
  'drops postOnly of an amended order': [{ amendCross: null }],
  'does not offer amendments': [none],
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const names = Object.keys(otherVenues) as (keyof typeof otherVenues)[]

test.each(names)('a venue that %s is found out, and no order is left', async (name) => {
  const ground = new ProbeGround({ isOneMarket: true, otherwise: otherVenues[name] })
  const results = await ground.results()
  const about = results.filter((result) => Object.hasOwn(usualAmendments, result.about))
  const [found, dangers = []] = findings[name]
  expect(Object.fromEntries(about.map((result) => [result.about, result.value]))).toEqual({
    ...usualAmendments,
    ...found,
  })
  expect(results.filter(({ isDanger }) => isDanger === true).map((result) => result.about)).toEqual(dangers)
  expect(ground.openOrders()).toBe(0)
})

/** The account has this position if a venue takes with an order that must not take. */
const positionOf = ({ exchange }: ProbeGround) =>
  exchange.state.accounts.get('paper')?.collateral.open.filter(({ lots }) => lots !== 0).length

test('the probe sends no amendment that would take to a venue that does not confirm postOnly', async () => {
  const careful = new ProbeGround({
    isOneMarket: true,
    otherwise: otherVenues['drops postOnly of an amended order'],
  })
  await careful.values()
  const bold = new ProbeGround({
    isOneMarket: true,
    otherwise: otherVenues['takes with an amended postOnly order'],
  })
  await bold.values()
  expect([positionOf(careful), positionOf(bold)]).toEqual([0, 1])
})

const killed = ['loses the client order id', 'leaves the old order open', 'keeps the id'] as const

test.each(killed)(
  'a probe that is killed while a venue that %s amends leaves nothing behind',
  async (name) => {
    const otherwise = otherVenues[name]
    const whole = new ProbeGround({ isOneMarket: true, otherwise })
    await whole.values()
    const amendments = whole.paths.flatMap((path, index) =>
      path === contract.modifyOrder.path ? [index + 1, index + 2] : [],
    )
    expect(amendments.length).toBeGreaterThan(6)
    let left = 0
    for (const at of amendments.slice(0, times(3, amendments.length))) {
      for (const how of kills) {
        const ground = new ProbeGround({ isOneMarket: true, otherwise })
        await ground.runKilled({ at, how })
        left += ground.openOrders() + ground.underway
        const next = ground.driver()
        if (next.isUnfinished) await next.clear()
        expect({ at, how, open: ground.openOrders(), underway: ground.underway }).toEqual({
          at,
          how,
          open: 0,
          underway: 0,
        })
      }
    }
    expect(left).toBeGreaterThan(3)
  },
)
