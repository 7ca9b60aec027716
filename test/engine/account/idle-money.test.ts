import { expect, test } from 'vitest'
import { EngineHarness, fileOf, hour, noon } from '#test/engine/support/engine-harness.ts'

test('accumulation: an investment waits until the bot knows whether the venue has flexible plans', () => {
  for (const has of [true, false]) {
    const harness = new EngineHarness([fileOf('scheduled-accumulation')], {
      capabilities: ['bulk', 'history', 'balance'],
      pending: ['flex'],
    })
    const alerts = () =>
      harness.steps.flatMap(({ step }) =>
        step.notes.flatMap((note) => (note.type === 'alert' ? [note.message] : [])),
      )
    // To the night of the next day.
    harness.at = noon + 12 * hour
    harness.wait(0)
    harness.account({ USDT: '900' }, { USDT: '5000' })
    harness.wait(hour)
    expect(alerts()).toEqual([
      'nothing invested: the venue has not yet reported whether it has flexible plans; the bot asks again',
    ])
    const { commands } = harness.tell({ kind: 'capability', capability: 'flex', has })
    expect(commands.map(({ kind }) => kind)).toEqual(has ? ['invest'] : [])
    expect(alerts().slice(1)).toEqual(has ? [] : ['nothing invested: the venue has no flexible plans'])
    expect(harness.engine.state.venue.capabilities.includes('flex')).toBe(has)
    expect(harness.engine.state.venue.pending).toBeUndefined()
  }
})
