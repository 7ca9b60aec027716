import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { vocabulary, type BotEvent } from '#src/core/log-events/vocabulary.ts'
import { documentsText } from '#test/docs/documents.ts'

const root = new URL('../../../', import.meta.url)

test('the document lists exactly the existing events, with level, fields and meaning', () => {
  const rows = Object.entries(vocabulary).map(
    ([name, { level, fields, about }]) => `| \`${name}\` | ${level} | ${about} | ${fields.join(', ')} |`,
  )
  const [, table = ''] = documentsText.split(
    '| event | level | what it means | fields |\n|---|---|---|---|\n',
  )
  expect(table.slice(0, table.indexOf('\n\n')).split('\n')).toEqual(rows)
})

test('the document lists exactly the routine events', () => {
  const routine = Object.entries(vocabulary)
    .filter(([, row]) => 'isRoutine' in row)
    .map(([name]) => `\`${name}\``)
  expect(routine.length).toBeGreaterThan(5)
  expect(documentsText.replaceAll(/\s+/g, ' ')).toContain(`shows no *routine events*: ${routine.join(', ')}.`)
})

test('an event has the fields of its row and no others, by its type', () => {
  const at = 1_700_000_000_000
  const said: BotEvent[] = [
    { type: 'paused', at, strategy: 'grid', reason: 'the spread is wide' },
    { type: 'paused', at, strategy: 'grid', reason: 'the spread is wide', rule: 'calm' },
    // @ts-expect-error a reason is missing
    { type: 'paused', at, strategy: 'grid' },
    // @ts-expect-error a passphrase is no field of any event
    { type: 'paused', at, strategy: 'grid', reason: '', passphrase: 'open' },
    // @ts-expect-error this word means nothing
    { type: 'posed', at, strategy: 'grid', reason: '' },
  ]
  expect(said.filter(({ type }) => type in vocabulary)).toHaveLength(4)
})

test('every event of the documents is logged somewhere in the code', () => {
  const source = globSync('src/**/*.ts', { cwd: root })
    .filter(
      (path) =>
        /^src\/(?:cli|engine|fleet|operate|runtime)\//.test(path) &&
        path !== 'src/core/log-events/vocabulary.ts',
    )
    .map((path) => readFileSync(new URL(path, root), 'utf8'))
    .join('')
  const unsaid = Object.keys(vocabulary).filter((name) => !source.includes(`'${name}'`))
  expect(unsaid).toEqual([])
})
