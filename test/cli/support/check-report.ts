import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { z } from 'zod'
import { rungsHere } from './in-process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { type temporaryFolder } from './process.ts'

type Folder = ReturnType<typeof temporaryFolder>

const places = z.array(
  z.strictObject({
    line: z.int().min(1),
    column: z.int().min(1),
    message: z.string().min(1),
    hint: z.string(),
    file: z.string().optional(),
  }),
)

export const report = z.strictObject({
  ok: z.boolean(),
  problems: places,
  warnings: places,
  rungs: z.array(
    z.strictObject({
      ladder: z.string(),
      market: z.string(),
      level: z.string(),
      side: z.enum(['buy', 'sell']),
      price: z.string(),
      amount: z.string(),
      notional: z.string(),
      resting: z.boolean(),
      edge: z.string().optional(),
    }),
  ),
})

let files = 0

/** Writes a strategy and checks it with --json. */
export async function check(folder: Folder, text: string, ...words: string[]) {
  const path = folder.file(`${(files += 1)}.yaml`)
  writeFileSync(path, text)
  const { code, stdout } = await rungsHere(['check', path, '--json', ...words])
  const found = report.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
  expect(code).toBe(found.ok ? 0 : 65)
  return found
}

/** Checks the grid with these changes, without its own tests and with these. Messages have their fix behind them. */
export async function checkedGrid(
  folder: Folder,
  changes: readonly (readonly [string, string])[],
  tests = '',
): Promise<Record<'problems' | 'warnings', string[]>> {
  const [text = ''] = gridWith(...changes).split('\ntests:')
  const { problems, warnings } = await check(folder, tests ? `${text}\ntests:\n${tests}` : text)
  const texts = (list: typeof problems) => list.map(({ message, hint }) => `${message}; ${hint}`)
  return { problems: texts(problems), warnings: texts(warnings) }
}
