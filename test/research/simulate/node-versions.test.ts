import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isSlowRun, seed, times } from '#test/properties/runs.ts'
import { otherNode } from '#test/support/peers.ts'

const run = promisify(execFile)
const faults = times(200, 1000)

test.runIf(isSlowRun)('the same seeds give the same runs on two major versions of Node', async ({ skip }) => {
  skip(process.platform !== 'linux', `npm has no other Node for ${process.platform}`)
  const other = fetchedNode()
  if (other instanceof Error) return skip(`no other Node could be fetched: ${other.message}`)
  const [here, there] = [await simulated(process.execPath), await simulated(other)]
  expect(there.major).not.toBe(here.major)
  expect(there.lines).toEqual(here.lines)
  expect(here.lines.at(-1)).toMatchObject({ seed, traceHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

function fetchedNode(): string | Error {
  try {
    return otherNode()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Each line that the command prints, and the version of Node that prints it. */
async function simulated(node: string): Promise<{ major: string | undefined; lines: unknown[] }> {
  const { stdout: version } = await run(node, ['--version'])
  const words = ['simulate', '--seed', String(seed), '--faults', String(faults), '--json']
  const { stdout } = await run(node, ['src/rungs.mjs', ...words], { maxBuffer: 2 ** 26 })
  const lines: unknown[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { major: version.split('.')[0], lines }
}
