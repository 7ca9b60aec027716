import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { commandsOf, wordsIn, writeFiles } from './commands.ts'
import { userDocuments } from './documents.ts'

const pages = userDocuments.filter(({ path }) => path.startsWith('docs/strategies/'))
const guide = userDocuments.find(({ path }) => path === 'docs/strategies.md')

test('each of the ten standard strategies has a page, and the guide lists it', () => {
  const listed = [...(guide?.prose ?? '').matchAll(/\]\(strategies\/([\w-]+)\.md\)/g)].flatMap(
    ([, name]) => name ?? [],
  )
  expect(listed.toSorted()).toEqual(pages.map(({ path }) => basename(path, '.md')).toSorted())
  expect(listed).toHaveLength(10)
})

test.each(pages)('$path explains parts that its file has', ({ prose }) => {
  const [, file = ''] = /^The file: \[(strategies\/[\w/-]+\.yaml)\]/m.exec(prose) ?? []
  const text = readFileSync(file, 'utf8')
  const parts = [...prose.matchAll(/^\| ((?:[^|]*`[^|]*)) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, part]) => part),
  )
  expect(parts.length).toBeGreaterThan(3)
  expect(parts.filter((part = '') => !text.includes(part))).toEqual([])
})

test.skipIf(!isSlowRun).each(pages)('$path shows what its backtest prints', async (page) => {
  using folder = temporaryFolder()
  writeFiles(page, folder.path)
  let printed = ''
  for (const command of commandsOf(page)) {
    const { code, stdout } = await rungsHere(wordsIn(command, folder.path))
    expect(code, command.text).toBe(0)
    printed = stdout
  }
  const shown = page.blocks.find(({ language }) => language === '')?.text ?? ''
  const lines = printed.split('\n')
  expect(shown.split('\n').length).toBeGreaterThan(8)
  expect(shown.split('\n').filter((line) => line !== '' && !lines.includes(line))).toEqual([])
})
