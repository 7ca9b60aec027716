import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { vocabulary } from '#src/core/log-events/vocabulary.ts'

const { rungs: format } = z
  .object({
    rungs: z.object({
      json: z.literal(true),
      'level-field': z.literal('level'),
      'timestamp-field': z.literal('time'),
      'body-field': z.string(),
      level: z.record(z.string(), z.string()),
      'line-format': z.array(z.union([z.string(), z.object({ field: z.string() })])),
      value: z.record(z.string(), z.object({ kind: z.enum(['string', 'integer', 'boolean', 'json']) })),
    }),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../config/lnav-rungs.json', import.meta.url), 'utf8')))

const rows = Object.values(vocabulary)
const fields = new Set(rows.flatMap(({ fields }) => fields.map((name) => name.replace('?', ''))))
/** SQL keywords: lnav 0.11 does not quote column names. The fields are shown nevertheless. */
const keywords = ['order', 'where']

test('the lnav format has every field of the events, and no other', () => {
  const columns = Object.keys(format.value)
  const own = new Set(['level', 'type', 'at'])
  expect(columns.filter((name) => !own.has(name)).toSorted()).toEqual(
    [...fields].filter((name) => !keywords.includes(name)).toSorted(),
  )
  // Like lnav creates its table.
  using db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE rungs (${columns.map((name) => `${name} TEXT`).join(', ')})`)
  for (const name of keywords)
    expect(() => db.exec(`CREATE TABLE other (${name} TEXT)`)).toThrow('syntax error')
  const shown = format['line-format'].flatMap((part) => (typeof part === 'string' ? [] : [part.field]))
  expect(shown.filter((name) => !name.startsWith('__') && !columns.includes(name))).toEqual([])
  expect(columns).toContain(format['body-field'])
})

test('each log level is a level of lnav', () => {
  const patterns = Object.values(format.level).map((pattern) => new RegExp(pattern))
  const levels = new Set(rows.map(({ level }) => level))
  for (const level of levels) expect(patterns.filter((pattern) => pattern.test(level))).toHaveLength(1)
  expect(patterns).toHaveLength(levels.size)
})
