import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { libraryPage } from '../../config/tools/library.ts'
import { backtest } from '#src/library/backtest.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { userDocuments } from './documents.ts'

const page = userDocuments.find(({ path }) => path === 'docs/library.md')
const root = fileURLToPath(new URL('../../', import.meta.url))

test('the reference holds the comments of everything that the package exports, and each has one', () => {
  expect(page?.text, 'run: node config/tools/library.ts').toBe(libraryPage())
  expect(page?.text).not.toMatch(/^\| `\w+` \| \w+ \| +\|$/m)
})

/** The source of a built file, as the word of an import. */
function source(target: string): string {
  return JSON.stringify(`file://${root}src/${target.slice('./dist/'.length).replace(/\.js$/, '.ts')}`)
}

test.each([
  ['openExchange', /^accepted\n\[ 'mine\.1 at 59000' \]\n$/],
  ['backtest(', /^\d+ fills, profit -?\d+\.\d+, drawdown \d+\.\d+\n$/],
])('its program with %s runs', (word, output) => {
  using folder = temporaryFolder()
  const program = page?.blocks.find(({ language, text }) => language === 'ts' && text.includes(word))?.text
  // The files that its examples name; and the package by the paths of its sources.
  for (const name of ['strategies', 'config']) symlinkSync(`${root}${name}`, folder.file(name))
  let text = program ?? ''
  for (const [name, target] of Object.entries(packageJson.exports))
    if (typeof target === 'object') text = text.replace(`'rungs${name.slice(1)}'`, source(target.default))
  writeFileSync(folder.file('program.ts'), text)
  const { stdout, stderr } = spawnSync(process.execPath, [folder.file('program.ts')], {
    cwd: folder.path,
    encoding: 'utf8',
  })
  expect(stdout, stderr).toMatch(output)
})

test('a backtest names all mistakes of its files, each with its place', async () => {
  using folder = temporaryFolder()
  const path = folder.file('grid.yaml')
  const text = readFileSync(`${root}strategies/01-static-grid.yaml`, 'utf8')
  writeFileSync(path, text.replace('BTC_USDT', 'BTC_USD').replace('levels: 21', 'levels: many'))
  const markets = { BTC_USDT: `${root}config/markets/BTC_USDT.csv` }
  await expect(backtest([path], { markets })).rejects.toMatchObject({
    code: 'STRATEGY_INVALID',
    seen: expect.stringMatching(/^\S+grid\.yaml:\d+:\d+ \S.*levels: must be a whole number from 1/),
  })
  writeFileSync(path, text.replace('BTC_USDT', 'BTC_USD').replaceAll('last(px)', 'last(pz)'))
  await expect(backtest([path], { markets })).rejects.toMatchObject({ seen: expect.stringContaining('"pz"') })
  await expect(backtest([`${root}strategies/01-static-grid.yaml`], { markets: {} })).rejects.toMatchObject({
    seen: expect.stringContaining('01-static-grid.yaml trades BTC_USDT, and `markets` has no file for it'),
    fix: 'Pass one: markets: { BTC_USDT: FILE }',
  })
  await expect(backtest([], { markets })).rejects.toMatchObject({ seen: 'no strategy file is given' })
})
