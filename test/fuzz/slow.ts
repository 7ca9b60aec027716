/**
 * The long run of everything that is seeded: more cases, and other ones every time.
 *
 *   npm run slow                       a seed of its own, printed, to be given again
 *   RUNGS_SEED=4711 npm run slow       the cases of that seed
 *   RUNGS_EFFORT=0.2 npm run slow      a fifth of the cases
 *
 * What stands behind `--` goes to vitest.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const { RUNGS_SEED: seed = String(randomInt(2 ** 31)), RUNGS_EFFORT: effort = '1' } = process.env
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const rooms = ['test/fuzz', 'test/properties', 'test/money', 'test/exchange', 'test/bot', 'test/market']
const words = ['run', '--config', 'config/tools/vitest.config.ts', '--testTimeout', '7200000', ...rooms]

process.stdout.write(`RUNGS_SEED=${seed} RUNGS_EFFORT=${effort}\n`)
const child = spawn(process.execPath, [vitest, ...words, ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: { ...process.env, RUNGS_EFFORT: effort, RUNGS_SEED: seed },
  stdio: 'inherit',
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
