import { copyFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

/** File names can contain control characters and change the direction of text. */
const evil = 'a\u001b[31m\u202e'
const folder = temporaryFolder()
const strategy = folder.file(`${evil}.yaml`)
const market = folder.file(`${evil}.csv`)
beforeAll(() => {
  writeFileSync(strategy, gridWith())
  copyFileSync('config/markets/BTC_USDT.csv', market)
})
afterAll(() => folder[Symbol.dispose]())

describe('file names cannot control the terminal', () => {
  test.each([
    ['check', [strategy]],
    ['check', [folder.file(`${evil}-none.yaml`)]],
    ['market', [market]],
    [
      'new',
      [folder.file(`${evil}-new.yaml`), '--kind', 'grid', '--market', 'BTC_PERP', '--money', '2000', '--yes'],
    ],
    ['backtest', [folder.file(`${evil}-none.yaml`), '--market', market]],
    ['report', [market]],
    ['verify', [market]],
    ['status', ['--state-dir', folder.file(evil)]],
  ])('rungs %s', async (command, words) => {
    const { stdout, stderr } = await rungsHere([command, ...words])
    const text = `${stdout}${stderr}`
    expect(text).toContain(String.raw`a\u001b[31m\u202e`)
    expect(text).not.toContain('\u001b[31m')
    expect(text).not.toContain('\u202e')
  })
})
