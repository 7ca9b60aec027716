/**
 * The long run: `npm run programs`, and all tests that use test/properties/runs.ts, with more cases, and new ones every time.
 *
 * npm run slow a new seed, printed, to repeat the run
 * RUNGS_SEED=4711 npm run slow the cases of that seed
 * RUNGS_EFFORT=0.2 npm run slow a fifth of the cases
 * Arguments after `--` go to vitest.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `rungs simulate` accepts seeds of up to nine digits, and tests also use the seeds after this one. */
const seedsMost = 1e8
const { RUNGS_SEED: seed = String(randomInt(seedsMost)), RUNGS_EFFORT: effort = '1' } = process.env
const root = fileURLToPath(new URL('../..', import.meta.url))
// Other tests without such cases would only repeat `npm test`.
const seeded = globSync('test/**/*.test.ts', { cwd: root }).filter((path) =>
  readFileSync(join(root, path), 'utf8').includes("/runs.ts'"),
)
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// `.ci/run` has run them before it takes a part of this run.
const programs = Number(effort) < 1 ? [] : scripts.programs.split('vitest.config.ts ')[1].split(' ')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const words = [
  'run',
  '--config',
  'config/tools/vitest.config.ts',
  '--testTimeout',
  '7200000',
  ...seeded,
  ...programs,
]

process.stdout.write(`RUNGS_SEED=${seed} RUNGS_EFFORT=${effort}\n`)
const child = spawn(process.execPath, [vitest, ...words, ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, RUNGS_EFFORT: effort, RUNGS_SEED: seed },
  stdio: 'inherit',
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
