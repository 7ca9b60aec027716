import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { play } from '#src/backtest/run.ts'
import { openStage, type Stage } from '#src/backtest/stage.ts'
import type { BacktestInput } from '#src/backtest/result.ts'
import { actingInput, actors } from './acting.ts'

/** What leaves for the venue, and when; and what came of it. */
async function played(input: BacktestInput, change: (stage: Stage) => Partial<Stage> = () => ({})) {
  const stage = await openStage(input)
  const sent: unknown[] = []
  const journal: Stage['journal'] = {
    ...stage.journal,
    append: ({ at }, { commands }) => sent.push(...commands.map((command) => [at, command])),
  }
  const result = await play({ ...stage, journal, ...change(stage) })
  return { sent, result }
}

/** Somebody looks at every point and once a second, besides when the strategies ask for it. */
function everywhere({ scene, still, horizon }: Stage): Partial<Stage> {
  const bands = new Map([...scene.markets.keys()].map((symbol) => [symbol, { below: 0, above: 0 }]))
  const second = () => still.clock.now() - (still.clock.now() % 1000) + 1000
  return { horizon: () => ({ at: Math.min(horizon().at, second()), bands }) }
}

describe.each(actors)('%s', (name) => {
  test.each([2, 3])(
    'does nothing else when somebody looks at every point and every second, in market %d',
    async (seed) => {
      const leaping = await played(actingInput(name, seed))
      const watching = await played(actingInput(name, seed), everywhere)
      expect(leaping.result.summary.fills).toBeGreaterThan(0)
      // The first that differs says more than all of them.
      const other = watching.sent.findIndex((each, index) => !isDeepStrictEqual(each, leaping.sent[index]))
      expect(watching.sent[other]).toEqual(leaping.sent[other])
      expect(watching.sent).toHaveLength(leaping.sent.length)
      expect(watching.result).toEqual(leaping.result)
    },
    120_000,
  )
})
