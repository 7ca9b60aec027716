import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { userDocuments } from './documents.ts'

/** The commands that a document has a table of flags for, and the section with the table. */
const tables = [
  { command: 'backtest', path: 'docs/backtesting.md', section: 'Flags' },
  { command: 'exchange', path: 'docs/exchange.md', section: 'Flags' },
  { command: 'sweep', path: 'docs/optimization.md', section: 'Flags' },
  { command: 'run', path: 'docs/operations.md', section: 'Run a bot' },
  { command: 'logs', path: 'docs/operations.md', section: 'Logs' },
  { command: 'record', path: 'docs/market-data.md', section: 'Record trades of a venue' },
]

test.each(tables)('$path names the flags of $command, and no other', async ({ command, path, section }) => {
  const { stdout } = await rungsHere([command, '--help'])
  const known = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
  const { text = '' } = userDocuments.find((document) => document.path === path) ?? {}
  const part = text.slice(text.indexOf(`\n## ${section}\n`)).split('\n## ')[1] ?? ''
  const named = new Set([...part.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag))
  expect(known.length).toBeGreaterThan(3)
  expect(named).toEqual(new Set(known.filter((flag) => flag !== '--help')))
})
