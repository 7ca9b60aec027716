import { expect, test } from 'vitest'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import type { Fired } from '#src/research/simulate/faults.ts'
import { shrinkFaults } from '#src/research/simulate/shrink-faults.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'

const [file] = simulatedStrategies()
const base = readYaml('config/exchange.yaml', worldSchema)

/** A run of 160 faults that breaks I4 if all of `causes` take place; each fault that is left out undoes `undone`. */
async function shrink(causes: readonly number[], undone?: { by: number; site: string }) {
  if (file === undefined) throw new RangeError('there is no strategy')
  const fired = Array.from({ length: 160 }, (_, index): Fired => {
    return { site: `orders:${index}`, kind: 'answer lost', step: 'orders' }
  })
  let runs = 0
  const list = await shrinkFaults(
    { seed: 1, world: 'usual', file, base },
    { fired, violations: ['I4: an order', 'I1: two orders'] },
    async ({ only }) => {
      runs += 1
      const happened = fired.filter(
        ({ site }) => only?.has(site) && (site !== undone?.site || only.has(`orders:${undone.by}`)),
      )
      const isBroken = causes.every((cause) => happened.some(({ site }) => site === `orders:${cause}`))
      return {
        fired: happened,
        violations: isBroken ? ['I1: two orders', 'I4: an order'] : ['I1: two orders'],
      }
    },
  )
  return { sites: [...list.keys()], runs }
}

test.each([[[]], [[17]], [[0, 159]], [[3, 80, 81]], [[10, 50, 90, 130, 150]]])(
  'of 160 faults, those that break the invariant remain: %j',
  async (causes) => {
    const { sites, runs } = await shrink(causes)
    expect(sites).toEqual(causes.map((cause) => `orders:${cause}`))
    expect(runs).toBeLessThanOrEqual(200)
  },
)

test('a fault that did not happen in the shorter run is left out', async () => {
  const { sites } = await shrink([17], { by: 3, site: 'orders:99' })
  expect(sites).toEqual(['orders:17'])
})
