import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readResultLines, resultLines } from '#src/research/backtest/result/result-file.ts'
import { resultJsonSchema } from '#src/research/backtest/result/result-schema.ts'
import { backtestText } from '#src/cli/backtest/backtest-text.ts'
import { olderResult, sampleResult } from './sample-result.ts'

const path = fileURLToPath(new URL('../../../config/backtest.schema.json', import.meta.url))
const stored: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'))
const lines = [...resultLines(sampleResult, 12.5)]

test('config/backtest.schema.json is current: rungs report --schema writes it', () => {
  expect(stored).toEqual(JSON.parse(JSON.stringify(resultJsonSchema())))
})

test('every line fits the schema, and none with an additional key does', () => {
  const schema = z.fromJSONSchema(stored)
  for (const line of lines) {
    expect(schema.safeParse(JSON.parse(line)).error?.issues).toBeUndefined()
    expect(schema.safeParse({ ...JSON.parse(line), more: 1 }).success).toBe(false)
  }
})

test('the last line has the sums', () => {
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    fills: sampleResult.fills.length,
    netProfit: sampleResult.summary.netProfit,
    elapsedMs: 12.5,
  })
})

test('stored lines are read back as the same result', () => {
  expect(readResultLines('kept.json', `${lines.join('\n')}\n`)).toEqual({ ...sampleResult, elapsedMs: 12.5 })
})

test('a result without measures, months, parameters and texts is still read, and has no empty parts', () => {
  const older = [...resultLines(olderResult, 12.5)]
  expect(older.at(-1)).not.toMatch(/roundTrips|months|parameters|"hold"/)
  const read = readResultLines('kept.json', older.join('\n'))
  expect(read).toEqual({ ...olderResult, elapsedMs: 12.5 })
  expect(backtestText(read, 1)).not.toMatch(/round trips|CAGR|buy and hold/)
})

test.each([
  ['', 'kept.json is empty'],
  ['{"fills":', 'kept.json:1 is not JSON'],
  [
    lines.slice(1).join('\n'),
    `kept.json has ${lines.length - 2} fills, its last line says ${lines.length - 1}`,
  ],
  [lines.slice(0, 2).join('\n'), /^kept\.json:2 .*: Invalid input/],
  [lines.join('\n').replace('"side":"buy"', '"side":"bye"'), /^kept\.json:1 side: Invalid option/],
])('an invalid result is reported with its line, %#', (text, seen) => {
  expect(() => readResultLines('kept.json', text)).toThrowError(
    expect.objectContaining({ code: 'FILE_INVALID', seen: expect.stringMatching(seen) }),
  )
})
