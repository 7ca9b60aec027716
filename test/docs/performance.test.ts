import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
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
    json: false,
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

const reporter = JSON.stringify(`${root}test/bench/runner/report.ts`)

/** A benchmark of this name, which reports these rows, and one of its own notes before them. */
function writeBenchmark(name: string, ...rows: object[]): void {
  const calls = rows.map((row) => `report(${JSON.stringify(row)})`)
  const head = `import { note, report } from ${reporter}\nnote('20 rounds')\n`
  writeFileSync(join(folder, `${name}.ts`), `${head}${calls.join('\n')}\n`)
}

async function ran(names: string[], json: boolean) {
  const document = join(folder, 'performance.md')
  copyFileSync(`${root}docs/performance.md`, document)
  const output: string[] = []
  const run = { folder, names, words: {}, document, date: '2031-05-06', json }
  const missed = await runBenches({ ...run, onOutput: (text) => output.push(text) })
  return { missed, output: output.join(''), document: readFileSync(document, 'utf8') }
}

const slow = { goal: 'P1', what: 'a bulk', ours: 70, peer: 100, floor: 20, ratio: 0.7, unit: 'µs' }

test('a benchmark prints a row with its limits, and a missed limit fails it', async () => {
  writeBenchmark(
    'bulk',
    { ...slow, atMost: 0.6, wanted: 0.33 },
    { what: 'lines', ours: 12_000, unit: 'a second' },
  )
  writeBenchmark('fast', { what: 'grid', ours: 2, ratio: 0.011, atLeast: 0.01, detail: '73 fills' })
  const { missed, output, document } = await ran(['bulk', 'fast'], false)
  expect(missed).toEqual(['bulk'])
  expect(output.replaceAll(/ +/g, ' ').split('\n')).toEqual([
    '',
    'bulk',
    '20 rounds',
    'P1 a bulk 0.70 x, 70 against 100 µs must ≤ 0.6 x, goal 0.33 x MISSED',
    ' lines 12000 a second',
    '',
    'fast',
    '20 rounds',
    ' grid 1/91 x, 2, 73 fills must ≥ 1/100 x',
    '',
  ])
  expect(rowOf(document, 'bulk')).toContain('goal 0.33 x MISSED<br>lines 12000 a second | missed |')
})

test('npm run bench -- --json prints only one JSON line for each row, and leaves the document as it is', async () => {
  const limits = { atMost: 0.6, wanted: 0.33 }
  writeBenchmark('bulk', { ...slow, ...limits }, { what: 'lines', ours: 12_000, unit: 'a second' })
  const none = { goal: 'P5', what: 'calls over the limit', ours: 0, atMost: 0, detail: 'seed 1' }
  writeBenchmark('fast', none)
  const { missed, output, document } = await ran(['bulk', 'fast'], true)
  expect(missed).toEqual(['bulk'])
  const lines = output.trimEnd().split('\n')
  expect(lines[0]).toMatch(
    /^\{"goal":"P1","what":"a bulk","ours":70,"peer":100,"floor":20,"ratio":0\.7,"unit":"µs",/,
  )
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...slow, ...limits, must: true, met: false, benchmark: 'bulk' },
    { what: 'lines', ours: 12_000, unit: 'a second', must: false, benchmark: 'bulk' },
    { ...none, must: true, met: true, benchmark: 'fast' },
  ])
  expect(document).toBe(readFileSync(`${root}docs/performance.md`, 'utf8'))
})

const benchmarks = globSync('*.ts', { cwd: `${root}test/bench` }).map((name) => basename(name, '.ts'))

test.each(['laddr', '--jsn'])('npm run bench names all benchmarks instead of running %s', (word) => {
  const words = ['test/bench/runner/all.ts', 'ladder', word, '--json']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  const [problem, fix = ''] = stderr.trimEnd().split('\n')
  expect(problem).toBe(`no benchmark has this name: ${word} (npm run bench)`)
  expect(fix).toMatch(/^fix: use names of this list, or --json: /)
  expect(fix.split(': ')[2]?.split(' ').toSorted()).toEqual(benchmarks.toSorted())
})

test.each(benchmarks)('the benchmark %s reports its rows through one function', (name) => {
  const source = readFileSync(`${root}test/bench/${name}.ts`, 'utf8')
  expect(source).toContain("report } from './runner/report.ts'")
  expect(source.match(/process\.(?:stdout|exitCode)|^\s*console\.\w+/gm)).toBeNull()
})
