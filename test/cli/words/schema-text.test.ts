import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'

test.each([
  ['check', 'config/strategy.schema.json'],
  ['report', 'config/backtest.schema.json'],
  ['record', 'config/tape.schema.json'],
])('rungs %s --schema prints %s, byte for byte', async (command, path) => {
  const { code, stdout } = await rungsHere([command, '--schema'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: readFileSync(path, 'utf8') })
})
