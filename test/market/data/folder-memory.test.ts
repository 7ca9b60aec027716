import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { environment, temporaryFolder } from '#test/cli/support/process.ts'
import { zipOf } from './zip-of.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const program = fileURLToPath(new URL('folder-process.ts', import.meta.url))

const filesInFolder = 30
const passes = 40
/** When each file had threads of its own, 900 files needed more than 200 MiB. */
const mebibytesMost = 80

test('the memory for a folder of zip archives does not grow with their number', () => {
  for (let day = 0; day < filesInFolder; day++) {
    const rows = Array.from(
      { length: 20 },
      (_, row) => `${1_700_000_000 + 1000 * day + row},${100 + row},1\n`,
    )
    const text = `timestamp,price,amount\n${rows.join('')}`
    writeFileSync(folder.file(`day-${day}.zip`), zipOf([{ name: 'day.csv', text }]))
  }
  const options = { env: environment({}), encoding: 'utf8' } as const
  const printed = execFileSync(process.execPath, [program, folder.path, String(passes)], options)
  const [early = 0, late = Infinity] = JSON.parse(printed)
  expect(late - early).toBeLessThan(mebibytesMost)
})
