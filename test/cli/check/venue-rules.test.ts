import { copyFileSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { check } from '#test/cli/support/check-report.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { exchangeHere } from '#test/cli/support/exchange-here.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

describe('rungs check --venue', () => {
  test.concurrent('reads the market rules of a venue', async () => {
    await using exchange = await exchangeHere(['--profile', 'full'])
    const venue = folder.file('venue.yaml')
    writeFileSync(venue, `url: ${exchange.url}\n`)
    expect(await check(folder, gridWith(), '--venue', venue)).toEqual(await check(folder, gridWith()))
  })

  test.concurrent('reports a venue that does not send them or does not answer', async () => {
    await using exchange = await exchangeHere()
    const venue = folder.file('spec.yaml')
    writeFileSync(venue, `url: ${exchange.url}\n`)
    const words = ['check', folder.file('grid.yaml'), '--venue']
    expect(await rungsHere([...words, venue])).toMatchObject({
      code: 77,
      stderr: expect.stringMatching(/world: exchange\.yaml/),
    })
    // With rules in the venue file only documented calls are used.
    copyFileSync(new URL('../../../config/exchange.yaml', import.meta.url), folder.file('exchange.yaml'))
    writeFileSync(venue, `url: ${exchange.url}\nworld: exchange.yaml\n`)
    expect(await check(folder, gridWith(), '--venue', venue)).toEqual(await check(folder, gridWith()))
    const following = gridWith(['side: both', 'side: both\n    rebase: { drift: 1%, min_gap: 1m }'])
    const { problems } = await check(
      folder,
      following.replace('balance]', 'balance, cancel]'),
      '--venue',
      venue,
    )
    expect(problems.map(({ message }) => message)).toEqual([
      'this venue has no cancel: a ladder that follows its anchor cannot cancel its orders',
    ])
    writeFileSync(venue, 'url: http://127.0.0.1:9\n')
    expect(await rungsHere([...words, venue])).toMatchObject({
      code: 69,
      stderr: expect.stringMatching(/127\.0\.0\.1:9/),
    })
    expect(await rungsHere([...words, venue, '--world', venue])).toMatchObject({ code: 64 })
    expect(await rungsHere([...words, venue, '--profile', 'spec'])).toMatchObject({ code: 64 })
  })
})
