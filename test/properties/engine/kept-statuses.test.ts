import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Engine } from '#src/engine/engine.ts'
import type { RungStatus } from '#src/engine/ladder/reason.ts'
import { rungStatuses } from '#src/engine/ladder/rung-status.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { HorizonRecorder } from '#src/research/backtest/jump/horizon.ts'
import { runs } from '#test/properties/runs.ts'
import { acts, play } from './random-events.ts'

/** What an engine has compiled: kept statuses belong to it. */
function compiledIn(engine: Engine): ReadonlyMap<string, Compiled> {
  let compiled: ReadonlyMap<string, Compiled> = new Map()
  const recorder = engine.record((state, known) => new HorizonRecorder(state, (compiled = known)))
  recorder.isDue = () => true
  return compiled
}

const statusText = ({ rung, order, ...status }: RungStatus) =>
  JSON.stringify([rung.level, order?.id ?? null, status])

test('the kept statuses of a ladder are those that all of its rungs have now', () => {
  let kept = 0
  fc.assert(
    fc.property(acts, (acts) => {
      let compiled: ReadonlyMap<string, Compiled> | undefined
      play(acts, (_event, _step, engine) => {
        const { state } = engine
        compiled ??= compiledIn(engine)
        for (const name of state.running) {
          const [known, own] = [compiled.get(name), state.strategies[name]]
          if (!known || !own) continue
          for (const ladder of known.ladders) {
            const mine = own.ladders[ladder.name]!
            const other = { ...mine, rungs: [...mine.rungs] }
            const copy = { ...own, ladders: { ...own.ladders, [ladder.name]: other } }
            const [now, anew] = [own, copy].map((each) => rungStatuses(state, known, each)(ladder))
            const { all, unsettled, resting } = now!
            const [texts, others] = [all, anew!.all].map((each) => each.map(statusText).join('\n'))
            if (texts !== others) expect(texts).toBe(others)
            const settled = all.filter((status) => !unsettled.includes(status))
            expect(settled.filter(({ order }) => order !== null)).toHaveLength(resting)
            kept += settled.length
          }
        }
      })
    }),
    runs(12, 200, 4),
  )
  expect(kept).toBeGreaterThan(1000)
})
