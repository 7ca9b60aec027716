import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

/** As a running bot leaves it; no process has the highest id. */
function running(folder: string, pid: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const control = { url: 'http://127.0.0.1:9', pid, token: 'x'.repeat(43) }
  writeFileSync(join(folder, 'control.json'), JSON.stringify(control), { mode: 0o600 })
}
const noProcess = 2 ** 22 + 1

test('a command finds the only bot inside of .rungs, and says where', async () => {
  using place = temporaryFolder()
  const before = process.cwd()
  const dashboard = (env = {}) => {
    process.chdir(place.path)
    return rungsHere(['dashboard'], env).finally(() => process.chdir(before))
  }
  running(place.file('.rungs/start'), process.pid)
  running(place.file('.rungs/killed'), noProcess)
  writeFileSync(place.file('.rungs/names'), '')
  const link = `http://127.0.0.1:9/#${'x'.repeat(43)}`
  const start = join('.rungs', 'start')
  expect(await dashboard()).toMatchObject({ code: 0, stderr: `State folder: ${start}\n` })
  expect((await dashboard()).stdout).toContain(link)

  // With a journal in the default folder, or with two bots inside of it, the default folder counts.
  writeFileSync(place.file('.rungs/journal.sqlite'), '')
  const hint = `A bot runs in ${start}: pass --state-dir ${start}\n`
  const { code, stderr } = await dashboard()
  expect([code, stderr.startsWith(hint)]).toEqual([69, true])
  expect(stderr).toContain('no bot listens for .rungs')
  rmSync(place.file('.rungs/journal.sqlite'))
  running(place.file('.rungs/second'), process.pid)
  expect(await dashboard()).toMatchObject({ code: 69, stderr: expect.stringContaining('for .rungs') })
  rmSync(place.file('.rungs/second'), { recursive: true })
  running(place.file('.rungs'), process.pid)
  expect(await dashboard()).toMatchObject({ code: 0, stderr: '' })
  rmSync(place.file('.rungs/control.json'))

  // A folder that the user names counts, whatever runs elsewhere.
  expect(await dashboard({ RUNGS_STATE_DIR: '.rungs' })).toMatchObject({ code: 69 })
})
