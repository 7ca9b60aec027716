import { basename } from 'node:path'
import { rungs } from '#test/cli/support/process.ts'

/** How much of a tape comes out as it was recorded. */
export type Verified = { requests: number; matched: number; differences: unknown[] }

/** By name of the tape: what `rungs verify` says of all tapes in a folder. */
export async function verified(folder: string): Promise<Map<string, Verified>> {
  const { stdout, stderr, code } = await rungs(['verify', folder, '--json'])
  if (code !== 0 && code !== 2) throw new Error(stderr)
  return new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { tape, requests, matched, differences } = JSON.parse(line)
        return [basename(tape, '.tape'), { requests, matched, differences: differences.map(factsOf) }]
      }),
  )
}

/** Without `why`: its sentences are for people and may change, while every request stays the same. */
function factsOf(difference: Record<string, unknown>) {
  const { why: _, ...facts } = difference
  return facts
}

/** Of a tape on which nothing differs. */
export function same({ requests }: Verified): Verified {
  return { requests, matched: requests, differences: [] }
}
