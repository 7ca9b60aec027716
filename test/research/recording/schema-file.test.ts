import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { HashChain } from '#src/core/log/hash-chain.ts'
import { chainedLine, tapeChain } from '#src/research/recording/tape-chain.ts'
import { tapeJsonSchema } from '#src/research/recording/json-schema.ts'
import { events, header } from './tape-fixture.ts'

const path = fileURLToPath(new URL('../../../config/tape.schema.json', import.meta.url))
const stored: Record<string, unknown> = JSON.parse(readFileSync(path, 'utf8'))

test('config/tape.schema.json is current: rungs record --schema writes it', () => {
  expect(stored).toEqual(JSON.parse(JSON.stringify(tapeJsonSchema())))
})

test('written lines fit the schema, and others do not', () => {
  const line = z.fromJSONSchema(stored)
  const chain = new HashChain(tapeChain)
  const lines = [header, ...events, { kind: 'end', at: 1 }].map((each): unknown =>
    JSON.parse(chainedLine(chain, each)),
  )
  for (const each of lines) expect(line.safeParse(each).error?.issues).toBeUndefined()
  for (const more of [{ chain: 'x' }, { kind: 'else' }, { at: 'now' }, { more: 1 }]) {
    for (const each of lines) expect(line.safeParse(Object.assign({}, each, more)).success).toBe(false)
  }
})
