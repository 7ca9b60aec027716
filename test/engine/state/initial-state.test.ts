import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { stateWith } from '#test/engine/support/state-fixture.ts'

test('a state of another version is refused by name, and one of this version is continued', () => {
  expect(new Engine(stateWith()).state.orders).toEqual({})
  expect(() => new Engine({ ...stateWith(), form: 1 })).toThrow(/another version of the bot wrote/)
})
