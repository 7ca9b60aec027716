import { deepEqual, equal } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { launcher } from '#test/cli/support/process.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * The CPU time of whole short processes, on all threads, as ratios to a Node that does nothing (P16). Bare Node and all rows
 * take turns; each ratio is of one round, and the median of the rounds counts. The code cache is warm. The clone runs its
 * sources; the package is what `npm run build` makes of them. The last row is a bot until its first request.
 */
const rounds = 15
const folder = mkdtempSync(join(tmpdir(), 'rungs-bench-start-'))
const strategy = join(folder, 'grid.yaml')
const environment = { ...process.env, NODE_COMPILE_CACHE: undefined, RUNGS_PERMISSION: 'off' }

/** Prints the CPU time at the first request, and ends. */
const untilRequest = `import channel from 'node:diagnostics_channel'
channel.subscribe('undici:request:create', () => {
  const { user, system } = process.cpuUsage()
  process._rawDebug((user + system) / 1000)
  process.reallyExit(0)
})`

/** The package, as npm would unpack it, with the packages of the clone. */
function packaged(): string {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const root = join(folder, 'package')
  mkdirSync(root)
  for (const name of ['dist', 'config', 'package.json']) cpSync(name, join(root, name), { recursive: true })
  for (const name of globSync('*.mjs', { cwd: 'src' })) cpSync(join('src', name), join(root, 'src', name))
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  return join(root, 'src/rungs.mjs')
}

/** What bash measures of its child, to a millisecond. */
function cpuMsOf(words: readonly string[]): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null'
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...words], {
    encoding: 'utf8',
    env: environment,
  })
  equal(status, 0, stderr)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return 1000 * (user + system)
}

function msUntilRequest(): number {
  const state = join(folder, 'state')
  rmSync(state, { recursive: true, force: true })
  const words = ['run', ...globSync('strategies/*.yaml').toSorted(), '--state-dir', state, '--json']
  const hook = `data:text/javascript,${encodeURIComponent(untilRequest)}`
  const { stderr } = spawnSync(process.execPath, ['--import', hook, launcher, ...words], {
    encoding: 'utf8',
    env: environment,
  })
  return Number(stderr.trim().split('\n').at(-1))
}

function textOf(words: readonly string[]): string {
  return execFileSync(process.execPath, words, { encoding: 'utf8', env: environment })
}

type Row = { goal?: string; what: string; words: string[]; atMost: number; wanted: number }

function measure(rows: readonly Row[]): void {
  for (const { words } of rows) cpuMsOf(words)
  const times = Array.from({ length: rounds }, () => ({
    bare: cpuMsOf(['-e', '0']),
    each: rows.map(({ words }) => cpuMsOf(words)),
  }))
  const floor = medianOf(times.map(({ bare }) => bare))
  note(`bare Node ${floor.toFixed(0)} ms`)
  for (const [place, { words: _, ...row }] of rows.entries()) {
    const ratio = medianOf(times.map(({ bare, each }) => (each[place] ?? 0) / bare))
    const ours = medianOf(times.map(({ each }) => each[place] ?? 0))
    report({ ...row, ours, floor, ratio, unit: 'ms' })
  }
}

try {
  const inPackage = packaged()
  const grid = '--levels 50 --step 0.5% --money 200000 --market BTC_PERP --yes'.split(' ')
  textOf([launcher, 'new', strategy, ...grid])
  const checked: { rungs: unknown[] } = JSON.parse(textOf([launcher, 'check', strategy, '--json']))
  equal(checked.rungs.length, 100)
  deepEqual(JSON.parse(textOf([inPackage, 'check', strategy, '--json'])), checked)

  const rowsOf = (place: string, file: string, limits: { atMost: number; wanted: number }): Row[] => [
    { what: `--help, ${place}`, words: [file, '--help'], atMost: 4, wanted: 1.5 },
    { what: `completion bash, ${place}`, words: [file, 'completion', 'bash'], ...limits },
    { goal: 'P16', what: `check of 100 rungs, ${place}`, words: [file, 'check', strategy], ...limits },
  ]
  measure([
    { goal: 'P16', what: '--version', words: [launcher, '--version'], atMost: 4, wanted: 1.5 },
    ...rowsOf('clone', launcher, { atMost: 10, wanted: 4 }),
    ...rowsOf('package', inPackage, { atMost: 6, wanted: 4 }),
  ])

  const [, , ...times] = Array.from({ length: 9 }, msUntilRequest)
  const what = 'run until the first request, clone'
  report({ what, ours: medianOf(times), unit: 'ms', atMost: 1000, wanted: 500 })
} finally {
  rmSync(folder, { recursive: true })
  rmSync('dist', { recursive: true, force: true })
}
