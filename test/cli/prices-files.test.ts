import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pricesFor } from '#src/cli/prices-files.ts'
import { temporaryFolder } from './process.ts'

const venue = { url: 'http://127.0.0.1:1', prices: {} }

test('prices go on where they began, and a file that does not say when is named with its remedy', () => {
  using folder = temporaryFolder()
  const beginsAt = (now: number) => pricesFor([], venue, folder.path, () => now).begins
  expect([beginsAt(1_700_000_000_000), beginsAt(1_700_000_060_000)]).toEqual([
    1_700_000_000_000, 1_700_000_000_000,
  ])
  // The machine went down before the bytes were on the disk.
  writeFileSync(folder.file('prices-began'), '')
  expect(() => beginsAt(1_700_000_120_000)).toThrow(
    expect.objectContaining({
      code: 'FILE_INVALID',
      seen: `${folder.file('prices-began')} does not say when the prices began`,
      fix: 'Remove it, and they begin anew',
    }),
  )
})
