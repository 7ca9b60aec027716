import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { busyFolder } from '#src/cli/files/busy-folder.ts'
import { keepNames } from '#src/operate/dashboard/http/state-folder-files.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

test('the error for a busy folder names its process, its strategies, and two fixes', () => {
  using folder = temporaryFolder()
  const cause = new BotError('DATA_BUSY', { seen: 'a database' })
  const strategies = Array.from({ length: 30 }, (_, index) => `strategy${index}`)
  keepNames(folder.path, [...strategies, 'strategy0.grid'])
  writeFileSync(folder.file('journal.pid'), `${process.pid}\n`)
  const { seen, fix } = busyFolder(folder.path, cause)
  expect(seen).toBe(`process ${process.pid} runs ${strategies.join(', ')} in ${folder.path}`)
  expect(fix).toContain(`kill ${process.pid}`)
  expect(fix).toContain(`--state-dir ${folder.path}-2`)
})
