import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runBenches } from '#test/bench/runner/run-benches.ts'
import { root } from './documents.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-'))
afterAll(() => rmSync(folder, { recursive: true }))

function rowOf(text: string, name: string): string | undefined {
  return text.split('\n').find((line) => line.startsWith(`| \`${name}\` | 20`))
}

function withoutFigures(text: string): string {
  return text.replace(/<!-- npm run bench.*<!-- to here -->/s, '')
}

test('npm run bench writes the figures of each benchmark that ran, and keeps those of the others', async () => {
  const document = join(folder, 'performance.md')
  copyFileSync(`${root}docs/performance.md`, document)
  const before = readFileSync(document, 'utf8')
  writeFileSync(join(folder, 'ladder.ts'), "console.log('1 000 rungs:  8.1 ms\\n  a | b ' + process.argv[2])")
  writeFileSync(join(folder, 'tick.ts'), "console.log('0.90 x'); process.exitCode = 1")
  writeFileSync(join(folder, 'broken.ts'), 'process.exitCode = 1')
  const output: string[] = []
  const missed = await runBenches({
    folder,
    names: ['ladder', 'tick', 'broken'],
    words: { ladder: ['word'] },
    document,
    date: '2031-05-06',
    onOutput: (text) => output.push(text),
  })
  expect(missed).toEqual(['tick', 'broken'])
  expect(output.join('')).toContain('8.1 ms')
  const after = readFileSync(document, 'utf8')
  expect(rowOf(after, 'ladder')).toBe(
    String.raw`| ${'`ladder`'} | 2031-05-06 | 1 000 rungs: 8.1 ms<br>a \| b word | met |`,
  )
  expect(rowOf(after, 'tick')).toBe('| `tick` | 2031-05-06 | 0.90 x | missed |')
  expect(rowOf(after, 'broken')).toBeUndefined()
  expect(rowOf(before, 'sweep')).toBeDefined()
  expect(rowOf(after, 'sweep')).toBe(rowOf(before, 'sweep'))
  expect(withoutFigures(after)).toBe(withoutFigures(before))
})
