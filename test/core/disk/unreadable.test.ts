import { basename, dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fixIfPackaged } from '#src/core/disk/unreadable.ts'

const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))
const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' })

test('a file of the package has a fix that says where it is', () => {
  for (const path of ['package.json', './package.json', 'docs/../package.json']) {
    expect(fixIfPackaged(path, missing)).toBe(
      `it is packaged: ${relative(process.cwd(), `${packageFolder}package.json`)}`,
    )
  }
})

test.each([
  ['no path', ''],
  ['the package folder itself', '.'],
  ['the folder around it', '..'],
  ['a folder beside it', `../../${basename(dirname(packageFolder))}`],
])('%s is not a file of the package', (_, path) => {
  expect(fixIfPackaged(path, missing)).toBeUndefined()
})
