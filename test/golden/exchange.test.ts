import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { askedInTheEnd, venueText } from './dealings.ts'
import { unpackFolder } from './folder-file.ts'
import { recordedPath } from './recorded.ts'

describe('an exchange goes on from a folder of 0.3.2, and each account has what it had', () => {
  test.each([
    ['ended in order', 'ordered'],
    ['was killed', 'killed'],
  ])('that %s', async (_, name) => {
    using folder = temporaryFolder()
    unpackFolder(recordedPath(`exchange/${name}.folder`), folder.file('data'))
    const { at, answers } = JSON.parse(readFileSync(recordedPath(`exchange/${name}.json`), 'utf8'))
    const running = await startExchange({
      world: readYaml(packagedWorld, worldSchema),
      clock: new ManualClock(at, 0),
      profile: 'full',
      dataDirectory: folder.file('data'),
      onBroken(error) {
        throw error
      },
    })
    try {
      const now: Record<string, unknown> = {}
      for (const { who, words } of askedInTheEnd) {
        const venue = folder.file(`${who}.yaml`)
        writeFileSync(venue, venueText(who, running.url, running.euUrl), { mode: 0o600 })
        const asked = ['api', ...words, '--venue', venue, '--state-dir', folder.file(who), '--json']
        const { stdout, stderr, code } = await rungsHere(asked)
        expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' })
        now[`${who} ${words.join(' ')}`] = JSON.parse(stdout)
      }
      expect(now).toEqual(answers)
    } finally {
      await running.close()
    }
  })
})
