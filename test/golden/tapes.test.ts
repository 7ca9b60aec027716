import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { rungs } from '#test/cli/support/process.ts'
import { changes, faultOf } from './declared.ts'
import { recordedPath } from './recorded.ts'
import { same, verified, type Verified } from './tapes.ts'

const folder = recordedPath('tapes')
const names = readdirSync(folder).map((file) => file.replace('.tape', ''))
const declared = changes().tapes

describe('a tape of 0.3.2 is read, and its run comes out as it did, or as is declared', () => {
  let found: Map<string, Verified>
  beforeAll(async () => {
    found = await verified(folder)
  })

  test.each(names)('%s', (name) => {
    const now = found.get(name)
    if (!now) throw new RangeError(`verify says nothing of ${name}`)
    expect(now.requests).toBeGreaterThan(20)
    expect(faultOf(declared[name], same(now), now)).toBeUndefined()
  })
})

test('nothing is declared of a tape that is not there', () => {
  expect(Object.keys(declared).filter((name) => !names.includes(name))).toEqual([])
})

test('a tape of 0.3.2 is replayed', async () => {
  const name = '01-static-grid'
  const { stdout, code } = await rungs(['replay', `${folder}/${name}.tape`, '--json'])
  const { requests, matched } = JSON.parse(stdout.trimEnd().split('\n').pop() ?? '')
  const differs = declared[name] !== undefined
  expect({ code, isWhole: matched === requests }).toEqual({ code: differs ? 2 : 0, isWhole: !differs })
})
