import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { isSlowRun, times } from '#test/properties/runs.ts'
import { actingInput, actors } from './scripted-actions.ts'
import { played } from './step-everywhere.ts'

/** Its limits keep some of its lines back in this market, so that each answer is thought about. */
const unsettled = '03-trailing-volatility-grid.yaml'

/** A part of the market in `npm test`, of those that act soon. */
const part = (name: string) => (/^0[27]/.test(name) ? 1 : times(1, 1, 0.4))

test.each(actors.filter((name) => isSlowRun || name !== unsettled))(
  '%s has nothing to do after an answer that it was not asked to think about',
  async (name) => {
    let quiet = 0
    await played(actingInput(name, 2, part(name)), ({ engine, journal }) => ({
      journal: {
        ...journal,
        append(event, step) {
          const { strategies, orders, at } = engine.state
          const isQuiet =
            event.kind === 'answered' &&
            step.commands.length === 0 &&
            event.orders.every(({ kind }) => kind === 'accepted') &&
            Object.values(strategies).every(({ settled }) => settled)
          if (!isQuiet) return
          quiet += 1
          expect(Object.values(orders).filter(({ status }) => status === 'sending')).toEqual([])
          const other = new Engine(structuredClone(engine.state), { tells: false })
          const { commands } = other.step({ kind: 'tick', at })
          expect({ at, commands }).toEqual({ at, commands: [] })
        },
      },
    }))
    if (name !== unsettled) expect(quiet).toBeGreaterThan(0)
  },
)
