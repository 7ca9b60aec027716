import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { reportPage } from '#src/research/backtest/report/report-page.ts'
import { resultLines } from '#src/research/backtest/result/result-file.ts'
import { refuseUnwritable } from '#src/cli/files/report-file.ts'
import { sampleResult } from '#test/research/backtest/sample-result.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const kept = [...resultLines(sampleResult, 7)].join('\n')

test('rungs report writes the page of a stored result, beside it or to a given path', async () => {
  using folder = temporaryFolder()
  const [result, out] = [folder.file('night.json'), folder.file('elsewhere.html')]
  writeFileSync(result, kept)
  const beside = await rungs(['report', result])
  expect(beside).toEqual({ code: 0, stdout: `${folder.file('night.html')}\n`, stderr: '' })
  const page = await reportPage(sampleResult)
  expect(readFileSync(folder.file('night.html'), 'utf8')).toBe(page)
  expect((await rungsHere(['report', result, '--out', out])).code).toBe(0)
  expect(readFileSync(out, 'utf8')).toBe(page)
})

test('only the owner can read a page, and it replaces a link', async () => {
  using folder = temporaryFolder()
  const [result, out, other] = [folder.file('night.json'), folder.file('out.html'), folder.file('other')]
  writeFileSync(result, kept)
  writeFileSync(other, 'not ours')
  symlinkSync(other, out)
  refuseUnwritable(out)
  expect(readFileSync(out, 'utf8')).toBe('not ours')
  expect((await rungsHere(['report', result, '--out', out])).code).toBe(0)
  expect(readFileSync(other, 'utf8')).toBe('not ours')
  expect(lstatSync(out).isFile()).toBe(true)
  expect(statSync(out).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder.path).toSorted()).toEqual(['night.json', 'other', 'out.html'])
})

test('an invalid or missing result or an invalid target gives one clear line', async () => {
  using folder = temporaryFolder()
  const [result, torn] = [folder.file('night.json'), folder.file('torn.json')]
  writeFileSync(result, kept)
  writeFileSync(torn, kept.slice(0, -100))
  const edited = folder.file('edited.json')
  writeFileSync(edited, kept.replace(/"endEquity":"/, '"endEquity":"1'))
  const cases: [string[], number, string][] = [
    [['report'], 64, 'report needs a file'],
    [['report', folder.file('none.json')], 78, 'none.json (ENOENT, no such file or folder)'],
    [['report', torn], 78, `torn.json:${kept.split('\n').length} is not JSON`],
    [['report', edited], 78, 'edited.json was edited: a change from '],
    [['report', result, '--out', folder.file('night.json/out.html')], 78, 'night.json/out.html (EEXIST, '],
  ]
  for (const [words, code, seen] of cases) {
    const ended = await rungsHere(words)
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(seen) })
    expect(ended.stderr.trim().split('\n').length).toBeLessThan(3)
  }
  expect(existsSync(folder.file('torn.html'))).toBe(false)
})

test('an unwritable page is reported before the backtest runs', async () => {
  using folder = temporaryFolder()
  // A file has the name of the folder.
  writeFileSync(folder.file('none'), '')
  const words = ['strategies/01-static-grid.yaml', '--market', 'config/markets/BTC_USDT.csv']
  for (const command of [['backtest'], ['sweep', '--vary', 'ladder.grid.levels=11']]) {
    const ended = await rungsHere([...command, ...words, '--report', folder.file('none/out.html')])
    const stderr = expect.stringContaining('none/out.html (EEXIST, the file exists)')
    expect(ended).toMatchObject({ code: 78, stdout: '', stderr })
  }
})

test('a page replaces an earlier page, and no other file', async () => {
  using folder = temporaryFolder()
  const strategy = folder.file('grid.yaml')
  const text = readFileSync('strategies/01-static-grid.yaml', 'utf8')
  writeFileSync(strategy, text)
  const market = ['--market', 'config/markets/BTC_USDT.csv', '--to', '2026-01-05T06:00:00Z']
  const words = [strategy, ...market, '--report']
  for (const command of [['backtest'], ['sweep', '--vary', 'ladder.grid.levels=11']]) {
    const ended = await rungsHere([...command, ...words, strategy])
    expect(ended).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringContaining('grid.yaml exists and is no web page'),
    })
  }
  expect(readFileSync(strategy, 'utf8')).toBe(text)
  for (let time = 0; time < 2; time++)
    expect(await rungsHere(['backtest', ...words, folder.file('page.html')])).toMatchObject({ code: 0 })
})
