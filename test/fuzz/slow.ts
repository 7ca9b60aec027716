/**
 * The long run of everything that is seeded: more cases, and other ones every time.
 *
 *   node test/fuzz/slow.ts          a seed of its own, printed, to be given again
 *   node test/fuzz/slow.ts 4711     the cases of that seed
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const seed = process.argv[2] ?? String(randomInt(2 ** 31))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const rooms = ['test/fuzz', 'test/properties', 'test/money', 'test/exchange']
const words = ['run', '--config', 'config/tools/vitest.config.ts', '--testTimeout', '7200000', ...rooms]

process.stdout.write(`RUNGS_SEED=${seed}\n`)
const child = spawn(process.execPath, [vitest, ...words], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  env: { ...process.env, RUNGS_SLOW: '1', RUNGS_SEED: seed },
  stdio: 'inherit',
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
