import { expect, test } from 'vitest'
import {
  exitName,
  levelOf,
  mirrorKey,
  mirrorLabel,
  numbered,
  partLabel,
  readExitLabel,
  wholeNames,
} from '#src/strategy/schema/exit-labels.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'

test.each(wholeNames)('a label of the exit %s is read as this exit', (name) => {
  const label = wholeLabels[name]
  expect(readExitLabel(label)).toEqual({ name, key: '' })
  expect(readExitLabel(numbered(label, 2))).toEqual({ name, key: '' })
})

test.each(['1', '12', 'b1', 's12'])('the label %s of a rung is the label of no exit', (level) => {
  expect(readExitLabel(level)).toBeNull()
  expect(readExitLabel(mirrorLabel(level))).toEqual({ name: 'mirror', key: level })
  const second = mirrorLabel(numbered(level, 2))
  expect(readExitLabel(second)).toEqual({ name: 'mirror', key: `${level}-2` })
  expect(levelOf(mirrorKey(second) ?? '')).toBe(level)
})

test('the label of a part of the take profit is read with its number', () => {
  expect(readExitLabel(numbered(partLabel(9), 3))).toEqual({ name: 'take_profit', key: '10' })
})

test('a label of no known exit is shown as it is', () => {
  expect(exitName(mirrorLabel('1'))).toBe('mirror')
  expect(exitName(partLabel(0))).toBe('take_profit')
  expect(exitName('xy')).toBe('xy')
})
