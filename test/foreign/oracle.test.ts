/**
 * An independent simulation, in Python and from the documents alone, agrees with the backtest: every fill (time,
 * order, side, price, amount, fee), the fees, the equity at the end and the deepest drawdown, to the last digit.
 * `test/foreign/oracle/README.md` says how to look at one case.
 */
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { seed, times } from '../properties/runs.ts'

const compare = fileURLToPath(new URL('oracle/compare.py', import.meta.url))
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
const onTrades = ['grid', 'partial', 'halt', 'quotes', 'dca', 'trail']
const kinds = [...onTrades, ...onTrades.map((kind) => `${kind} on bars`)]

test.for(kinds)('the simulation of the documents agrees on %s', async (kind, { skip }) => {
  skip(!hasPython && !process.env['CI'], 'no python3 of version 3.9 or later was found')
  const cases = times(1, 8)
  const { status, output } = await run([
    compare,
    '--seed',
    String(seed),
    '--cases',
    String(cases),
    '--kind',
    kind,
  ])
  expect(status, output).toBe(0)
  expect(output.split('"agrees": true')).toHaveLength(cases + 1)
})

function run(words: string[]): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', ['-B', ...words])
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output }))
  })
}
