import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watchFiles } from '#src/cli/run/watch-files.ts'
import { readStrategies } from '#src/runtime/compose/strategy-files.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const check = () => []
const changed = gridWith(['levels: 21', 'levels: 19'])

/** The levels in use after a file of this name has changed before or after the start of the watch. */
async function reloadedWhen(name: string, changes: 'before' | 'after'): Promise<number[]> {
  using folder = temporaryFolder()
  const path = join(folder.path, name)
  writeFileSync(path, gridWith())
  const { files } = readStrategies([path], check)
  let checks = 0
  const levels: number[] = []
  const watching = new AbortController()
  const change = () => writeFileSync(path, changed)
  if (changes === 'before') change()
  const watched = watchFiles({
    files,
    check: () => {
      checks += 1
      return []
    },
    bot: { reload: async ({ strategy }) => void levels.push(strategy.ladder['grid']?.levels ?? 0) },
    say: (event) => expect(event).toBeUndefined(),
    signal: watching.signal,
  })
  if (changes === 'after') {
    // The bot has read the old file.
    await expect.poll(() => checks).toBe(1)
    change()
  }
  await expect.poll(() => levels.length).toBe(1)
  watching.abort()
  await watched
  return levels
}

test('a file that changes during the start is reloaded', async () => {
  expect(await reloadedWhen('grid.yaml', 'before')).toEqual([19])
})

test('a file with any name is reloaded when it changes', async () => {
  expect(await reloadedWhen('grid.yml', 'after')).toEqual([19])
})

test('an unreadable file is reported, and ends nothing', async () => {
  using folder = temporaryFolder()
  const path = folder.file('grid.yaml')
  writeFileSync(path, gridWith())
  const { files } = readStrategies([path], check)
  const said: string[] = []
  const watching = new AbortController()
  const watched = watchFiles({
    files,
    check,
    bot: { reload: async () => {} },
    say: (event) => void said.push(event.type === 'strategy-refused' ? event.message : event.type),
    signal: watching.signal,
  })
  // A link to itself.
  rmSync(path)
  symlinkSync(path, path)
  const refused = expect.stringContaining('the file cannot be read: ELOOP')
  await Promise.race([watched, expect.poll(() => said).toEqual([refused])])
  watching.abort()
  await watched
})

/** The events of a running bot after a changed file, and whether it accepts a valid one afterwards. */
async function reportOf(hostile: string): Promise<{ refused: string[]; levels: number[] }> {
  using folder = temporaryFolder()
  const path = join(folder.path, 'grid.yaml')
  writeFileSync(path, gridWith())
  const { files } = readStrategies([path], check)
  const refused: string[] = []
  const levels: number[] = []
  const watching = new AbortController()
  writeFileSync(path, hostile)
  const watched = watchFiles({
    files,
    check,
    bot: { reload: async ({ strategy }) => void levels.push(strategy.ladder['grid']?.levels ?? 0) },
    say: (event) => void refused.push(event.type === 'strategy-refused' ? event.message : event.type),
    signal: watching.signal,
  })
  await Promise.race([watched, expect.poll(() => refused.length).toBe(1)])
  writeFileSync(path, changed)
  await Promise.race([watched, expect.poll(() => levels.length).toBe(1)])
  watching.abort()
  await watched
  return { refused, levels }
}

const when = /when: .*/
// Regressions: each of these ended a running bot, or blocked it for minutes.
test.each([
  [
    'thousands of negations',
    gridWith().replace(when, `when: "${'!'.repeat(30_000)}true"`),
    'at most 500 letters',
  ],
  [
    'thousands of minus signs',
    gridWith().replace(when, `when: "0 < ${'- '.repeat(10_000)}1"`),
    'at most 500 letters',
  ],
  ['thousands of tags', gridWith().replace(when, `when: ${'!'.repeat(30_000)}`), 'line'],
  [
    'thousands of unknown keys',
    gridWith() + Array.from({ length: 10_000 }, (_, index) => `k${index}: 1\n`).join(''),
    'more than 500',
  ],
  [
    'hundreds of unknown keys',
    gridWith() + Array.from({ length: 400 }, (_, index) => `k${index}: 1\n`).join(''),
    'and 48 more',
  ],
  [
    'hundreds of expressions with unknown names',
    gridWith().replace(
      /^let:\n/m,
      `let:\n${Array.from({ length: 400 }, (_, index) => `  n${index}: unheard_${index}\n`).join('')}`,
    ),
    'and 48 more',
  ],
])(
  'a running bot refuses %s in a changed file, and accepts the next valid one',
  async (_, text, expected) => {
    const { refused, levels } = await reportOf(text)
    expect(refused).toEqual([expect.stringContaining(expected)])
    expect(refused[0]!.length).toBeLessThan(1000)
    expect(levels).toEqual([19])
  },
)
