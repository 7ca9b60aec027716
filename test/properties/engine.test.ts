import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { Event } from '#src/engine/events.ts'
import type { State } from '#src/engine/state.ts'
import type { Step } from '#src/engine/turn.ts'
import { acts, Mayhem, type Act } from './engine-mayhem.ts'
import { runs } from './runs.ts'

const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

/** Lets all of it happen to one engine, and looks at each step. */
function lived(
  acts: readonly Act[],
  look: (event: Event, step: Step, engine: Engine, before: State) => void,
): Event[] {
  const engine = new Engine(null)
  const mayhem = new Mayhem()
  const events: Event[] = []
  const happen = (event: Event | undefined) => {
    if (!event) return
    const before = copyOf(engine.state)
    const step = engine.step(copyOf(event))
    events.push(event)
    look(event, step, engine, before)
    mayhem.take(step.commands)
  }
  happen(mayhem.begin())
  for (const act of acts) happen(mayhem.event(act, engine.state))
  return events
}

test('whatever happens, no level has two orders, no id comes back, and nothing leaves that was stopped', () => {
  let sent = 0
  fc.assert(
    fc.property(acts, (acts) => {
      const used = new Map<string, string>()
      lived(acts, (event, step, { state }, before) => {
        const alive = Object.values(state.orders).filter(({ status }) => status !== 'ended')
        const labels = alive.map(({ strategy, ladder, level }) => `${strategy}.${ladder}.${level}`)
        expect(new Set(labels).size).toBe(labels.length)
        const open = Object.values(state.strategies).flatMap(({ ladders }) =>
          Object.values(ladders).flatMap(({ open }) => Object.values(open)),
        )
        expect(open.toSorted()).toEqual(alive.map(({ id }) => id).toSorted())
        for (const command of step.commands) {
          if (command.kind !== 'submit') continue
          sent += command.orders.length
          expect(state.stopped).toBeNull()
          expect(state.ending).toBe(false)
          expect(state.strategies[command.strategy]?.halted).toBeNull()
          expect(command.orders.length).toBeLessThanOrEqual(state.venue.batchMax)
          expect(Object.keys(state.chunks)).toContain(String(command.chunk))
          for (const { id, price, amount, side } of command.orders) {
            const content = `${side} ${amount} ${price}`
            // The same id only for the same order, while nobody knows whether it exists.
            if (used.has(id)) {
              const status = before.orders[id]?.status
              expect(used.get(id)).toBe(content)
              expect(status === 'doubtful' || (status === 'sending' && event.kind !== 'tick')).toBe(true)
            }
            used.set(id, content)
          }
        }
        if (event.kind === 'operator' && event.act === 'stop')
          expect(step.commands.filter(({ kind }) => kind === 'submit')).toEqual([])
      })
    }),
    runs(40, 5000),
  )
  expect(sent).toBeGreaterThan(500)
})

test('what an engine is, is its state as plain JSON: another one goes on from it in the same steps', () => {
  fc.assert(
    fc.property(acts, fc.nat(100), (acts, later) => {
      const steps: string[] = []
      const states: string[] = []
      const events = lived(acts, (_, step, { state }) => {
        if (steps.length % 10 === 0) expect(copyOf(state)).toEqual(state)
        steps.push(JSON.stringify(step))
        states.push(JSON.stringify(state))
      })
      const again = new Engine(null)
      const cut = later % events.length
      let restored: Engine | undefined
      for (const [index, event] of events.entries()) {
        expect(JSON.stringify(again.step(copyOf(event)))).toBe(steps[index])
        expect(JSON.stringify(again.state)).toBe(states[index])
        if (restored) {
          expect(JSON.stringify(restored.step(copyOf(event)))).toBe(steps[index])
          expect(JSON.stringify(restored.state)).toBe(states[index])
        } else if (index === cut) restored = new Engine(copyOf(again.state))
      }
    }),
    runs(20, 3000),
  )
})
