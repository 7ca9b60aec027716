import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { venueFileText } from '#test/runtime/support/venue-records.ts'

const grid = 'strategies/01-static-grid.yaml'

describe('rungs run --fleet', () => {
  test.each([
    ['a standby without a fleet', ['--standby'], '--standby without --fleet'],
    ['a lease without a fleet', ['--lease', '2s'], '--lease without --fleet'],
    ['an end of the lease without a fleet', ['--on-lost-lease', 'cancel'], '--on-lost-lease without --fleet'],
    [
      'a strategy whose orders the venue would not cancel',
      ['--on-lost-lease', 'cancel', '--venue', 'live.yaml', '--fleet', 'postgres://a@127.0.0.1/b'],
      '--on-lost-lease cancel, and strategies/01-static-grid.yaml has no kill switch',
    ],
    ['a fleet without a venue', ['--fleet', 'postgres://a@127.0.0.1/b'], '--fleet without --venue'],
    ['a lease that no query fits into', ['--lease', '10ms'], '--lease cannot be 10ms'],
  ])('refuses %s', async (_, words, message) => {
    const { code, stderr } = await rungsHere(['run', grid, ...words])
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(message) })
  })

  test('refuses a password that other users could see', async () => {
    using folder = temporaryFolder()
    const venue = folder.file('venue.yaml')
    writeFileSync(venue, venueFileText('http://127.0.0.1:9'))
    const words = ['run', grid, '--venue', venue, '--state-dir', folder.file('state'), '--fleet']
    const { code, stderr } = await rungsHere([...words, 'postgres://a:hidden@127.0.0.1/b'])
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('PGPASSWORD') })
    expect(stderr).not.toContain('hidden')
    const other = await rungsHere(['fleet', 'status', 'mysql://a@127.0.0.1/b'])
    expect(other).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('does not begin with postgres://'),
    })
    const away = await rungsHere([...words, 'postgres://a@127.0.0.1:9/b'])
    expect(away.code).toBe(69)
    expect(away.stderr).toMatch(
      /^FLEET_UNAVAILABLE: .*PostgreSQL at 127\.0\.0\.1:9\/b does not answer.*\nfix: /,
    )
  })
})
