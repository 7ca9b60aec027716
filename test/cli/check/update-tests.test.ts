import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** The file after `rungs check --update-tests`, and what the command printed. */
async function updated(name: string, text: string) {
  const path = folder.file(name)
  writeFileSync(path, text, { mode: 0o640 })
  const { code, stderr } = await rungsHere(['check', path, '--update-tests'])
  expect(statSync(path).mode & 0o777).toBe(0o640)
  return { code, stderr, text: readFileSync(path, 'utf8') }
}

const expected = 'grid: { count: 20, first: buy 0.001764 at 59500, last: sell 0.001615 at 65000 }'

test('the computed values replace those that differ, and all other text stays', async () => {
  const changed = gridWith(['total: 2100 quote', 'total: 1900 quote'], ['place: true', 'place: false'])
  const { code, stderr, text } = await updated('changed.yaml', changed)
  // By hand: 1900 / 20 lines = 95; 95 / 59500 = 0.0015966, 95 / 65000 = 0.0014615, both down to six digits.
  const now = expected.replace('0.001764', '0.001596').replace('0.001615', '0.001461')
  expect(text).toBe(changed.replace('place: false', 'place: true').replace(expected, now))
  expect(stderr).toContain('3 expected values updated')
  expect(stderr).toMatch(/rungs\.grid\.first +buy 0\.001596 at 59500/)
  expect(code).toBe(0)
})

test.each([
  ['a list on one line', 'grid: [buy 1 at 2]'],
  [
    'a list over several lines',
    'grid:\n          - buy 1 at 2 # the first\n          - sell 1 at 3\n          - sell 1 at 4\n',
  ],
])('%s of another length becomes the list of all rungs', async (_, list) => {
  const { code, text } = await updated(
    `${list.length}.yaml`,
    gridWith([expected, list], ['levels: 21', 'levels: 3']),
  )
  // Three lines: 55000, 60000 (the anchor, no rung) and 65000; 2100 / 2 = 1050 each.
  expect(text).toContain('[buy 0.01909 at 55000, sell 0.016153 at 65000]')
  expect(code).toBe(0)
})

test('a file with other problems keeps its tests, and a file without differences stays as it is', async () => {
  const broken = gridWith(['place: true', 'place: false'], ['anchor: 60000', 'anchor: 2 * prize'])
  expect(await updated('broken.yaml', broken)).toMatchObject({ code: 65, text: broken })
  const right = gridWith()
  const { code, text, stderr } = await updated('right.yaml', right)
  expect([code, text]).toEqual([0, right])
  expect(stderr).not.toContain('updated')
})
